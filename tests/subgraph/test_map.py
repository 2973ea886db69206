"""`f.map`: one concurrent frame per row, any number of rows, also inside bodies."""

import pytest
import tensorflow as tf

import recursive_tf as rtf

INT32 = tf.int32


def define_sum_to():
  with rtf.SubGraph("sum_to") as f:
    n = f.input(INT32)
    f.output(tf.cond(n <= 0, lambda: 0, lambda: n + f(n - 1)))
  return f


@pytest.mark.parametrize("num_rows", [0, 1, 2, 50])
def test_map_equals_calls_row_by_row(num_rows, mode):
  @mode
  def run(xs):
    return define_sum_to().map(xs)

  xs = tf.range(num_rows)
  assert run(xs).numpy().tolist() == [n * (n + 1) // 2 for n in range(num_rows)]


def test_the_number_of_rows_is_known_at_run_time():
  f = define_sum_to()
  run = tf.function(lambda xs: f.map(xs), input_signature=[tf.TensorSpec([None], INT32)])
  for num_rows in (3, 0, 7):
    assert run(tf.range(num_rows)).shape == [num_rows]
  assert run.experimental_get_tracing_count() == 1


def test_rows_of_several_arguments_and_results_go_together(mode):
  @mode
  def run(xs, ns):
    with rtf.SubGraph("power") as f:
      x, n = f.input(tf.float32, [2]), f.input(INT32)
      f.output(tf.cond(n <= 0, lambda: (tf.ones([2]), 0), lambda: (x * f(x, n - 1)[0], n)))
    return f.map(xs, ns)

  xs = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
  powers, exponents = run(xs, tf.constant([0, 1, 2]))
  assert powers.numpy().tolist() == [[1, 1], [3, 4], [25, 36]]
  assert exponents.numpy().tolist() == [0, 1, 2]


def test_no_rows_give_results_of_the_right_type_and_shape(mode):
  @mode
  def run(ns):
    with rtf.SubGraph("wide") as f:
      n = f.input(INT32)
      f.output({"x": tf.zeros([2, 3], tf.float64), "n": n})
    return f.map(ns)

  results = run(tf.zeros([0], INT32))
  assert results["x"].shape == [0, 2, 3] and results["x"].dtype == tf.float64
  assert results["n"].shape == [0] and results["n"].dtype == INT32


def test_a_node_maps_over_any_number_of_children(mode):
  @mode
  def run(splits, flat, values):
    with rtf.SubGraph("total", outputs=tf.TensorSpec([], INT32)) as f:
      node = f.input(INT32)
      totals = f.map(flat[splits[node] : splits[node + 1]])
      f.output(values[node] + tf.reduce_sum(totals))
    return f(0)

  splits = tf.constant([0, 3, 3, 5, 5, 5, 5])  # 0: 1, 2, 3; 2: 4, 5.
  flat, values = tf.constant([1, 2, 3, 4, 5]), tf.constant([1, 20, 300, 4000, 50000, 600000])
  assert run(splits, flat, values).numpy() == 654321


def test_map_inside_a_map(mode):
  @mode
  def run(n):
    with rtf.SubGraph("factorial_by_leaves", outputs=tf.TensorSpec([], INT32)) as f:
      m = f.input(INT32)
      counts = f.map(tf.fill([m], m - 1))
      f.output(tf.cond(m == 0, lambda: 1, lambda: tf.reduce_sum(counts)))
    return f(n), f.map(tf.range(n))

  one, several = run(tf.constant(5))
  assert one.numpy() == 120 and several.numpy().tolist() == [1, 1, 2, 6, 24]


def test_strings_are_stacked(mode):
  @mode
  def run(words):
    with rtf.SubGraph("twice") as f:
      word = f.input(tf.string)
      f.output(tf.cond(tf.strings.length(word) >= 4, lambda: word, lambda: f(word + word)))
    return f.map(words)

  assert run(tf.constant(["a", "bc", "long word"])).numpy().tolist() == [
    b"aaaa",
    b"bcbc",
    b"long word",
  ]


def test_rows_that_end_in_different_shapes_are_an_error_that_says_so(mode):
  @mode
  def run(ns):
    with rtf.SubGraph("ragged") as f:
      f.output(tf.range(f.input(INT32)))
    return f.map(ns)

  assert run(tf.constant([2, 2])).numpy().tolist() == [[0, 1], [0, 1]]
  with pytest.raises(tf.errors.InvalidArgumentError, match=r"row 1 has shape \[3\]"):
    run(tf.constant([2, 3]))


def test_arguments_of_different_lengths_are_an_error_that_names_both_shapes(mode):
  @mode
  def run(xs, ys):
    with rtf.SubGraph("sum") as f:
      f.output(f.input(INT32) + f.input(INT32))
    return f.map(xs, ys)

  with pytest.raises(tf.errors.InvalidArgumentError, match=r"argument 1 has shape \[2\].*\[3\]"):
    run(tf.range(3), tf.range(2))


def test_mapping_over_a_scalar_names_the_expected_shape(mode):
  @mode
  def run(x):
    return define_sum_to().map(x)

  with pytest.raises(rtf.SignatureError, match=r"argument 0 has shape \(\), expected \(None,\)"):
    run(tf.constant(3))


def test_mapping_without_inputs_says_there_are_no_rows(mode):
  @mode
  def run():
    with rtf.SubGraph("constant") as f:
      f.output(1)
    return f.map()

  with pytest.raises((rtf.SignatureError, tf.errors.InvalidArgumentError), match="no inputs"):
    run()


def test_an_error_in_one_row_is_the_error_of_the_call(mode):
  @mode
  def run(ns):
    with rtf.SubGraph("inverse") as f:
      n = f.input(INT32)
      with tf.control_dependencies([tf.debugging.assert_positive(n, "not positive")]):
        f.output(100 // n)
    return f.map(ns)

  assert run(tf.constant([1, 2])).numpy().tolist() == [100, 50]
  with pytest.raises(tf.errors.InvalidArgumentError, match="not positive"):
    run(tf.constant([1, 2, 0, 4]))


@pytest.mark.parametrize("scheduler", ["auto", "concurrent"])
def test_no_rows_have_the_shape_that_the_body_knows(scheduler):
  row = tf.TensorSpec([None, None])
  with rtf.SubGraph("wide", outputs=row, scheduler=scheduler) as f:
    x = f.input(tf.TensorSpec([None]))
    f.output(tf.ones([2, 5]) * tf.reduce_sum(x))
  with rtf.SubGraph("of_wide", scheduler=scheduler) as g:
    g.output(tf.shape(f.map(tf.zeros([g.input(INT32), 7]))))
  assert f.map(tf.zeros([0, 7])).shape == [0, 2, 5]
  assert tf.function(f.map)(tf.zeros([0, 7])).shape == [0, 2, 5]
  assert g(0).numpy().tolist() == [0, 2, 5]


@pytest.mark.parametrize("scheduler", ["auto", "concurrent"])
@pytest.mark.parametrize("known", [[None, 3], [1, 3], None])
def test_the_gradient_of_no_rows_has_the_shape_of_the_argument(scheduler, known):
  with rtf.SubGraph("scaled", scheduler=scheduler, outputs=tf.TensorSpec(known)) as f:
    n, x = f.input(INT32), f.input(tf.TensorSpec(known))
    f.output(tf.cond(n <= 0, lambda: x, lambda: f(n - 1, 2.0 * x)))
  x = tf.ones([0, 1, 3])
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = f.map(tf.zeros([0], tf.int32), x)
  assert tape.gradient(y, x).shape == [0, 1, 3]


def test_a_known_number_of_rows_stays_known():
  f = define_sum_to()

  @tf.function
  def known(xs):
    counts = f.map(xs)
    assert counts.shape == [3]
    assert f.map(tf.boolean_mask(xs, xs > 0)).shape == [None]
    return tf.unstack(counts)  # Needs to know.

  assert [int(n) for n in known(tf.constant([1, 2, 3]))] == [1, 3, 6]

  with rtf.SubGraph("two") as g:
    x, y = g.input(INT32), g.input(INT32)
    g.output((x + y, tf.fill([x], y)[:2]))

  @tf.function(input_signature=[tf.TensorSpec([None], INT32), tf.TensorSpec([4], INT32)])
  def one_is_known(xs, ys):
    sums, filled = g.map(xs, ys)
    assert sums.shape == [4] and filled.shape[0] == 4
    return sums

  assert one_is_known([2, 3, 4, 5], [1, 1, 1, 1]).numpy().tolist() == [3, 4, 5, 6]
  with pytest.raises(tf.errors.InvalidArgumentError):
    one_is_known([2, 3, 4], [1, 1, 1, 1])
