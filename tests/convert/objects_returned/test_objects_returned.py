"""A program gives back the very variable or array that something holds: every pair of levels."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.made.matrix import load
from tests.convert.matrix.covering import all_pairs, covering_rows, pairs_of
from tests.convert.objects_returned.source import DIMENSIONS, generate

_ROWS = covering_rows(DIMENSIONS)
# Of the rows so many run as no graph: several new arrays, some that change in place, mixed types.
_NUM_REFUSED = 18


class World:
  """One program, and what its calls have given so far."""

  def __init__(self, module, decorate):
    self.module = module
    self.function = self.module.build(decorate)

  def outcomes(self):
    """Yields what each call gives, and leaves: its parts by what they are, and gradients."""
    held = self.module.HELD
    variables = [v for v in held if isinstance(v, tf.Variable)]
    for node in [*self.module.calls(), *self.module.calls()]:
      first = held[0]
      try:
        with tf.GradientTape() as tape:
          result = self.function(node, first, first)
          loss = sum((tf.reduce_sum(x) for x in _floats(result)), tf.constant(0.0))
      except Exception as error:
        yield type(error).__name__, []
        continue
      gradients = tape.gradient(loss, variables, unconnected_gradients="zero")
      parts = [*_parts(result, held), *_parts(self.module.LOG, held)]
      parts += [*_parts(self.module.MEMO, held), *_parts(_kept(node), held)]
      yield parts, [*map(tf.convert_to_tensor, gradients)]


def _kept(node):
  return [node.kept, [_kept(kid) for kid in node.kids]]


def _floats(value):
  if isinstance(value, (tf.Tensor, tf.Variable)):
    yield value
  for part in _within(value):
    yield from _floats(part)


def _within(value):
  if isinstance(value, dict):
    return list(value.values())
  if type(value).__name__ == "State":
    return [value.h, value.depth]
  return value if isinstance(value, (list, tuple)) else []


def _parts(value, held):
  """Yields what a value is made of: what is held by its place there, all else by content."""
  places = [i for i, one in enumerate(held) if one is value]
  if places and not isinstance(value, tf.Tensor):
    yield f"held {places[0]}"
  elif isinstance(value, (tf.Tensor, np.ndarray, np.generic, tf.Variable)):
    yield type(value).__name__, np.asarray(value)
  else:
    yield type(value).__name__, value if isinstance(value, (int, str)) else None
    for part in _within(value):
      yield from _parts(part, held)


def _same(a, b):
  if isinstance(a, (np.ndarray, tf.Tensor)):
    return np.allclose(a, b, rtol=1e-4, atol=1e-5)
  if isinstance(a, (list, tuple)):
    return type(a) is type(b) and len(a) == len(b) and all(map(_same, a, b))
  return type(a) is type(b) and a == b


def _run(number, folder):
  modules = [load(generate(*_ROWS[number]), folder, f"objects_returned_{number}") for _ in range(2)]
  found = []

  def decorate(function):
    found.append(rtf.recursive(function, verify=False))
    return found[0]

  plain, other = World(modules[0], lambda function: function), World(modules[1], decorate)
  for one, two in zip(plain.outcomes(), other.outcomes(), strict=True):
    assert _same(one, two), f"{_ROWS[number]}\nPython: {one}\ngraph: {two}"
  return found[0]


def test_every_pair_of_levels_occurs():
  assert set().union(*(pairs_of(row) for row in _ROWS)) == all_pairs(DIMENSIONS)


@pytest.mark.parametrize("number", range(len(_ROWS)))
def test_a_program_of_the_matrix_does_what_python_does(number, tmp_path):
  _run(number, tmp_path)


@pytest.mark.slow
def test_most_programs_of_the_matrix_are_converted(tmp_path):
  runs = [_run(number, tmp_path).stats.num_converted_runs for number in range(len(_ROWS))]
  refused = [row for row, count in zip(_ROWS, runs, strict=True) if not count]
  assert len(refused) <= _NUM_REFUSED, refused
