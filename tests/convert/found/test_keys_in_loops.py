"""Dicts and objects that a program makes, and that get or lose keys in loops without a turn, too.

A loop carried the key as a bool that said whether it was there; `len`, `in` and what was popped
were those of a loop with a turn.
"""

import pytest

import recursive_tf as rtf
from tests.convert.agreement import Node, agrees


class Box:
  pass


def empty():
  return {}


def two():
  return {"a": 1.0, "b": 2.0}


def put(d, v):
  d["last"] = v


def put_two(d, v):
  d["a"], d["last"] = v, v


def put_by_size(d, v):
  if v > 2:
    d["big"] = v
  else:
    d["small"] = v


def add(d, v):
  d["a"] = d.get("a", 0.0) + v


def pop(d, v):
  d.pop("a", None)


def pop_and_put(d, v):
  d.pop("a", None)
  d["a"] = v


def default(d, v):
  d.setdefault("c", v)


def update(d, v):
  d.update(c=v)


def each(n):
  return [k.v for k in n.kids]


LOOPS = ["for", "while", "if", "comprehension", "function", "in turn"]
RESULTS = {
  "itself": lambda d: d,
  "length": lambda d: (len(d), bool(d)),
  "in": lambda d: ("last" in d, "a" in d),
  "get": lambda d: (d.get("last", 0.0), d.get("a", 0.0)),
  "copy": lambda d: {**d},
  "keys": lambda d: list(d),
  "sum": lambda d: sum(d.values()),
}


def changed(loop, change, d, n):
  if loop == "for":
    for v in each(n):
      change(d, v)
  elif loop == "while":
    i = 0
    while i < len(n.kids):
      change(d, n.kids[i].v)
      i += 1
  elif loop == "if":
    if n.kids:
      change(d, n.v)
  elif loop == "comprehension":
    _ = [change(d, k.v) for k in n.kids]
  elif loop == "function":
    _change_all(change, d, n)
  else:
    for k in n.kids:
      for v in each(k):
        change(d, v)


def _change_all(change, d, n):
  for k in n.kids:
    change(d, k.v)


def _trees():
  leaf = Node(1, True, "l")
  one, two = Node(3, True, "o", Node(4, True, "p")), Node(2, True, "t", Node(1, True, "q"), leaf)
  for tree in (two, Node(5, False, "m"), one, Node(2, True, "d", one, two), Node(5, False, "m")):
    yield (tree,)


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("begin", [empty, two])
@pytest.mark.parametrize(
  "change", [put, put_two, put_by_size, add, pop, pop_and_put, default, update]
)
def test_keys_that_a_loop_changes(change, begin, loop, result):
  use = RESULTS[result]

  def build(recursive):
    @recursive
    def f(n):
      d = begin()
      changed(loop, change, d, n)
      return use(d)

    return f

  agrees(build, _trees)


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("is_there", [False, True])
def test_attributes_that_a_loop_makes(loop, is_there):
  def note(box, v):
    box.last = v

  def build(recursive):
    @recursive
    def f(n):
      box = Box()
      if is_there:
        box.last = 0
      changed(loop, note, box, n)
      return getattr(box, "last", None), hasattr(box, "last")

    return f

  agrees(build, _trees)


def test_keys_that_are_there_before_are_converted():
  @rtf.recursive(strict=True, verify=False)
  def f(n):
    d = {"last": 0, "count": 0}
    for k in n.kids:
      d["last"] = k.v
      d["count"] += 1
    return d

  for (tree,) in _trees():
    assert f(tree) == f.python(tree)
