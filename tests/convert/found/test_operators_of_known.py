"""Operators of objects outside of the tree, whose classes say what these give.

The methods are part of the program: what they read may change, what they do is done in each run.
"""

import fractions
import functools
import math
import operator
import pathlib

import pytest
import tensorflow as tf

import recursive_tf as rtf


class Node:
  """A node."""

  def __init__(self, value, *kids):
    self.value, self.kids = value, list(kids)


def tree():
  return Node(1, Node(2), Node(3, Node(4)))


def added(x, value=2):
  total = x
  total += value
  return total


OPERATORS = {
  "add": lambda x, n: x + 2,
  "sub": lambda x, n: x - n.value,
  "mul": lambda x, n: operator.mul(x, 2),
  "truediv": lambda x, n: x / 2,
  "floordiv": lambda x, n: x // n.value,
  "mod": lambda x, n: x % 2,
  "pow": lambda x, n: x**2,
  "lshift": lambda x, n: x << n.value,
  "rshift": lambda x, n: x >> 2,
  "and": lambda x, n: x & 2,
  "or": lambda x, n: x | 2,
  "xor": lambda x, n: x ^ 2,
  "matmul": lambda x, n: x @ 2,
  "radd": lambda x, n: 2 + x,
  "rsub": lambda x, n: n.value - x,
  "rmul": lambda x, n: 2 * x,
  "rpow": lambda x, n: 2**x,
  "ror": lambda x, n: None | x,
  "iadd": lambda x, n: added(x),
  "neg": lambda x, n: -x,
  "pos": lambda x, n: +x,
  "invert": lambda x, n: ~x,
}
# What is hashed, or compared by a container, where all is known.
LOOKED_FOR = {
  "hash": lambda x, n: 1 if x in {1: 2, 3: 4} else 0,
  "eq": lambda x, n: 1 if x in [2, 3] else 0,
  "eq hash": lambda x, n: {4: 5}.get(x, 7),
  "lt": lambda x, n: 1 if (1, x) < (1, 3) else 0,
  "str": lambda x, n: len("%s" % x),  # noqa: UP031 - it is what is tested
}


def method(how, result, world):
  """Returns a method that counts its calls, or reads an attribute, or what is outside."""

  def counts(self, *others):
    self.count += 1
    return result(self.count)

  def reads_itself(self, *others):
    return result(self.factor)

  def reads_outside(self, *others):
    return result(world["factor"])

  return {"counts": counts, "itself": reads_itself, "outside": reads_outside}[how]


RESULTS = {"eq": lambda k: k % 2 == 0, "lt": lambda k: k % 2 == 0, "str": lambda k: "x" * k}


def made(names, how, world, **more):
  methods = {
    f"__{name}__": method(how, RESULTS.get(name, lambda k: k), world) for name in names.split()
  }
  return type("Given", (), {**methods, **more, "count": 0, "factor": 3})()


def counted(function, given, world):
  """Returns what three calls give and leave; what is read is another from the second on."""
  found = []
  for factor in (3, 5, 5):
    given.factor = world["factor"] = factor
    try:
      found.append((function(tree()), given.count))
    except TypeError:
      found.append((TypeError, given.count))
  return found


def outside(apply, given):
  def build(recursive):
    @recursive
    def f(n):
      return [apply(given, n)] + [x for k in n.kids for x in f(k)]

    return f

  return build


def compare(names, apply, how, **more):
  """Returns the graph's runs; fails where a call differs from plain Python."""
  found = []
  for recursive in (rtf.recursive, lambda f: f):
    world = {}
    given = made(names, how, world, **more)
    function = outside(apply, given)(recursive)
    found.append(counted(function, given, world))
    if recursive is rtf.recursive:
      stats = function.stats
  assert found[0] == found[1]
  return stats.num_converted_runs


@pytest.mark.parametrize("how", ["counts", "itself", "outside"])
@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_is_part_of_the_program(name, how):
  assert compare(name, OPERATORS[name], how) == 3


@pytest.mark.parametrize("how", ["counts", "itself", "outside"])
@pytest.mark.parametrize("names", LOOKED_FOR)
def test_containers_ask_objects_as_in_python(names, how):
  compare(names, LOOKED_FOR[names], how)


