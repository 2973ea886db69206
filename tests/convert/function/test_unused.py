"""What a step computes runs, be it returned, written or dropped; only the last is tested."""

import pytest
import tensorflow as tf

import recursive_tf as rtf

GOOD, SINGULAR = [[4.0, 2.0], [2.0, 3.0]], [[1.0, 2.0], [2.0, 4.0]]


def made(decorate, way):
  kept, counted = tf.Variable(tf.zeros([2, 2])), tf.Variable(0.0)

  @decorate
  def step(x):
    counted.assign_add(1.0)
    if way == "written":
      kept.assign(tf.linalg.inv(x))
    elif way == "written twice":
      kept.assign(tf.linalg.inv(x))
      kept.assign_add(kept * 0.5)
    elif way == "dropped":
      tf.linalg.inv(x)
    elif way == "written over":
      kept.assign(tf.linalg.inv(x))
      kept.assign(x)
    else:
      return tf.linalg.inv(x)
    return counted + 0.0

  return step, kept, counted


WAYS = ["written", "written twice", "dropped", "written over", "returned"]


@pytest.mark.parametrize("way", WAYS)
def test_what_fails_fails_and_does_what_python_does(way):
  def outcomes(decorate):
    step, kept, counted = made(decorate, way)
    found = []
    for matrix in (GOOD, GOOD, SINGULAR, GOOD):
      try:
        found.append(step(tf.constant(matrix)).numpy().tolist())
      except tf.errors.InvalidArgumentError as error:
        found.append(type(error))
      found.append((kept.numpy().tolist(), counted.numpy().tolist()))
    return found

  functions = []

  def converted(function):
    functions.append(rtf.function(function, verify=False))
    return functions[-1]

  expected = outcomes(lambda function: function)
  assert tf.errors.InvalidArgumentError in expected
  assert str(outcomes(converted)) == str(expected)
  assert functions[0].stats.num_converted_runs == 3


@pytest.mark.parametrize(("way", "num_tests"), [("written", 0), ("dropped", 1)])
def test_what_is_written_is_not_tested_as_well(way, num_tests):
  step, _, _ = made(lambda function: rtf.function(function, strict=True, verify=False), way)
  step(tf.constant(GOOD))
  (program,) = step._programs
  (graph,) = program.graphs().values()
  ops = [op.type for op in graph.function.graph.get_operations()]
  assert ops.count("GreaterEqual") == num_tests
