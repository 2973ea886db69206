"""TensorFlow is given what is data in some nodes and a node in others: every pair of levels."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.data_or_nodes.source import DIMENSIONS, generate
from tests.convert.made.matrix import load
from tests.convert.matrix.covering import all_pairs, covering_rows, pairs_of

_ROWS = covering_rows(DIMENSIONS)


def _outcomes(module, decorate):
  """Yields the function, and then what each of its calls gives, as often as there are calls."""
  function = module.build(decorate)
  yield function
  for args in [*module.calls(), *module.calls()]:
    try:
      yield [*_parts(function(*args))]
    except Exception as error:
      yield type(error).__name__


def _parts(value):
  if isinstance(value, tuple):
    for part in value:
      yield from _parts(part)
  else:
    yield type(value).__name__
    yield value.numpy() if isinstance(value, tf.Tensor) else value


def _same(a, b):
  if isinstance(a, list):
    return isinstance(b, list) and len(a) == len(b) and all(map(_same, a, b))
  if isinstance(a, (np.ndarray, np.generic)):
    if type(a) is not type(b) or a.dtype != b.dtype or a.shape != b.shape:
      return False
    if a.dtype.kind in "OSU":
      return bool(np.all(a == b))
    return np.allclose(a, b, rtol=1e-5, atol=1e-6, equal_nan=True)
  return type(a) is type(b) and a == b


def _run(number, folder):
  modules = [load(generate(*_ROWS[number]), folder, f"data_or_nodes_{number}") for _ in range(2)]
  plain = _outcomes(modules[0], lambda function: function)
  other = _outcomes(modules[1], lambda function: rtf.recursive(function, verify=False))
  next(plain)
  function = next(other)
  for one, two in zip(plain, other, strict=True):
    assert _same(one, two), f"{_ROWS[number]}\nPython: {one}\ngraph: {two}"
  return function


def test_every_pair_of_levels_occurs():
  assert set().union(*(pairs_of(row) for row in _ROWS)) == all_pairs(DIMENSIONS)


@pytest.mark.parametrize("number", range(len(_ROWS)))
def test_a_program_of_the_matrix_does_what_python_does(number, tmp_path):
  _run(number, tmp_path)
