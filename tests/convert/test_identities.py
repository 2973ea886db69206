"""`_walk.Identities` and `AtOnce`: by identity, and what is the same by other objects."""

import collections
import gc
import types
import weakref

import keras
import pytest
import tensorflow as tf

from recursive_tf import _walk
from recursive_tf.convert.heap import _identities
from recursive_tf.convert.heap._fingerprint import (
  AttributesPart,
  ClassPart,
  ElementsPart,
  FunctionPart,
  MemberPart,
  NamesPart,
)


class Thing:
  def __init__(self, **attributes):
    self.__dict__.update(attributes)


def hold(*entries):
  return _walk.Identities(entries).first_other(0) == -1


def of(thing, *names):
  found = vars(thing)
  values = tuple(found[name] for name in names)
  return "attributes", thing, type(thing), len(found), names, values


class Loud:
  def __eq__(self, other):
    raise AssertionError("asked")

  __hash__ = None


ONE, OTHER = Loud(), Loud()


def changed_list(change):
  def make():
    values = [ONE, OTHER]
    return ("elements", values, (ONE, OTHER)), lambda: change(values)

  return make


def changed_dict(change, kind=dict):
  def make():
    values = kind({"a": ONE, "b": OTHER})
    entry = "items", values, tuple(values), tuple(values.values())
    return entry, lambda: change(values)

  return make


def changed_thing(change, *names):
  def make():
    thing = Thing(a=ONE, b=OTHER)
    return of(thing, *names), lambda: change(thing)

  return make


def changed_names(change, names=("a", "c"), size=-1):
  """The first name is there, the others are not."""

  def make():
    values = {"a": ONE, "b": OTHER}
    return ("names", values, size, names, (ONE,)), lambda: change(values)

  return make


def changed_attribute(change, kind=Thing):
  def make():
    thing = kind(a=ONE)
    return ("attribute", thing, "a", ONE), lambda: change(thing)

  return make


def changed_cell(change):
  def make():
    cell = types.CellType(ONE)
    return ("attribute", cell, "cell_contents", ONE), lambda: change(cell)

  return make


def other_class(thing):
  thing.__class__ = type("T", (Thing,), {"a": property(lambda self: OTHER)})


def with_own_dict(thing):
  thing.__dict__ = {"a": OTHER, "b": OTHER}


def reordered(values):
  values["a"] = values.pop("a")


CHANGES = {
  "append": changed_list(lambda values: values.append(ONE)),
  "pop": changed_list(lambda values: values.pop()),
  "swap": changed_list(lambda values: values.reverse()),
  "other element": changed_list(lambda values: values.__setitem__(1, Loud())),
  "other item": changed_dict(lambda values: values.update(b=ONE)),
  "new key": changed_dict(lambda values: values.update(c=ONE)),
  "key gone": changed_dict(lambda values: values.pop("b")),
  "other order": changed_dict(reordered),
  "ordered": changed_dict(lambda values: values.update(b=ONE), collections.OrderedDict),
  "attribute": changed_thing(lambda thing: setattr(thing, "a", OTHER), "a"),
  "attribute gone": changed_thing(lambda thing: delattr(thing, "a"), "a"),
  "new attribute": changed_thing(lambda thing: setattr(thing, "c", ONE), "a"),
  "class": changed_thing(lambda thing: setattr(thing, "__class__", type("T", (Thing,), {})), "a"),
  "many attributes": changed_thing(lambda thing: setattr(thing, "b", ONE), "a", "b"),
  "own dict": changed_thing(with_own_dict, "a", "b"),
  "swapped attribute": changed_thing(
    lambda thing: thing.__dict__.update(c=thing.__dict__.pop("b")), "a", "b"
  ),
  "other under a name": changed_names(lambda values: values.update(a=OTHER)),
  "name gone": changed_names(lambda values: values.pop("a")),
  "name is there": changed_names(lambda values: values.update(c=OTHER)),
  "size": changed_names(lambda values: values.update(d=OTHER), ("a",), 2),
  "read attribute": changed_attribute(lambda thing: setattr(thing, "a", OTHER)),
  "read attribute gone": changed_attribute(lambda thing: delattr(thing, "a")),
  "property": changed_attribute(other_class),
  "cell": changed_cell(lambda cell: setattr(cell, "cell_contents", OTHER)),
}


@pytest.mark.parametrize("num_before", range(3))
@pytest.mark.parametrize("name", CHANGES)
def test_changes_are_seen(name, num_before):
  same, _ = CHANGES["append"]()
  entry, change = CHANGES[name]()
  found = _walk.Identities((same, entry, same))
  for _ in range(num_before):
    assert found.first_other(0) == -1
  change()
  assert found.first_other(0) == 1
  assert found.first_other(2) == -1


def test_an_empty_cell_is_another():
  cell = types.CellType(ONE)
  found = _walk.Identities((("attribute", cell, "cell_contents", ONE),))
  del cell.cell_contents
  assert found.first_other(0) == 0


def test_what_is_not_named_may_be_another():
  thing = Thing(a=ONE, b=OTHER)
  found = _walk.Identities((of(thing, "a"),))
  for value in (ONE, OTHER, ONE):
    thing.b = value
    assert found.first_other(0) == -1
  thing.__dict__["b"] = thing.__dict__.pop("b")
  assert found.first_other(0) == -1
  del thing.b
  thing.c = ONE  # As many.
  assert found.first_other(0) == -1
  thing.a = OTHER
  assert found.first_other(0) == 0


def test_a_name_in_place_of_one_that_was_not_named():
  thing = Thing(b=OTHER, a=ONE)
  found = _walk.Identities((of(thing, "a"),))
  assert found.first_other(0) == -1
  thing.__dict__.clear()
  thing.__dict__.update(a=OTHER, b=ONE)
  assert found.first_other(0) == 0


