"""`==` of dicts of the heap, and operators and comparisons of their keys."""

import collections
import json

import pytest

from tests.convert.agreement import CONVERTED, agrees, of_one, of_two

PAIRS = [
  ('{"a": 1}', '{"a": 1}'),
  ('{"a": 1}', '{"a": 2}'),
  ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}'),
  ('{"a": 1}', '{"b": 1}'),
  ("{}", "{}"),
  ('{"a": 1}', "{}"),
  ('{"a": "x"}', '{"a": "x"}'),
  ('{"a": {"b": 1}}', '{"a": {"b": 1}}'),
  ('{"a": {"b": 1}}', '{"a": {"b": 2}}'),
  ('{"a": true}', '{"a": 1}'),
  ('{"a": null}', '{"a": 0}'),
  ('{"a": "1"}', '{"a": 1}'),
  ('{"a": {"b": [1, 2]}}', '{"a": {"b": [1, 3]}}'),
  ('{"a": [1, {"c": {"d": 2}}]}', '{"a": [1, {"c": {"d": 2}}]}'),
  ('{"a": [1]}', '{"a": {"0": 1}}'),
  ('{"a": 1}', '{"a": 1.0}'),
]


def pairs(some=PAIRS):
  return [tuple(map(json.loads, pair)) for pair in some]


def compared(f, a, b):
  return (a == b, a != b) if len(a) < 9 else f(b, a)


def keys_or_changes(f, old, new):
  found = []
  for key in sorted(old.keys() | new.keys()):
    if key not in new:
      found.append("-" + key)
    elif key not in old:
      found.append("+" + key)
    elif isinstance(old[key], dict) and isinstance(new[key], dict):
      found.extend(f(old[key], new[key]))
  return found


def common_and_own(f, a, b):
  if len(a) > 9:
    return f(b, a)
  return len(a.keys() & b.keys()), sorted(a.keys() - b.keys()), sorted(a.keys() ^ b.keys())


def keys_compared(f, a, b):
  if len(a) > 9:
    return f(b, a)
  return a.keys() == b.keys(), a.keys() <= b.keys(), a.keys() > b.keys(), a.keys() != b.keys()


@pytest.mark.parametrize(
  "program",
  [
    pytest.param(compared, marks=pytest.mark.slow),
    pytest.param(keys_or_changes, marks=pytest.mark.slow),
    common_and_own,
    keys_compared,
  ],
)
def test_pairs(program):
  agrees(of_two(program), pairs)
  agrees(of_two(program), lambda: pairs(PAIRS[:9]), expect=CONVERTED)


class Node:
  def __init__(self, env, *kids):
    self.env, self.kids = env, list(kids)


def one_dict_twice():
  env = {"x": 1}
  return Node(env, Node(env), Node({"x": 1}))


def nodes_as_values():
  node = Node({})
  return Node({"x": node}, Node({"x": node}), Node({"x": Node({})}))


def not_a_number():
  nan = float("nan")
  return Node({"x": nan}, Node({"x": nan}, Node({"x": float("nan")})), Node({"x": 1.0}))


CONVERTS = {
  "numbers": lambda: Node({"x": 1}, Node({"x": 1}, Node({"x": 2})), Node({}), Node({"y": 1})),
  "strings": lambda: Node({"x": "p"}, Node({"x": "p", "y": "q"}, Node({"x": "p"}))),
  "ints as keys": lambda: Node({1: 1}, Node({1: 2}, Node({1: 2})), Node({2: 2})),
  "one dict twice": one_dict_twice,
}
TREES = {
  **CONVERTS,
  "tuples as keys": lambda: Node({(1, 2): 1}, Node({(1, 2): 1}, Node({(1, 3): 1}))),
  "floats": lambda: Node({"x": 1.5}, Node({"x": 1.5}), Node({"x": 2.5})),
  "not a number": not_a_number,
  "none": lambda: Node({"x": None}, Node({"x": None}), Node({"x": 1})),
  "kinds as keys": lambda: Node({1: "a", "b": 2}, Node({1.0: "a", "b": 2}), Node({True: "a"})),
  "lists": lambda: Node({"x": [1, 2]}, Node({"x": [1, 2]}), Node({"x": [1]})),
  "nodes": nodes_as_values,
  "in order": lambda: Node(
    collections.OrderedDict(a=1, b=2),
    Node(collections.OrderedDict(b=2, a=1)),
    Node({"b": 2, "a": 1}),
  ),
  "counts": lambda: Node(collections.Counter(a=1), Node(collections.Counter(a=1, b=0))),
}


def of_kids(f, n):
  return [(kid.env == n.env, kid.env != n.env, f(kid)) for kid in n.kids]


def of_what_is_known(f, n):
  return (n.env == {"x": 1}, {} == n.env, n.env == 3, n.env == "x"), [f(kid) for kid in n.kids]


def of_what_is_made(f, n):
  made = {key: value for key, value in n.env.items()}
  return made == n.env, [(kid.env == made, f(kid)) for kid in n.kids]


def of_copies(f, n):
  made = dict(n.env)
  return made == n.env, [(made == dict(kid.env), f(kid)) for kid in n.kids]


def in_lists(f, n):
  envs = [kid.env for kid in n.kids]
  return envs.count(n.env), n.env in envs, [f(kid) for kid in n.kids]


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize(
  "program", [of_kids, of_what_is_known, of_what_is_made, of_copies, in_lists]
)
def test_dicts_of_nodes(program, tree):
  build = of_one(program)
  agrees(build, lambda: [(TREES[tree](),), (Node({"x": 1}),), (Node({}),)])
  if tree in CONVERTS and program in (of_kids, in_lists):
    agrees(build, lambda: [(CONVERTS[tree](),)], expect=CONVERTED)


OPERATED = {
  "or": lambda d, s, z: (sorted(d.keys() | s), sorted(s | d.keys()), sorted(z | d.keys())),
  "without": lambda d, s, z: (sorted(d.keys() - s), sorted(s - d.keys()), sorted(z - d.keys())),
  "and": lambda d, s, z: (sorted(d.keys() & z), sorted(z & d.keys())),
  "either": lambda d, s, z: (sorted(d.keys() ^ s), sorted(z ^ d.keys())),
  "types": lambda d, s, z: (type(z | d.keys()) is set, isinstance(z - d.keys(), frozenset)),
  "equal": lambda d, s, z: (d.keys() == s, z == d.keys(), d.keys() != z),
  "parts": lambda d, s, z: (d.keys() <= z, z < d.keys(), s >= d.keys()),
  "made": lambda d, s, z: sorted({x: 1 for x in s}.keys() | d.keys()),
  "a tuple of them": lambda d, s, z: tuple(d.keys()) | s,
  "values": lambda d, s, z: d.values() | s,
  "what is returned": lambda d, s, z: d.keys() | s,
}


@pytest.mark.parametrize("operated", OPERATED)
def test_keys_beside_sets(operated):
  def build(recursive):
    does = OPERATED[operated]

    @recursive
    def f(d, s, z):
      return does(d, s, z) if len(d) < 9 else f(d, s, z)

    return f

  def calls():
    return [
      ({"a": 1, "b": 2}, {"b", "c"}, frozenset(["a", "d"])),
      ({}, {"b"}, frozenset(["b"])),
      ({"b": 1}, {"b"}, frozenset()),
    ]

  is_converted = operated not in ("a tuple of them", "values", "what is returned")
  agrees(build, calls, expect=CONVERTED if is_converted else None)
