"""What a program relies on outside of its objects is looked at before each run."""

import abc
import builtins
import functools
import sys
import types

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import Node, agrees, root


class Box:
  """A plain object."""

  def __init__(self, **values):
    vars(self).update(values)


def follows(build, *changes, num_converted=None):
  """Calls a program, plainly and converted, before and after each change; all have to agree.

  Args:
    build: `build()` returns the plain function, and what the changes are given.
    *changes: `change(what)` is done between two calls.
    num_converted: the converted runs there have to be; unless given, all.
  """
  plain, what = build()
  other, others = build()
  f = rtf.recursive(other, verify=False)
  for change in (None, *changes):
    if change is not None:
      change(what)
      change(others)
    for _ in range(2):
      expected, got = plain(root()), f(root())
      assert type(expected) is type(got), (expected, got)
      np.testing.assert_allclose(got, expected, rtol=1e-5)
  count = 2 + 2 * len(changes) if num_converted is None else num_converted
  assert f.stats.num_converted_runs == count, f.explain()
  return f


# --- Functions


def scaled(n, factor=2.0, *, shift=0.0):
  """Is given other defaults and other code by the tests."""
  return n.v * factor + shift


def doubled(n, factor=2.0, *, shift=0.0):
  """Takes the place of the code above."""
  return n.v * factor * 10 + shift


def fresh(function):
  """Returns a copy of a function, to change."""
  copy = types.FunctionType(
    function.__code__, globals(), function.__name__, function.__defaults__, function.__closure__
  )
  copy.__kwdefaults__ = dict(function.__kwdefaults__ or {})
  return copy


def with_helper():
  """Returns a program that calls a helper, and the helper."""
  helper = fresh(scaled)

  def total(n):
    return helper(n) + sum(total(k) for k in n.kids)

  return total, helper


def test_default_values_of_a_helper():
  def change(helper):
    helper.__defaults__ = (5.0,)

  follows(with_helper, change)


def test_keyword_defaults_of_a_helper():
  def replace(helper):
    helper.__kwdefaults__ = {"shift": 3.0}

  def change(helper):
    helper.__kwdefaults__["shift"] = 7.0

  follows(with_helper, replace, change)


def test_the_code_of_a_helper():
  def change(helper):
    helper.__code__ = doubled.__code__

  follows(with_helper, change)


def test_defaults_and_code_of_the_function_itself():
  def build():
    def total(n, factor=1.0, *, shift=0.0):
      return n.v * factor + shift + sum(total(k) for k in n.kids)

    return total, total

  def defaults(total):
    total.__defaults__ = (3.0,)

  def named(total):
    total.__kwdefaults__["shift"] = 1.0

  def code(total):
    def other(n, factor=1.0, *, shift=0.0):
      return n.v * factor - shift + sum(total(k) for k in n.kids)

    total.__code__ = other.__code__

  follows(build, defaults, named, code)


def test_a_function_in_a_table_is_another():
  def build():
    table = {"r": lambda v: v + 1, "a": lambda v: v * 2, "b": lambda v: v}

    def total(n):
      return table[n.name](n.v) + sum(total(k) for k in n.kids)

    return total, table

  def change(table):
    table["a"] = table["r"]

  follows(build, change)


def test_a_partial_with_other_keywords():
  def build():
    helper = functools.partial(scaled, shift=1.0)

    def total(n):
      return helper(n) + sum(total(k) for k in n.kids)

    return total, helper

  def change(helper):
    helper.keywords["shift"] = 4.0

  follows(build, change)


def test_a_function_in_a_closure_of_a_closure():
  def build():
    def one(v):
      return v + 1

    def two(v):
      return v * 2

    def outer(v):
      return one(v)

    def total(n):
      return outer(n.v) + sum(total(k) for k in n.kids)

    return total, (outer, two)

  def change(functions):
    outer, two = functions
    outer.__closure__[0].cell_contents = two

  follows(build, change)


# --- Names


def test_a_global_that_hides_a_builtin(monkeypatch):
  def build():
    def total(n):
      return abs(n.v - 2) + max(n.v, 2) + sum(total(k) for k in n.kids)

    return total, None

  def hide(_):
    monkeypatch.setitem(globals(), "abs", round)

  def hide_another(_):
    monkeypatch.setitem(globals(), "max", lambda a, b: a * b * 100)

  follows(build, hide, hide_another)


def test_a_builtin_that_is_replaced(monkeypatch):
  def build():
    def total(n):
      return abs(n.v - 2) + sum(total(k) for k in n.kids)

    return total, None

  follows(build, lambda _: monkeypatch.setattr(builtins, "abs", float))


def test_a_name_that_is_defined_later(monkeypatch):
  def build():
    def total(n):
      here = not_there if n.v > 100 else 0  # noqa: F821
      return n.v + here + sum(total(k) for k in n.kids)

    return total, None

  follows(build, lambda _: monkeypatch.setitem(globals(), "not_there", 5))


def test_a_function_of_a_module_is_swapped(monkeypatch):
  module = types.ModuleType("some_module_of_the_user")
  module.one, module.two = scaled, doubled
  monkeypatch.setitem(sys.modules, module.__name__, module)

  def build():
    def total(n):
      from some_module_of_the_user import one

      return one(n) + module.one(n) + sum(total(k) for k in n.kids)

    return total, None

  follows(build, lambda _: monkeypatch.setattr(module, "one", doubled))


