"""What a body uses without taking it: tensors, variables, layers, tables, random ops, effects."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf


def sum_down(mode, term, n=4):
  """Sums term(m) for m = n .. 1 by recursion; `term` is called in the body."""

  @mode
  def run(n):
    with rtf.SubGraph("sum_down") as f:
      m = f.input(tf.int32)
      f.output(tf.cond(m == 0, lambda: tf.zeros_like(term(m)), lambda: term(m) + f(m - 1)))
    return f(n)

  return run(tf.constant(n)).numpy()


@pytest.mark.parametrize("size", [5, 5000], ids=["small", "large"])
def test_an_eager_tensor(size, mode):
  table = tf.range(size, dtype=tf.float64)
  assert sum_down(mode, lambda m: table[m], n=4) == 10


def test_a_tensor_of_the_graph_around(mode):
  @mode
  def run(table):
    doubled = 2 * table
    with rtf.SubGraph("total") as f:
      i = f.input(tf.int32)
      f.output(tf.cond(i < 0, lambda: 0.0, lambda: doubled[i] + f(i - 1)))
    return f(tf.size(table) - 1)

  assert run(tf.constant([1.0, 2.0, 4.0])).numpy() == 14
  assert run(tf.constant([1.0])).numpy() == 2


def test_a_tensor_of_a_graph_two_levels_out():
  @tf.function
  def run(x):
    doubled = 2 * x

    @tf.function
    def inner(n):
      with rtf.SubGraph("total") as f:
        i = f.input(tf.int32)
        f.output(tf.cond(i == 0, lambda: 0, lambda: doubled + f(i - 1)))
      return f(n)

    return inner(3), inner(4)

  assert [value.numpy() for value in run(tf.constant(5))] == [30, 40]


def test_numpy_arrays_and_python_numbers(mode):
  table, factor = np.arange(5.0), 2.0
  assert sum_down(mode, lambda m: factor * tf.gather(table, m)) == 20


def test_a_variable_and_its_value_at_the_time_of_the_call():
  weight = tf.Variable(2.0)
  with rtf.SubGraph("f") as f:
    n = f.input(tf.int32)
    f.output(tf.cond(n == 0, lambda: 0.0, lambda: weight + f(n - 1)))
  run = tf.function(lambda n: f(n))
  for value in (2.0, 5.0):
    weight.assign(value)
    assert f(3).numpy() == 3 * value
    assert run(tf.constant(3)).numpy() == 3 * value


def test_an_assignment_before_a_call_in_one_function_is_seen():
  weight = tf.Variable(1.0)
  with rtf.SubGraph("f") as f:
    n = f.input(tf.int32)
    f.output(tf.cond(n == 0, lambda: 0.0, lambda: weight + f(n - 1)))

  @tf.function
  def run(n):
    before = f(n)
    weight.assign_add(1.0)
    between = f(n)
    weight.assign_add(1.0)
    return before, between, f(n)

  assert [value.numpy() for value in run(tf.constant(2))] == [2, 4, 6]


def test_assignments_in_a_body_happen_once_a_frame(mode):
  count = tf.Variable(0)

  @mode
  def run(n):
    with rtf.SubGraph("fibonacci") as f:
      m = f.input(tf.int32)
      count.assign_add(1)
      f.output(tf.cond(m < 2, lambda: m, lambda: f(m - 1) + f(m - 2)))
    result = f(n)
    return result, count.read_value()

  result, seen = run(tf.constant(7))
  assert (result.numpy(), count.numpy()) == (13, 41)
  assert seen.numpy() == 41


def test_a_dense_layer_built_before(mode):
  layer = tf.keras.layers.Dense(1, use_bias=False, kernel_initializer="ones", dtype="float64")
  layer.build([None, 2])
  assert sum_down(mode, lambda m: layer(tf.cast([[m, m]], tf.float64))[0, 0]) == 20


def test_a_dense_layer_built_in_the_body(mode):
  layer = tf.keras.layers.Dense(1, use_bias=False, kernel_initializer="ones", dtype="float64")
  assert sum_down(mode, lambda m: layer(tf.cast([[m, m]], tf.float64))[0, 0]) == 20
  assert layer.kernel.shape == [2, 1]


def test_variables_made_in_a_body_by_a_module_on_first_call():
  class Scale(tf.Module):
    weight = None

    def __call__(self, x):
      if self.weight is None:
        self.weight = tf.Variable(3.0)
      return self.weight * x

  scale = Scale()
  with rtf.SubGraph("f") as f:
    n = f.input(tf.int32)
    f.output(tf.cond(n == 0, lambda: 1.0, lambda: scale(f(n - 1))))
  assert f(3).numpy() == 27
  scale.weight.assign(2.0)
  assert f(3).numpy() == 8


def test_embedding_lookups(mode):
  table = tf.Variable([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
  result = sum_down(mode, lambda m: tf.nn.embedding_lookup(table, [m])[0], n=2)
  assert result.tolist() == [5, 50]


def test_keras_embeddings(mode):
  layer = tf.keras.layers.Embedding(4, 2, embeddings_initializer="ones")
  assert sum_down(mode, lambda m: layer(m[tf.newaxis])[0], n=3).tolist() == [3, 3]


def test_hash_tables(mode):
  table = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer([1, 2, 3], [10, 20, 30], tf.int32, tf.int32), -1
  )
  assert sum_down(mode, lambda m: table.lookup(m), n=4) == 59


def test_mutable_hash_tables_are_written_by_bodies(mode):
  table = tf.lookup.experimental.MutableHashTable(tf.int32, tf.int32, default_value=0)

  @mode
  def run(n):
    with rtf.SubGraph("squares") as f:
      m = f.input(tf.int32)
      table.insert([m], [m * m])
      f.output(tf.cond(m == 0, lambda: 0, lambda: 1 + f(m - 1)))
    return f(n)

  assert run(tf.constant(4)).numpy() == 4
  assert table.lookup(tf.range(5)).numpy().tolist() == [0, 1, 4, 9, 16]


def test_random_ops_differ_from_frame_to_frame(mode):
  @mode
  def run(n):
    with rtf.SubGraph("dice") as f:
      m = f.input(tf.int32)
      value = tf.random.uniform([])
      f.output(
        tf.cond(
          m == 0,
          lambda: value[tf.newaxis] * tf.ones([10]),
          lambda: tf.tensor_scatter_nd_update(f(m - 1), [[m]], [value]),
        )
      )
    return f(n)

  values = run(tf.constant(9)).numpy()
  assert len(set(values)) == 10
  assert ((values >= 0) & (values < 1)).all()


def test_stateless_random_ops_are_functions_of_their_seed(mode):
  result = sum_down(mode, lambda m: tf.random.stateless_uniform([], [m, 1]), n=3)
  expected = sum(tf.random.stateless_uniform([], [m, 1]).numpy() for m in (1, 2, 3))
  np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_print_runs_once_a_frame(mode, capfd):
  @mode
  def run(n):
    with rtf.SubGraph("loud") as f:
      m = f.input(tf.int32)
      tf.print("frame", m)
      f.output(tf.cond(m == 0, lambda: 0, lambda: f(m - 1)))
    return f(n)

  run(tf.constant(2))
  lines = capfd.readouterr().err.splitlines()
  assert sorted(line for line in lines if line.startswith("frame")) == [
    "frame 0",
    "frame 1",
    "frame 2",
  ]


def test_effects_of_one_body_keep_their_order(mode):
  log = tf.Variable(0)

  @mode
  def run(n):
    with rtf.SubGraph("ordered") as f:
      f.input(tf.int32)
      log.assign(log * 10 + 1)
      log.assign(log * 10 + 2)
      f.output(tf.identity(log))
    return f(n)

  assert run(tf.constant(0)).numpy() == 12


def test_a_py_function_in_a_body(mode):
  seen = []

  def note(m):
    seen.append(int(m))
    return m

  assert sum_down(mode, lambda m: tf.py_function(note, [m], tf.int32), n=2) == 3
  assert 2 in seen and 1 in seen


def test_one_eager_subgraph_serves_several_functions_and_captures():
  weight = tf.Variable(1.0)
  table = tf.constant([1.0, 2.0, 3.0])
  with rtf.SubGraph("f") as f:
    i = f.input(tf.int32)
    f.output(tf.cond(i < 0, lambda: 0.0, lambda: weight * table[i] + f(i - 1)))
  first = tf.function(lambda: f(2))
  second = tf.function(lambda i: f.map(tf.stack([i, i])))
  weight.assign(2.0)
  assert f(2).numpy() == first().numpy() == 12
  assert second(tf.constant(1)).numpy().tolist() == [6, 6]
