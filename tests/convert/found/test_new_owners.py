"""Methods of objects that are made anew for each call: visitors, interpreters, solvers."""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.agreement import agrees


class Node:
  def __init__(self, op, *kids, v=0):
    self.op, self.kids, self.v = op, list(kids), v


def tree():
  inner = Node("mul", Node("num", v=2), Node("var", v="y"), Node("num", v=5))
  return Node("add", Node("num", v=3), inner, Node("var", v="x"))


OWNERS = """
class Stateless:
  def __init__(self, i):
    pass

  @recursive
  def run(self, n):
    return getattr(self, "visit_" + n.op)(n)

  def visit_num(self, n):
    return n.v

  def visit_var(self, n):
    return len(n.v)

  def visit_add(self, n):
    return sum(self.run(k) for k in n.kids)

  def visit_mul(self, n):
    return [self.run(k) for k in n.kids][0] * 2


class Counting:
  def __init__(self, i):
    self.count, self.seen, self.depths = i, [], {}

  @recursive
  def run(self, n, depth=0):
    self.count += 1
    self.seen.append(n.op)
    self.depths[n.op] = depth
    return depth + sum([self.run(k, depth + 1) for k in n.kids])


class Environment:
  def __init__(self, i):
    self.env = {"x": i, "y": 2 * i}

  @recursive
  def run(self, n):
    if n.op == "num":
      return n.v
    if n.op == "var":
      return self.env[n.v]
    found = [self.run(k) for k in n.kids]
    return sum(found) if n.op == "add" else len(found)


class Base:
  SCALE = 3

  def __init__(self, i):
    self.base = i

  @recursive
  def run(self, n):
    return self.leaf(n) if not n.kids else sum(self.run(k) for k in n.kids)

  def leaf(self, n):
    return self.base


class Inheriting(Base):
  def leaf(self, n):
    return super().leaf(n) * self.SCALE + len(n.op)


class Holding:
  def __init__(self, i):
    self.inner, self.best, self.path = Environment(i), None, (i, i + 1)

  @recursive
  def run(self, n):
    if n.op == "num" and (self.best is None or n.v > self.best.v):
      self.best = n
    for k in n.kids:
      self.run(k)
    return self.best, self.path[0] + self.inner.env["x"]


class Printing:
  def __init__(self, i):
    self.i = i

  @recursive
  def run(self, n):
    print(self.i, n.op)
    self.i += len(n.kids)
    for k in n.kids:
      self.run(k)


class Compared:
  def __init__(self, i):
    self.i, self.me = i, None

  @recursive
  def run(self, n):
    if not n.kids:
      self.me = self
    same = self.me is self
    return [same] + [x for k in n.kids for x in self.run(k)]


class WithFunctions:
  def __init__(self, i):
    self.table = {"num": abs, "var": len}

  @recursive
  def run(self, n):
    return self.table[n.op](n.v) if not n.kids else sum(self.run(k) for k in n.kids)
"""
NAMES = [
  *("Stateless", "Counting", "Environment", "Inheriting", "Holding", "Printing", "Compared"),
  "WithFunctions",
]


@pytest.mark.parametrize("name", NAMES)
def test_they_are_pythons(name, tmp_path, monkeypatch):
  (tmp_path / "owners_of_a_test.py").write_text(OWNERS)

  def build(recursive):
    names = {"recursive": recursive}
    exec(compile(OWNERS, str(tmp_path / "owners_of_a_test.py"), "exec"), names)
    cls, made = names[name], []

    def call(i, node):
      made.append(cls(i))
      return made[-1].run(node)

    of_class = vars(next(c for c in cls.__mro__ if "run" in vars(c)))["run"]
    for part in ("stats", "explain"):
      setattr(call, part, getattr(of_class, part, None))
    return call, [made]

  one = tree()
  calls = [(i, node) for i in range(6) for node in (one, tree(), Node("num", v=i))]
  other = agrees(build, lambda: calls)
  num_known = 8 if name in ("WithFunctions",) else len(calls)
  assert other.stats.num_converted_runs >= num_known - 1


def test_models_stay_constants():
  class Model:
    def __init__(self, v):
      self.w = tf.constant([[float(v)]])

    @rtf.recursive(verify=False)
    def run(self, n):
      return self.w + sum(self.run(k) for k in n.kids)

  for i in range(12):
    assert Model(i).run(Node("a", Node("b"))).numpy() == 2 * i
  assert Model.run.stats.num_conversions <= 9


def test_those_that_are_kept_keep_their_graphs():
  class Visitor:
    def __init__(self, v):
      self.v = v

    @rtf.recursive(verify=False)
    def run(self, n):
      return self.v + sum(self.run(k) for k in n.kids)

  kept = [Visitor(i) for i in range(3)]
  node = Node("a", Node("b"))
  for _ in range(2):
    assert [v.run(node) for v in kept] == [0, 2, 4]
  for i in range(12):
    assert Visitor(i).run(node) == 2 * i
  before = Visitor.run.stats.num_conversions
  kept[1].v = 7
  assert [v.run(node) for v in kept] == [0, 14, 4]
  assert Visitor.run.stats.num_conversions <= before + 1
  assert not Visitor.run.stats.num_fallback_runs
