"""Deep comparison of two worlds: values, types, and which object is the same as which."""

import dataclasses
import enum
import math
import re
import types

import numpy as np
import tensorflow as tf

# By type: what two evaluations of one program may differ by, relative to the larger value and 1.
TOLERANCE = {"float32": 1e-4, "float64": 1e-9, "complex64": 1e-4, "complex128": 1e-9}
EXACT = (bool, int, str, bytes, complex, type(None), enum.Enum)
_NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")


class Comparison:
  """Walks two equally built worlds in step.

  One object of the one world stands for one of the other: an object that is reached twice here has
  to be reached twice there. Tensors are compared by value only.
  """

  def __init__(self):
    self._partners, self._alive = {}, []

  def check(self, plain, other, where):
    """Raises AssertionError, naming the place, unless both are the same.

    Args:
      plain: what plain Python has.
      other: what the converter has.
      where: the place, for messages.
    """
    if tf.is_tensor(plain) or isinstance(plain, tf.Variable):
      self._tensors(plain, other, where)
    elif isinstance(plain, (np.ndarray, np.generic)):
      assert type(plain) is type(other), _differ(where, type(plain), type(other))
      _arrays(plain, other, where)
    elif isinstance(plain, float):
      assert type(other) is type(plain), _differ(where, type(plain), type(other))
      assert _close_floats(plain, other), _differ(where, plain, other)
    elif isinstance(plain, EXACT):
      self._exact(plain, other, where)
    elif isinstance(plain, (types.FunctionType, types.MethodType, type, types.ModuleType)):
      assert _name(plain) == _name(other), _differ(where, plain, other)
    else:
      assert _name(type(plain)) == _name(type(other)), _differ(where, type(plain), type(other))
      if not isinstance(plain, tuple) and self._is_seen(plain, other, where):
        return
      self._contents(plain, other, where)

  def _exact(self, plain, other, where):
    assert _name(type(plain)) == _name(type(other)), _differ(where, repr(plain), repr(other))
    if isinstance(plain, enum.Enum):
      plain, other = plain.name, other.name
    assert plain == other, _differ(where, repr(plain), repr(other))

  def _tensors(self, plain, other, where):
    assert isinstance(plain, tf.Variable) == isinstance(other, tf.Variable), _differ(
      where, type(plain), type(other)
    )
    assert tf.is_tensor(other) or isinstance(other, tf.Variable), _differ(
      where, type(plain), type(other)
    )
    assert hasattr(other, "numpy"), f"{where}: {other} is a graph's tensor"
    assert plain.dtype == other.dtype, _differ(where, plain.dtype, other.dtype)
    _arrays(plain.numpy(), other.numpy(), where)

  def _is_seen(self, plain, other, where):
    first = id(plain) not in self._partners and ("other", id(other)) not in self._partners
    if first:
      self._partners[id(plain)], self._partners["other", id(other)] = other, plain
      self._alive += [plain, other]  # So that no id is given twice.
      return False
    assert self._partners.get(id(plain)) is other, f"{where}: not the same object as in Python"
    return True

  def _contents(self, plain, other, where):
    if isinstance(plain, dict):
      self.check(list(plain), list(other), f"keys of {where}")
      for (key, a), b in zip(plain.items(), other.values(), strict=True):
        self.check(a, b, f"{where}[{key!r}]")
    elif isinstance(plain, (tuple, list)):
      assert len(plain) == len(other), _differ(f"len({where})", len(plain), len(other))
      for i, (a, b) in enumerate(zip(plain, other, strict=True)):
        self.check(a, b, f"{where}[{i}]")
    elif isinstance(plain, (set, frozenset)):
      found = {self._partners.get(id(one), one) for one in plain}  # Objects that were seen.
      new = {one for one in found - other if type(one).__eq__ is object.__eq__}
      assert found - other == new and len(found) == len(other), _differ(where, plain, other)
    elif isinstance(plain, tf.keras.layers.Layer):
      return  # Its weights are variables of the case.
    self._attributes(attributes(plain), attributes(other), where)

  def _attributes(self, plain, other, where):
    assert plain.keys() == other.keys(), _differ(f"attributes of {where}", [*plain], [*other])
    for name, value in plain.items():
      self.check(value, other[name], f"{where}.{name}")


def attributes(value):
  """Returns the attributes an object holds itself, those in slots included, by name."""
  found = dict(getattr(value, "__dict__", {}))
  for cls in type(value).__mro__:
    slots = cls.__dict__.get("__slots__", ())
    for name in (slots,) if isinstance(slots, str) else slots:
      if hasattr(value, name) and not name.startswith("__"):
        found[name] = getattr(value, name)
  if isinstance(value, tf.Module):
    return {name: item for name, item in found.items() if not name.startswith("_")}
  return found


def check_text(plain, other, where):
  """Compares printed text: all but the last digits of floats has to be equal."""
  shown = _differ(where, repr(plain), repr(other))
  assert _NUMBER.sub("#", plain) == _NUMBER.sub("#", other), shown
  for a, b in zip(_NUMBER.findall(plain), _NUMBER.findall(other), strict=True):
    are_floats = "." in a and "." in b
    assert a == b or are_floats and math.isclose(float(a), float(b), rel_tol=1e-4), shown


def tensors_of(value):
  """Returns the float tensors in a nest of tuples, lists, dicts and dataclasses."""
  if tf.is_tensor(value):
    return [value] if value.dtype.is_floating else []
  if isinstance(value, dict):
    return [t for item in value.values() for t in tensors_of(item)]
  if isinstance(value, (tuple, list)):
    return [t for item in value for t in tensors_of(item)]
  if dataclasses.is_dataclass(value) and not isinstance(value, type):
    return tensors_of([getattr(value, f.name) for f in dataclasses.fields(value)])
  return []


def stacked(results):
  """Returns results of one structure as `map` does: tensors stacked, Python numbers in a list."""
  first = results[0]
  if tf.is_tensor(first):
    return tf.stack(results)
  if isinstance(first, dict):
    return {key: stacked([result[key] for result in results]) for key in first}
  if isinstance(first, tuple):
    parts = [stacked(list(part)) for part in zip(*results, strict=True)]
    return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)
  if dataclasses.is_dataclass(first):
    names = [f.name for f in dataclasses.fields(first)]
    return type(first)(**{n: stacked([getattr(r, n) for r in results]) for n in names})
  return list(results)


def _arrays(plain, other, where):
  assert plain.dtype == other.dtype, _differ(f"type of {where}", plain.dtype, other.dtype)
  assert plain.shape == other.shape, _differ(f"shape of {where}", plain.shape, other.shape)
  tolerance = TOLERANCE.get(str(plain.dtype), 0)
  if tolerance:
    close = np.allclose(plain, other, rtol=tolerance, atol=tolerance, equal_nan=True)
  else:
    close = np.array_equal(plain, other)
  assert close, _differ(where, plain, other)


def _close_floats(a, b):
  return a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-9)


def _name(value):
  owner = getattr(value, "__module__", "")
  return f"{owner}.{getattr(value, '__qualname__', None) or value.__name__}"


def _differ(where, plain, other):
  return f"{where}: plain Python has {plain}, converted {other}"