CALLS = {
  "decorated": lambda: rtf.recursive(lambda self, n: n.value + sum([self(k) for k in n.kids])),
  "cached": lambda: functools.lru_cache(lambda self: 1),
  "builtin": lambda: math.floor,
  "static": lambda: staticmethod(lambda: 1),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("how", ["counts", "outside"])
def test_an_operator_of_what_can_be_called(call, how):
  assert compare("mul", OPERATORS["mul"], how, __call__=CALLS[call]()) == 3


ASKED = {
  "__add__": lambda x: x + 2,
  "__rmul__": lambda x: 2 * x,
  "__iadd__": added,
  "__neg__": lambda x: -x,
  "__len__": len,
  "__bool__": lambda x: 1 if x else 2,
  "__iter__": list,
  "__getitem__": lambda x: x[0],
  "__contains__": lambda x: 2 in x,
  "__str__": str,
  "__format__": lambda x: f"{x}",
  "__call__": lambda x: x(),
  "__eq__": lambda x: x == 2,
  "__lt__": lambda x: x < 2,
  "__hash__": lambda x: {1: 2}.get(x, 3),
  "__int__": int,
  "__index__": lambda x: [1, 2, 3][x],
}
GIVES = {
  "__iter__": lambda: iter([1]),
  **dict.fromkeys(["__str__", "__format__"], lambda: "x"),
  **dict.fromkeys(["__int__", "__index__"], lambda: 1),
}


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("is_denied", [False, True])
def test_what_is_no_function_is_not_run_while_a_graph_is_made(name, is_denied):
  found = []
  for recursive in (rtf.recursive, lambda f: f):
    log = []

    def give(log, *others):
      log.append(len(others))
      return GIVES.get(name, lambda: True)()

    given = type("Given", (), {name: None if is_denied else functools.partial(give, log)})()
    function = outside(lambda x, n: ASKED[name](x), given)(recursive)
    outcomes = []
    for _ in range(2):
      try:
        outcomes.append(function(tree()))
      except TypeError as error:
        outcomes.append(str(error))
    found.append((outcomes, log))
  assert found[0] == found[1]


class Scale:
  """Says what a product with it is, unless that is a scale of more kinds."""

  def __init__(self, factor):
    self.factor = factor

  def __mul__(self, other):
    return other * self.factor if isinstance(other, int) else NotImplemented

  __rmul__ = __mul__


class Double(Scale):
  """Is asked before a scale."""

  def __rmul__(self, other):
    return -1


@pytest.mark.parametrize(
  "product",
  [
    lambda n: Scale(3) * n.value,
    lambda n: GIVEN * GIVEN_TOO,
    lambda n: GIVEN * 2.5,
    lambda n: n.value * GIVEN,
    lambda n: (n.value, 2) * GIVEN if n.value > 9 else 1,
    lambda n: [2] * GIVEN if n.value > 9 else 1,
  ],
)
def test_who_is_asked(product):
  def build(recursive):
    @recursive
    def f(n):
      return [product(n)] + [x for k in n.kids for x in f(k)]

    return f

  found = []
  for recursive in (rtf.recursive, lambda f: f):
    try:
      found.append(build(recursive)(tree()))
    except TypeError as error:
      found.append(str(error))
  assert found[0] == found[1]


GIVEN, GIVEN_TOO = Scale(3), Double(2)


def test_what_the_standard_library_computes_stays_known():
  root, half = pathlib.PurePosixPath("/data"), fractions.Fraction(1, 2)

  def build(recursive):
    @recursive
    def f(n):
      name = (root / "trees").name
      return [len(name) * n.value, float(half + 1)] + [x for k in n.kids for x in f(k)]

    return f

  graph = build(rtf.recursive)
  assert graph(tree()) == build(lambda f: f)(tree())
  assert graph.stats.num_converted_runs == 1


# --- None in the place of a method


DENIED = {
  "__bool__": lambda n: 1 if n else 0,
  "__len__": lambda n: 1 if n else 0,
  "__eq__": lambda n: 1 if n == n else 0,
  "__lt__": lambda n: 1 if n < n else 0,
  "__getitem__": lambda n: n[0],
  "__hash__": lambda n: len({n, n}),
  "__iter__": lambda n: sum(n),
  "__contains__": lambda n: 1 if 3 in n else 0,
  "__call__": lambda n: n(),
  "__getattr__": lambda n: 1 if hasattr(n, "other") else 0,
}


def denying():
  """Returns a new class, and one that derives from it."""

  class Base:
    def __init__(self, value, *kids):
      self.value, self.kids = value, list(kids)

    def __lt__(self, other):
      return self.value < other.value

    def __getitem__(self, at):
      if at > 1:
        raise IndexError
      return self.value

    def __call__(self):
      return self.value

  return type("Derived", (Base,), {})


@pytest.mark.parametrize("name", DENIED)
def test_a_class_that_denies_a_method(name):
  found = []
  for recursive in (rtf.recursive, lambda f: f):
    kind = denying()

    @recursive
    def f(n, ask=DENIED[name]):
      return [ask(n)] + [x for k in n.kids for x in f(k)]

    outcomes = []
    for is_denied in (False, True, True):
      if is_denied:
        setattr(kind, name, None)
      try:
        outcomes.append(f(kind(1, kind(2))))
      except TypeError:
        outcomes.append(TypeError)
    found.append(outcomes)
  assert found[0] == found[1]


# --- Variables


class Asked:
  """Says what it is given: a variable itself, not what it holds."""

  def __add__(self, other):
    return 1 if isinstance(other, tf.Variable) else 2

  def __matmul__(self, other):
    return type(other).__name__

  def __lt__(self, other):
    return isinstance(other, tf.Variable)

  def __getitem__(self, key):
    return (key,)

  def __contains__(self, value):
    return isinstance(value, tf.Variable)

  __eq__, __hash__ = __lt__, object.__hash__


GIVEN_VARIABLES = {
  "+": lambda x, v: x + v,
  "@": lambda x, v: x @ v,
  "<": lambda x, v: x < v,
  "==": lambda x, v: x == v,
  "item": lambda x, v: x[v][0] is v,
  "in": lambda x, v: v in x,
  "+=": added,
}


@pytest.mark.parametrize("name", GIVEN_VARIABLES)
@pytest.mark.parametrize("is_made", [False, True])
def test_a_variable_is_given_itself(name, is_made):
  variable, known, apply = tf.Variable([2.0]), Asked(), GIVEN_VARIABLES[name]

  def build(recursive):
    @recursive
    def f(n):
      asked = Asked() if is_made else known
      return [apply(asked, variable)] + [x for k in n.kids for x in f(k)]

    return f

  assert build(rtf.recursive)(tree()) == build(lambda f: f)(tree())
