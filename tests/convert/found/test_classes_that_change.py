"""Known objects whose class, or what the class can do, is another one in the next call.

`isinstance`, `match` and `callable` asked once; a layer's own `call` hid its class's unseen.
"""

import types

import pytest
import tensorflow as tf

import recursive_tf as rtf


class Base:
  pass


class Derived(Base):
  pass


KNOWN = Base()


class Holder:
  known = Base()


LISTED, NAMED = [Base()], {"a": Base()}


def global_name(x):
  return x + 1.0 if isinstance(KNOWN, Derived) else x - 1.0


def match(x):
  match KNOWN:
    case Derived():
      return x + 1.0
    case _:
      return x - 1.0


def class_attribute(x):
  return x + 1.0 if isinstance(Holder.known, (int, Derived)) else x - 1.0


def item_of_a_list(x):
  return x + 1.0 if isinstance(LISTED[0], Derived | None) else x - 1.0


def item_of_a_dict(x):
  return x + 1.0 if not isinstance(NAMED["a"], Derived) else x - 1.0


def is_callable(x):
  return x + 1.0 if callable(KNOWN) else x - 1.0


@pytest.fixture(autouse=True)
def as_before():
  yield
  for one in (KNOWN, Holder.known, LISTED[0], NAMED["a"]):
    one.__class__ = Base


@pytest.mark.parametrize("decorator", [rtf.recursive, rtf.function], ids=["recursive", "function"])
@pytest.mark.parametrize(
  "program",
  [global_name, match, class_attribute, item_of_a_list, item_of_a_dict],
  ids=lambda program: program.__name__,
)
def test_a_class_that_is_assigned(program, decorator):
  converted = decorator(program, verify=False)
  for kind in (Base, Derived, Base, Base, Derived, Derived, Base):
    for one in (KNOWN, Holder.known, LISTED[0], NAMED["a"]):
      one.__class__ = kind
    x = tf.constant(1.0)
    assert converted(x).numpy() == program(x).numpy()
  assert converted.stats.num_converted_runs == 7


@pytest.mark.parametrize("decorator", [rtf.recursive, rtf.function], ids=["recursive", "function"])
def test_a_class_that_can_be_called_for_a_while(decorator):
  converted = decorator(is_callable, verify=False)
  for number in range(6):
    if number % 2:
      Base.__call__ = lambda self: 0
    x = tf.constant(1.0)
    assert converted(x).numpy() == is_callable(x).numpy()
    if number % 2:
      del Base.__call__


@pytest.mark.parametrize("decorator", [rtf.recursive, rtf.function], ids=["recursive", "function"])
@pytest.mark.parametrize("base", [tf.keras.layers.Layer, tf.keras.Model])
def test_a_layer_with_a_call_of_its_own_for_a_while(base, decorator):
  class Scale(base):
    def __init__(self):
      super().__init__()
      self.scale = self.add_weight(shape=(2,), initializer="ones")
      self.built = True

    def call(self, x):
      return x * self.scale

  layer = Scale()

  def program(x):
    return layer(x)

  converted = decorator(program, verify=False)
  x = tf.constant([1.0, 2.0])
  for number in range(6):
    if number % 2:
      layer.__dict__["call"] = types.MethodType(lambda self, x, **_: x * 4.0, layer)
    assert converted(x).numpy().tolist() == program(x).numpy().tolist()
    layer.__dict__.pop("call", None)
  assert converted.stats.num_converted_runs == 3


class Tools:
  pass


def by_class(x):
  try:
    return Tools.go(x)
  except AttributeError:
    return x


def helper(x, *, z=2.0):
  return x * z


def by_default(x):
  return helper(x)


def _outcome(function, x):
  try:
    return float(function(x))
  except (AttributeError, TypeError) as error:
    return type(error).__name__


@pytest.mark.parametrize("decorator", [rtf.recursive, rtf.function], ids=["recursive", "function"])
@pytest.mark.parametrize("num_before", [1, 2, 3])
def test_what_is_deleted_of_a_class_or_of_keyword_defaults(decorator, num_before):
  go = classmethod(lambda cls, x: x * 2.0)
  x = tf.constant(1.0)
  Tools.go, helper.__kwdefaults__ = go, {"z": 2.0}
  ours = decorator(by_class, verify=False), decorator(by_default, verify=False)
  for _ in range(num_before):
    assert [_outcome(f, x) for f in ours] == [2.0, 2.0]
  del Tools.go
  helper.__kwdefaults__ = None
  assert [_outcome(f, x) for f in ours] == [1.0, "TypeError"]
  Tools.go, helper.__kwdefaults__ = go, {"z": 3.0}
  assert [_outcome(f, x) for f in ours] == [2.0, 3.0]


class Other:
  pass


class Child(Base):
  pass


CHILD = Child()


def derives(x):
  return x + 1.0 if issubclass(Child, Other) else x - 1.0


def is_other(x):
  return x + 1.0 if isinstance(CHILD, Other) else x - 1.0


@pytest.mark.parametrize("decorator", [rtf.recursive, rtf.function], ids=["recursive", "function"])
@pytest.mark.parametrize("program", [derives, is_other], ids=lambda program: program.__name__)
def test_bases_that_are_assigned(program, decorator):
  converted = decorator(program, verify=False)
  for base in (Base, Other, Base, Base, Other, Other, Base):
    Child.__bases__ = (base,)
    assert converted(tf.constant(1.0)).numpy() == program(tf.constant(1.0)).numpy()
