"""Places outside that hold a node of the tree, or None: the best one, the last, the parent."""

import pytest

from tests.convert.agreement import CONVERTED, Node, agrees, lopsided


class Model:
  """Something that holds a node."""

  def __init__(self, node=None):
    self.cur = self.best = node


def last(recursive):
  model = Model()

  @recursive
  def visit(n):
    model.cur = n
    for kid in n.kids:
      visit(kid)
    return n.v

  return visit, [model]


def best_of_a_nonlocal(recursive):
  best = None

  @recursive
  def visit(n):
    nonlocal best
    if best is None or n.v > best.v:
      best = n
    for kid in n.kids:
      visit(kid)
    return best.v

  return visit, [lambda: best]


def best_of_an_attribute(recursive):
  model = Model()

  @recursive
  def visit(n):
    if model.best is None or model.best.v < n.v:
      model.best = n
    for kid in n.kids:
      visit(kid)
    return model.best

  return visit, [model]


def restored(recursive):
  model = Model()

  @recursive
  def visit(n):
    parent = model.cur
    model.cur = n
    total = 0 if parent is None else parent.v
    for kid in n.kids:
      total += visit(kid)
    model.cur = parent
    return total

  return visit, [model]


def forgotten(recursive):
  model = Model(lopsided())

  @recursive
  def visit(n):
    for kid in n.kids:
      visit(kid)
    model.cur = None if n.flag else n
    return n.v

  return visit, [model]


def in_a_list(recursive):
  slots = [None, None, None]

  @recursive
  def visit(n):
    slots[n.v % 3] = n
    for kid in n.kids:
      visit(kid)
    return len(slots)

  return visit, [slots]


def in_a_dict(recursive):
  table = {"best": None}

  @recursive
  def visit(n):
    if n.v > 2:
      table["best"] = n
    for kid in n.kids:
      visit(kid)
    return table["best"] is None

  return visit, [table]


def found_by_name(recursive):
  model = Model()

  @recursive
  def visit(n):
    if n.name == "x":
      model.cur = n
    for kid in n.kids:
      visit(kid)
    return model.cur is not None and model.cur.flag

  return visit, [model]


@pytest.mark.parametrize(
  "build",
  [
    last, best_of_a_nonlocal, best_of_an_attribute, restored, forgotten, in_a_list, in_a_dict,
    found_by_name,
  ],
)  # fmt: skip
def test_a_place_holds_a_node_or_none(build):
  agrees(build, lambda: [(lopsided(),), (lopsided(),), (Node(9, False, "z"),)], CONVERTED)
