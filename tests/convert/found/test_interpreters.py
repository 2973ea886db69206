"""Interpreters and type checkers: values of many classes, in environments that closures keep."""

import dataclasses
from typing import Any

import pytest

from tests.convert.agreement import CONVERTED, agrees


@dataclasses.dataclass
class Lit:
  value: Any


@dataclasses.dataclass
class Name:
  id: str


@dataclasses.dataclass
class Let:
  name: str
  value: Any
  body: Any


@dataclasses.dataclass
class Op:
  op: str
  left: Any
  right: Any


@dataclasses.dataclass
class If:
  test: Any
  then: Any
  other: Any


@dataclasses.dataclass
class Fn:
  param: str
  body: Any


@dataclasses.dataclass
class App:
  fn: Any
  arg: Any


@dataclasses.dataclass
class Closure:
  param: str
  body: Any
  env: dict


def _applied(op, a, b):
  if op == "+":
    return a + b
  return a * b if op == "*" else a < b


def evaluating(recursive):
  @recursive
  def evaluate(expr, env):
    match expr:
      case Lit(value):
        return value
      case Name(id):
        return env[id]
      case Let(name, value, body):
        return evaluate(body, {**env, name: evaluate(value, env)})
      case Op(op, left, right):
        return _applied(op, evaluate(left, env), evaluate(right, env))
      case If(test, then, other):
        return evaluate(then, env) if evaluate(test, env) else evaluate(other, env)
      case Fn(param, body):
        return Closure(param, body, env)
      case App(fn, arg):
        closure = evaluate(fn, env)
        return evaluate(closure.body, {**closure.env, closure.param: evaluate(arg, env)})

  return evaluate


def programs():
  """Returns arguments of five calls, the last with functions that are given functions."""
  x, n, own = Name("x"), Name("n"), Name("own")
  add = Fn("x", Fn("n", Op("+", x, n)))
  less = Op("+", n, Lit(-1))
  body = If(Op("<", n, Lit(2)), Lit(1), Op("*", n, App(App(own, own), less)))
  factorial = Fn("own", Fn("n", body))
  twice = Fn("f", Fn("x", App(Name("f"), App(Name("f"), x))))
  return [
    (Lit(42), {}),
    (Op("+", x, Lit(1)), {"x": 4}),
    (App(App(add, Lit(20)), Lit(22)), {}),
    (Let("own", factorial, App(App(own, own), Lit(5))), {}),
    (App(App(twice, Fn("n", Op("*", n, n))), x), {"x": 3}),
  ]


@pytest.mark.timeout(120)
def test_closures_that_keep_their_environments():
  agrees(evaluating, programs, CONVERTED)


def showing(recursive):
  """A type is a string, or a tuple of what it is made of."""

  def show(t):
    if isinstance(t, str):
      return t
    kind, a, b = t
    parts = show(a), show(b)
    return "(%s -> %s)" % parts if kind == "->" else f"<{parts[0]}, {parts[1]}>"  # noqa: UP031

  def infer(term, types):
    if isinstance(term, Lit):
      return "bool" if isinstance(term.value, bool) else "int"
    if isinstance(term, Name):
      return types[term.id]
    if isinstance(term, Fn):
      inner = dict(types)
      inner[term.param] = "int"
      return "->", "int", infer(term.body, inner)
    if isinstance(term, App):
      return infer(term.fn, types)[2]
    return "pair", infer(term.left, types), infer(term.right, types)

  @recursive
  def check(term):
    return show(infer(term, {"free": "bool"}))

  return check


def test_types_that_are_strings_or_tuples():
  x, pair = Name("x"), Op("pair", Lit(1), Lit(True))
  twice = Fn("y", Fn("x", Op("pair", x, pair)))
  terms = [Lit(1), Name("free"), pair, Fn("x", x), twice, App(Fn("x", pair), Lit(2)), App(twice, x)]
  agrees(showing, lambda: [(term,) for term in terms], CONVERTED)


class Compiler:
  """Compiles what it has made simpler by a table of methods."""

  def __init__(self):
    self.handlers = {Lit: self.literal, Name: self.name, Op: self.operation}

  def simpler(self, node):
    if not isinstance(node, Op):
      return node
    left, right = self.simpler(node.left), self.simpler(node.right)
    if type(left) is Lit and type(right) is Lit:
      return Lit(left.value + right.value)
    return Op(node.op, left, right)

  def compiled(self, node):
    return self.handlers[type(node)](node)

  def literal(self, node):
    return [("push", node.value)]

  def name(self, node):
    return [("load", node.id)]

  def operation(self, node):
    return self.compiled(node.left) + self.compiled(node.right) + [(node.op, None)]


def test_classes_of_new_nodes_are_keys_of_a_table():
  def build(recursive):
    compiler = Compiler()

    @recursive
    def compiled(node):
      node = compiler.simpler(node)
      return type(node).__name__, compiler.compiled(node)

    return compiled

  two = Op("+", Lit(1), Lit(2))
  deep = Op("*", Op("+", two, two), Op("+", Name("y"), two))
  agrees(build, lambda: [(Lit(1),), (two,), (Op("+", two, Name("x")),), (deep,)], CONVERTED)


def test_the_better_of_two_pairs_with_lists():
  def build(recursive):
    def solve(expr):
      if isinstance(expr, Lit):
        return (expr.value, [expr.value]), (0, [])
      (a, left), (b, none) = solve(expr.left), solve(expr.right)
      take, skip = (a[0] + none[0], a[1] + none[1]), (left[0] + b[0], left[1] + b[1])
      return max(take, skip, key=lambda pair: pair[0]), min(take, skip, key=lambda pair: pair[0])

    @recursive
    def best(expr):
      total, chosen = max(*solve(expr), key=lambda pair: pair[0])
      chosen.append(-1)
      return total, chosen

    return best

  two = Op("+", Lit(4), Lit(2))
  agrees(build, lambda: [(Lit(1),), (two,), (Op("+", two, Op("+", Lit(3), two)),)], CONVERTED)


def test_a_number_has_no_attributes_of_functions():
  """As long as no call is known to give a function, reading one's body fails the run."""

  def build(recursive):
    @recursive
    def evaluate(expr):
      match expr:
        case Lit(value):
          return value
        case If(test, then, other):
          return evaluate(then) if evaluate(test) != 0 else evaluate(other)
        case App(fn, arg):
          return evaluate(evaluate(fn).body) + evaluate(arg)

    return evaluate

  wrong = App(Lit(1), Lit(2))
  agrees(build, lambda: [(If(Lit(1), Lit(2), wrong),), (If(Lit(2), Lit(0), wrong),)], CONVERTED)
  agrees(build, lambda: [(wrong,), (If(Lit(0), Lit(2), wrong),)])


class Pattern:
  def __init__(self, *parts):
    self.parts = parts


def test_a_part_that_is_an_object_equals_no_string():
  def count(recursive):
    @recursive
    def matches(pattern, letter):
      if not pattern.parts:
        return 0
      found = 1 if pattern.parts[0] == letter else 0
      found += 10 if pattern.parts[0] == "b" else 0
      return found + sum(matches(one, letter) for one in pattern.parts if isinstance(one, Pattern))

    return matches

  a, b = Pattern("a"), Pattern("b")
  patterns = [a, Pattern(), Pattern(a, b), Pattern("a", Pattern(b, a), a), Pattern(Pattern(), "a")]
  agrees(count, lambda: [(pattern, letter) for pattern in patterns for letter in "ab"], CONVERTED)
