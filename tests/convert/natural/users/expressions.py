"""Expressions: evaluate, simplify, differentiate, print."""
import operator
from dataclasses import dataclass

import tensorflow as tf


@dataclass
class Num:
  value: float


@dataclass
class Var:
  name: str


@dataclass
class BinOp:
  op: str
  left: object
  right: object


@dataclass
class Call:
  fn: str
  args: list


def E1():
  return BinOp("+", BinOp("*", Num(2.0), Var("x")), BinOp("-", Num(1.0), BinOp("/", Var("y"), Num(4.0))))


def E2():
  return BinOp("*", BinOp("+", Var("x"), Num(0.0)), BinOp("*", Num(1.0), Var("y")))


def calls(state):
  e = E1()
  yield (e,)
  yield (Num(3.0),)
  yield (E2(),)
  e.left.right = BinOp("+", Num(0.0), Num(5.0))
  yield (e,)


OPS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


# 1 eval with dict of operators, env dict
def build_eval_ops(recursive):
  @recursive
  def evaluate(e, env):
    if isinstance(e, Num):
      return e.value
    elif isinstance(e, Var):
      return env[e.name]
    return OPS[e.op](evaluate(e.left, env), evaluate(e.right, env))
  return evaluate
def calls_eval_ops(state):
  for (e,) in calls(state):
    yield (e, {"x": 3.0, "y": 8.0})


# 2 same with tensors in env (gradients)
def build_eval_tensors(recursive):
  env = {"x": tf.Variable(3.0), "y": tf.Variable([8.0, 1.0])}

  @recursive
  def evaluate(e):
    if isinstance(e, Num):
      return tf.constant(e.value)
    if isinstance(e, Var):
      return env[e.name] * 1.0
    a = evaluate(e.left)
    b = evaluate(e.right)
    if e.op == "+":
      return a + b
    elif e.op == "-":
      return a - b
    elif e.op == "*":
      return a * b
    elif e.op == "/":
      return a / b
    raise ValueError(f"unknown op {e.op}")
  return evaluate, [env]
def calls_eval_tensors(state):
  yield from calls(state)
  yield (BinOp("^", Num(1.0), Num(2.0)),)


# 3 simplify
def build_simplify(recursive):
  @recursive
  def simplify(e):
    if not isinstance(e, BinOp):
      return e
    l, r = simplify(e.left), simplify(e.right)
    if isinstance(l, Num) and isinstance(r, Num):
      return Num(OPS[e.op](l.value, r.value))
    if e.op == "+":
      if isinstance(l, Num) and l.value == 0:
        return r
      if isinstance(r, Num) and r.value == 0:
        return l
    if e.op == "*":
      if isinstance(l, Num) and l.value == 1:
        return r
      if isinstance(r, Num) and r.value == 1:
        return l
    return BinOp(e.op, l, r)
  return simplify


# 4 differentiate
def build_diff(recursive):
  @recursive
  def diff(e, x):
    if isinstance(e, Num):
      return Num(0.0)
    if isinstance(e, Var):
      return Num(1.0 if e.name == x else 0.0)
    if e.op in ("+", "-"):
      return BinOp(e.op, diff(e.left, x), diff(e.right, x))
    if e.op == "*":
      return BinOp("+", BinOp("*", diff(e.left, x), e.right), BinOp("*", e.left, diff(e.right, x)))
    if e.op == "/":
      return BinOp("/", BinOp("-", BinOp("*", diff(e.left, x), e.right), BinOp("*", e.left, diff(e.right, x))), BinOp("*", e.right, e.right))
  return diff
def calls_diff(state):
  for (e,) in calls(state):
    yield (e, "x")


# 5 pretty print
def build_to_string(recursive):
  @recursive
  def to_string(e):
    if isinstance(e, Num):
      return str(e.value)
    if isinstance(e, Var):
      return e.name
    return "(" + to_string(e.left) + " " + e.op + " " + to_string(e.right) + ")"
  return to_string


# 6 print with precedence via prints
def build_dump(recursive):
  @recursive
  def dump(e, indent=0):
    pad = "  " * indent
    if isinstance(e, BinOp):
      print(f"{pad}{e.op}")
      dump(e.left, indent + 1)
      dump(e.right, indent + 1)
    else:
      print(f"{pad}{e.value if isinstance(e, Num) else e.name}")
  return dump


