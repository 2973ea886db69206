import numpy as np
import pytest
import tensorflow as tf

from recursive_tf.datasets.batch import FIELD_DTYPES, TreeBatch
from recursive_tf.datasets.packing import PackedTrees
from recursive_tf.datasets.synthetic import synthetic_tree
from recursive_tf.datasets.vocabulary import Vocabulary


@pytest.fixture(scope="module")
def packed():
  trees = [synthetic_tree(n, "random", seed=n) for n in range(1, 8)]
  return PackedTrees.pack(trees, Vocabulary.from_trees(trees))


def label_sum(batch):
  return tf.reduce_sum(tf.gather(batch.label, batch.root)) + batch.num_nodes


def test_batches_of_all_sizes_share_one_trace(packed):
  num_traces = 0

  @tf.function
  def traced(batch):
    nonlocal num_traces
    num_traces += 1
    return label_sum(batch)

  for indices in ([0], [1, 2], [3, 4, 5, 6], []):
    batch = packed.batch(indices)
    assert traced(batch) == packed.root_label[indices].sum() + len(batch.label)
  assert num_traces == 1


def test_a_trace_by_spec_serves_every_batch(packed):
  concrete = tf.function(label_sum).get_concrete_function(TreeBatch.spec())
  assert concrete(packed.batch([2, 3])) == label_sum(packed.batch([2, 3]))


def test_the_spec_fits_every_batch_and_has_unknown_sizes(packed):
  spec = TreeBatch.spec()
  assert spec.is_compatible_with(packed.batch([0, 1])) and spec.is_compatible_with(packed.batch([]))
  assert all(getattr(spec, name) == tf.TensorSpec([None], d) for name, d in FIELD_DTYPES.items())


def test_counts_are_known_eagerly_and_traced(packed, mode):
  counts = mode(lambda batch: (batch.num_trees, batch.num_nodes))(packed.batch([0, 2, 4]))
  assert [int(n) for n in counts] == [3, 1 + 5 + 9]


def test_a_batch_passes_through_nest_cond_and_while(packed):
  batch = packed.batch([1, 2])

  @tf.function
  def through(batch, flag):
    batch = tf.cond(flag, lambda: batch, lambda: batch)
    _, batch = tf.while_loop(lambda i, b: i < 2, lambda i, b: (i + 1, b), (0, batch))
    return batch

  result = through(batch, tf.constant(True))
  flat = tf.nest.flatten(result, expand_composites=True)
  for got, expected in zip(flat, tf.nest.flatten(batch, expand_composites=True), strict=True):
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
  ("field", "value"), [("word", np.zeros(3, np.int64)), ("root", np.zeros((1, 1), np.int32))]
)
def test_a_field_of_wrong_dtype_or_rank_is_refused(packed, field, value):
  fields = packed.batch_arrays([0])
  with pytest.raises((TypeError, ValueError)):
    TreeBatch(**{**fields, field: value})
