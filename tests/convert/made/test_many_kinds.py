"""Terms as tuples, named tuples and dataclasses, which programs make, compare and take apart."""

import collections
import dataclasses

import pytest

from tests.convert.agreement import CONVERTED, agrees, deep, lopsided, of_one, of_two, root

EMPTY, EPS = ("empty",), ("eps",)


def nullable(r):
  if r[0] == "cat":
    return nullable(r[1]) and nullable(r[2])
  if r[0] == "alt":
    return nullable(r[1]) or nullable(r[2])
  return r[0] in ("eps", "star")


def cat(a, b):
  if EMPTY in (a, b):
    return EMPTY
  return b if a == EPS else a if b == EPS else ("cat", a, b)


def alt(a, b):
  if a == EMPTY or a == b:
    return b
  return a if b == EMPTY else ("alt", a, b)


def derivative(f, r, c):
  """That of a regular expression, after Brzozowski."""
  if r[0] == "chr":
    return EPS if r[1] == c else EMPTY
  if r[0] == "alt":
    return alt(f(r[1], c), f(r[2], c))
  if r[0] == "star":
    return cat(f(r[1], c), r)
  if r[0] == "cat":
    first = cat(f(r[1], c), r[2])
    return alt(first, f(r[2], c)) if nullable(r[1]) else first
  return EMPTY


def expressions():
  a, b = ("chr", "a"), ("chr", "b")
  many = ("star", ("alt", a, b))
  return [("a", a), ("a", ("star", ("cat", a, b))), ("a", ("cat", many, ("cat", a, b)))]


def simplified(f, e):
  """Folds constants, of which some are ints and others floats, and leaves out what adds nothing."""
  if not isinstance(e, tuple):
    return e
  op, args = e[0], [f(a) for a in e[1:]]
  if all(isinstance(a, (int, float)) for a in args):
    return sum(args) if op == "+" else -args[0]
  if op == "+":
    args = [a for a in args if a != 0]
    if len(args) == 1:
      return args[0]
  elif isinstance(args[0], tuple) and args[0][0] == "neg":
    return args[0][1]
  return (op, *args)


def sums():
  return [
    ("x",),
    (("+", 1, 2, 3),),
    (("+", "x", ("neg", ("neg", "y"))),),
    (("+", ("+", 2.5, -3), ("+", ("neg", "x"), ("+", 1, 0)), ("neg", 4)),),
  ]


Num = collections.namedtuple("Num", "value")
Var = collections.namedtuple("Var", "name")
Add = collections.namedtuple("Add", "a b")
Mul = collections.namedtuple("Mul", "a b")


def added(a, b):
  if a == Num(0):
    return b
  return a if b == Num(0) else Add(a, b)


def multiplied(a, b):
  if a == Num(0) or b == Num(0):
    return Num(0)
  return b if a == Num(1) else Mul(a, b)


def differential(f, e):
  match e:
    case Var(name):
      return Num(1) if name == "x" else Num(0)
    case Add(a, b):
      return added(f(a), f(b))
    case Mul(a, b):
      return added(multiplied(f(a), b), multiplied(a, f(b)))
  return Num(0)


def products():
  x, y = Var("x"), Var("y")
  return [(x,), (Add(Mul(Num(3), x), y),), (Mul(Mul(x, y), Add(x, x)),)]


@dataclasses.dataclass(frozen=True)
class Lit:
  value: object


@dataclasses.dataclass(frozen=True)
class Pair:
  first: object
  second: object


def paired(f, t):
  """Pairs whose parts are equal become one of them; what they hold is of many kinds."""
  if not isinstance(t, tuple):
    return Lit(t)
  parts = [f(one) for one in t]
  made = parts[0]
  for one in parts[1:]:
    made = made if made == one else Pair(made, one)
  return made


def leaves():
  return [
    (1,),
    ((1, 1.0),),
    (((1, True), ("a", None)),),
    ((("a", "a"), ("a", ("b", 2.5)), 0),),
    ((((-0.0, 0), "1"), (None, None)),),
  ]


PROGRAMS = {
  "derivative": (lambda: of_two(derivative), lambda: [(r, c) for c, r in expressions()]),
  "simplified": (lambda: of_one(simplified), sums),
  "differential": (lambda: of_one(differential), products),
  "paired": (lambda: of_one(paired), leaves),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", PROGRAMS)
def test_terms_are_pythons(name):
  build, calls = PROGRAMS[name]
  # That of an expression takes a conversion's whole budget of time on a slow machine.
  agrees(build(), calls, expect=None if name == "derivative" else CONVERTED)


def kept_under(f, n, found):
  """What was popped of a list of the run is a key."""
  for k in n.kids:
    f(k, found)
  names = [n.v, n.name, n.v * 2]
  key = names.pop(n.v % 3)
  if key in found:
    found[key] += 1
  else:
    found[key] = 1
  return len(found)


def of_kinds(n):
  """Scalars of several kinds, in tuples of one length."""
  parts = [(n.v, None), (n.name, n.v > 1), (n.v / 2, n.name)]
  return parts[n.v % 3]


def told_apart(f, n):
  first, second = of_kinds(n)
  found = [(first, second, type(first) is int, isinstance(second, bool), second is None)]
  for k in n.kids:
    for one in f(k):
      found.append((one[0], one[1], one == found[0], one[0] == first, one[1] == second))
  return found


@pytest.mark.parametrize("kind", [dict, collections.defaultdict])
def test_keys_are_scalars_of_the_run(kind):
  def empty():
    return {} if kind is dict else collections.defaultdict(int)

  agrees(of_two(kept_under), lambda: [(root(), empty()), (deep(3), empty()), (root(), {"r": 5})])


def test_scalars_of_several_kinds_are_what_they_were():
  agrees(of_one(told_apart), lambda: [(root(),), (lopsided(),)])


def test_a_key_that_may_be_none_fails_a_run_by_that_alone():
  class Valued:
    def __init__(self, v, *kids):
      self.v, self.kids = v, kids

  def build(recursive):
    @recursive
    def f(n, d):
      for k in n.kids:
        d[f(k, d)] = 1
      return n.v

    return f

  def calls():
    return [(Valued(1, Valued(1), Valued("b"), Valued(2.5)), {}), (Valued(1, Valued(None)), {})]

  agrees(build, calls)