def test_equal_names_are_the_same_names():
  thing = Thing(**{"ab": ONE})
  found = _walk.Identities((("attributes", thing, Thing, 1, ("".join(["a", "b"]),), (ONE,)),))
  assert [found.first_other(0) for _ in range(3)] == [-1] * 3


def test_equal_is_not_the_same():
  values = [10**20]
  assert not hold(("elements", values, (10**20 + len(values) - 1,)))


def test_nothing_is_the_same():
  assert hold()


@pytest.mark.parametrize(
  "entries",
  [
    [],
    ((),),
    (1,),
    (("elements", []),),
    (("elements", [], []),),
    (("elements", (), ()),),
    (("items", {}, (), (1,)),),
    (("other", {}, ()),),
    (("attributes", Thing(), Thing, 0, ("a",), ()),),
    (("attributes", Thing(), 1, 0, (), ()),),
    (("names", {}, 0, (), (1,)),),
    (("attribute", Thing(), "a"),),
    (("type", Thing(), 1),),
    ((1, [], ()),),
  ],
)
def test_what_is_no_entry_is_an_error(entries):
  with pytest.raises(TypeError):
    _walk.Identities(entries)


def test_what_an_object_raises_comes_out():
  class Broken:
    @property
    def __dict__(self):
      raise RuntimeError("broken")

    @property
    def a(self):
      raise RuntimeError("broken")

  with pytest.raises(RuntimeError, match="broken"):
    _walk.Identities((("attributes", Broken(), Broken, 0, (), ()),))
  assert _walk.Identities((("attribute", Broken(), "a", None),)).first_other(0) == 0


def test_cycles_are_collected():
  thing = Thing(a=ONE, found=None)
  thing.found = _walk.Identities((of(thing, "a"), ("attribute", thing, "a", ONE)))
  assert thing.found.first_other(0) == -1
  gone = weakref.ref(thing)
  del thing
  gc.collect()
  assert gone() is None


# --- Parts


class Base:
  def step(self):
    return 1


class Derived(Base):
  pass


def defaults(x, y=1, *, z=2):
  return GLOBAL, x, y, z, len


GLOBAL = ONE


def class_of(name):
  def first(self):
    return 1

  base = type("B", (), {"__module__": __name__, name: first})
  return type("D", (base,), {"__module__": __name__})


def made_part(kind):
  """Returns a part, what changes it, and what puts it back."""
  if kind is AttributesPart:
    thing = Thing(a=ONE)
    return kind(thing), lambda: setattr(thing, "a", OTHER), lambda: setattr(thing, "a", ONE)
  if kind is ElementsPart:
    values = [ONE]
    return kind(values, list.__iter__), lambda: values.append(ONE), values.pop
  if kind == "dict":
    items = {"a": ONE}
    part = ElementsPart(items, lambda d: (*d.keys(), *d.values()))
    return part, lambda: items.update(a=OTHER), lambda: items.update(a=ONE)
  if kind == "tensorflow":
    module = tf.Module()
    module.values = [ONE]
    part = ElementsPart(module.values, iter)
    assert part.entries() is not None
    return part, lambda: module.values.append(ONE), module.values.pop
  found = class_of("step")
  base = found.__mro__[1]
  old = base.step
  if kind is ClassPart:
    part = ClassPart(found)
    return part, lambda: setattr(base, "step", lambda self: 2), lambda: setattr(base, "step", old)
  if kind is MemberPart:
    part = MemberPart(found, "step")
    return part, lambda: setattr(found, "step", old.__get__(1)), lambda: delattr(found, "step")
  if kind == "absent":
    part = MemberPart(found, "other")
    return part, lambda: setattr(base, "other", old), lambda: delattr(base, "other")
  function = types.FunctionType(defaults.__code__, dict(globals()), None, (1,))
  function.__kwdefaults__ = {"z": 2}
  if kind is FunctionPart:
    named = function.__kwdefaults__
    return kind(function), lambda: named.update(z=3), lambda: named.update(z=2)
  space = function.__globals__
  if kind == "builtin":
    return NamesPart(function), lambda: space.update(len=max), lambda: space.pop("len")
  return kind(function), lambda: space.update(GLOBAL=OTHER), lambda: space.update(GLOBAL=ONE)


@pytest.mark.parametrize(
  "kind",
  [
    AttributesPart,
    ElementsPart,
    "dict",
    "tensorflow",
    ClassPart,
    MemberPart,
    "absent",
    FunctionPart,
    NamesPart,
    "builtin",
  ],
  ids=str,
)
@pytest.mark.parametrize("num_before", range(3))
def test_parts_change_and_come_back(kind, num_before):
  part, change, put_back = made_part(kind)
  other, *_ = made_part(AttributesPart)
  at_once = _identities.AtOnce([other, part, other])
  for _ in range(num_before):
    assert at_once.are_same()
  for _ in range(2):
    change()
    assert not at_once.are_same()
    put_back()
    for _ in range(3):
      assert at_once.are_same()


def test_parts_that_are_the_same_by_other_objects():
  thing = Thing(a=1000.5)
  part = AttributesPart(thing)
  at_once = _identities.AtOnce([part])
  for i in range(5):
    thing.a = float(f"{1000 + i - i}.5")
    assert at_once.are_same()
  thing.a = 3.5
  assert not at_once.are_same()


def test_layers_of_keras_are_compared_by_places():
  layer = keras.layers.Dense(2)
  layer.build([None, 3])
  part = AttributesPart(layer)
  at_once = _identities.AtOnce([part])
  assert at_once.are_same()
  layer.activation = keras.activations.relu
  assert not at_once.are_same()
