"""Decorated generators: graphs where the caller takes all elements at once, else plain Python."""

import sys

import pytest

import recursive_tf as rtf
from recursive_tf.convert._refusal import ConversionRefused, Reason
from tests.convert.compare import Comparison

KNOWS_CALLERS = sys.version_info >= (3, 11)


class Tree:
  def __init__(self, v, left=None, right=None):
    self.v, self.left, self.right = v, left, right

  @rtf.recursive
  def values(self):
    yield self.v
    for kid in (self.left, self.right):
      if kid is not None:
        yield from kid.values()


def tree():
  return Tree(4, Tree(2, Tree(1), Tree(3)), Tree(6, None, Tree(7)))


def in_order(decorator):
  @decorator
  def walk(t, add=0):
    if t is not None:
      yield from walk(t.left, add)
      yield t.v + add
      yield from walk(t.right, add)

  return walk


def with_effects(decorator):
  @decorator
  def walk(t, add=1):
    t.v += add
    print(t.v)
    for kid in (t.left, t.right):
      if kid is not None:
        yield from walk(kid, add + 1)
    yield t
    t.v *= 2

  return walk


def that_raises(decorator):
  @decorator
  def walk(t, add=0):
    if t.v == 7:
      raise ValueError(f"seven {add}")
    yield t.v
    for kid in (t.left, t.right):
      if kid is not None:
        yield from walk(kid, add)

  return walk


MAKERS = in_order, with_effects, that_raises

AT_ONCE = {
  "list": lambda f, t: list(f(t)),
  "tuple": lambda f, t: tuple(f(t, 3)),
  "display": lambda f, t: [*f(t, add=2)],
  "display behind": lambda f, t: (0, *f(t)),
  "inside": lambda f, t: len(list(f(t))) + len([*f(t), 1]),
  "twice": lambda f, t: (list(f(t)), list(f(t.left))),
}


def changed_between(f, t):
  found = []
  for v in f(t):
    found.append(v)
    t.v = t.right.v = 9
  return found


def closed(f, t):
  generator = f(t)
  found = next(generator)
  generator.close()
  return found, type(generator).__name__


def another_list(f, t):
  list = next  # noqa: A001 - the name is what is tested.
  return list(f(t))


LATER = {
  "for": changed_between,
  "next": lambda f, t: next(f(t)),
  "close": closed,
  "another list": another_list,
  "method": lambda f, t: tuple.__len__(tuple.__new__(tuple, f(t))),
  "chosen": lambda f, t: (list if t.v < 0 else next)(f(t)),
  "kept": lambda f, t: [list(g) for g in [f(t)]],
  "sum": lambda f, t: sum(x if isinstance(x, int) else x.v for x in f(t)),
  "with a key": lambda f, t: sorted(f(t), key=lambda x: x if isinstance(x, int) else x.v),
  "two": lambda f, t: list(zip(f(t), f(t), strict=True)),
}


def outcome(make, decorator, use, capsys):
  function, node = make(decorator), tree()
  seen = []
  for _ in range(2):
    try:
      seen.append(use(function, node))
    except ValueError as error:
      seen.append((type(error), str(error)))
  return function, [node, seen, capsys.readouterr().out]


@pytest.mark.parametrize("use", [*AT_ONCE, *LATER])
@pytest.mark.parametrize("make", MAKERS)
def test_elements_are_those_of_plain_python(make, use, capsys):
  consume = {**AT_ONCE, **LATER}[use]
  _, expected = outcome(make, lambda function: function, consume, capsys)
  converted = rtf.recursive(verify=False)
  function, found = outcome(make, converted, consume, capsys)
  Comparison().check(expected, found, use)
  fallbacks = {reason for reason, count in function.stats.fallbacks.items() if count}
  if use in LATER:
    assert function.stats.num_converted_runs == 0
    assert fallbacks == {Reason.SYNTAX}
  elif KNOWS_CALLERS and make is not that_raises:
    assert not fallbacks, function.explain()
    assert function.stats.num_converted_runs


# What `assert` itself calls it keeps, to show it: calls stand outside.
def test_methods_and_defaults():
  node = tree()
  found = [*node.values()], list(node.values()), list(node.right.values())
  assert found == ([4, 2, 1, 3, 6, 7], [4, 2, 1, 3, 6, 7], [6, 7])
  assert not KNOWS_CALLERS or Tree.values.stats.num_converted_runs >= 3

  walk = in_order(rtf.recursive(verify=False))
  before = list(walk(node.left))
  walk.python.__defaults__ = (10,)
  after = list(walk(node.left))
  assert (before, after) == ([1, 2, 3], [11, 12, 13])
  assert not KNOWS_CALLERS or walk.stats.num_converted_runs == 2


def test_strict_refuses_a_generator_that_is_kept():
  walk = in_order(rtf.recursive(strict=True, verify=False))
  with pytest.raises(ConversionRefused, match="may not take all elements at once"):
    walk(tree())
  if KNOWS_CALLERS:
    found = list(walk(tree()))
    assert found == [1, 2, 3, 4, 6, 7]


def test_a_map_of_generators_is_refused():
  walk = in_order(rtf.recursive(verify=False))
  found = walk.map([tree(), tree().left])
  assert [list(generator) for generator in found] == [[1, 2, 3, 4, 6, 7], [1, 2, 3]]
  assert walk.stats.num_converted_runs == 0
