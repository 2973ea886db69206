"""What recursive calls return where it is of several types: compared, passed on, and None."""

import math

import pytest

from tests.convert.agreement import CONVERTED, Node, agrees


def chain(*values):
  """Returns nodes below each other."""
  node = None
  for v in reversed(values):
    node = Node(v, v % 2 == 0, "ab"[v % 2], *([node] if node else []))
  return node


def first_or_none(n):
  return n.kids[0] if n.kids else None


CHAINS = [(1,), (9, 1), (2, 9, 1), (1, 2, 3, 4), (6, 2), (7, 7, 1), (2, 7, 9, 4)]


def chains():
  return [(chain(*values),) for values in CHAINS]


# --- A bool beside a float, made anew in each call

OTHERS = {
  "infinity": lambda: float("inf"),
  "nan": lambda: float("nan"),
  "negated": lambda: -math.pi,
  "bytes": lambda: bytes([1, 2]),
  "int": lambda: 10**3 + 7,
  "tuple of nan": lambda: (1, float("nan")),
  "string": lambda: "a" + "b",
}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("base", [False, True, 3, None, "x"])
def test_a_value_beside_one_of_another_type(other, base):
  make = OTHERS[other]

  def build(recursive):
    @recursive
    def f(n):
      if n is None:
        return base
      found = f(first_or_none(n))
      return make() if n.v > 5 else found

    return f

  agrees(build, lambda: [*chains(), (None,), *chains()])


@pytest.mark.parametrize("base", [False, True])
def test_a_bool_beside_a_float_is_converted(base):
  def build(recursive):
    @recursive
    def f(n):
      if n is None:
        return base
      found = f(first_or_none(n))
      return float("inf") if n.v > 5 else found

    return f

  agrees(build, chains, CONVERTED)


# --- `==` of what is None or a string


def of_pairs(value, ask):
  def build(recursive):
    @recursive
    def g(n):
      if n is None:
        return None
      if n.v == 7:
        return g(first_or_none(n))
      return value(n)

    @recursive
    def f(n):
      a = g(n.kids[0] if n.kids else None)
      b = g(n.kids[1] if len(n.kids) > 1 else None)
      return ask(a, b)

    return f

  return build


def pairs():
  some = [(), (1,), (2,), (7,), (7, 1), (1, 2), (1, 1), (7, 7), (2, 7)]
  return [
    (Node(0, True, "r", *[Node(v, v > 1, "ab"[v % 2], Node(v, True, "ab"[v % 2])) for v in vs]),)
    for vs in some
  ]


VALUES = {
  "constant": lambda n: "ab",
  "two constants": lambda n: "ab" if n.v > 1 else "c",
  "read": lambda n: n.name,
  "made": lambda n: n.name + "!",
  "number": lambda n: n.v,
  "truth": lambda n: n.flag,
}
ASKS = {
  "equal": lambda a, b: a == b,
  "unequal": lambda a, b: a != b,
  "in tuples": lambda a, b: (a, 1) == (b, 1),
  "in a list": lambda a, b: a in [b, "ab"],
  "in a condition": lambda a, b: 1 if a == b and a is not None else 2,
  "or": lambda a, b: a == b or a == "ab",
  "ordered": lambda a, b: a < b if a is not None and b is not None else None,
  "chain": lambda a, b: a == b == "ab",
}


@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize("value", VALUES)
def test_none_or_a_value_is_compared(value, ask):
  agrees(of_pairs(VALUES[value], ASKS[ask]), pairs)


@pytest.mark.parametrize("value", ["constant", "two constants", "read", "made"])
def test_none_or_a_string_is_compared_in_the_graph(value):
  agrees(of_pairs(VALUES[value], ASKS["equal"]), pairs, CONVERTED)


# --- None as the argument, after trees

RESULTS = {
  "node and number": lambda n, b: b if b else (n, 0),
  "node": lambda n, b: b or n,
  "list of nodes": lambda n, b: [*(b or []), n],
  "list of numbers": lambda n, b: [*(b or []), n.v],
  "tuple in tuple": lambda n, b: b or ((n, n.name), n.v),
  "string": lambda n, b: b or n.name,
  "dict": lambda n, b: b or {"node": n},
}


@pytest.mark.parametrize("result", RESULTS)
def test_none_after_a_tree(result):
  make = RESULTS[result]

  def build(recursive):
    @recursive
    def find(n):
      if n is None:
        return None
      return make(n, find(first_or_none(n)))

    return find

  agrees(build, lambda: [*chains(), (None,), *chains(), (None,)])


def test_none_after_a_tree_is_converted():
  def build(recursive):
    @recursive
    def find(n):
      if n is None:
        return None
      return find(first_or_none(n)) or (n, 0)

    return find

  agrees(build, lambda: [*chains(), (None,)], CONVERTED)
