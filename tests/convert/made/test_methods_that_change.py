"""Methods that change objects which the run has made, and which a dict or list of the run holds."""

import pytest

from tests.convert.agreement import CONVERTED, agrees


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


class Group:
  def __init__(self, label):
    self.label, self.count, self.nodes = label, 0, []

  def add(self, node):
    self.count += 1
    self.nodes.append(node)

  def twice(self, node):
    self.add(node)
    self.add(node)
    return self.count

  def raised(self, by):
    self.count = self.count * 2 + by
    return self

  def mean(self):
    self.count = self.count / 2


def grouped(n, again):
  groups = {}
  for k in n.kids:
    if k.v not in groups:
      groups[k.v] = Group(k.v)
    groups[k.v].add(k)
  for k in n.kids:
    again(k)
  return groups


def counted(n, again):
  groups = {}
  last = 0
  for k in n.kids:
    if k.v not in groups:
      groups[k.v] = Group(k.v)
    last = groups[k.v].twice(k)
  return groups, last, [again(k) for k in n.kids]


def changed_after(n, again):
  groups = [Group(k.v) for k in n.kids]
  for g in groups:
    g.raised(1)
    g.raised(g.count)
  return groups, [again(k) for k in n.kids]


def of_another_type(n, again):
  groups = {}
  for k in n.kids:
    groups[k.v] = Group(k.v)
    groups[k.v].mean()
  return groups


def of_one_by_two_names(n, again):
  groups = {}
  for k in n.kids:
    if k.v not in groups:
      groups[k.v] = Group(k.v)
    one = groups[k.v]
    other = groups[k.v]
    one.add(k)
    if other.count > 1:
      other.add(n)
  return groups


@pytest.mark.parametrize(
  "program", [grouped, counted, changed_after, of_another_type, of_one_by_two_names]
)
def test_methods(program):
  def build(recursive):
    @recursive
    def f(n):
      return program(n, f)

    return f

  def calls():
    yield (Node(0, Node(1, Node(2)), Node(2), Node(1)),)
    yield (Node(0),)
    yield (Node(0, Node(1), Node(1), Node(1, Node(3), Node(3))),)

  agrees(build, lambda: list(calls()), expect=CONVERTED if program is grouped else None)
