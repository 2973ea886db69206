"""What of a shipped model runs at once: its speed rests on these blocks, its results do not.

A rule of batching that cuts a body finer than it must gives the same numbers more slowly: nothing
else in the tests would see it.
"""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.models.test_models import TREES, every_model, make_batch, make_model

# What makes a state is in one block, beside the losses: sums up the tree hold up no state.
_CELL = {
  "treelstm": (
    ("ResourceGather", "RecursiveTf>WeightMatMul", "RecursiveTf>LstmGates"),
    ("ConcatV2", "RecursiveTf>WeightMatMul", "RecursiveTf>LstmGates"),
  ),
  "treernn": (
    ("ResourceGather", "Tanh"),
    ("ConcatV2", "RecursiveTf>WeightMatMul", "BiasAdd", "Tanh"),
  ),
  "rntn": (
    ("ResourceGather", "Tanh"),
    (
      *("ConcatV2", "MatMul", "Reshape", "RecursiveTf>WeightMatMul", "RecursiveTf>WeightMatMul"),
      *("AddV2", "BiasAdd", "Tanh"),
    ),
  ),
}


@every_model
@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_states_are_apart_from_losses_and_nothing_runs_frame_by_frame(name, dropout, monkeypatch):
  made = []

  class Kept(rtf.SubGraph):
    def __init__(self, *args, **options):
      super().__init__(*args, **options)
      made.append(self)

  monkeypatch.setattr(rtf, "SubGraph", Kept)
  model = make_model(name, dropout=dropout)

  @tf.function(autograph=False)
  def step():
    with tf.GradientTape() as tape:
      seed = tf.constant([1, 2])
      loss, _ = model.loss_and_metrics(make_batch(TREES["mixed"]), training=True, seed=seed)
    return tape.gradient(loss, model.trainable_variables)

  step.get_concrete_function()
  (body,) = made
  explanation = body.explain()
  assert explanation.scheduler == "batched" and not explanation.serial_ops
  node, leaf, inner, inner_sums, head, sums = (block.ops for block in explanation.blocks)
  assert node == ("GatherV2", "Unpack", "Less", "Reshape")
  assert (leaf, inner) == _CELL[name]
  assert inner_sums == sums == ("AddV2", "AddV2")
  assert "SparseSoftmaxCrossEntropyWithLogits" in head
