"""Named tuples whose classes have operators of their own: vectors, and what says it is equal."""

import typing

import pytest

import recursive_tf as rtf


class Vector(typing.NamedTuple):
  x: float
  y: float

  def __add__(self, other):
    return Vector(self.x + other.x, self.y + other.y)

  def __sub__(self, other):
    return Vector(self.x - other.x, self.y - other.y)

  def __mul__(self, factor):
    return Vector(self.x * factor, self.y * factor)

  def __rmul__(self, factor):
    return Vector(self.x * factor, self.y * factor)

  def __neg__(self):
    return Vector(-self.x, -self.y)

  def __matmul__(self, other):
    return self.x * other.x + self.y * other.y

  def __abs__(self):
    return self.x

  def __len__(self):
    return 7

  def __bool__(self):
    return False

  def __eq__(self, other):
    return True

  def __lt__(self, other):
    return True

  def __contains__(self, item):
    return True

  def __call__(self, number):
    return number

  def __getitem__(self, i):
    return 9.0

  def __hash__(self):
    return 3

  def __str__(self):
    return "V"

  def __float__(self):
    return 2.5


WAYS = {
  "add": lambda a, b: a + b,
  "subtract": lambda a, b: a - b,
  "times": lambda a, b: a * 2.0,
  "times_int": lambda a, b: a * 2,
  "times_from_left": lambda a, b: 2.0 * a,
  "times_int_from_left": lambda a, b: 2 * a,
  "negative": lambda a, b: -a,
  "matmul": lambda a, b: a @ b,
  "abs": lambda a, b: abs(a),
  "len": lambda a, b: len(a),
  "truth": lambda a, b: 1 if a else 2,
  "not": lambda a, b: not a,
  "equal": lambda a, b: a == b,
  "unequal": lambda a, b: a != b,
  "less": lambda a, b: a < b,
  "greater": lambda a, b: a > b,
  "at_least": lambda a, b: a >= b,
  "in": lambda a, b: 17 in a,
  "in_list": lambda a, b: a in [b],
  "nested_equal": lambda a, b: (a, 1) == (b, 1),
  "lists_equal": lambda a, b: [a] == [b],
  "call": lambda a, b: a(5),
  "item": lambda a, b: a[0],
  "str": lambda a, b: str(a),
  "f_string": lambda a, b: f"{a}",
  "percent": lambda a, b: "%s %s" % a,  # noqa: UP031 - a tuple is what it takes.
  "float": lambda a, b: float(a),
  "hash": lambda a, b: hash(a),
  "max": lambda a, b: max(a, b),
  "sorted": lambda a, b: sorted([a, b]),
  "key": lambda a, b: len({a: 1, b: 2}),
  "sum": lambda a, b: sum([a, b], a),
  "index": lambda a, b: [a].index(b),
  "count": lambda a, b: [a, b].count(b),
  "star": lambda a, b: [*a],
}
SOURCES = {
  "made": lambda n: (Vector(n.v, 1.0), Vector(2.0, n.v)),
  "one_plain": lambda n: ((n.v, 1.0), Vector(2.0, n.v)),
  "plain_right": lambda n: (Vector(n.v, 1.0), (2.0, n.v)),
  "heap": lambda n: (n.p, n.q),
  "known": lambda n: (KNOWN, KNOWN),
  "mixed": lambda n: (KNOWN, Vector(n.v, 1.0)),
}
KNOWN = Vector(3.0, 4.0)


class Node:
  def __init__(self, v):
    self.v, self.p, self.q = v, Vector(v, 1.0), Vector(2.0, v)


def _outcome(function, *args):
  try:
    return repr(function(*args))
  except Exception as error:
    return type(error).__name__


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("way", WAYS)
def test_operators_are_those_of_the_class(way, source):
  use, get = WAYS[way], SOURCES[source]

  def plain(node):
    return use(*get(node)), node.v

  converted = rtf.recursive(plain, verify=False)
  for v in (1.0, 2.0, 1.0):
    assert _outcome(converted, Node(v)) == _outcome(plain, Node(v))


@pytest.mark.parametrize("way", ["add", "subtract", "times", "negative", "matmul", "equal", "less"])
def test_vectors_are_converted(way):
  use = WAYS[way]

  def plain(node):
    return use(Vector(node.v, 1.0), Vector(2.0, node.v))

  converted = rtf.recursive(plain, strict=True, verify=False)
  for v in (1.0, 2.0):
    assert repr(converted(Node(v))) == repr(plain(Node(v)))


def test_a_plain_tuple_cannot_be_called():
  converted = rtf.recursive(lambda node: (node.v, 1.0)(5), verify=False)
  with pytest.raises(TypeError, match="not callable"):
    converted(Node(1.0))


class Plain(typing.NamedTuple):
  x: object
  y: object


@pytest.mark.parametrize("decorate", [rtf.recursive, rtf.function])
@pytest.mark.parametrize(
  "use",
  [
    lambda n: Plain(n.v, 2) * 2,
    lambda n: 2 * Plain(n.v, "a"),
    lambda n: Plain(0.1, n.v) * n.count,
    lambda n: sum(Plain(n.v, 2) * 2),
    lambda n: Plain(n.v, 2) * 0,
    lambda n: Plain(n.v, 2) + (n.v,),
    lambda n: Plain(n.v, 2)[:1],
  ],
)
def test_products_of_a_plain_named_tuple_are_tuples(use, decorate):
  converted = decorate(lambda node: use(node), verify=False)
  for v in (1.0, 2.0, 3.0):
    node = Node(v)
    node.count = int(v)
    assert repr(converted(node)) == repr(use(node))
