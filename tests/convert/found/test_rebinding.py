"""A list or dict that the program changes may be another one at each call: `model.losses = []`."""

import functools
import gc
import random
import weakref

import keras
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, Node, agrees, root

_GLOBALS = {}
LOG = []


class Model:
  """A model that keeps what it has seen."""

  def __init__(self):
    self.losses, self.seen, self.all = [], {}, []


class Module(tf.Module):
  """The same, with its lists and dicts in proxies."""

  def __init__(self):
    super().__init__()
    self.losses, self.seen, self.all = [], {}, []


class Layer(keras.layers.Layer):
  """The same of Keras; it has losses of its own."""

  def __init__(self):
    super().__init__()
    self.all = []


def trees():
  deep = Node(1, True, "r", Node(2, True, "a", Node(4, False, "c")), Node(3, False, "b"))
  return [(root(),), (deep,), (Node(7, True, "x"),), (deep,)]


def log(recursive, model):
  @recursive
  def f(node):
    model.losses.append(node.v * 1.0)
    return node.v + sum(f(kid) for kid in node.kids)

  return f


def log_that_is_read(recursive, model):
  @recursive
  def f(node):
    model.losses.append(node.v)
    total = sum(f(kid) for kid in node.kids)
    return total + len(model.losses) + sum(model.losses)

  return f


def table(recursive, model):
  @recursive
  def f(node):
    model.seen[node.name] = node.v
    return node.v + sum(f(kid) for kid in node.kids)

  return f


def memo(recursive, model):
  @recursive
  def f(node):
    if node.name in model.seen:
      return model.seen[node.name]
    total = node.v + sum(f(kid) for kid in node.kids)
    model.seen[node.name] = total
    return total

  return f


def passed_down(recursive, model):
  @recursive
  def f(node, out=None):
    if out is None:
      out = model.losses
    out.append(node.v)
    return node.v + sum(f(kid, out) for kid in node.kids)

  return f


def empty(model):
  model.losses, model.seen = [], {}


def sometimes(model):
  if len(model.losses) > 3:
    empty(model)


def back_and_forth(model):
  model.all.append(model.losses)
  model.losses = model.all[0] if len(model.all) % 3 == 0 else []


@pytest.mark.parametrize("before", [empty, sometimes, back_and_forth])
@pytest.mark.parametrize("program", [log, log_that_is_read, table, memo, passed_down])
def test_a_new_container_under_the_same_name_is_the_same_program(program, before):
  def build(recursive):
    model = Model()
    return program(recursive, model), [model]

  function = agrees(build, trees, CONVERTED, before=before)
  assert function.stats.num_conversions == 1


@pytest.mark.parametrize("program", [table, memo])
def test_dicts_of_modules(program):
  model = Module()
  f = program(functools.partial(rtf.recursive, verify=False), model)
  for (node,) in trees():
    model.seen = {}
    f(node)
    assert model.seen[node.name]
  assert f.stats.num_conversions == 1 and not f.stats.fallbacks


@pytest.mark.parametrize("kind", [Module, Layer])
def test_lists_of_libraries_are_refused_and_get_no_tensors_of_the_graph(kind):
  model = kind()

  @rtf.recursive
  def f(node):
    model.all.append(node.v * 1.0)
    return node.v + sum(f(kid) for kid in node.kids)

  assert f(root()) == 6 and list(model.all) == [1.0, 2.0, 3.0]
  assert f.stats.fallbacks == {Reason.UNSUPPORTED_WRITE: 1}


def test_what_does_not_fit_makes_another_program():
  def build(recursive):
    model = Model()
    return log_that_is_read(recursive, model), [model]

  def before(model):
    model.losses = [[], [1.5], [], [2]][len(model.all) % 4]
    model.all.append(0)

  agrees(build, trees, before=before)


def test_one_list_under_two_names_is_never_two():
  def build(recursive):
    model = Model()
    model.other = []

    @recursive
    def f(node):
      model.losses.append(node.v)
      model.other.append(-node.v)
      total = sum(f(kid) for kid in node.kids)
      return total + len(model.losses)

    return f, [model]

  def before(model):
    model.all.append(0)
    model.losses, model.other = [], []
    if len(model.all) % 2 == 0:
      model.other = model.losses

  agrees(build, trees, before=before)


def test_two_names_of_one_list_stay_so():
  def build(recursive):
    model = Model()
    model.other = model.losses

    @recursive
    def f(node):
      model.losses.append(node.v)
      model.other.append(-node.v)
      total = sum(f(kid) for kid in node.kids)
      return total + len(model.losses)

    return f, [model]

  def before(model):
    model.all.append(0)
    model.losses = []
    model.other = [] if len(model.all) == 3 else model.losses

  agrees(build, trees, before=before)


