"""Tuples that the tree has as keys of dicts and members of sets, as tuples of their parts."""

import collections

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees


class Town:
  """A node with edges, which are tuples, and a place."""

  def __init__(self, v, edges, *kids):
    self.v, self.edges, self.kids = v, edges, list(kids)
    self.place, self.nested = (v, v + 1), ((v, "a"), v)
    self.memo = {}


def towns():
  deep = Town(2, [("c", 1)], Town(5, [("c", 1), ("d", 4)]))
  return [
    (Town(3, [("a", 1), ("b", 2), ("a", 1)], Town(1, [("a", 1)]), deep),),
    (Town(4, [("q", 7)], Town(7, [("q", 7), ("q", 8)], Town(8, [("q", 7)])), Town(4, [("a", 1)])),),
    (Town(1, [("a", 1)]),),
  ]


def seen(n):
  found, total = set(), 0
  for e in n.edges:
    if e in found:
      continue
    found.add(e)
    total += 1
  return total + sum(seen(k) for k in n.kids)


def counted(n, counts=None):
  counts = {} if counts is None else counts
  for e in n.edges:
    counts[e] = counts.get(e, 0) + 1
  for k in n.kids:
    counted(k, counts)
  return counts


def as_a_set(n):
  return len(set(n.edges)), sorted(set(n.edges)), [as_a_set(k) for k in n.kids]


def by_comprehension(n):
  return {e: i for i, e in enumerate(n.edges)}, dict((e, e[1]) for e in n.edges)


def places(n, met=None):
  met = set() if met is None else met
  if n.place in met:
    return 0
  met.add(n.place)
  return 1 + sum(places(k, met) for k in n.kids)


def nested(n):
  best = {}

  def go(m, depth):
    key = (m.nested, depth)
    best[key] = best.get(key, 0) + m.v
    best[m.nested, 0] = 1
    for k in m.kids:
      go(k, depth + 1)

  go(n, 0)
  return best


def tallied(n):
  counts = collections.Counter(n.edges)
  for k in n.kids:
    counts += tallied(k)
  return counts


def of_tensors(n):
  sums = {}
  for e in n.edges:
    sums[e] = tf.constant(float(e[1])) + sums.get(e, tf.constant(0.0))
  return list(sums.values()) + [x for k in n.kids for x in of_tensors(k)]


def memo(n):
  def go(m, i):
    key = (m.v, i)
    if key in n.memo:
      return n.memo[key]
    found = m.v + i + sum(go(k, i + 1) for k in m.kids)
    n.memo[key] = found
    return found

  return go(n, 0), go(n, 1)


_CONVERTED = (
  *(seen, counted, as_a_set, by_comprehension, places, nested, tallied, of_tensors, memo),
)


def of_several_lengths(n):
  edges = [*n.edges, (n.v,), (n.v, n.v, n.v)]
  n.edges = edges
  found = set()
  for e in n.edges:
    found.add(e)
  return len(found)


def of_truths(n):
  found = {(True, 1): "a"}
  found[n.v == 1, n.v] = "b"
  return found


def the_same_again(n):
  found = {e: e for e in n.edges}
  return [found[e] for e in n.edges]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
  "program", [*_CONVERTED, of_several_lengths, of_truths, the_same_again], ids=lambda f: f.__name__
)
def test_tuples_are_found_by_their_parts(program):
  expect = CONVERTED if program in _CONVERTED else None
  agrees(lambda recursive: recursive(program), towns, expect=expect)


class Parser:
  """Spans of words by a memo that holds them by their ends."""

  def __init__(self, words, weights):
    self.words, self.weights, self.memo = words, weights, {}

  def span(self, i, j):
    if (i, j) in self.memo:
      return self.memo[i, j]
    if j - i == 1:
      found = self.weights[:, self.words[i]]
    else:
      found = tf.zeros([2])
      for k in range(i + 1, j):
        found = tf.maximum(found, self.span(i, k) + 2.0 * self.span(k, j))
    self.memo[i, j] = found
    return found


def test_a_memo_of_spans_beside_lists_that_are_read():
  weights = tf.reshape(tf.range(10.0), [2, 5])
  words = [[3], [1, 2], [1, 4, 2, 3], [0, 1, 1]]

  def build(recursive):
    @recursive
    def parse(parser, end):
      return parser.span(0, end), sorted(parser.memo)

    return parse

  def calls():
    parsers = [(Parser(sentence, weights), len(sentence)) for sentence in words]
    return [*parsers, parsers[2], parsers[2]]

  agrees(build, calls, expect=CONVERTED)