# 7 match
def build_eval_match(recursive):
  @recursive
  def ev(e, x, y):
    match e:
      case Num(value=v):
        return v
      case Var(name="x"):
        return x
      case Var(name="y"):
        return y
      case BinOp(op="+", left=l, right=r):
        return ev(l, x, y) + ev(r, x, y)
      case BinOp("*", l, r):
        return ev(l, x, y) * ev(r, x, y)
      case BinOp(op, l, r):
        a, b = ev(l, x, y), ev(r, x, y)
        return a - b if op == "-" else a / b
  return ev
def calls_eval_match(state):
  for (e,) in calls(state):
    yield (e, 3.0, 8.0)


# 8 free variables as a set
def build_free_vars(recursive):
  @recursive
  def free_vars(e):
    if isinstance(e, Var):
      return {e.name}
    if isinstance(e, BinOp):
      return free_vars(e.left) | free_vars(e.right)
    return set()
  return free_vars


# 9 count ops in a dict
def build_count_ops(recursive):
  counts = {}

  @recursive
  def count(e):
    if isinstance(e, BinOp):
      counts[e.op] = counts.get(e.op, 0) + 1
      count(e.left)
      count(e.right)
  return count, [counts]


# 10 nested tuples (lisp)
def build_lisp(recursive):
  @recursive
  def ev(x):
    if isinstance(x, (int, float)):
      return x
    op, *args = x
    vals = [ev(a) for a in args]
    if op == "+":
      return sum(vals)
    if op == "*":
      p = 1
      for v in vals:
        p *= v
      return p
    if op == "neg":
      return -vals[0]
    raise KeyError(op)
  return ev
def calls_lisp(state):
  yield (("+", 1, ("*", 2, 3, 4), ("neg", 5)),)
  yield (7,)
  yield (("*", ("+", 1, 2), 3),)
  yield (("?", 1),)


# 11 boolean formula
class Formula:
  pass
class Atom(Formula):
  def __init__(self, name): self.name = name
class Not(Formula):
  def __init__(self, f): self.f = f
class And(Formula):
  def __init__(self, *fs): self.fs = fs
class Or(Formula):
  def __init__(self, *fs): self.fs = fs

def build_formula(recursive):
  @recursive
  def holds(f, model):
    if type(f) is Atom:
      return model[f.name]
    if type(f) is Not:
      return not holds(f.f, model)
    if type(f) is And:
      return all(holds(g, model) for g in f.fs)
    if type(f) is Or:
      return any(holds(g, model) for g in f.fs)
    raise TypeError(type(f).__name__)
  return holds
def calls_formula(state):
  m = {"p": True, "q": False, "r": True}
  f = And(Or(Atom("p"), Atom("q")), Not(And(Atom("q"), Atom("r"))))
  yield (f, m)
  yield (Atom("q"), m)
  yield (Not(f), {"p": False, "q": False, "r": True})


# 12 fuzzy logic soft version with tensors & functions
def build_soft_formula(recursive):
  probs = {"p": tf.Variable(0.3), "q": tf.Variable(0.9), "r": tf.Variable(0.5)}

  @recursive
  def soft(f):
    if isinstance(f, Atom):
      return tf.sigmoid(probs[f.name])
    if isinstance(f, Not):
      return 1.0 - soft(f.f)
    vals = tf.stack([soft(g) for g in f.fs])
    if isinstance(f, And):
      return tf.reduce_prod(vals)
    return 1 - tf.reduce_prod(1 - vals)
  return soft, [probs]
def calls_soft_formula(state):
  f = And(Or(Atom("p"), Atom("q")), Not(And(Atom("q"), Atom("r"))))
  yield (f,)
  yield (Atom("q"),)
  yield (Not(f),)


# 13 function calls with math table and **kwargs env
FUNCS = {"sin": tf.sin, "exp": tf.exp, "max": tf.maximum, "neg": tf.negative}
def build_call_table(recursive):
  @recursive
  def run(e, **env):
    if isinstance(e, Call):
      args = [run(a, **env) for a in e.args]
      return FUNCS[e.fn](*args)
    if isinstance(e, Var):
      return env[e.name]
    return tf.constant(e.value)
  return lambda e: run(e, x=tf.constant(0.5), y=tf.constant(2.0)), []
def calls_call_table(state):
  yield (Call("max", [Call("sin", [Var("x")]), Call("exp", [Call("neg", [Var("y")])])]),)
  yield (Num(2.0),)
  yield (Call("neg", [Num(1.0)]),)
