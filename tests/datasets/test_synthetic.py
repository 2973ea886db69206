import collections
import math
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recursive_tf._errors import DataError
from recursive_tf.datasets.synthetic import Shape, synthetic_tree

SHAPES = pytest.mark.parametrize("shape", get_args(Shape))


@given(st.integers(1, 60), st.sampled_from(get_args(Shape)), st.integers(0, 2**32))
def test_a_tree_is_binary_with_the_leaves_asked_for(num_leaves, shape, seed):
  tree = synthetic_tree(num_leaves, shape, seed, num_words=3, num_labels=2)
  assert tree.num_leaves == num_leaves and tree.num_nodes == 2 * num_leaves - 1
  for node in tree.post_order():
    assert len(node.children) in (0, 2)
    assert node.label in (0, 1)
    assert node.word in ({"w0", "w1", "w2"} if node.is_leaf else {None})


@SHAPES
def test_a_tree_is_a_pure_function_of_its_arguments(shape):
  tree = synthetic_tree(30, shape, seed=1)
  assert synthetic_tree(30, shape, seed=1) == tree
  assert synthetic_tree(30, shape, seed=2) != tree


@given(st.integers(1, 300))
def test_balanced_and_linear_trees_have_the_least_and_the_greatest_height(num_leaves):
  assert synthetic_tree(num_leaves, "balanced").height == math.ceil(math.log2(num_leaves))
  assert synthetic_tree(num_leaves, "linear").height == num_leaves - 1


def test_heights_rise_from_balanced_over_moderate_and_random_to_linear():
  def mean(shape):
    return sum(synthetic_tree(500, shape, seed).height for seed in range(20)) / 20

  heights = [mean(shape) for shape in ("balanced", "moderate", "random", "linear")]
  assert all(1.5 * a < b for a, b in zip(heights, heights[1:], strict=False))


def test_random_draws_every_shape_of_four_leaves_equally_often():
  shapes = collections.Counter(
    str(synthetic_tree(4, "random", seed, num_words=1, num_labels=1)) for seed in range(1000)
  )
  assert len(shapes) == 5  # The third Catalan number.
  assert all(150 <= count <= 250 for count in shapes.values())


@SHAPES
def test_100000_leaves_are_no_problem(shape):
  assert synthetic_tree(100_000, shape).num_leaves == 100_000


@pytest.mark.parametrize(
  ("arguments", "expected"),
  [
    ({"num_leaves": 0}, "must be at least 1, got 0, 100 and 5"),
    ({"num_leaves": 2, "num_words": 0}, "got 2, 0 and 5"),
    ({"num_leaves": 2, "shape": "oak"}, "must be one of .*'linear'.*, got 'oak'"),
  ],
)
def test_arguments_out_of_range_are_refused(arguments, expected):
  with pytest.raises(DataError, match=expected):
    synthetic_tree(**arguments)
