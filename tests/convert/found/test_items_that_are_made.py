"""Reads of a `defaultdict` that make what is missing: passed in, global, or an attribute."""

import collections

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees, of_text

EDGES = [[], [(0, 1)], [(0, 1), (0, 2), (1, 3)], [(0, 1), (1, 2), (2, 3), (0, 4)]]


class Graph:
  def __init__(self, edges, factory=list, name=str, sign=1):
    self.out = collections.defaultdict(factory)
    self.names = {i: chr(97 + i) for i in range(8)}
    self.count = collections.defaultdict(int)
    for a, b in edges:
      self.out[a].append(b)


PLACES = {
  "attribute": ("g.out", "g"),
  "passed_in": ("out", "g, out"),
  "global": ("OUT", "g"),
  "item": ("g.out", "g"),
}
USES = {
  "sum": "1 + sum(f({more}, k) for k in {d}[i])",
  "depth": "1 + max([f({more}, k) for k in {d}[i]], default=0)",
  "list": "[i] + [x for k in {d}[i] for x in f({more}, k)]",
  "length": "(len({d}), [f({more}, k) for k in {d}[i]], len({d}))",
  "first": "f({more}, {d}[i][0]) + 1 if {d}[i] else 0",
  "in": "(i in {d}, len({d}[i]), i in {d}, [f({more}, k) for k in {d}.get(i, [])])",
  "keys": "(len({d}[i]), sorted({d}), [f({more}, k) for k in {d}[i]])",
  "returned": "[{d}[i], [f({more}, k) for k in {d}[i]]]",
  "sum_of_all": "(sum(len(v) for v in {d}.values()), [f({more}, k) for k in {d}[i]])",
  "tensor": "tf.add_n([tf.ones([2]) * i] + [f({more}, k) for k in {d}[i]])",
  "by_name": "g.names[i] + ''.join([f({more}, k) for k in {d}[i]])",
  "counted": "(g.count[i], [f({more}, k) for k in {d}[i]])",
}


def calls_of(place, factory=list):
  graphs = [Graph(edges) for edges in EDGES] + [Graph(EDGES[2])]
  if place == "passed_in":
    return [(g, g.out, 0) for g in graphs]
  return [(g, i) for g in graphs for i in (0, 1)]


@pytest.mark.parametrize("place", ["attribute", "passed_in"])
@pytest.mark.parametrize("use", USES)
def test_of_graphs(use, place):
  d, parameters = PLACES[place]
  text = f"""
def f({parameters}, i):
  return {USES[use].format(d=d, more=parameters)}
"""
  agrees(of_text(text, tf=tf), lambda: calls_of(place))


@pytest.mark.parametrize("use", USES)
def test_of_a_global_one(use):
  text = f"""
OUT = defaultdict(list, {{0: [1, 2], 1: [3]}})

def f(g, i):
  return {USES[use].format(d="OUT", more="g")}
"""
  names = {"tf": tf, "defaultdict": collections.defaultdict}
  agrees(of_text(text, **names), lambda: [(Graph([]), i) for i in (0, 1, 5, 0, 3)])


FACTORIES = ["list", "int", "float", "set", "dict", "str", "tuple", "bool", "None", "lambda: 7"]
READS = {
  "value": "d[n.key]",
  "twice": "(d[n.key], d[n.key])",
  "truth": "'yes' if d[n.key] else 'no'",
  "then_in": "(n.key in d, str(d[n.key]), n.key in d)",
  "then_length": "(len(d), bool(d[n.key]), len(d))",
  "then_keys": "(bool(d[n.key]), list(d))",
  "is_none": "d[n.key] is None",
  "equal": "d[n.key] == d['a']",
}
KEYS = ["abc", "cab", "zzz", "a"]


class Node:
  def __init__(self, key, factory, *kids):
    self.key, self.kids = key, list(kids)
    self.d = collections.defaultdict(factory)


def nodes(factory, filled=True):
  for names in KEYS:
    kids = [Node(name, factory) for name in names]
    root = Node(names[0], factory, *kids)
    if filled and factory is not None:
      root.d["a"] = kids[0].d["b"] = factory()
    yield root


@pytest.mark.parametrize("factory", FACTORIES)
@pytest.mark.parametrize("read", READS)
def test_of_factories(read, factory):
  text = f"""
def f(n):
  d = n.d
  return [{READS[read]}] + [f(k) for k in n.kids]
"""
  agrees(of_text(text), lambda: [(root,) for root in nodes(eval(factory))])


@pytest.mark.parametrize("factory", FACTORIES)
@pytest.mark.parametrize("read", READS)
def test_of_factories_passed_in(read, factory):
  text = f"""
def f(n, d):
  return [{READS[read]}] + [f(k, d) for k in n.kids]
"""
  agrees(of_text(text), lambda: [(root, root.d) for root in nodes(eval(factory))])


