"""Objects that runs make: new beside old ones, of forms without an end, each of them once."""

import pathlib
import threading

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import ConversionRefused, Reason
from tests.convert.made import matrix, programs
from tests.convert.made.source import DIMENSIONS, generate
from tests.convert.made.trees import check_same, deep, leaf, small
from tests.convert.matrix.covering import all_pairs, pairs_of

_ROWS = matrix.rows()
# Of the rows so many are refused at most; a program that is no longer refused may be taken off.
_NUM_REFUSED = 30


def test_every_pair_of_levels_occurs():
  assert set().union(*(pairs_of(row) for row in _ROWS)) == all_pairs(DIMENSIONS)


@pytest.mark.parametrize("number", range(len(_ROWS)))
def test_a_program_of_the_matrix_does_what_python_does(number, tmp_path):
  levels = _ROWS[number]
  module = matrix.load(generate(*levels), tmp_path, f"made_{number}")
  code = matrix.compare(module.make)
  assert code in (None, "shared-container", "kinds-differ", "made-object"), code


@pytest.mark.slow
def test_most_programs_of_the_matrix_are_converted(tmp_path: pathlib.Path):
  refused = []
  for number, levels in enumerate(_ROWS):
    module = matrix.load(generate(*levels), tmp_path, f"all_{number}")
    if matrix.compare(module.make) is not None:
      refused.append(levels)
  assert len(refused) <= _NUM_REFUSED, refused


@pytest.mark.parametrize("name", programs.CONVERTED)
def test_is_converted(name):
  make = getattr(programs, name)
  function = rtf.recursive(strict=True, verify=False)(make)
  for tree in (small(), leaf(), small(), deep(100)):
    check_same(make(tree), function(tree))
  assert function.stats.num_converted_runs == 4


@pytest.mark.parametrize("name", programs.INSERTED)
def test_a_search_tree_keeps_what_is_not_on_the_way(name):
  make = getattr(programs, name)
  function = rtf.recursive(strict=True, verify=False)(make)
  root = None
  for x in (5, 2, 8, 1, 9, 3, 7):
    plain, root = make(root, x), function(root, x)
    programs.check_search_tree(plain, root)
  before, after = root, function(root, 6)
  assert after is not before and after.left is before.left


@pytest.mark.parametrize("name", programs.READ)
def test_what_is_made_is_read(name):
  make = getattr(programs, name)
  function = rtf.recursive(strict=True, verify=False)(make)
  for tree in (small(), leaf(), small(), deep(60)):
    begin = programs.Counted.count
    plain, middle = make(tree).made, programs.Counted.count
    check_same(plain, function(tree).made)
    assert programs.Counted.count - middle == middle - begin
  assert function.stats.num_converted_runs == 4


@pytest.mark.parametrize(("name", "reason"), programs.REFUSED.items())
def test_is_refused(name, reason):
  make = getattr(programs, name)
  function = rtf.recursive(verify=False)(make)
  with pytest.raises(ConversionRefused) as refused:
    rtf.recursive(strict=True, verify=False)(make)(small())
  assert refused.value.reason == reason
  tree = small()
  check_same(make(tree).made, function(tree).made)


def test_a_run_that_fails_makes_nothing():
  function = rtf.recursive(verify=False)(programs.raising)
  with pytest.raises(ValueError, match="nine"):
    function(small())
  check_same(programs.raising(leaf()), function(leaf()))


def test_objects_of_a_mapped_call_are_others_in_each():
  trees = [small(), leaf(), small()]
  function = rtf.recursive(strict=True, verify=False)(programs.clone)
  found = function.map([*trees, trees[0]])
  check_same([programs.clone(tree) for tree in [*trees, trees[0]]], found)


def test_a_tape_sees_the_tensors_in_what_is_made():
  weights = tf.Variable([[1.0, 2.0], [3.0, 1.0]])

  def encode(n):
    part = tf.tanh(tf.ones([1, 2]) * float(n.v) @ weights)
    return programs.Own(part, [encode(k) for k in n.kids])

  function = rtf.recursive(verify=False)(encode)
  gradients = []
  for f in (encode, function):
    with tf.GradientTape() as tape:
      made = f(small())
      loss = tf.reduce_sum(made.part) + tf.reduce_sum(made.kids[0].part)
    gradients.append(tape.gradient(loss, weights))
  assert float(tf.reduce_max(tf.abs(gradients[0]))) > 1e-4
  tf.debugging.assert_near(*gradients)
  assert not function.stats.fallbacks
  function(small())
  assert function.stats.num_converted_runs == 2


def test_what_is_packed_makes_no_objects():
  with pytest.raises(ConversionRefused) as refused:
    rtf.recursive(verify=False)(programs.clone).pack([small()])
  assert refused.value.reason == Reason.INSIDE_FUNCTION


def test_checks_compare_what_is_made():
  function = rtf.recursive(strict=True, verify=True)(programs.mirror)
  for tree in (small(), leaf()):
    check_same(programs.mirror(tree), function(tree))
  assert function.stats.num_verified_runs == 2


def test_depth_has_no_limit_of_python():
  function = rtf.recursive(strict=True, verify=False)(programs.clone)
  function(small())
  made, depth = function(deep(5000)), 1
  while made.kids:
    (made,), depth = made.kids, depth + 1
  assert depth == made.part == 5000


def test_several_threads_make_objects():
  function = rtf.recursive(strict=True, verify=False)(programs.shared)
  function(small())
  trees, found = [small() for _ in range(8)], {}

  def work(i):
    found[i] = function(trees[i])

  threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  for i, tree in enumerate(trees):
    check_same(programs.shared(tree), found[i])
