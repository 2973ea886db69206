"""Items of lists and dicts outside, written: what was there is replaced, of whatever form."""

import pytest
import tensorflow as tf

from tests.convert.agreement import Node, agrees


class Model:
  """Something that holds a list or dict."""


VALUES = {
  "read": lambda n: n.v,
  "computed": lambda n: n.v + 1,
  "float": lambda n: n.v / 2,
  "constant": lambda n: 7,
  "bool": lambda n: n.flag,
  "name": lambda n: n.name,
  "tensor": lambda n: tf.fill([2], float(n.v)),
  "node": lambda n: n,
  "optional": lambda n: n.v if n.flag else None,
}
FIRST = {"float": 0.0, "bool": False, "name": "", "tensor": tf.zeros([2]), "optional": None}
KEYS = {
  "first": (lambda n: 0, lambda n: "r"),
  "last": (lambda n: -1, lambda n: "b"),
  "of the run": (lambda n: n.v, lambda n: n.name),
  "negative": (lambda n: -n.v, lambda n: n.name),
}


def tree():
  return Node(1, True, "r", Node(2, True, "a", Node(4, False, "b")), Node(3, False, "b"))


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("value", VALUES)
def test_an_item_replaces_what_was_there(value, key):
  of_list, of_dict = KEYS[key]
  make, first = VALUES[value], FIRST.get(value, 0)

  def build(recursive):
    rows, table, model = [first] * 5, {"r": first}, Model()
    model.rows = [first] * 5

    @recursive
    def visit(n):
      rows[of_list(n)] = make(n)
      model.rows[of_list(n)] = make(n)
      table[of_dict(n)] = make(n)
      for kid in n.kids:
        visit(kid)
      return len(rows) + len(table)

    return visit, [rows, table, model]

  agrees(build, lambda: [(tree(),), (tree(),)])


@pytest.mark.parametrize("first", [0, 0.5, None], ids=str)
def test_what_is_written_is_read_back(first):
  def build(recursive):
    table = {1: first}

    @recursive
    def visit(n):
      table[1] = n.v
      table[n.v + 1] = table[1] + 1
      return table[1] + sum(visit(kid) for kid in n.kids)

    return visit, [table]

  agrees(build, lambda: [(tree(),), (tree(),)])


@pytest.mark.parametrize("index", [5, -6])
def test_an_index_out_of_range_is_an_error(index):
  def build(recursive):
    rows = [0] * 5

    @recursive
    def visit(n):
      for kid in n.kids:
        visit(kid)
      rows[index if n.kids else 0] = n.v

    return visit, [rows]

  agrees(build, lambda: [(tree(),)])
