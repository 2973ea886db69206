"""Dicts of the tree, or passed in, of which the run changes items: all that reads them sees it."""

import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees

CHANGING = {Reason.EFFECT_ORDER, Reason.OPAQUE_READ, Reason.UNSUPPORTED_OPERATION}


class Holder:
  """A node with a dict."""

  def __init__(self, d, *kids):
    self.d, self.kids = d, list(kids)


def held():
  shared = Holder({"x": 3, "y": 1})
  return Holder({"x": 1}, Holder({}, shared), Holder({"y": 5}), shared, Holder({"z": 2}))


def trees():
  return [(held(),), (Holder({}),), (Holder({"x": 4, "y": 1}, held()),), (held(),)]


WRITES = {
  "add or set": lambda d: d.__setitem__("x", 7) if False else set_item(d, "x", 7),
  "increase": lambda d: set_item(d, "x", d["x"] + 1) if "x" in d else None,
  "count": lambda d: set_item(d, "x", d.get("x", 0) + 1),
  "count twice": lambda d: (
    set_item(d, "x", d.get("x", 0) + 1),
    set_item(d, "x", d.get("x", 0) + 1),
  )[0],
  "none": lambda d: set_item(d, "x", None),
  "another": lambda d: set_item(d, "w", 2.5),
  "if missing": lambda d: set_item(d, "x", 9) if "x" not in d else None,
  "if none yet": lambda d: set_item(d, "x", 9) if not d else None,
}
READS = {
  "get": lambda d: d.get("x", 0),
  "get none": lambda d: d.get("x"),
  "get another": lambda d: d.get("y", -1),
  "get new": lambda d: d.get("w", "no"),
  "get or": lambda d: d.get("x") or 5,
  "get by a name": lambda d: [d.get(name, 0) for name in ("x", "y", "w")],
  "item": lambda d: d["x"] if "x" in d else -1,
  "in": lambda d: ("x" in d, "w" in d),
  "truth": lambda d: 1 if d else 0,
  "not": lambda d: not d,
  "length": lambda d: len(d),
  "keys": lambda d: list(d.keys()),
  "values": lambda d: sum(v for v in d.values() if v),
  "items": lambda d: [k for k, v in d.items()],
  "loop": lambda d: [k for k in d],
  "sorted": lambda d: sorted(d),
  "copy": lambda d: d.copy(),
  "in keys": lambda d: "x" in d.keys(),
  "any": lambda d: any(d),
  "and": lambda d: d and d.get("x"),
}


def set_item(d, key, value):
  d[key] = value


def of_tree(write, read):
  def build(recursive):
    @recursive
    def visit(node):
      write(node.d)
      return [read(node.d), [visit(kid) for kid in node.kids], read(node.d)]

    return visit

  return build


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("write", WRITES)
def test_a_dict_of_a_node_is_read_after_it_was_changed(write, read):
  agrees(of_tree(WRITES[write], READS[read]), trees)


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("write", WRITES)
def test_a_dict_that_is_passed_in_is_read_after_it_was_changed(write, read):
  def build(recursive):
    @recursive
    def f(d, n):
      if n > 0:
        WRITES[write](d)
        return [READS[read](d), f(d, n - 1), READS[read](d)]
      return READS[read](d)

    return f

  agrees(build, lambda: [({"x": 1}, 2), ({"y": 3}, 1), ({}, 3), ({"x": 2, "y": 5}, 0)])


def test_a_flag_that_marks_nodes_is_seen():
  def build(recursive):
    @recursive
    def count(node):
      if node.get("seen", False):
        return 0
      node["seen"] = True
      return 1 + sum(count(kid) for kid in node.get("kids", []))

    return count

  def calls():
    for is_there in (True, False, True):
      leaf = {"kids": []}
      tree = {"kids": [leaf, leaf, {"kids": [leaf]}]}
      for node in (leaf, tree, tree["kids"][2]):
        if is_there:
          node["seen"] = False
      yield (tree,)
      yield (tree,)

  agrees(build, calls)


@pytest.mark.parametrize(
  "read", ["get", "get none", "item", "in", "truth", "not", "and", "keys", "loop"]
)
def test_a_count_in_dicts_of_nodes_is_converted(read):
  agrees(of_tree(WRITES["count"], READS[read]), trees, CONVERTED)


def test_the_length_of_a_dict_that_changes_is_refused():
  agrees(of_tree(WRITES["count"], READS["length"]), trees, CHANGING)


# --- Attributes, in the same ways

ATTRIBUTES = {
  "getattr": lambda n: getattr(n, "x", 0),
  "hasattr": lambda n: hasattr(n, "x"),
  "read": lambda n: n.x if hasattr(n, "x") else -1,
  "through the parent": lambda n: [getattr(k, "x", 0) for k in n.kids],
  "vars": lambda n: vars(n).get("x", 0),
  "dict": lambda n: n.__dict__.get("x", 0),
  "in dict": lambda n: "x" in n.__dict__,
}


@pytest.mark.parametrize("read", ATTRIBUTES)
def test_an_attribute_that_is_written_is_read_by_its_name(read):
  def build(recursive):
    @recursive
    def visit(node):
      node.x = getattr(node, "x", 0) + 1
      return [ATTRIBUTES[read](node), [visit(kid) for kid in node.kids], ATTRIBUTES[read](node)]

    return visit

  agrees(build, trees)
