"""`table.get(key, default)` with a default that the run makes: a list, dict, tensor or object."""

import collections

import pytest
import tensorflow as tf

from tests.convert.agreement import agrees, of_text


class Tree:
  def __init__(self, name, v=0, kids=()):
    self.name, self.v, self.kids = name, v, list(kids)


class Plain:
  def __init__(self, v=0):
    self.v = v


NAMES = {"of_class": "n.name", "made": "n.name + str(n.v % 2)", "pair": "(n.name, n.v % 2)"}
TABLES = {
  "lists": lambda: [1, 2, 3],
  "lists_of_pairs": lambda: [("x", 2), ("y", 3)],
  "dicts": lambda: {"x": 4, "y": 5},
  "tuples": lambda: (1, 2),
}
DEFAULTS = {
  "lists": ["[]", "[n.v]", "list(range(n.v))", "()", "(n.v, n.v)", "[k.v for k in n.kids]"],
  "lists_of_pairs": ["[]", "[('x', n.v)]", "()", "[(n.name, 1)]"],
  "dicts": ["{}", "{'x': n.v}", "dict(y=1)", "{n.name: 2}"],
  "tuples": ["()", "(n.v, 1)", "[]", "(n.v,)"],
}
USES = {
  "lists": ["sum(d)", "len(d)", "[x + 1 for x in d]", "1 in d", "d[0] if d else -1", "d == []"],
  "lists_of_pairs": [
    "sum(q for _, q in d)",
    "[a for a, _ in d]",
    "max([q for _, q in d], default=0)",
  ],
  "dicts": ["d.get('x', 0)", "len(d)", "'y' in d", "sum(d.values())", "sorted(d)", "d.get(n.name)"],
  "tuples": ["sum(d)", "len(d)", "d[-1] if d else 0", "[x for x in d if x > 1]"],
}


def trees():
  for names in ("ab", "ac", "cc"):
    a, b = names
    yield (Tree(a, 1),)
    yield (Tree(b, 0, [Tree(a, 2)]),)
    yield (Tree(a, 3, [Tree(b, 1, [Tree(a, 0), Tree(b, 5)]), Tree("a", 4)]),)


def table_of(kind, key):
  """Returns the table for keys of a kind: of "a" and "b", each with two values of its own."""
  make = TABLES[kind]
  keys = {"of_class": ["a", "b"], "made": ["a0", "a1", "b1"], "pair": [("a", 0), ("b", 1)]}
  return {one: make() for one in keys[key]}


CASES = [(kind, d, u) for kind in TABLES for d in DEFAULTS[kind] for u in USES[kind]]


@pytest.mark.parametrize("key", NAMES)
@pytest.mark.parametrize(("kind", "default", "use"), CASES)
def test_value_or_default(kind, default, use, key):
  text = f"""
def f(n):
  d = TABLE.get({NAMES[key]}, {default})
  return [{use}] + [f(k) for k in n.kids]
"""
  agrees(of_text(text, TABLE=table_of(kind, key)), trees)


WRITES = {
  "append": "d.append(n.v)",
  "item": "d[0] = n.v",
  "extend": "d += [n.v]",
  "kept": "n.kept = d",
  "returned": "out.append(d)",
  "cleared": "d.clear()",
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("default", ["[]", "[0]", "[n.v, n.v]"])
def test_a_write_changes_the_entry_of_the_table(write, default):
  """And never another one; what is kept or returned is the table's list, or a new one."""
  text = f"""
TABLE = {{"a": [1, 2, 3], "b": [4]}}

def f(n):
  out = []
  d = TABLE.get(n.name, {default})
  if d:
    {WRITES[write]}
  return [len(d), out] + [f(k) for k in n.kids] + [TABLE]
"""
  agrees(of_text(text), trees)


OTHERS = {
  "tensor": ("{'a': tf.constant([1.0, 2.0])}", "tf.ones([2]) * n.v", "d * 2.0"),
  "another_size": ("{'a': tf.constant([1.0, 2.0])}", "tf.ones([3])", "tf.reduce_sum(d)"),
  "number": ("{'a': 1.5, 'b': 2.5}", "tf.constant(1.0)", "d + 1.0"),
  "int_or_float": ("{'a': 1, 'b': 2.5}", "n.v + 1", "d * 2"),
  "object": ("{'a': Plain(3)}", "Plain(n.v)", "d.v"),
  "node": ("{'a': Plain(3)}", "n", "d.v"),
  "function": ("{'a': abs}", "(lambda x: x - 1)", "d(n.v)"),
  "string": ("{'a': 'x'}", "n.name + '!'", "d.upper()"),
  "call": ("{'a': 1}", "len(n.kids)", "d"),
  "raises": ("{'a': [1]}", "[1 // n.v]", "d[0]"),
  "with_effect": ("{'a': [1]}", "[seen.append(n.v)]", "len(d)"),
}


@pytest.mark.parametrize("case", OTHERS)
def test_other_defaults(case):
  table, default, use = OTHERS[case]
  text = f"""
TABLE = {table}

def f(n, seen):
  d = TABLE.get(n.name, {default})
  return [{use}] + [f(k, seen) for k in n.kids]
"""
  agrees(of_text(text, tf=tf, Plain=Plain), lambda: [(*one, []) for one in trees()])


@pytest.mark.parametrize("table", ["{'a': [1]}", "defaultdict(list, {'a': [1]})", "Counter('aab')"])
def test_tables_of_other_classes(table):
  text = f"""
TABLE = {table}

TABLE = {table}

def f(n):
  d = TABLE.get(n.name, [])
  return [d, len(TABLE)] + [f(k) for k in n.kids]
"""
  agrees(of_text(text, Counter=collections.Counter, defaultdict=collections.defaultdict), trees)
