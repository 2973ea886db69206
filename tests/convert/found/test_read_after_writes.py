"""Dicts and lists of the tree, of a record or passed in are read as the run has left them."""

import pytest
import tensorflow as tf

import recursive_tf as rtf


class Record:
  def __init__(self, **items):
    self.table, self.kids, self.size = items, [], 3


def add_to_item(d, n):
  d["a"] = d["a"] + n


def set_new_item(d, n):
  d["n"] = n


def set_in_branch(d, n):
  if n > 3:
    d["n"] = n


READS = {
  "get": lambda d: (d.get("a"), d.get("n")),
  "get with a default": lambda d: (d.get("a", -1), d.get("n", -1), d.get("m", -1)),
  "get of get": lambda d: d.get("m", d.get("a")),
  "get by getattr": lambda d: getattr(d, "get")("a", 0),  # noqa: B009 - as users have it
  "get in map": lambda d: list(map(d.get, ["a", "n"])),
  "get in a comprehension": lambda d: [d.get(k) for k in ("a", "n")],
  "get where it is in": lambda d: d.get("n", 5) if "n" in d else d.get("a", 6),
  "truth": lambda d: (bool(d), 1 if d else 2, d.get("n") or 3),
}


@pytest.mark.parametrize("decorator", [rtf.function, rtf.recursive], ids=lambda d: d.__name__)
@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("write", [add_to_item, set_new_item, set_in_branch])
def test_get_sees_what_was_written(write, read, decorator):
  reads = READS[read]

  def of_record(record, x):
    write(record.table, record.size)
    first = reads(record.table)
    record.size += 1
    write(record.table, record.size)
    return first, reads(record.table), x

  def calls(function):
    record = Record(a=1)
    results = [function(record, tf.constant(1.0))[:2] for _ in range(4)]
    return results, record.table

  ours = decorator(of_record, strict=True, verify=False)
  assert calls(ours) == calls(of_record)


@pytest.mark.parametrize("decorator", [rtf.function, rtf.recursive], ids=lambda d: d.__name__)
def test_a_dict_in_a_tree_counts_its_visits(decorator):
  def visit(node):
    node.table["n"] = node.table.get("n", 0) + 1
    for kid in node.kids:
      visit(kid)
    node.table["n"] = node.table.get("n", 0) + 1
    return node.table.get("n")

  def counts(function):
    shared, root = Record(n=3), Record()
    root.kids = [shared, Record(), shared]
    return [function(root) for _ in range(3)], [r.table for r in (root, *root.kids)]

  assert counts(decorator(visit, strict=True, verify=False)) == counts(visit)


@pytest.mark.parametrize("decorator", [rtf.function, rtf.recursive], ids=lambda d: d.__name__)
def test_a_dict_that_was_empty_is_true_once_it_has_an_item(decorator):
  def visit(node):
    before = bool(node.table)
    if node.size > 3:
      node.table["n"] = node.size
    for kid in node.kids:
      visit(kid)
    return before, bool(node.table), node.table or 5

  def found(function):
    root = Record()
    root.kids = [Record(), Record(n=1)]
    results = []
    for size in (3, 4, 3):
      root.size = root.kids[0].size = size
      before, after, last = function(root)
      results.append((before, after, last == 5 or last is root.table))
    return results, root.table, root.kids[0].table

  ours = decorator(visit, verify=False)
  assert found(ours) == found(visit)


def write_first(xs):
  xs[0] = xs[0] + 1


def write_from_both_ends(xs):
  xs[-1] = 5
  xs[2] = 6
  xs[-1] = 8


LIST_READS = {
  "slice": lambda node: node.xs[:2],
  "item of the run": lambda node: (node.xs[node.i], node.xs[node.i + 1]),
  "other end": lambda node: (node.xs[-3], node.xs[2]),
  "slice of the run": lambda node: node.xs[node.i :],
}


@pytest.mark.parametrize("decorator", [rtf.function, rtf.recursive], ids=lambda d: d.__name__)
@pytest.mark.parametrize("read", LIST_READS)
@pytest.mark.parametrize("write", [write_first, write_from_both_ends])
def test_a_list_is_read_as_it_was_left(write, read, decorator):
  reads = LIST_READS[read]

  def visit(node):
    write(node.xs)
    for kid in node.kids:
      visit(kid)
    return reads(node)

  def found(function):
    root, kid = Record(), Record()
    root.kids = [kid, kid]
    root.xs, kid.xs, root.i, kid.i = [1, 2, 3], [4, 5, 6], 0, 1
    results = []
    for i in (0, 1, 0):
      root.i = i
      results.append(function(root))
    return results, root.xs, kid.xs

  ours = decorator(visit, verify=False)
  assert found(ours) == found(visit)
