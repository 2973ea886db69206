"""Which models the zoo has, what they run on, and which class is which arm's."""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Callable, Mapping

from benchmarks.options import Options
from benchmarks.peers.zoo import grids, lattices, trees
from benchmarks.treebanks import Packed

# Modules of `benchmarks.peers.zoo` that each arm's classes are in, by kind of model.
_MODULES = {
  "eager": "eager",
  "recursive_tf": "ours_{kind}",
  "torch_by_hand": "torch_{kind}",
  "jax_by_hand": "jax_{kind}",
  "dynet_autobatch": "dynet_arms",
}
NEEDS = {"torch_by_hand": "torch", "jax_by_hand": "jax", "dynet_autobatch": "dynet"}
REFERENCE, OURS = "eager", "recursive_tf"
TIMED = tuple(name for name in _MODULES if name != REFERENCE)


@dataclasses.dataclass(frozen=True)
class Model:
  """A model of the zoo.

  Attributes:
    title: what it is, for people.
    kind: file of its arms.
    class_name: its class in each of these.
    load: (options, count) -> packed samples, and the size of their vocabulary.
    counts: samples in a timing, by batch size.
  """

  title: str
  kind: str
  class_name: str
  load: Callable[[Options, int], tuple[Packed, int]]
  counts: Mapping[int, int] = dataclasses.field(default_factory=lambda: {1: 50, 25: 100, 256: 512})

  def target(self, arm: str) -> str:
    """Returns "module:class" of an arm."""
    module = _MODULES[arm].format(kind=self.kind)
    return f"benchmarks.peers.zoo.{module}:{self.class_name}"


MODELS = {
  "treegru": Model("binary TreeGRU, SST", "trees", "TreeGRU", trees.sentiment_trees),
  "nary": Model("N-ary TreeLSTM, 5 children, UD", "trees", "NaryTreeLSTM", trees.dependency_trees),
  "mvrnn": Model("MV-RNN, SST", "trees", "MVRNN", trees.sentiment_trees),
  "tagger": Model("bidirectional LSTM tagger, UD", "chains", "Tagger", trees.tagged_sentences),
  "dagrnn": Model("DAG-RNN over 7 x 7 patches, MNIST", "chains", "DagRNN", grids.digit_grids),
  "spinn": Model("SPINN over given parses, SST", "stacks", "Spinn", trees.transitions),
  "lattice": Model(
    "lattice LSTM, UD without spaces", "lattices", "Lattice", lattices.unspaced_sentences
  ),
}


def is_installed(arm: str) -> bool:
  """Whether what an arm needs is installed."""
  return arm not in NEEDS or importlib.util.find_spec(NEEDS[arm]) is not None
