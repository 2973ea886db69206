"""Strings that a method of a leaf gives, beside trees, and lists of numbers kept and read again."""

import pytest

from tests.convert.agreement import CONVERTED, Node, agrees, root

TREES = [["a", ["b", "cd"]], "x", [], [["a", "é"], [["  ab ", "B"]]], "", [[], ["a", []]]]

LEAVES = {
  "upper": lambda t: t.upper(),
  "twice": lambda t: t.lower().strip(),
  "beside itself": lambda t: t.upper() if len(t) > 1 else t,
  "or none": lambda t: t.upper() if t != "b" else None,
  "in a tuple": lambda t: (t, t.upper()),
  "in a dict": lambda t: {"w": t.upper(), "n": len(t.title())},
  "put together": lambda t: "-".join([t, t.upper()]) + f"<{t.title()}>",
  "compared": lambda t: t.upper() == "A" or t.lower() < "b",
  "looked up": lambda t: {"A": 1, "B": 2}.get(t.upper(), 0),
  "or a number": lambda t: t.upper() if len(t) > 1 else len(t),
  "item": lambda t: t.upper()[0],
}
INNER = {
  "list": lambda f, t: [f(x) for x in t],
  "first": lambda f, t: f(t[0]) if t else "",
  "tuple": lambda f, t: (f(t[0]), len(t)) if t else None,
}


def of_strings(leaf, inner):
  def build(recursive):
    @recursive
    def f(t):
      if isinstance(t, str):
        return leaf(t)
      return inner(f, t)

    return f

  return build


def trees():
  return [(tree,) for tree in TREES]


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("leaf", LEAVES)
def test_what_a_method_of_a_leaf_gives(leaf, inner):
  agrees(of_strings(LEAVES[leaf], INNER[inner]), trees)


@pytest.mark.parametrize("leaf", ["upper", "twice", "beside itself", "in a tuple"])
def test_a_tree_of_what_a_method_gives_is_converted(leaf):
  agrees(of_strings(LEAVES[leaf], INNER["list"]), trees, CONVERTED)


@pytest.mark.parametrize("first", [(), (1,), (5, 2)])
def test_the_best_path_is_kept(first):
  class Walker:
    def __init__(self):
      self.path, self.best = [], list(first)

  def build(recursive):
    walker = Walker()

    @recursive
    def walk(n):
      walker.path.append(n.v)
      if sum(walker.path) > sum(walker.best):
        walker.best = list(walker.path)
      for kid in n.kids:
        walk(kid)
      walker.path.pop()

    return walk, [walker]

  agrees(build, lambda: [(root(),), (Node(7, True, "n"),), (Node(0, False, "m", root()),)])
