"""State outside of the objects: class attributes, defaults, tables, lists that are passed in."""

import pytest

from recursive_tf.convert import Reason
from tests.convert.agreement import CONVERTED, agrees, root
from tests.convert.found.collected import collector

WRITE = Reason.UNSUPPORTED_WRITE
SHARED = Reason.SHARED_CONTAINER
ORDER = Reason.EFFECT_ORDER
PROGRAMS, program = collector()


@pytest.mark.parametrize(("build", "expect", "calls"), PROGRAMS)
def test_state_is_as_in_python(build, expect, calls):
  agrees(build, calls, expect=expect)


# --- Classes


@program(CONVERTED)
def an_attribute_of_a_class_counts(recursive):
  class K:
    total = 0

  @recursive
  def f(n):
    K.total += n.v
    for k in n.kids:
      f(k)
    return K.total

  return f, [lambda: K.total]


@program(Reason.EFFECT_ORDER)
def an_attribute_of_the_type_counts(recursive):
  class Counter:
    calls = 0

    @recursive
    def visit(self, n):
      type(self).calls += 1
      for k in n.kids:
        self.visit(k)
      return self.calls

  return Counter().visit


@program(CONVERTED)
def a_class_method_counts(recursive):
  class Counter:
    calls = 0

    @classmethod
    def count(cls, x):
      cls.calls += x

  @recursive
  def f(n):
    Counter.count(n.v)
    for k in n.kids:
      f(k)
    return Counter.calls

  return f


@program(CONVERTED)
def a_list_of_the_class_grows(recursive):
  class K:
    seen = []

    def note(self, v):
      self.seen.append(v)

  @recursive
  def f(n):
    K().note(n.v)
    for k in n.kids:
      f(k)
    return len(K.seen)

  return f, [lambda: list(K.seen)]


@program(CONVERTED)
def an_instance_hides_the_attribute_of_its_class(recursive):
  class K:
    total = 0

  mine = K()

  @recursive
  def f(n):
    mine.total += n.v
    for k in n.kids:
      f(k)
    return mine.total + 100 * K.total

  return f, [mine]


@program(WRITE)
def an_attribute_of_a_module_counts(recursive):
  import types

  module = types.ModuleType("settings")
  module.total = 0

  @recursive
  def f(n):
    module.total += n.v
    for k in n.kids:
      f(k)
    return module.total

  return f, [lambda: module.total]


# --- Defaults


@program(CONVERTED)
def a_mutable_default_is_kept_between_calls(recursive):
  @recursive
  def f(n, seen=[]):  # noqa: B006
    seen.append(n.v)
    for k in n.kids:
      f(k)
    return len(seen)

  return f


@program(CONVERTED)
def a_mutable_default_is_passed_on(recursive):
  @recursive
  def f(n, seen=[]):  # noqa: B006
    seen.append(n.v)
    for k in n.kids:
      f(k, seen)
    return len(seen)

  return f


@program(CONVERTED)
def a_mutable_default_of_a_helper_is_kept(recursive):
  def note(v, seen=[]):  # noqa: B006
    seen.append(v)
    return len(seen)

  @recursive
  def f(n):
    found = note(n.v)
    for k in n.kids:
      found += f(k)
    return found

  return f


@program(CONVERTED)
def a_dict_as_default_is_kept(recursive):
  @recursive
  def f(n, seen={}):  # noqa: B006
    seen[n.name] = n.v
    for k in n.kids:
      f(k)
    return len(seen)

  return f


@program(CONVERTED)
def a_set_as_default_is_kept(recursive):
  @recursive
  def f(n, seen=set()):  # noqa: B006
    seen.add(n.v)
    for k in n.kids:
      f(k)
    return len(seen)

  return f


# --- Tables


@program(CONVERTED)
def a_list_of_a_table_grows(recursive):
  table = {}

  @recursive
  def f(n):
    table.setdefault(n.name, []).append(n.v)
    for k in n.kids:
      f(k)
    return len(table)

  return f, [table]


