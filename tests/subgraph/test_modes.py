"""SubGraphs where TensorFlow traces, runs or compiles otherwise than by default."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf

SCHEDULERS = ["batched", "concurrent", "auto"]


@pytest.fixture
def _run_eagerly():
  tf.config.run_functions_eagerly(True)
  yield
  tf.config.run_functions_eagerly(False)


def powers(scheduler, weight):
  with rtf.SubGraph("power", scheduler=scheduler) as f:
    n = f.input(tf.int32)
    f.output(tf.cond(n <= 0, lambda: 1.0, lambda: weight * f(n - 1)))
  return f


@pytest.mark.usefixtures("_run_eagerly")
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_functions_run_eagerly_do_not_change_a_subgraph(scheduler):
  weight = tf.Variable(2.0)
  f = powers(scheduler, weight)
  with tf.GradientTape() as tape:
    y = f(3)
  assert y.numpy() == 8.0 and tape.gradient(y, weight).numpy() == 12.0
  assert f.map(tf.range(3)).numpy().tolist() == [1.0, 2.0, 4.0]
  assert tf.function(lambda n: f(n))(tf.constant(2)).numpy() == 4.0


@pytest.mark.usefixtures("_run_eagerly")
def test_functions_run_eagerly_do_not_change_a_decorated_function():
  @rtf.subgraph
  def power(n, *, base):
    if n <= 0:
      return 1.0
    return base * power(n - 1, base=base)

  assert power(3, base=2.0).numpy() == 8.0
  assert tf.function(lambda: power(2, base=3.0))().numpy() == 9.0


def test_a_subgraph_traced_before_runs_eagerly_too():
  f = powers("auto", tf.Variable(2.0))
  g = tf.function(lambda n: f(n))
  assert g(tf.constant(3)).numpy() == 8.0 and f(3).numpy() == 8.0
  tf.config.run_functions_eagerly(True)
  try:
    assert g(tf.constant(3)).numpy() == 8.0 and f(3).numpy() == 8.0
  finally:
    tf.config.run_functions_eagerly(False)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_xla_around_a_call_is_refused_by_name(scheduler):
  f = powers(scheduler, tf.Variable(2.0))
  inner = tf.function(lambda n: f(n))
  for function in (lambda n: f(n), lambda n: f.map(n[tf.newaxis]), inner):
    with pytest.raises(rtf.GraphScopeError, match="'power' is called .*XLA.*jit_compile=False"):
      tf.function(function, jit_compile=True)(tf.constant(2))
  assert tf.function(lambda n: f(n), jit_compile=False)(tf.constant(2)).numpy() == 4.0


def test_xla_around_a_definition_is_refused_by_name():
  def function(n):
    return powers("auto", 2.0)(n)

  with pytest.raises(rtf.GraphScopeError, match="XLA"):
    tf.function(function, jit_compile=True)(tf.constant(2))


def test_keras_with_xla_is_refused_by_name():
  f = powers("auto", tf.Variable(2.0))

  class Model(tf.keras.Model):
    def call(self, n):
      return f.map(n[:, 0])

  model = Model()
  model.compile(jit_compile=True)
  with pytest.raises(rtf.GraphScopeError, match="jit_compile=False"):
    model.predict(np.ones([2, 1], np.int32), verbose=0)
  model.compile(jit_compile=False)
  assert model.predict(np.ones([2, 1], np.int32), verbose=0).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("max_depth", [2.5, 3.0, True, "3", 0, -1, np.float32(2)])
def test_max_depth_is_a_whole_number(max_depth):
  with pytest.raises(rtf.DefinitionError, match="max_depth=.*whole number of at least 1"):
    rtf.SubGraph("deep", max_depth=max_depth)


def test_max_depth_may_be_numpys():
  assert rtf.SubGraph("deep", max_depth=np.int64(3)).max_depth == 3
