"""The comparison of programs finds what it is there to find."""

import itertools
import sys

import pytest
import tensorflow as tf

from tests.convert.function import harness


def _differs_by(effect):
  """Returns a program that does something else on the second side; `effect(is_second, state)`."""
  sides = itertools.count()

  def make():
    is_second = next(sides) > 0
    state = {"v": tf.Variable([1.0]), "items": [], "n": 0}

    def step(x):
      # What a tensor is shown as is not converted: this is plain Python on both sides.
      repr(x)
      return effect(is_second, state, x)

    return step, [(tf.constant([1.0]),)] * 2, lambda: state

  return make


def _numbers(is_second, state, x):
  return x * (1.001 if is_second else 1.0)


def _types(is_second, state, x):
  return 1.0 if is_second else 1


def _structure(is_second, state, x):
  return [x] if is_second else (x,)


def _dtype(is_second, state, x):
  return tf.cast(x, tf.float64) if is_second else x


def _variable(is_second, state, x):
  state["v"].assign_add(x * (2.0 if is_second else 1.0))


def _list(is_second, state, x):
  state["items"] += [x] * (2 if is_second else 1)


def _number(is_second, state, x):
  state["n"] += 2 if is_second else 1


def _same_list(is_second, state, x):
  return [x], [x] if is_second else state["items"], state["items"]


def _printed(is_second, state, x):
  print("b" if is_second else "a")


def _printed_by_tensorflow(is_second, state, x):
  tf.print("b" if is_second else "a", output_stream=sys.stdout)


def _error(is_second, state, x):
  raise (ValueError if is_second else KeyError)("x")


@pytest.mark.parametrize(
  "effect",
  [
    _numbers,
    _types,
    _structure,
    _dtype,
    _variable,
    _list,
    _number,
    _same_list,
    _printed,
    _printed_by_tensorflow,
    _error,
  ],
)
def test_a_difference_is_found(effect):
  assert harness.run("program", _differs_by(effect)).difference is not None


def test_what_is_the_same_is_the_same():
  def same(is_second, state, x):
    state["v"].assign_add(x)
    state["items"].append(x)
    print("a")
    return {"x": x, "items": state["items"]}

  report = harness.run("program", _differs_by(same))
  assert report.difference is None
  assert report.num_plain_runs == 2


def test_a_program_that_runs_as_a_graph_is_counted_as_such():
  def make():
    return (lambda x: x * 2.0), [(tf.constant([1.0]),)] * 3, None

  report = harness.run("program", make)
  assert (report.num_graph_runs, report.num_plain_runs, report.difference) == (3, 0, None)