def test_a_function_of_tensorflow_is_swapped(monkeypatch):
  def build():
    def total(n):
      return tf.math.add(float(n.v), 1.0) + sum(total(k) for k in n.kids)

    return total, None

  follows(build, lambda _: monkeypatch.setattr(tf.math, "add", tf.math.multiply))


# --- Classes


def model_class():
  """Returns a new class with all kinds of members."""

  class Model:
    scale = 2.0

    def __init__(self):
      self.rate = 3.0

    def weigh(self, v):
      return v * self.scale

    @property
    def shift(self):
      return self.rate + 1

    @staticmethod
    def fixed(v):
      return v + 1

    @classmethod
    def of_class(cls, v):
      return v * cls.scale

    def __len__(self):
      return 3

    def __call__(self, v):
      return v - 1

    def __getitem__(self, key):
      return key * 2

  return Model


def with_model():
  """Returns a program that uses all that a model has, and the model."""
  model = model_class()()

  def total(n):
    own = model.weigh(n.v) + model.shift + model.fixed(n.v) + model.of_class(n.v)
    own += len(model) + model(n.v) + model[n.v] + (1 if model else 0)
    return own + sum(total(k) for k in n.kids)

  return total, model


@pytest.mark.parametrize(
  "name, value",
  [
    ("weigh", lambda self, v: v * 100),
    ("shift", property(lambda self: 50)),
    ("fixed", staticmethod(lambda v: -v)),
    ("of_class", classmethod(lambda cls, v: -v)),
    ("__len__", lambda self: 1),
    ("__bool__", lambda self: False),
    ("__call__", lambda self, v: v * 11),
    ("__getitem__", lambda self, key: key * 13),
    ("scale", 7.0),
  ],
)
def test_a_member_of_a_class_is_another(name, value):
  follows(with_model, lambda model: setattr(type(model), name, value))


@pytest.mark.parametrize("name", ["weigh", "fixed", "of_class"])
def test_an_object_hides_a_method(name):
  follows(with_model, lambda model: setattr(model, name, lambda v: v * 9))


def test_the_class_of_an_object_is_another():
  def change(model):
    model.__class__ = type("Other", (type(model),), {"weigh": lambda self, v: v * 5})

  follows(with_model, change)


def test_a_base_class_is_another():
  class One:
    def weigh(self, v):
      return v

  class Two:
    def weigh(self, v):
      return v * 3

  def build():
    made = type("Model", (One,), {})()

    def total(n):
      return made.weigh(n.v) + sum(total(k) for k in n.kids)

    return total, made

  def change(made):
    type(made).__bases__ = (Two,)

  follows(build, change)


def test_a_method_of_the_nodes_is_another(monkeypatch):
  def build():
    def total(n):
      return (1 if n else 5) + sum(total(k) for k in n.kids)

    return total, None

  follows(build, lambda _: monkeypatch.setattr(Node, "__bool__", lambda n: n.flag, raising=False))


def test_methods_of_what_the_program_makes_itself():
  class Pair:
    def __init__(self, a, b=1):
      self.a, self.b = a, b

    def total(self):
      return self.a + self.b

  def build():
    made = type("Pair", (Pair,), {"__init__": fresh_method(Pair.__init__)})

    def total(n):
      return made(n.v).total() + sum(total(k) for k in n.kids)

    return total, made

  def method(made):
    made.total = lambda self: self.a * 100

  def default(made):
    made.__init__.__defaults__ = (50,)

  follows(build, default, method)


def fresh_method(function):
  """Returns a copy of a method, to change."""
  return types.FunctionType(
    function.__code__, globals(), "__init__", function.__defaults__, function.__closure__
  )


# --- What isinstance asks


def test_a_class_that_is_registered_later():
  def build():
    class Base(abc.ABC):  # noqa: B024 - only a name to register for
      pass

    def count(n):
      return (1 if isinstance(n, Base) else 0) + sum(count(k) for k in n.kids)

    return count, Base

  follows(build, lambda base: base.register(Node))


def test_a_metaclass_that_looks_at_the_object():
  class Meta(type):
    def __instancecheck__(cls, one):
      return one.v > 1

  class Big(metaclass=Meta):
    pass

  def build(recursive):
    @recursive
    def count(n):
      return (1 if isinstance(n, Big) else 0) + sum(count(k) for k in n.kids)

    return count

  agrees(build, expect=Reason.OPAQUE_CALL)


def test_an_argument_beyond_64_bits_is_left_to_python():
  def build(recursive):
    @recursive
    def times(n, k):
      return n.v * k + sum(times(kid, k) for kid in n.kids)

    return times

  agrees(build, lambda: [(root(), 1), (root(), 10**20)], Reason.UNSUPPORTED_OPERATION)


@pytest.mark.parametrize("start", [1, 10**20])
def test_ints_beyond_64_bits_are_left_to_python(start):
  def build():
    box = Box(k=start)

    def times(n):
      return n.v * box.k + (1 if n.v < box.k else 0) + sum(times(k) for k in n.kids)

    return times, box

  changes = [lambda box: setattr(box, "k", 10**20), lambda box: setattr(box, "k", 2)]
  plain, what = build()
  other, others = build()
  f = rtf.recursive(other, verify=False)
  for change in (lambda _: None, *changes):
    change(what)
    change(others)
    assert f(root()) == plain(root())
  assert Reason.INTERNAL_ERROR not in f.stats.fallbacks, f.explain()
