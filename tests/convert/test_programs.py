"""The acceptance suite: every program, converted, behaves as plain Python does."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert import harness, trees
from tests.convert.programs.catalogue import MODULES, all_programs, is_program
from tests.convert.programs.registry import CONVERTED

PROGRAMS = all_programs()
needs_recursive = pytest.mark.skipif(
  not hasattr(rtf, "recursive"), reason="rtf.recursive is not there yet"
)


each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)


def check_of(program):
  return harness.Check(program, lambda strict: rtf.recursive(strict=strict, verify=False))


@needs_recursive
@pytest.mark.one_in(10)
@each_program
def test_program_behaves_as_plain_python(program):
  check = check_of(program)
  check.check_calls()
  if not program.is_converted:
    check.check_strict_refuses()


@needs_recursive
@pytest.mark.one_in(14)
@each_program
def test_program_mapped_behaves_as_plain_python(program):
  check_of(program).check_map()


@needs_recursive
@pytest.mark.parametrize("length", [10, 3000])
def test_recursion_goes_deeper_than_python_allows(length):
  chain = None
  for _ in range(length):
    chain = trees.Node(1, left=chain)

  @rtf.recursive(strict=True)
  def total(link, x):
    if link is None:
      return 0, x
    count, y = total(link.left, x)
    return count + link.word, y + 0.5

  count, y = total(chain, tf.zeros([2], tf.float64))
  assert count == length and type(count) is int
  np.testing.assert_allclose(y, [0.5 * length] * 2)


@needs_recursive
def test_trees_of_all_shapes_share_one_program():
  table = tf.Variable(tf.random.normal([trees.VOCABULARY, 3]))

  @rtf.recursive(strict=True)
  def encode(node):
    if node.is_leaf:
      return table[node.word]
    return tf.tanh(encode(node.left) + 2.0 * encode(node.right))

  forest = trees.binary(np.random.default_rng(0), sizes=range(1, 31))
  encode.map(forest[:2])
  encode(forest[1])
  before = encode.stats.num_conversions, encode.stats.num_graphs
  one_by_one = tf.stack([encode(tree) for tree in forest])
  np.testing.assert_allclose(encode.map(forest), one_by_one, rtol=1e-4, atol=1e-5)
  assert (encode.stats.num_conversions, encode.stats.num_graphs) == before


def test_the_suite_is_large_enough():
  assert len(PROGRAMS) >= 75


def test_nine_of_ten_programs_are_converted():
  assert sum(program.is_converted for program in PROGRAMS) >= 0.9 * len(PROGRAMS)


def test_each_program_expects_conversion_or_a_reason():
  assert all(p.expect == CONVERTED or isinstance(p.expect, Reason) for p in PROGRAMS)


def test_programs_have_names_of_their_own_tags_and_an_explanation():
  names = [name for m in MODULES for name, value in vars(m).items() if is_program(value)]
  assert names == [program.name for program in PROGRAMS]
  assert len(set(names)) == len(names)
  assert all(program.tags for program in PROGRAMS)
  assert [p.name for p in PROGRAMS if not (p.factory.__doc__ or "").startswith("Shows ")] == []
