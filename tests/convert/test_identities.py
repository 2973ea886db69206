"""`_walk.hold_the_same`: by identity, without running code of what it compares."""

import collections

import pytest

from recursive_tf import _walk


class Thing:
  def __init__(self, **attributes):
    self.__dict__.update(attributes)


def of(thing, *names):
  found = vars(thing)
  return thing, tuple(found[name] for name in names), type(thing), len(found), names


class Loud:
  def __eq__(self, other):
    raise AssertionError("asked")

  __hash__ = None


ONE, OTHER = Loud(), Loud()


def changed_list(change):
  def make():
    values = [ONE, OTHER]
    return (values, (ONE, OTHER)), lambda: change(values)

  return make


def changed_dict(change, kind=dict):
  def make():
    values = kind({"a": ONE, "b": OTHER})
    return (values, (*values, *values.values())), lambda: change(values)

  return make


def changed_thing(change, *names):
  def make():
    thing = Thing(a=ONE, b=OTHER)
    return of(thing, *names), lambda: change(thing)

  return make


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
}


@pytest.mark.parametrize("name", CHANGES)
def test_changes_are_seen(name):
  same, _ = CHANGES["append"]()
  entry, change = CHANGES[name]()
  assert _walk.hold_the_same((same, entry))
  change()
  assert not _walk.hold_the_same((same, entry))
  assert not _walk.hold_the_same((entry, same))


def test_what_is_not_named_may_be_another():
  thing = Thing(a=ONE, b=OTHER)
  entry = of(thing, "a")
  thing.b = ONE
  assert _walk.hold_the_same((entry,))


def test_equal_is_not_the_same():
  values = [10**20]
  entry = values, (10**20 + len(values) - 1,)
  assert not _walk.hold_the_same((entry,))


def test_nothing_is_the_same():
  assert _walk.hold_the_same(())


@pytest.mark.parametrize(
  "entries", [[], ((),), (1,), (([], []),), (({1}, (1,)),), ((Thing(), (), Thing, 0),)]
)
def test_what_is_no_entry_is_an_error(entries):
  with pytest.raises(TypeError):
    _walk.hold_the_same(entries)


def test_what_an_object_raises_comes_out():
  class Broken:
    @property
    def __dict__(self):
      raise RuntimeError("broken")

  with pytest.raises(RuntimeError, match="broken"):
    _walk.hold_the_same(((Broken(), (), Broken, 0, ()),))
