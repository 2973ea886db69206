import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recursive_tf._errors import DataError
from recursive_tf.datasets.packing import PackedTrees
from recursive_tf.datasets.ptb_syntax import parse_line
from recursive_tf.datasets.tree import Tree
from recursive_tf.datasets.vocabulary import Vocabulary
from tests.datasets.tree_strategies import binary_trees, chain

LINES = ["(3 (2 the) (1 (0 dull) (2 film)))", "(4 good)", "(0 (1 not) (3 good))"]
treebanks = st.lists(binary_trees, min_size=1, max_size=6)


@pytest.fixture
def packed():
  return pack([parse_line(line) for line in LINES])


def pack(trees):
  return PackedTrees.pack(trees, Vocabulary.from_trees(trees))


def unpack(arrays, root, vocabulary):
  """Follows the child indices from `root`, the way a model does."""
  label = int(arrays["label"][root])
  if arrays["left"][root] < 0:
    return Tree(label, vocabulary.words[arrays["word"][root]])
  children = (unpack(arrays, arrays[side][root], vocabulary) for side in ("left", "right"))
  return Tree(label, None, tuple(children))


def test_the_arrays_of_a_known_treebank():
  vocabulary = Vocabulary(["the", "dull", "film", "good"])
  packed = PackedTrees.pack([parse_line(line) for line in LINES], vocabulary)
  assert packed.word.tolist() == [1, 2, 3, -1, -1, 4, 0, 4, -1]
  assert packed.label.tolist() == [2, 0, 2, 1, 3, 4, 1, 3, 0]
  assert packed.left.tolist() == [-1, -1, -1, 1, 0, -1, -1, -1, 0]
  assert packed.right.tolist() == [-1, -1, -1, 2, 3, -1, -1, -1, 1]
  assert packed.node_splits.tolist() == [0, 5, 6, 9]
  assert (len(packed), packed.num_nodes) == (3, 9)
  assert packed.root_label.tolist() == [3, 4, 0]
  assert packed.word.dtype == np.int32 and packed.node_splits.dtype == np.int64


def test_the_arrays_of_a_known_batch(packed):
  arrays = packed.batch_arrays([2, 0])
  assert arrays["label"].tolist() == [1, 3, 0, 2, 0, 2, 1, 3]
  assert arrays["left"].tolist() == [-1, -1, 0, -1, -1, -1, 4, 3]
  assert arrays["right"].tolist() == [-1, -1, 1, -1, -1, -1, 5, 6]
  assert arrays["is_leaf"].tolist() == [True, True, False, True, True, True, False, False]
  assert arrays["root"].tolist() == [2, 7]
  assert {k: v.dtype for k, v in arrays.items()} == {
    **dict.fromkeys(["word", "label", "left", "right", "root"], np.int32),
    "is_leaf": np.bool_,
  }


@given(treebanks, st.data())
def test_a_batch_holds_the_chosen_trees_in_the_chosen_order(trees, data):
  vocabulary = Vocabulary.from_trees(trees)
  packed = PackedTrees.pack(trees, vocabulary)
  chosen = data.draw(st.lists(st.integers(0, len(trees) - 1), max_size=8))
  arrays = packed.batch_arrays(chosen)
  assert [unpack(arrays, root, vocabulary) for root in arrays["root"]] == [trees[i] for i in chosen]
  assert len(arrays["word"]) == sum(trees[i].num_nodes for i in chosen)


@given(treebanks, st.data())
def test_selecting_equals_packing_the_selected_trees(trees, data):
  vocabulary = Vocabulary.from_trees(trees)
  chosen = data.draw(st.lists(st.integers(0, len(trees) - 1), max_size=8))
  selected = PackedTrees.pack(trees, vocabulary).select(chosen)
  expected = PackedTrees.pack([trees[i] for i in chosen], vocabulary)
  assert_equal(selected, expected)


def assert_equal(a, b):
  for name in ("word", "label", "left", "right", "node_splits"):
    np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def test_an_empty_batch_and_an_empty_treebank_have_no_nodes(packed):
  assert all(len(array) == 0 for array in packed.batch_arrays([]).values())
  empty = PackedTrees.pack([], Vocabulary([]))
  assert (len(empty), empty.num_nodes, empty.root_label.tolist()) == (0, 0, [])


def test_a_tree_of_100000_levels_is_packed_and_batched():
  num_leaves = 100_000
  arrays = pack([chain(num_leaves), chain(3)]).batch_arrays([1, 0])
  root = arrays["root"][1]
  assert root == 5 + 2 * num_leaves - 2
  assert arrays["left"][root] == root - 2 and arrays["right"][root] == root - 1
  assert arrays["is_leaf"].sum() == num_leaves + 3


@pytest.mark.parametrize("index", [3, -1])
def test_a_tree_index_out_of_range_is_refused(packed, index):
  with pytest.raises(DataError, match=f"tree index {index} is not in 0..2"):
    packed.batch([0, index])


@pytest.mark.parametrize(
  ("tree", "expected"),
  [
    (Tree(2, None, (Tree(2, "a"),)), "tree 1, node 1: expected 0 or 2 children, got 1"),
    (Tree(2), "tree 1, node 0: a leaf without a word"),
  ],
)
def test_a_tree_that_is_not_binary_or_lacks_a_word_is_refused(tree, expected):
  with pytest.raises(DataError, match=expected):
    PackedTrees.pack([Tree(2, "a"), tree], Vocabulary(["a"]))


def test_the_arrays_cannot_be_changed(packed):
  with pytest.raises(ValueError, match="read-only"):
    packed.label[0] = 1


def test_packing_leaves_the_callers_arrays_writable(packed):
  label = packed.label.copy()
  PackedTrees(packed.word, label, packed.left, packed.right, packed.node_splits)
  label[0] = 1


def test_loading_what_was_saved_gives_equal_arrays(packed, tmp_path):
  packed.save(tmp_path / "packed.npz")
  assert_equal(PackedTrees.load(tmp_path / "packed.npz"), packed)


@pytest.mark.parametrize("damage", [lambda b: b"", lambda b: b"no archive", lambda b: b[:-40]])
def test_a_damaged_cache_is_refused(packed, tmp_path, damage):
  path = tmp_path / "packed.npz"
  packed.save(path)
  path.write_bytes(damage(path.read_bytes()))
  with pytest.raises(DataError, match="packed.npz: cannot read packed trees"):
    PackedTrees.load(path)


@pytest.mark.parametrize(
  ("field", "node", "value"),
  [("left", 4, 4), ("right", 3, 1), ("left", 3, -1), ("word", 0, -1), ("node_splits", 1, 4)],
)
def test_arrays_that_are_no_trees_are_refused(packed, field, node, value):
  fields = ("word", "label", "left", "right", "node_splits")
  arrays = {name: getattr(packed, name).copy() for name in fields}
  arrays[field][node] = value
  with pytest.raises(DataError, match="PackedTrees: node"):
    PackedTrees(**arrays)


@pytest.mark.parametrize("splits", [[], [0, 9, 9], [1, 9], [0, 8], [0, 9, 5, 9]])
def test_splits_that_do_not_rise_over_all_nodes_are_refused(packed, splits):
  with pytest.raises(DataError, match="`node_splits` must rise"):
    PackedTrees(packed.word, packed.label, packed.left, packed.right, np.array(splits, np.int64))


def test_arrays_of_different_lengths_are_refused(packed):
  with pytest.raises(DataError, match=r"expected arrays \[N\]"):
    PackedTrees(packed.word, packed.label[1:], packed.left, packed.right, packed.node_splits)
