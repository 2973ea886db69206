"""Branches that are refused: runs that take one are Python's, all others become graphs."""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.agreement import Node, agrees, of_text

# What no graph does with a node, in Python.
REFUSED = {
  "opaque": "eval(str(n.v))",
  "shapes": "len(tf.split(tf.zeros([2 + n.w.shape[0]]), 2)) + n.v",
  "bytes": "len(n.name.encode()) + n.v",
  "helper": "helper(n)",
  "raises": "int(open('/no/such/file').read())",
}
PLACES = {
  "statement": """
  s = n.v
  if n.flag:
    s += {}
  return s + sum([f(k) for k in n.kids])""",
  "returned": """
  if n.flag:
    return {}
  return n.v + sum([f(k) for k in n.kids])""",
  "else": """
  if not n.flag:
    return n.v + sum([f(k) for k in n.kids])
  else:
    return {}""",
  "expression": """
  s = {} if n.flag else n.v
  return s + sum([f(k) for k in n.kids])""",
  "and": """
  s = n.v
  if n.flag and {} > 0:
    s += 1
  return s + sum([f(k) for k in n.kids])""",
  "loop": """
  s = n.v
  for k in n.kids:
    if n.flag:
      s += {}
    s += f(k)
  return s""",
  "endless": """
  s, i = n.v, n.v
  while True:
    i -= 1
    if i < 0:
      if n.flag:
        s += {}
      break
    s += 2
  return s + sum([f(k) for k in n.kids])""",
  "comprehension": """
  return n.v + sum([f(k) if not k.flag else {} for k in n.kids])""",
  "only base case": """
  if not n.kids and n.flag:
    return {}
  return n.v + sum([f(k) for k in n.kids])""",
  "caught": """
  s = n.v
  try:
    if n.flag:
      s += {}
  except (OSError, KeyError):
    s -= 1
  return s + sum([f(k) for k in n.kids])""",
  "effects": """
  log.append(n.v)
  n.v += 1
  if n.flag:
    n.v += {}
    log.append(n.name)
  print(n.name, n.v)
  log.append(n.v)
  return n.v + sum([f(k) for k in n.kids])""",
}
HELPER = "def helper(n):\n  return eval(str(n.v))\n"


def leaf(v, flag=False, *kids):
  node = Node(v, flag, f"n{v}", *kids)
  node.w = tf.constant([float(v)])
  return node


def tree(*flags):
  """Returns a tree of five nodes, some of which take the branch."""
  a, b, c, d, e = flags
  return leaf(1, a, leaf(2, b), leaf(3, c, leaf(4, d), leaf(5, e)))


def trees():
  never = (False,) * 5
  ways = [never, *(tuple(i == j for i in range(5)) for j in range(5)), never, (True,) * 5, never]
  return [(tree(*way),) for way in ways]


def build(place, refused):
  text = f"{HELPER}def f(n):{PLACES[place].format(REFUSED[refused])}"

  def made(recursive):
    log = []
    function = of_text(text, log=log)(recursive)
    return function, [log]

  return made


@pytest.mark.parametrize("refused", REFUSED)
@pytest.mark.parametrize("place", PLACES)
def test_calls_are_pythons(place, refused):
  agrees(build(place, refused), trees)


@pytest.mark.parametrize("place", [place for place in PLACES if place != "caught"])
def test_runs_that_do_not_take_the_branch_are_graphs(place):
  f, _ = build(place, "opaque")(lambda function: rtf.recursive(function, verify=False))
  for _ in range(7):
    f(tree(*[False] * 5))
  assert f.stats.num_converted_runs == 6, f.explain()


def test_what_was_refused_is_told_with_its_line():
  f, _ = build("returned", "opaque")(lambda function: rtf.recursive(function, verify=False))
  for _ in range(3):
    f(tree(*[False] * 5))
  f(tree(False, True, False, False, False))
  text = str(f.explain())
  assert "no run takes the branch that is refused (opaque-call): did not hold once" in text
  assert "[opaque-call] eval" in text


def test_a_branch_that_each_call_takes_is_given_up():
  f, _ = build("returned", "opaque")(lambda function: rtf.recursive(function, verify=False))
  for _ in range(12):
    f(tree(*[True] * 5))
  conversions = f.stats.num_conversions
  for _ in range(3):
    f(tree(*[True] * 5))
  assert f.stats.num_conversions == conversions <= 4
  assert not f.stats.num_converted_runs


def test_strict_calls_that_take_the_branch_are_refused():
  f, _ = build("returned", "opaque")(lambda function: rtf.recursive(function, strict=True))
  never, always = tree(*[False] * 5), tree(*[True] * 5)
  with pytest.raises(rtf.ConversionRefused, match="eval"):
    f(never)
  assert f(never) == 15
  with pytest.raises(rtf.ConversionRefused, match="eval"):
    f(always)


def test_what_a_graph_is_to_call_is_refused():
  f, _ = build("returned", "opaque")(lambda function: rtf.recursive(function, verify=False))
  never = tree(*[False] * 5)
  for _ in range(3):
    with pytest.raises(rtf.ConversionRefused, match="eval"):
      f.pack([never, never])
    assert f.map([never, never]) == [15, 15]


KEPT = {}


@pytest.mark.slow
def test_a_run_that_takes_one_fails_by_that_alone():
  def build(recursive):
    KEPT.clear()

    @recursive
    def visit(n):
      if not n.kids:
        return n.v
      pairs = []
      for k in n.kids:
        pairs.append((visit(k), k.v))
      KEPT["last"] = pairs
      KEPT.setdefault("all", []).append(pairs)
      if pairs:
        pairs[:] = pairs[:1]
      return n.v + len(pairs)

    return visit

  def trees():
    small = Node(3, True, "s", Node(1, True, "a"), Node(2, True, "b"))
    deep = Node(5, True, "d", Node(4, True, "l", Node(6, True, "y", small)), Node(7, True, "n"))
    return [(Node(1, True, "r"),), (deep,), (small,), (small,)]

  agrees(build, trees)