CHANGES = {
  "read": ("int", "n.d[n.key]"),
  "read_after_and": ("int", "n.kids and n.d[n.key]"),
  "read_in_a_filter": ("int", "[k for k in n.kids if n.d[k.key] > 100]"),
  "read_in_a_loop": ("list", "for k in n.kids: n.d[k.key]"),
  "read_by_a_pair": ("list", "n.d[n.key, len(n.kids)]"),
  "read_by_a_constant": ("list", "n.d['b']"),
  "append": ("list", "n.d[n.key].append(len(n.kids))"),
  "append_twice": ("list", "n.d[n.key].append(1)\n  n.d[n.key].append(2)"),
  "extend": ("list", "n.d[n.key] += [1, 2]"),
  "count": ("int", "n.d[n.key] += 1"),
  "count_of_kids": ("int", "for k in n.kids: n.d[k.key] += len(k.kids) + 1"),
  "float": ("float", "n.d[n.key] += 0.5"),
  "set": ("set", "n.d[n.key].add(1)"),
  "dict": ("dict", "n.d[n.key]['x'] = 1"),
  "string": ("str", "n.d[n.key] += 'x'"),
  "written": ("list", "n.d[n.key] = [1]"),
  "popped": ("list", "n.d[n.key]\n  n.d.pop(n.key)"),
  "deleted": ("int", "n.d[n.key]\n  del n.d[n.key]"),
  "cleared": ("int", "n.d[n.key]\n  n.d.clear()"),
  "in_a_branch": ("int", "if n.kids: n.d[n.key]"),
  "after_another": ("int", "n.d['b'] = 3\n  n.d[n.key]"),
  "before_another": ("int", "n.d[n.key]\n  n.d['b'] = 3"),
  "updated": ("int", "n.d.update({n.key: 2})"),
  "setdefault": ("list", "n.d.setdefault(n.key, [5])"),
  "kept": ("list", "n.kept = n.d[n.key]"),
  "moved": ("list", "n.d['b'] = n.d[n.key]"),
}
LOOKS = {
  "nothing": "None",
  "item": "n.d[n.key]",
  "items": "list(n.d.items())",
  "length": "len(n.d)",
  "the_dict": "n.d",
  "copy": "dict(n.d)",
  "copied": "n.d.copy()",
  "text": "str(n.d)",
  "equal": "n.d == {}",
  "merged": "{**n.d}",
  "united": "n.d | {'q': 1}",
  "class": "type(n.d).__name__",
  "factory": "n.d.default_factory is None",
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_shows(change, look):
  factory, statement = CHANGES[change]
  text = f"""
def f(n):
  {statement}
  found = {LOOKS[look]}
  return [found] + [f(k) for k in n.kids]
"""
  agrees(of_text(text), lambda: [(root,) for root in nodes(eval(factory))])


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_two_of_one_class_with_other_factories(change):
  """They are told apart by what they call, not by their class."""
  statement = CHANGES[change][1]
  text = f"""
def f(n):
  found = [m.d[n.key] for m in n.kids]
  if n.kids:
    {statement.replace(chr(10) + "  ", "; ")}
  return [found] + [f(k) for k in n.kids]
"""

  def calls():
    for a, b in [(int, int), (int, list), (list, int), (str, float), (list, list)]:
      root = Node("a", a, Node("b", b), Node("a", b, Node("c", a)))
      yield (root,)

  agrees(of_text(text), calls)


def test_missing_items_of_ever_new_graphs_are_made_by_graphs():
  text = """
def f(g, i):
  return [i] + [x for k in g.out[i] for x in f(g, k)]
"""
  found = agrees(of_text(text), lambda: calls_of("attribute"), expect=CONVERTED)
  assert found.stats.num_conversions <= 6


FACTORIES_IN_TURN = [
  ("list", "int"),
  ("int", "float"),
  ("list", "set"),
  ("int", "None"),
  ("dict", "list"),
  ("int", "bool"),
  ("list", "lambda: [0]"),
]
SOURCES = {"passed_in": ("n, d", "d"), "attribute": ("n", "n.d"), "of_another": ("n, o", "o.d")}


@pytest.mark.parametrize("use", ["d[n.key]", "len(d) + len(str(d[n.key]))", "d[n.key].append(1)"])
@pytest.mark.parametrize("factories", FACTORIES_IN_TURN, ids="_then_".join)
@pytest.mark.parametrize("source", SOURCES)
def test_what_is_called_may_change(source, factories, use):
  """Between calls, of the same dict."""
  parameters, d = SOURCES[source]
  text = f"""
def f({parameters}):
  d = {d}
  found = {use}
  return [found] + [f(k{parameters[1:]}) for k in n.kids]
"""

  def calls():
    first, second = map(eval, factories)
    root = Node("a", first, Node("b", first), Node("a", first))
    nodes = [root, *root.kids, other := Node("c", first)]
    more = {"passed_in": [other.d], "attribute": [], "of_another": [other]}[source]
    for i, factory in enumerate([first, first, first, second, second, first]):
      for one in nodes:
        one.d.default_factory, one.key = factory, one.key[:1] + str(i)
      yield root, *more

  agrees(of_text(text), calls)


@pytest.mark.parametrize("factories", FACTORIES_IN_TURN, ids="_then_".join)
def test_what_a_global_one_calls_may_change(factories):
  first, second = map(eval, factories)
  turns = []

  def build(recursive):
    d = collections.defaultdict(first)

    @recursive
    def f(n):
      return [d[n.key], len(d)] + [f(k) for k in n.kids]

    return f, [d]

  def before(d):
    turns.append(d)
    d.default_factory = second if (len(turns) - 1) // 2 % 4 >= 2 else first

  calls = [(Node(name, int, Node(name + "x", int)),) for name in "abcdefgh"]
  agrees(build, lambda: calls, before=before)
