"""Objects with an attribute of their own that hides a method of their class.

What hides may look like the method: it may be that of another object of the class, or what the
class has, bound to nothing.
"""

import pytest

import recursive_tf as rtf
from tests.convert.agreement import summing


class Node:
  """A node with methods of all three kinds."""

  def __init__(self, value, *kids):
    self.value, self.kids = value, list(kids)

  def own(self, n):
    return self.value * 10 + n

  @classmethod
  def of_class(cls, n):
    return len(cls.__name__) + n

  @staticmethod
  def fixed(n):
    return n + 1


class Derived(Node):
  """Of another length of name."""


class Kids(list):
  """A list, which may have attributes."""


class Table(dict):
  """A dict, which may have attributes."""


def nodes():
  return Node(1, Node(2), Derived(3, Node(4)))


def lists():
  return Kids([3, Kids([3, 3, Kids()])])


def tables():
  return Table(v=1, kids=[Table(v=2, kids=[]), Table(v=3, kids=[Table(v=4, kids=[])])])


def below(n):
  """Returns the children of a node of any kind."""
  if isinstance(n, Node):
    return n.kids
  return n["kids"] if isinstance(n, Table) else [k for k in n if isinstance(k, Kids)]


def of_lists(call):
  def build(recursive):
    @recursive
    def f(n):
      total = call(n)
      for k in n:
        if isinstance(k, Kids):
          total += f(k)
      return total

    return f

  return build


def of_tables(call):
  def build(recursive):
    @recursive
    def f(n):
      return call(n) + sum(f(k) for k in n["kids"])

    return f

  return build


METHODS = {
  "own": (nodes, summing(lambda n: n.own(5))),
  "of_class": (nodes, summing(lambda n: n.of_class(5))),
  "fixed": (nodes, summing(lambda n: n.fixed(5))),
  "count": (lists, of_lists(lambda n: n.count(3))),
  "__len__": (lists, of_lists(lambda n: n.__len__())),
  "get": (tables, of_tables(lambda n: n.get("v"))),
}


def by_another(root, name):
  setattr(below(root)[0], name, getattr(root, name))


def by_one_of_a_subclass(root, name):
  setattr(below(root)[0], name, getattr(type("Longer" + name, (type(root),), {}), name))


def by_what_the_class_has(root, name):
  setattr(below(root)[0], name, getattr(type(root), name))


def by_another_function(root, name):
  setattr(below(root)[0], name, lambda *args: 100)


def by_its_own(root, name):
  child = below(root)[0]
  setattr(child, name, getattr(child, name))


def outcome(function, root):
  try:
    return function(root)
  except TypeError:
    return TypeError


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
  "hide",
  [by_another, by_one_of_a_subclass, by_what_the_class_has, by_another_function, by_its_own],
)
def test_what_hides_a_method_is_called(name, hide):
  make, build = METHODS[name]
  graph, plain = build(rtf.recursive), build(lambda f: f)
  for is_hidden in (False, False, True, True, False):
    root = make()
    if is_hidden:
      hide(root, name)
    assert outcome(graph, root) == outcome(plain, root)
  assert graph.stats.num_converted_runs >= 2


@pytest.mark.parametrize("name", METHODS)
def test_a_method_that_an_object_keeps_for_itself_is_no_other(name):
  make, build = METHODS[name]
  graph = build(rtf.recursive)
  for _ in range(3):
    root = make()
    by_its_own(root, name)
    graph(root)
  assert graph.stats.num_fallback_runs == 0
