"""Methods by a name that only the run knows: `getattr(self, "do_" + node.op)(node)`."""

import dataclasses

import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import agrees


class Item:
  def __init__(self, op, *kids, v=1):
    self.op, self.kids, self.v = op, list(kids), v


OPS = "num neg add fixed kind size count hook step __len__ lost".split()


def trees():
  """Returns calls whose later ones ask for names that earlier ones do not have."""
  small = [
    Item("num"),
    Item("neg", Item("num", v=2)),
    Item("add", Item("num"), Item("neg", Item("num"))),
  ]
  others = [Item("neg", Item(op, v=3)) for op in OPS]
  return [(one,) for one in [*small, *others, *small]]


def named(text):
  return {
    "sum": 'name = "do_" + node.op',
    "f-string": 'name = f"do_{node.op}"',
    "percent": 'name = "do_%s" % node.op',
    "bare": "name = node.op",
    "chosen": 'name = "do_" + (node.op if node.v else "num")',
  }[text]


def asked(text):
  return {
    "get": "return getattr(self, name)(node)",
    "or own": "return getattr(self, name, self.other)(node)",
    "or None": """
    found = getattr(self, name, None)
    if found is None:
      return -1
    return found(node)""",
    "has": "return getattr(self, name)(node) if hasattr(self, name) else self.other(node)",
    "try": """
    try:
      found = getattr(self, name)
    except AttributeError:
      return self.other(node)
    return found(node)""",
  }[text]


VISITOR = '''
class {start}Visitor:
  """A visitor."""

  {start}hook = 5

  def __init__(self):
    self.{start}count = 2
    self.seen = 0

  @recursive
  def visit(self, node):
    self.seen += 1
    {name}
    {ask}

  def other(self, node):
    return 10 + sum(self.visit(kid) for kid in node.kids)

  def {start}num(self, node):
    return node.v

  def {start}neg(self, node):
    return -self.visit(node.kids[0])

  def {start}add(self, node):
    return self.visit(node.kids[0]) + self.visit(node.kids[1])

  @staticmethod
  def {start}fixed(node):
    return 4 * node.v

  @classmethod
  def {start}kind(cls, node):
    return len(cls.__name__) + node.v

  @property
  def {start}size(self):
    return lambda node: node.v + self.seen
'''


def compiled(tmp_path, name, ask):
  """Returns the builder of a visitor."""
  start = "" if name == "bare" else "do_"
  path = tmp_path / "visitor.py"
  path.write_text(VISITOR.format(start=start, name=named(name), ask=asked(ask)))

  def build(recursive):
    space = {"recursive": recursive}
    exec(compile(path.read_text(), str(path), "exec"), space)  # Its source is in the file.
    visitor = space[f"{start}Visitor"]()
    return visitor.visit, [visitor]

  return build


@pytest.mark.parametrize("name", ["sum", "f-string", "percent", "bare", "chosen"])
@pytest.mark.parametrize("ask", ["get", "or own", "or None", "has"])
def test_methods_of_a_visitor(tmp_path, name, ask):
  other = agrees(compiled(tmp_path, name, ask), trees, Reason.CHECK_FAILED)
  assert other.stats.num_converted_runs > 15  # Of 34; the rest are told apart by the checks.


def test_what_is_not_there_is_caught(tmp_path):
  agrees(compiled(tmp_path, "sum", "try"), trees)


def test_methods_of_the_nodes_themselves():
  class Expr(Item):
    def do_num(self):
      return self.v

    def do_neg(self):
      return -value(self.kids[0])

  def value(node):
    return getattr(node, "do_" + node.op)()

  def build(recursive):
    nonlocal value

    @recursive
    def value(node):
      return getattr(node, "do_" + node.op)()

    return value

  def calls():
    hiding = Expr("num", v=2)
    hiding.do_num = lambda: 7
    later = [Expr("lost"), Expr("neg", hiding), Expr("neg", Expr("num"))]
    return [(one,) for one in [Expr("num"), Expr("neg", Expr("num", v=3)), *later]]

  other = agrees(build, calls, {Reason.CHECK_FAILED, Reason.OPAQUE_READ})
  assert other.stats.num_converted_runs


