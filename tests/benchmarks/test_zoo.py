"""The zoo's arms compute what the definitions say, node by node; and plans are what they claim."""

import functools
import importlib

import numpy as np
import pytest

from benchmarks import arms, zoo
from benchmarks.options import Options
from benchmarks.peers.zoo import weights as zoo_weights
from benchmarks.peers.zoo.catalogue import MODELS, NEEDS, OURS, REFERENCE, TIMED
from benchmarks.peers.zoo.trees import MAX_CHILDREN, dependency_trees

OPTIONS = Options(size="smoke", data="sample")
PAIRS = [
  (arm, model)
  for model, entry in MODELS.items()
  for arm in TIMED
  if zoo.lines_of(entry.target(arm)) is not None
]


@functools.cache
def samples_of(model):
  packed, vocab_size = MODELS[model].load(OPTIONS, 6)
  return zoo_weights.make_weights(model, vocab_size, zoo_weights.SMALL_SIZES[model], 1), packed


def make(arm, model):
  if arm in NEEDS:
    pytest.importorskip(NEEDS[arm])
  module, name = MODELS[model].target(arm).split(":")
  return getattr(importlib.import_module(module), name)(model, *samples_of(model))


@functools.cache
def reference_check(model):
  return make(REFERENCE, model).check([0, 1, 2, 5])


@functools.cache
def reference_gradients(model):
  return make(REFERENCE, model).loss_and_gradients([0, 1, 2, 5])[1]


@functools.cache
def reference_loss_after_steps(model):
  return loss_after_steps(make(REFERENCE, model))


def loss_after_steps(peer):
  # Samples 0 and 1 twice: the rows of their words are touched more than once in one step.
  for batch in ([0, 1, 0], [2, 3], [1, 4, 5]):
    peer.train(batch)
  return peer.loss_and_gradients([0, 2, 4])[0]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("arm", "model"), PAIRS)
def test_arm_computes_what_the_definition_says(arm, model):
  peer = make(arm, model)
  arms.check_agreement({REFERENCE: reference_check(model), arm: peer.check([0, 1, 2, 5])})
  gradients = peer.loss_and_gradients([0, 1, 2, 5])[1]
  for name, expected in reference_gradients(model).items():
    np.testing.assert_allclose(
      gradients[name], expected, atol=1e-5 * np.abs(expected).max(), rtol=1e-4, err_msg=name
    )


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("arm", "model"), [p for p in PAIRS if NEEDS.get(p[0]) != "dynet"])
def test_steps_lead_to_the_loss_of_the_definition(arm, model):
  found = loss_after_steps(make(arm, model))
  np.testing.assert_allclose(found, reference_loss_after_steps(model), rtol=1e-4)


@pytest.mark.parametrize("model", MODELS)
def test_ours_runs_batched(model):
  assert make(OURS, model).steps() > 0


def test_no_word_is_lost_where_a_head_has_more_dependents_than_places():
  packed, _ = dependency_trees(Options(size="smoke", data="sample"), 20)
  assert packed["children"].shape[1] == MAX_CHILDREN
  for begin, end in zip(packed["node_splits"][:-1], packed["node_splits"][1:], strict=True):
    below = packed["children"][begin:end]
    assert sorted(below[below >= 0]) == list(range(end - begin - 1))


def test_lines_of_code_are_those_of_the_class_alone():
  own = "tests.benchmarks.test_zoo:_Example"
  assert zoo.lines_of(own) == 3
  assert zoo.lines_of("tests.benchmarks.test_zoo:_Absent") is None


class _Example(dict):
  """A docstring does not count."""

  # Nor does a comment.
  first = """two
  lines"""
