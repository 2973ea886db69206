import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recursive_tf.datasets import PackedTrees, Vocabulary, make_dataset, synthetic_tree
from recursive_tf.distribute.sharding import divide, imbalance, share_of

SIZES = st.lists(st.integers(1, 200), min_size=1, max_size=40)
VOCABULARY = Vocabulary(f"w{k}" for k in range(9))


def packed_trees(leaves):
  trees = [synthetic_tree(n, "random", seed, num_words=9) for seed, n in enumerate(leaves)]
  return PackedTrees.pack(trees, VOCABULARY)


@given(SIZES, st.integers(1, 9))
def test_every_tree_has_one_worker(sizes, num_workers):
  parts = divide(sizes, num_workers)
  assert sorted(np.concatenate(parts).tolist()) == list(range(len(sizes)))
  assert [len(part) == 0 for part in parts] == [len(sizes) <= k for k in range(num_workers)]


@given(st.lists(st.integers(1, 50), min_size=1, max_size=6), st.integers(1, 3))
def test_the_most_loaded_worker_is_within_the_bound_of_the_best_division(sizes, num_workers):
  sizes = np.array(sizes)
  best = min(
    np.bincount(places, sizes, num_workers).max()
    for places in itertools.product(range(num_workers), repeat=len(sizes))
  )
  found = max(sizes[part].sum() for part in divide(sizes, num_workers))
  assert found <= best * (4 / 3 - 1 / (3 * num_workers)) + 1e-9


def test_nodes_are_balanced_better_than_by_count():
  sizes = np.random.default_rng(0).lognormal(3.5, 0.8, 100).astype(int) + 1
  by_count = np.array_split(np.arange(100), 4)
  by_nodes = divide(sizes, 4)
  assert imbalance(sizes, by_nodes) < 1.01 < 1.1 < imbalance(sizes, by_count)


@pytest.mark.parametrize("with_places", [False, True])
def test_shares_of_a_batch_are_the_batch(with_places):
  packed = packed_trees([1, 4, 9, 6, 12, 3, 7])
  shares = [share_of(packed, 2, index, with_places) for index in range(2)]
  whole = list(make_dataset(packed, 3, seed=5))
  parts = [list(make_dataset(share, 3, seed=5)) for share in shares]
  assert [len(share) for share in shares] == [7, 7]
  assert len(whole) == len(parts[0]) == len(parts[1]) == 3
  for batch, *own in zip(whole[:2], *(part[:2] for part in parts), strict=True):
    assert sum(int(part.num_trees) for part in own) == int(batch.num_trees)
    words = [sorted(words_below(b)) for b in (batch,)][0]
    assert words == sorted(word for part in own for word in words_below(part))
    if with_places:  # Dropout draws by these.
      places = np.concatenate([part.places for part in own])
      assert sorted(places) == batch.places.numpy().tolist()
      for part in own:
        for column in ("word", "label", "is_leaf"):
          whole_column = getattr(batch, column).numpy()
          np.testing.assert_array_equal(getattr(part, column), whole_column[part.places])
  # The last batch has one tree: the second worker gets it, too, to be given the weight 0.
  assert [int(part[2].num_trees) for part in parts] == [1, 1]


def words_below(batch):
  """Returns the words of the trees that the roots stand for."""
  agenda, found = batch.root.numpy().tolist(), []
  while agenda:
    node = agenda.pop()
    if batch.left[node] < 0:
      found.append(int(batch.word[node]))
    else:
      agenda += [int(batch.left[node]), int(batch.right[node])]
  return found


def test_resuming_sees_the_same_shares():
  share = share_of(packed_trees([1, 4, 9, 6, 12, 3, 7]), 2, 1)
  whole, rest = (list(make_dataset(share, 2, seed=3, start_batch=k)) for k in (0, 2))
  for a, b in zip(whole[2:], rest, strict=True):
    np.testing.assert_array_equal(a.nodes, b.nodes)