def test_functions_of_a_class():
  class Rules:
    @staticmethod
    def num(node, of):
      return node.v

    @staticmethod
    def neg(node, of):
      return -of(node.kids[0])

  def build(recursive):
    @recursive
    def value(node):
      return getattr(Rules, node.op)(node, value)

    return value

  agrees(
    build,
    lambda: [(Item("num"),), (Item("neg", Item("num")),), (Item("lost"),), (Item("mro"),)],
    Reason.CHECK_FAILED,
  )


@pytest.mark.parametrize("is_method", [False, True])
def test_a_method_that_comes_later_is_found(is_method):
  class Rules:
    def do_num(self, node):
      return node.v

    def other(self, node):
      return 100 + sum(value(kid) for kid in node.kids)

  rules, value = Rules(), None

  def build(recursive):
    nonlocal rules, value
    rules = Rules()

    @recursive
    def value(node):
      return getattr(rules, "do_" + node.op, rules.other)(node)

    return value

  def change():
    if is_method:
      Rules.do_neg = lambda self, node: -node.v
    else:
      rules.do_neg = lambda node: -node.v

  def calls():
    vars(rules).pop("do_neg", None)
    if hasattr(Rules, "do_neg"):
      del Rules.do_neg
    yield (Item("neg", Item("num")),)
    yield (Item("neg", Item("num"), Item("num")),)
    change()
    yield (Item("neg", Item("num")),)

  agrees(build, calls)


def test_a_name_that_the_program_sets():
  def build(recursive):
    class Rules:
      @recursive
      def value(self, node):
        self.do_last = node.v
        return getattr(self, "do_" + node.op, self.num)(node)

      def num(self, node):
        return 3

      def do_neg(self, node):
        return -self.value(node.kids[0])

    rules = Rules()
    return rules.value, [rules]

  agrees(
    build,
    lambda: [(Item("num"),), (Item("neg", Item("num")),), (Item("neg", Item("last")),)],
  )


@dataclasses.dataclass
class Key:
  op: object
  v: int = 1


def test_what_is_no_string_raises():
  def build(recursive):
    class Rules:
      @recursive
      def value(self, node):
        return getattr(self, node.op, self.other)(node)

      def other(self, node):
        return 3

      def num(self, node):
        return node.v + (self.value(Key("other")) if node.v > 5 else 0)

    return Rules().value

  agrees(build, lambda: [(Key("num"),), (Key("more"),), (Key(None),), (Key(2),), (Key("num"),)])


def test_a_class_with_a_getattr_of_its_own():
  def build(recursive):
    class Rules:
      def __getattr__(self, name):
        return lambda node: len(name)

      @recursive
      def value(self, node):
        return getattr(self, "do_" + node.op)(node)

      def do_neg(self, node):
        return -self.value(node.kids[0])

    return Rules().value

  agrees(
    build,
    lambda: [(Item("num"),), (Item("neg", Item("num")),)],
    Reason.OPAQUE_READ,
  )


class Plain:
  def __init__(self, val=0, *kids):
    self.val, self.kids = val, list(kids)


class Leaf(Plain):
  pass


class Sum(Plain):
  pass


class Product(Sum):
  pass


def test_what_a_class_gives_that_only_other_calls_have_is_no_internal_error():
  def build(recursive):
    class Visitor:
      @recursive
      def visit(self, node):
        if node.val < 0:
          return self.generic(node)
        return getattr(self, "visit_" + type(node).__name__)(node)

      def generic(self, node):
        return [self.visit(k) for k in node.kids]

      def visit_Leaf(self, node):
        return node.val

      def visit_Sum(self, node):
        return [self.visit(k) for k in node.kids]

      def visit_Product(self, node):
        return (len(node.kids), [self.visit(k) for k in node.kids])

    class Other(Visitor):
      def visit_Sum(self, node):
        return super().visit_Sum(node)

      def generic(self, node):
        return super().generic(node)

    first, second = Visitor(), Other()

    def call(is_first, node):
      return (first if is_first else second).visit(node)

    for name in ("stats", "explain"):
      setattr(call, name, getattr(Visitor.visit, name, None))
    return call

  def calls():
    sums = [(True, Sum(1, Leaf(1)))] * 2
    products = [(True, Product(1, Leaf(1), Product(-1, Leaf(2))))] * 2
    return [*sums, *products, (False, Leaf(-4)), (False, Leaf(-4))]

  agrees(build, calls)
