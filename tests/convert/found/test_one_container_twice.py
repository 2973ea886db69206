"""What an element of a list holds twice is one object: a change through one way is seen by all."""

import dataclasses

import pytest

from tests.convert.agreement import Node, agrees


@dataclasses.dataclass
class Holder:
  a: object
  b: object = None


ELEMENTS = {
  "list": lambda a: [a, a],
  "tuple": lambda a: (a, a),
  "deeper": lambda a: [a, [a]],
  "dict": lambda a: {"p": a, "q": a},
  "object": lambda a: Holder([a, a]),
  "attributes": lambda a: Holder(a, a),
  "repeated": lambda a: [a] * 2,
  "added": lambda a: [a] + [a],
}
INNER = {"list": lambda v: [v], "dict": lambda v: {"v": v}, "object": Holder}


def _log(recursive, element, inner):
  @recursive
  def log(n, out):
    for k in n.kids:
      log(k, out)
    a = inner(n.v)
    out.append(element(a))
    return n.v

  return log


def _of_kids(recursive, element, inner):
  @recursive
  def of_kids(n, out):
    found = []
    for k in n.kids:
      a = inner(k.v)
      found.append(element(a))
    return found

  return of_kids


def _comprehension(recursive, element, inner):
  @recursive
  def of_kids(n, out):
    return [element(a) for k in n.kids for a in [inner(k.v)]]

  return of_kids


def _of_calls(recursive, element, inner):
  @recursive
  def of_calls(n, out):
    me = inner(n.v)
    for k in n.kids:
      out.append(element(of_calls(k, out)))
    return me

  return of_calls


def _under_a_condition(recursive, element, inner):
  @recursive
  def marked(n, out):
    for k in n.kids:
      marked(k, out)
    a = [n.v]
    if n.flag:
      a.append(2)
    out.insert(0, element(a))
    return len(a)

  return marked


PROGRAMS = {
  "log": _log,
  "of kids": _of_kids,
  "comprehension": _comprehension,
  "of calls": _of_calls,
  "under a condition": _under_a_condition,
}


def _trees():
  yield Node(2, True, "t", Node(1, True, "q"), Node(3, False, "l")), []
  yield Node(5, False, "m"), []
  yield Node(3, True, "o", Node(4, True, "p", Node(1, False, "x"))), [7]


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_it_stays_one(program, element, inner):
  agrees(lambda recursive: PROGRAMS[program](recursive, ELEMENTS[element], INNER[inner]), _trees)
