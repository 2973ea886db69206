"""What `map` gives: stacked rows in one structure, or a list where plain Python gives one."""

import collections
import dataclasses

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert.values._containers import stacked
from tests.convert.agreement import Node


class _Box:
  def __init__(self, x):
    self.x = x


class _Slot:
  __slots__ = ("x",)

  def __init__(self, x):
    self.x = x


@dataclasses.dataclass
class _Data:
  x: object
  y: object = 1


@dataclasses.dataclass(frozen=True)
class _Frozen:
  x: object


_Named = collections.namedtuple("_Named", "x y")

_PARTS = {
  "number": lambda n: n.v,
  "none": lambda n: None,
  "string": lambda n: n.name,
  "tensor": lambda n: tf.constant(1.0) * n.v,
  "node": lambda n: n,
  "constant": lambda n: 3,
}
_WRAPS = {
  "tuple": lambda x: (x, x),
  "list": lambda x: [x, x],
  "dict": lambda x: {"a": x},
  "named tuple": lambda x: _Named(x, 1),
  "dataclass": lambda x: _Data(x, x),
  "frozen": _Frozen,
  "class": _Box,
  "slots": _Slot,
  "class in a tuple": lambda x: (x, _Box(x)),
  "class in a dataclass": lambda x: _Data(_Box(x)),
  "dataclass in a list": lambda x: [_Data(x)],
  "list in a tuple": lambda x: (1, [x, x]),
}


def _shown(value):
  """Returns types and parts of a value."""
  kind = type(value).__name__
  if isinstance(value, tf.Tensor):
    return value.numpy().tolist(), value.dtype
  if isinstance(value, (tuple, list)):
    return kind, [_shown(part) for part in value]
  if isinstance(value, dict):
    return kind, [(key, _shown(part)) for key, part in value.items()]
  if isinstance(value, (_Box, _Slot, _Data, _Frozen)):
    names = getattr(value, "__slots__", None) or list(vars(value))
    return kind, [(name, _shown(getattr(value, name))) for name in names]
  return kind, id(value) if isinstance(value, Node) else value


@pytest.mark.parametrize("wrap", _WRAPS.values(), ids=_WRAPS)
@pytest.mark.parametrize("part", _PARTS.values(), ids=_PARTS)
def test_results_of_map(part, wrap):
  def f(n):
    return wrap(part(n))

  trees = [Node(2, True, "a"), Node(3, False, "b")]
  converted = rtf.recursive(f, verify=False)
  assert _shown(converted.map(trees)) == _shown(stacked([f(n) for n in trees]))
  assert converted.stats.num_converted_runs > 0
