"""Methods of what a call returned, by what the run finds it to be, and of classes by objects."""

import pytest
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, Node, agrees, summing


class Class:
  """A node with class methods and methods of the class that derived classes have, too."""

  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)

  @staticmethod
  def apart(x):
    return x + 1

  @classmethod
  def scaled(cls, x):
    return x * cls.factor

  @classmethod
  def name(cls):
    return cls.__name__

  factor = 2


class Fewer(Class):
  factor = 3

  @staticmethod
  def apart(x):
    return x - 1


class More(Class):
  @classmethod
  def scaled(cls, x):
    return super().scaled(x) + 5

  @classmethod
  def name(cls):
    return super().name() + "!"


def tree():
  return More(2, Fewer(3, Class(7)), More(4), Class(5, More(1)))


def test_a_class_method_by_objects_of_several_classes():
  build = summing(lambda n: n.scaled(n.v))
  agrees(build, lambda: [(tree(),), (Class(3),), (More(3, Fewer(2)),)], CONVERTED)


def test_a_class_method_beside_a_static_one():
  build = summing(lambda n: n.apart(n.v) + n.scaled(2))
  agrees(build, lambda: [(tree(),), (Fewer(3),), (tree(),)], CONVERTED)


def test_a_class_method_with_super_that_knows_its_class():
  def build(recursive):
    @recursive
    def f(n):
      return [n.name()] + [x for k in n.kids for x in f(k)]

    return f

  agrees(build, lambda: [(tree(),), (Class(3),), (tree(),)], CONVERTED)


class Maker(type):
  def make(cls):
    return cls.factor


class LongMaker(Maker):
  def make(cls):
    return super().make() + len(cls.__name__)


class Made(Class, metaclass=LongMaker):
  @staticmethod
  def apart(x):
    return super(Made, Made).apart(x) + 1

  def both(self):
    return super().apart(self.v) + super().scaled(2)


def test_super_of_static_and_class_methods():
  build = summing(lambda n: n.both())
  agrees(build, lambda: [(Made(2, Made(3)),), (Made(5),)], CONVERTED)


def test_super_in_the_class_of_a_class():
  build = summing(lambda n: n.v + Made.make())
  agrees(build, lambda: [(tree(),), (Class(3),)], CONVERTED)


def test_a_class_method_of_objects_of_the_run():
  def build(recursive):
    @recursive
    def copy(n):
      kids = [copy(k) for k in n.kids]
      return More(n.v, *kids) if n.v > 2 else Fewer(n.v, *kids)

    @recursive
    def f(n):
      made = copy(n)
      return made.scaled(1) * 10 + made.apart(1)

    return f

  agrees(build, lambda: [(tree(),), (Class(3),), (tree(),)])


def test_an_object_that_hides_a_class_method():
  def calls():
    node = tree()
    node.kids[0].scaled = lambda x: 100 + x
    yield (tree(),)
    yield (node,)

  agrees(summing(lambda n: n.scaled(2)), calls)


# --- Of what a call returned


def returned(make, ask):
  """Returns a program that asks something of what a recursive call returned."""

  def build(recursive):
    @recursive
    def g(n):
      if n is None:
        return None
      if n.v == 7:
        return g(n.kids[0] if n.kids else None)
      return make(n.v)

    @recursive
    def f(n):
      return ask(g(n.kids[0]) if n.kids else g(None), n.v)

    return f

  return build


def chains():
  """Yields nodes whose only child has the values 0 to 4, below a 7 in every second one."""
  for v in (1, 2, 0, 3, 4, 1):
    inner = Node(v, True, "i")
    yield (Node(1, True, "r", Node(7, True, "m", inner) if v % 2 else inner),)


def a_list_or_an_int(v):
  return 5 if v == 0 else [v, 1, 3] if v < 3 else [v]


def a_dict(v):
  if v == 3:
    return {"a": v, "b": [1]}
  return {"a": v} if v > 1 else {}


LISTS = {
  "count": lambda x, v: x.count(1) if isinstance(x, list) else -1,
  "index": lambda x, v: x.index(x[0]) if isinstance(x, list) else -1,
  "copy": lambda x, v: x.copy() if isinstance(x, list) else [x],
  "append": lambda x, v: (x.append(v), x)[1] if isinstance(x, list) else x,
  "pop": lambda x, v: (x.pop(), x) if isinstance(x, list) else (x, x),
  "bit_length": lambda x, v: x.bit_length() if isinstance(x, int) else len(x),
  "kept": lambda x, v: [m(1) for m in (x.count,)] if isinstance(x, list) else -1,
  "real": lambda x, v: x.real if isinstance(x, int) else len(x),
}
DICTS = {
  "get": lambda x, v: x.get("a", 3),
  "get of none": lambda x, v: x.get("b"),
  "setdefault": lambda x, v: (x.setdefault("a", 2), x),
  "keys": lambda x, v: list(x.keys()),
  "values": lambda x, v: list(x.values()),
  "items": lambda x, v: [k for k, _ in x.items()],
  "copy": lambda x, v: x.copy(),
  "update": lambda x, v: (x.update(a=v), x)[1],
}