def test_swapped_lists():
  def build(recursive):
    model = Model()
    model.other = []

    @recursive
    def f(node):
      model.losses.append(node.v)
      if len(model.other) > 2:
        model.other.append(-node.v)
      return node.v + sum(f(kid) for kid in node.kids)

    return f, [model]

  def before(model):
    model.losses, model.other = model.other, model.losses

  agrees(build, trees, before=before)


def test_a_list_that_is_returned_is_the_one_of_the_call():
  def build(recursive):
    model = Model()

    @recursive
    def f(node):
      model.losses.append(node.v)
      for kid in node.kids:
        f(kid)
      return model.losses

    return f, [model]

  agrees(build, trees, before=empty)


def test_a_list_that_is_kept_elsewhere_is_the_one_of_the_call():
  def build(recursive):
    model = Model()

    @recursive
    def f(node):
      model.losses.append(node.v)
      for kid in node.kids:
        f(kid)
      node.name = model.losses
      return len(node.kids)

    return f, [model]

  agrees(build, trees, before=empty)


def test_a_list_in_a_list():
  def build(recursive):
    model = Model()
    model.all = [model.losses]

    @recursive
    def f(node):
      for one in model.all:
        one.append(node.v)
      model.losses.append(-node.v)
      return node.v + sum(f(kid) for kid in node.kids)

    return f, [model]

  agrees(build, trees, before=empty)


def test_whether_it_is_another_list():
  def build(recursive):
    model = Model()
    model.first = model.losses

    @recursive
    def f(node):
      model.losses.append(node.v)
      bonus = 100 if model.losses is model.first else 0
      return bonus + sum(f(kid) for kid in node.kids)

    return f, [model]

  def before(model):
    model.all.append(0)
    model.losses = model.first if len(model.all) % 2 else []

  agrees(build, trees, before=before)


def test_a_list_of_the_tree():
  def build(recursive):
    model = Model()

    @recursive
    def f(node):
      model.losses.append(node)
      return node.v + sum(f(kid) for kid in node.kids)

    return f, [model]

  kept = []

  def before(model):
    kept.append(Node(9, True, "k", Node(1, True, "l")))
    model.losses = kept[-1].kids

  function = agrees(build, trees, before=before)
  assert function.stats.num_conversions <= 2


def test_variables_of_functions_around_and_globals():
  def build(recursive):
    def renew():
      nonlocal losses
      losses = []
      LOG[:] = []
      _GLOBALS["log"] = []

    losses = []
    _GLOBALS["log"] = []

    @recursive
    def f(node):
      losses.append(node.v)
      _GLOBALS["log"].append(node.name)
      return node.v + sum(f(kid) for kid in node.kids) + len(losses)

    return f, [renew, lambda: losses]

  renewed = []

  def before(renew, _):
    renew()
    renewed.append(1)

  function = agrees(build, trees, CONVERTED, before=before)
  assert function.stats.num_conversions == 1 and renewed


def test_more_graphs_of_a_program_whose_list_was_replaced():
  model = Model()

  def f(node):
    model.losses.append(node.v)
    return node.v + sum(f(kid) for kid in node.kids)

  model.f = f = rtf.recursive(f, verify=False)
  for _ in range(2):
    model.losses = []
    assert f(root()) == 6 and model.losses == [1, 2, 3]
  model.losses = []
  assert list(f.map([root(), Node(5, True, "x")])) == [6, 5]
  assert model.losses == [1, 2, 3, 5]
  model.losses = []
  assert f(root()) == 6 and model.losses == [1, 2, 3]
  assert f.stats.num_conversions == 1 and not f.stats.fallbacks


def test_changes_of_dicts_of_libraries_are_refused():
  model = Layer()
  model.table = {"a": 1}
  f = rtf.recursive(lambda n: model.table.setdefault("b", n.v), verify=False)
  assert f(root()) == 1 and f.stats.fallbacks == {Reason.UNSUPPORTED_WRITE: 1}
  assert dict(model.table) == {"a": 1, "b": 1}


@pytest.mark.parametrize("is_converted", [True, False])
def test_nothing_keeps_the_objects_of_a_call(is_converted):
  @rtf.recursive
  def doubled(n):
    n.v *= 2.0 if is_converted else random.choice([2.0])
    return n.v + sum([doubled(kid) for kid in n.kids], tf.constant(0.0))

  def left_of_a_call(value):
    tree = root()
    for node in (tree, *tree.kids):
      node.v = tf.constant(value)
    doubled(tree)
    return weakref.ref(tree), weakref.ref(tree.kids[0])

  for value in range(3):
    left_of_a_call(float(value))
  gc.collect()
  gc.disable()
  try:
    assert [one() for one in left_of_a_call(4.0)] == [None, None]
  finally:
    gc.enable()
  assert doubled.stats.num_converted_runs == (4 if is_converted else 0)
