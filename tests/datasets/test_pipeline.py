import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from recursive_tf._errors import DataError
from recursive_tf.datasets.batch import TreeBatch
from recursive_tf.datasets.packing import PackedTrees
from recursive_tf.datasets.pipeline import epoch_order, make_dataset, num_batches
from recursive_tf.datasets.tree import Tree
from recursive_tf.datasets.vocabulary import Vocabulary

NUM_TREES = 10


@pytest.fixture(scope="module")
def packed():
  """Tree t is one leaf whose label is t: a batch's labels say which trees it holds."""
  trees = [Tree(t, "w") for t in range(NUM_TREES)]
  return PackedTrees.pack(trees, Vocabulary(["w"]))


def batches(dataset):
  return [batch.label.numpy().tolist() for batch in dataset]


@given(st.integers(0, 50), st.integers(0, 2**40), st.integers(0, 1000))
def test_an_order_is_a_permutation(num_trees, seed, epoch):
  assert sorted(epoch_order(num_trees, seed, epoch)) == list(range(num_trees))


def test_an_order_never_changes_between_versions():
  assert epoch_order(NUM_TREES, seed=7, epoch=3).tolist() == [2, 4, 7, 3, 5, 1, 8, 9, 0, 6]


def test_seeds_and_epochs_give_different_orders():
  orders = {tuple(epoch_order(50, seed, epoch)) for seed in range(4) for epoch in range(4)}
  assert len(orders) == 16


def test_a_shuffled_epoch_is_the_epoch_order_cut_into_batches(packed):
  order = epoch_order(NUM_TREES, seed=5, epoch=2).tolist()
  dataset = make_dataset(packed, 4, seed=5, epoch=2)
  assert batches(dataset) == [order[:4], order[4:8], order[8:]]
  assert batches(dataset) == batches(dataset), "a second pass over it must be the same"


@pytest.mark.parametrize("prefetch", [True, False])
@pytest.mark.parametrize("start", range(7))
def test_resuming_at_any_batch_gives_the_rest_of_the_uninterrupted_run(packed, start, prefetch):
  whole = batches(make_dataset(packed, 4, seed=1, epochs=2))
  epoch, start_batch = divmod(start, 3)
  resumed = make_dataset(
    packed, 4, seed=1, epochs=2 - epoch, epoch=epoch, start_batch=start_batch, prefetch=prefetch
  )
  assert batches(resumed) == whole[start:]
  assert len(resumed) == len(whole) - start


def test_start_batch_may_be_the_end_of_the_epoch(packed):
  assert batches(make_dataset(packed, 4, seed=1, epochs=2, start_batch=3)) == batches(
    make_dataset(packed, 4, seed=1, epoch=1)
  )


def test_without_shuffle_the_order_is_that_of_the_treebank(packed):
  dataset = make_dataset(packed, 5, shuffle=False, epochs=2)
  assert batches(dataset) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]] * 2


def test_drop_remainder_leaves_out_the_smaller_batch_of_each_epoch(packed):
  dataset = make_dataset(packed, 4, drop_remainder=True, epochs=2)
  assert [len(b) for b in batches(dataset)] == [4] * 4
  assert len(dataset) == 4


@pytest.mark.parametrize(
  ("batch_size", "drop", "expected"), [(4, False, 3), (4, True, 2), (5, True, 2)]
)
def test_num_batches_counts_one_epoch(batch_size, drop, expected):
  assert num_batches(NUM_TREES, batch_size, drop) == expected


def test_elements_are_tree_batches_of_unknown_size(packed):
  dataset = make_dataset(packed, 4)
  assert dataset.element_spec == TreeBatch.spec()
  assert isinstance(next(iter(dataset)), TreeBatch)


def test_a_loop_inside_a_function_sees_all_batches_with_one_trace(packed):
  num_traces = 0

  @tf.function
  def total(dataset):
    nonlocal num_traces
    num_traces += 1
    result = 0
    for batch in dataset:
      result += tf.reduce_sum(batch.label)
    return result

  assert total(make_dataset(packed, 4)) == total(make_dataset(packed, 3)) == sum(range(NUM_TREES))
  assert num_traces == 1


def test_an_empty_treebank_gives_no_batches():
  empty = PackedTrees.pack([], Vocabulary([]))
  assert batches(make_dataset(empty, 4, epochs=2)) == []


def test_no_epochs_give_no_batches(packed):
  assert batches(make_dataset(packed, 4, epochs=0)) == []


def test_a_shuffled_epoch_holds_each_tree_once(packed):
  assert sorted(np.concatenate(batches(make_dataset(packed, 3)))) == list(range(NUM_TREES))


@pytest.mark.parametrize(
  ("arguments", "expected"),
  [
    ({"batch_size": 0}, "batch_size must be at least 1, got 0"),
    ({"batch_size": 4, "seed": -1}, "must not be negative, got -1, 1 and 0"),
    ({"batch_size": 4, "epochs": -1}, "must not be negative, got 0, -1 and 0"),
    ({"batch_size": 4, "epoch": -2}, "must not be negative, got 0, 1 and -2"),
    ({"batch_size": 4, "start_batch": 4}, "start_batch must be in 0..3"),
    ({"batch_size": 4, "start_batch": -1}, "start_batch must be in 0..3"),
  ],
)
def test_arguments_out_of_range_are_refused(packed, arguments, expected):
  with pytest.raises(DataError, match=expected):
    make_dataset(packed, **arguments)


def test_a_negative_epoch_has_no_order():
  with pytest.raises(DataError, match="got 0 and -1"):
    epoch_order(3, 0, -1)


def test_no_tuner_is_waited_for_at_the_end_of_an_epoch(packed):
  assert make_dataset(packed, 2).options().autotune.enabled is False