@program(CONVERTED)
def a_list_is_taken_from_a_table_and_grows(recursive):
  table = {}

  @recursive
  def f(n):
    if n.name not in table:
      table[n.name] = [0, 0]
    table[n.name][0] += n.v
    for k in n.kids:
      f(k)
    return len(table)

  return f, [table]


@program(CONVERTED)
def lists_in_a_table_of_one_call(recursive):
  @recursive
  def f(n):
    table = {"a": [], "b": []}
    for k in n.kids:
      table["a" if k.flag else "b"].append(k.v)
    return len(table["a"]) + 10 * len(table["b"]) + sum(f(k) for k in n.kids)

  return f


# --- Lists that are passed in


def with_lists(make):
  """Returns calls with a root and what `make` returns beside it."""
  return lambda: [(root(), *make()), (root(), *make())]


def same_twice():
  found = [1]
  return found, found


@program({SHARED, ORDER}, with_lists(same_twice))
def one_list_is_passed_in_twice(recursive):
  @recursive
  def f(n, a, b):
    a.append(n.v)
    for k in n.kids:
      f(k, a, b)
    b.append(5)
    return len(a) + 10 * len(b)

  return f


@program(CONVERTED, with_lists(lambda: ([1],)))
def the_list_that_is_passed_in_is_returned(recursive):
  @recursive
  def f(n, acc):
    acc.append(n.v)
    for k in n.kids:
      f(k, acc)
    return acc

  return f


@program({SHARED, ORDER}, with_lists(lambda: ([1],)))
def the_list_that_is_passed_in_is_returned_with_another(recursive):
  @recursive
  def f(n, acc):
    acc.append(n.v)
    for k in n.kids:
      f(k, acc)
    return acc, [2]

  return f


@program({SHARED, ORDER}, with_lists(lambda: ([1],)))
def the_list_that_is_passed_in_is_written(recursive):
  @recursive
  def f(n, acc):
    acc.append(n.v)
    n.acc = acc
    for k in n.kids:
      f(k, acc)
    return 1

  return f


@program(CONVERTED, with_lists(lambda: ([],)))
def the_list_that_is_passed_in_is_a_global_too(recursive):
  log = []

  def visit(n, acc):
    acc.append(n.v)
    log.append(n.v)
    for k in n.kids:
      visit(k, acc)
    return len(log)

  @recursive
  def f(n, acc):
    return visit(n, log) + len(acc)

  return f, [log]


def held():
  """Returns a root whose nodes have lists, and the root's list."""
  node = root()
  for one in (node, *node.kids):
    one.log = []
  return node, node.log


@program(ORDER, lambda: [held(), held()])
def the_list_that_is_passed_in_is_a_part_of_the_node(recursive):
  @recursive
  def f(n, acc):
    acc.append(n.v)
    found = len(n.log)
    for k in n.kids:
      found += f(k, acc)
    return found

  return f


@program(CONVERTED)
def an_attribute_of_a_function_counts(recursive):
  def note(v):
    note.calls += v
    return note.calls

  note.calls = 0

  @recursive
  def f(n):
    found = note(n.v)
    for k in n.kids:
      found += f(k)
    return found

  return f, [lambda: note.calls]


@program(Reason.EFFECT_ORDER)
def an_attribute_of_the_class_of_an_object_counts(recursive):
  class K:
    total = 0

    def note(self, v):
      self.__class__.total += v

  mine = K()

  @recursive
  def f(n):
    mine.note(n.v)
    for k in n.kids:
      f(k)
    return mine.total

  return f


@program(CONVERTED)
def an_attribute_of_a_class_is_set_by_name(recursive):
  class K:
    total = 0

  @recursive
  def f(n):
    setattr(K, "total", K.total + n.v)  # noqa: B010
    for k in n.kids:
      f(k)
    return K.total

  return f