@pytest.mark.parametrize("name", LISTS)
def test_a_method_of_a_list_or_an_int(name):
  agrees(returned(a_list_or_an_int, LISTS[name]), lambda: [*chains()])


@pytest.mark.parametrize("name", DICTS)
def test_a_method_of_dicts_of_several_keys(name):
  agrees(returned(a_dict, DICTS[name]), lambda: [*chains()])


@pytest.mark.parametrize("name", ["get", "get of none"])
def test_a_reading_method_of_dicts_of_several_keys_is_converted(name):
  agrees(returned(a_dict, DICTS[name]), lambda: [*chains()], CONVERTED)


@pytest.mark.parametrize("name", ["count", "append", "pop"])
def test_a_method_of_a_list_or_an_int_is_converted(name):
  agrees(returned(a_list_or_an_int, LISTS[name]), lambda: [*chains()], CONVERTED)


class Num:
  def __init__(self, v):
    self.v = v

  def value(self, more=0):
    return self.v + more


class Neg:
  def __init__(self, of, by=1):
    self.of, self.by = of, by

  def value(self, more=0):
    return -self.of.value() * self.by + more


def an_expression(v):
  return Num(v) if v < 2 else Neg(Num(v)) if v < 4 else Neg(Neg(Num(v), 2))


def test_a_method_of_objects_of_several_classes():
  agrees(returned(an_expression, lambda x, v: x.value(v)), lambda: [*chains()], CONVERTED)


def test_a_method_that_one_of_several_classes_lacks():
  class Other:
    def __init__(self, v):
      self.v = v

  def make(v):
    return Num(v) if v < 3 else Other(v)

  agrees(returned(make, lambda x, v: x.value(v)), lambda: [*chains()])
  agrees(returned(make, lambda x, v: (x.value, v)[1]), lambda: [*chains()])


def test_a_method_of_one_class_is_an_attribute_of_another():
  class Holder:
    def __init__(self, v):
      self.value = v

  def make(v):
    return Num(v) if v < 3 else Holder(v)

  ask = returned(make, lambda x, v: x.value() if isinstance(x, Num) else x.value)
  agrees(ask, lambda: [*chains()])
  agrees(returned(make, lambda x, v: x.value), lambda: [(Node(1, True, "r", Node(3, True, "a")),)])


def test_a_method_that_is_kept_sees_later_changes():
  def ask(x, v):
    if not isinstance(x, list):
      return 0
    count = x.count
    x.append(1)
    return count(1)

  agrees(returned(a_list_or_an_int, ask), lambda: [*chains()])


def test_a_method_chosen_under_a_condition_is_called_after_it():
  def build(recursive):
    @recursive
    def f(n):
      if n.flag:
        name = n.kids[0].name if n.kids else "aba"
        count = name.count
      else:
        raise ValueError(n.v)
      return count("a") + sum(f(k) for k in n.kids if k.flag)

    return f

  agrees(build, lambda: [(Node(1, True, "r", Node(2, True, "aa")),), (Node(2, False, "x"),)])


def test_a_property_of_objects_of_the_run():
  class Double:
    def __init__(self, v):
      self.v = v

    @property
    def twice(self):
      return self.v * 2

  class Triple:
    def __init__(self, v):
      self.v = v

    @property
    def twice(self):
      return self.v * 3

  def make(v):
    return Double(v) if v < 2 else Triple(v)

  agrees(returned(make, lambda x, v: x.twice + v), lambda: [*chains()], CONVERTED)


def test_a_method_of_none_raises():
  refusals = {Reason.UNSUPPORTED_OPERATION, Reason.KINDS_DIFFER, Reason.CHECK_FAILED}
  build = returned(a_dict, lambda x, v: x.get("a"))
  agrees(build, lambda: [*chains(), (Node(1, True, "r"),)], refusals)


@pytest.mark.parametrize("ask", [tf.add_n, tf.reduce_sum, tf.stack])
@pytest.mark.parametrize("size", [1, 2])
def test_lists_or_numbers_that_a_call_returned_are_given_to_tensorflow(ask, size):
  def make(v):
    return [tf.ones([2]) * float(v)] * size if v > 1 else v

  build = returned(make, lambda x, v: ask(x) if isinstance(x, list) else v)
  other = agrees(build, lambda: [*chains()])
  assert "Made" not in str(other.explain())


def test_a_tensor_or_a_number_that_a_call_returned_is_given_to_tensorflow():
  def make(v):
    return tf.ones([2]) * float(v) if v > 2 else {"v": v}

  build = returned(make, lambda x, v: v if isinstance(x, dict) else tf.reduce_sum(x))
  other = agrees(build, lambda: [*chains()])
  assert "Made" not in str(other.explain())


class Counted:
  def __init__(self, count):
    self.count = count


def test_what_is_a_method_of_some_and_a_value_of_others_is_neither():
  def build(recursive):
    @recursive
    def f(n):
      if not n.kids:
        return [1, 2] if n.v == 1 else Counted(n.v)
      found = f(n.kids[0])
      return Counted(5) if found.count else Counted(7)

    return f

  agrees(build, lambda: [(Class(2, Class(v)),) for v in (0, 1, 3)])
