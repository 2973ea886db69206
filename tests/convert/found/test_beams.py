"""The best of the candidates that children give, with the ways that lead to them."""

import dataclasses
import math

import pytest

from tests.convert.agreement import CONVERTED, agrees, of_one


class Scored:
  def __init__(self, word, score, *kids):
    self.word, self.score, self.kids = word, score, list(kids)


@dataclasses.dataclass
class Candidate:
  score: float
  path: list


def _trees():
  inner = Scored("a", 1.0, Scored("x", 3.0), Scored("y", 2.5))
  yield (Scored("s", 0.5, inner, Scored("b", 2.0, Scored("z", 0.25))),)
  yield (Scored("q", 1.5),)
  yield (Scored("s", 0.5, Scored("a", 1.0), Scored("b", 2.0), Scored("c", 2.0)),)


def _negated_scores(f, n):
  if not n.kids:
    return [(n.score, [n.word])]
  found = []
  for k in n.kids:
    found += f(k)
  found.sort(key=lambda p: -p[0])
  return found[:2]


def _longer_paths(f, n):
  if not n.kids:
    return [(n.score, [n.word])]
  found = []
  for k in n.kids:
    for score, path in f(k):
      found.append((score + n.score, [n.word] + path))
  return sorted(found, key=lambda p: p[0], reverse=True)[:2]


def _records(f, n):
  if not n.kids:
    return [{"score": n.score, "path": [n.word]}]
  found = [
    {"score": one["score"] * n.score, "path": one["path"] + [n.word]}
    for k in n.kids
    for one in f(k)
  ]
  found.sort(key=lambda one: one["score"])
  return found[-2:]


def _objects(f, n):
  if not n.kids:
    return [Candidate(n.score, [n.word])]
  found = [Candidate(one.score + n.score, one.path + [n.word]) for k in n.kids for one in f(k)]
  return sorted(found, key=lambda one: one.score)[-2:]


def _changed_at_the_top(f, n):
  if not n.kids:
    return [[n.score, n.word]]
  found = []
  for k in n.kids:
    found.extend(f(k))
  found.sort(key=lambda p: -abs(p[0]))
  best = found[0]
  best[0] += n.score
  return found[:2]


def _the_best_alone(f, n):
  best = (-math.inf, [])
  for k in n.kids:
    score, path = f(k)
    if -score < -best[0]:
      best = (score, path)
  return (best[0] + n.score if n.kids else n.score, [n.word] + best[1])


PROGRAMS = [
  _negated_scores,
  _longer_paths,
  _records,
  _objects,
  _changed_at_the_top,
  _the_best_alone,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__[1:])
def test_the_best_are_pythons(program):
  agrees(of_one(program), _trees, expect=CONVERTED)
