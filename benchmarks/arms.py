"""The arms of the throughput benchmarks: which there are, starting them, whether they agree."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import os
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from benchmarks import worker
from benchmarks.options import Options
from benchmarks.peers import weights as w
from benchmarks.report import Report
from benchmarks.treebanks import Packed

TOLERANCE = 1e-4
SCHEDULERS = ("batched", "concurrent")


@dataclasses.dataclass(frozen=True)
class Contender:
  """One way to run the models.

  Attributes:
    target: "module:class" of a `Peer`, or of a `Workload` with its method `add`.
    needs: module that has to be installed for it.
    environ: environment variables of its process.
    models: those it can run.
    largest_batch: batches above this would take it for ever.
    python_of: environment variable with the path of its Python, if it has one of its own. That is
      then where `needs` has to be installed.
    is_model: whether it computes the model; else it is a bound, and has no results to compare.
    arguments: more arguments of the class.
  """

  target: str
  needs: str | None = None
  environ: Mapping[str, str] = dataclasses.field(default_factory=dict)
  models: tuple[str, ...] = w.MODELS
  largest_batch: int = 1 << 20
  python_of: str | None = None
  is_model: bool = True
  arguments: Mapping[str, object] = dataclasses.field(default_factory=dict)

  @property
  def python(self) -> str | None:
    """The path of its Python; None where it runs under this one."""
    return os.environ.get(self.python_of) if self.python_of else None

  def missing(self) -> str | None:
    """Returns why it cannot run here; None if it can."""
    if self.python_of:
      return None if self.python else f"{self.python_of} does not name a Python with {self.needs}"
    if self.needs and importlib.util.find_spec(self.needs) is None:
      return f"{self.needs} is not installed"
    return None


_LSTM_ONLY = ("treelstm",)
_PLAIN = ("treernn", "treelstm")


def _peer(path: str, needs: str | None = None, **others) -> Contender:
  return Contender(f"benchmarks.peers.{path}", needs, **others)


def _products(name: str, needs: str | None = None) -> Contender:
  target = f"benchmarks.workloads.products:{name}"
  return Contender(target, needs, models=_LSTM_ONLY, is_model=False)


def _ours(scheduler: str, **arguments: object) -> Contender:
  target = "recursive_tf_models:RecursiveTF"
  return _peer(target, environ={"RECURSIVE_TF_SCHEDULER": scheduler}, arguments=arguments)


def _plain(target: str, objects: str = "node", fused: bool = False, **others) -> Contender:
  arguments = {"objects": objects, "fused": fused}
  return _peer(f"plain_{target}", models=_PLAIN, arguments=arguments, **others)


_EAGER, _MAPPED = "eager:PlainEager", "recursive:Recursive"
_PACKED = "recursive:RecursivePacked"
_ONCE = "recursive:RecursivePackedOnce"
CONTENDERS = {
  "recursive_tf": _peer("recursive_tf_models:RecursiveTF"),
  **{scheduler: _ours(scheduler) for scheduler in SCHEDULERS},
  "batched_bfloat16": _ours("batched", precision="bfloat16"),
  "eager": _peer("eager_recursion:EagerRecursion", largest_batch=25),
  "while_loop": _peer("while_loop:WhileLoop"),
  "torch": _peer("torch_recursion:TorchRecursion", "torch", largest_batch=25),
  "torch_level_batched": _peer("torch_level_batched:TorchLevelBatched", "torch"),
  "torch_hand_backward": _peer("torch_hand_backward:TorchHandBackward", "torch", models=_LSTM_ONLY),
  "jax_level_batched": _peer("jax_level_batched:JaxLevelBatched", "jax", models=_LSTM_ONLY),
  "dynet_autobatch": _peer("dynet_autobatch:DynetAutobatch", "dynet", models=_LSTM_ONLY),
  "dgl_propagation": _peer(
    "dgl_propagation:DglPropagation",
    "dgl",
    environ={"DGLBACKEND": "pytorch"},
    models=_LSTM_ONLY,
    python_of="BENCHMARKS_DGL_PYTHON",
  ),
  "products_numpy": _products("NumpyProducts"),
  "products_torch": _products("TorchProducts", "torch"),
  "products_tensorflow": _products("TensorflowProducts"),
  "plain_eager": _plain(_EAGER, largest_batch=25),
  "plain_eager_nltk": _plain(_EAGER, "nltk", largest_batch=25),
  "recursive": _plain(_MAPPED),
  "recursive_nltk": _plain(_MAPPED, "nltk"),
  "recursive_packed": _plain(_PACKED),
  "recursive_packed_nltk": _plain(_PACKED, "nltk"),
  "recursive_fused": _plain(_MAPPED, fused=True),
  "recursive_fused_nltk": _plain(_MAPPED, "nltk", fused=True),
  "recursive_fused_packed": _plain(_PACKED, fused=True),
  "recursive_fused_packed_nltk": _plain(_PACKED, "nltk", fused=True),
  "recursive_fused_packed_once": _plain(_ONCE, fused=True),
  "recursive_fused_packed_once_nltk": _plain(_ONCE, "nltk", fused=True),
  "handwritten": _peer("recursive_tf_models:RecursiveTF", models=_PLAIN),
  "handwritten_eager_tape": _peer("plain_handwritten:HandwrittenEagerTape", models=_PLAIN),
  "autograph": _peer("plain_autograph:AutoGraph", models=_PLAIN, is_model=False),
}


class Disagreement(AssertionError):
  """Two arms do not compute the same."""


def present(names: Iterable[str], report: Report) -> list[str]:
  """Returns those whose modules are installed; notes which are left out."""
  kept = []
  for name in names:
    missing = CONTENDERS[name].missing()
    if missing is None:
      kept.append(name)
    else:
      report.notes.append(f"arm {name} left out: {missing}")
  return kept


class Arms(contextlib.AbstractContextManager):
  """Workers that hold one model each, all with the same weights and trees.

  Attributes:
    workers: by name.
  """

  def __init__(
    self,
    names: Sequence[str],
    model: str,
    packed: Packed,
    vocab_size: int,
    threads: int,
    options: Options,
    environ: Mapping[str, str] | None = None,
    **arguments,
  ):
    """Starts those of `names` that can run `model`; `arguments` and `environ` go to each."""
    sizes = options.pick(w.FULL_SIZES, w.FULL_SIZES, w.SMALL_SIZES)[model]
    weights = w.make_weights(model, vocab_size, sizes, options.seed)
    self._stack = contextlib.ExitStack()
    with self._stack:
      self.workers = {
        name: self._stack.enter_context(
          worker.start(
            CONTENDERS[name].target,
            threads,
            in_process=options.in_process,
            environ={**CONTENDERS[name].environ, **(environ or {})},
            python=CONTENDERS[name].python,
            model=model,
            weights=weights,
            packed=packed,
            **CONTENDERS[name].arguments,
            **arguments,
          )
        )
        for name in names
        if model in CONTENDERS[name].models
      }
      self._stack = self._stack.pop_all()

  def __exit__(self, *exc_info: object) -> None:
    self._stack.close()

  def check_schedulers(self) -> None:
    """Raises `Disagreement` if an arm named after a scheduler runs under the other one."""
    for name in SCHEDULERS:
      if name in self.workers and (self.workers[name].call("steps") > 0) != (name == "batched"):
        raise Disagreement(f"arm {name} does not run under the {name} scheduler.")

  def check(self, indices: list[int]) -> None:
    """Raises `Disagreement` unless all compute the same on the trees at `indices`."""
    self.check_schedulers()
    check_agreement(
      {
        name: each.call("check", indices)
        for name, each in self.workers.items()
        if CONTENDERS[name].is_model
      }
    )

  def add(self, name: str, call: str, mode: str, batches: list[list[int]]):
    """Adds a call to the worker `name`; returns what times it, for `harness.Arm`."""
    each = self.workers[name]
    each.call("add", call, mode, batches)
    return worker.timer(each, call)


def check_agreement(results: dict[str, dict]) -> None:
  """Checks that all arms computed the same.

  Args:
    results: what `Peer.check` returned, by arm.

  Raises:
    Disagreement: Names the two arms and the value.
  """
  (first, expected), *others = results.items()
  for arm, found in others:
    if found["norms"].keys() != expected["norms"].keys():
      raise Disagreement(f"{arm} and {first} have gradients of different weights.")
    for name, value in {"loss": expected["loss"], **expected["norms"]}.items():
      other = found["loss"] if name == "loss" else found["norms"][name]
      if not (np.isfinite(other) and value > 0 and abs(other - value) <= TOLERANCE * value):
        raise Disagreement(f"{name}: {arm} has {other:.8g}, {first} has {value:.8g}.")
    for name in ("classes", "classes one by one"):
      if found[name] != expected["classes"]:
        raise Disagreement(f"{name}: {arm} has {found[name]}, {first} has {expected['classes']}.")
