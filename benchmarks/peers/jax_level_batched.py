"""JAX, batched by hand and compiled: the nodes of a level as one cell, padded to one envelope.

XLA compiles for fixed shapes. So all batches of one size are padded to one envelope: as many levels
as the deepest has, each as wide as it gets in any batch, and as many leaves. What runs: numpy plans
the levels (`levels.py`) and writes their indices into one array, padded; then one compiled call for
the whole step, levels unrolled, weights donated. Leaves and inner nodes are put in their places by
gathers, whose gradients are gathers, too, for a node has one parent; the gradient of the inner
weights is one product over all levels. Adagrad is in the call; of the embedding, only rows that
occur are read and written. Compiling happens in `prepare` and is not in any timing. TreeLSTM only.
"""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.peers import weights as w
from benchmarks.peers.levels import Plan, ResidentTrees
from benchmarks.peers.peer import Peer


@dataclasses.dataclass(frozen=True)
class Envelope:
  """Shapes that batches are padded to.

  Attributes:
    inner: inner nodes of each level but the last. The level after one of n has 2 n slots.
    roots: slots of the first level.
    leaves: leaves.
  """

  inner: tuple[int, ...]
  roots: int
  leaves: int

  @classmethod
  def around(cls, plans: Sequence[Plan]) -> Envelope:
    """Returns the smallest envelope that holds all of `plans`."""
    inner = np.zeros(max(plan.num_levels for plan in plans) - 1, np.int64)
    for plan in plans:
      counts = np.diff(plan.inner_splits)[:-1]
      inner[: len(counts)] = np.maximum(inner[: len(counts)], counts)
    return cls(
      tuple(inner.tolist()),
      max(plan.splits[1] for plan in plans),
      max(len(plan.leaves) for plan in plans),
    )

  def holds(self, other: Envelope) -> bool:
    """Whether batches that fit into `other` fit into this one."""
    return (
      other.roots <= self.roots
      and other.leaves <= self.leaves
      and len(other.inner) <= len(self.inner)
      and all(a <= b for a, b in zip(other.inner, self.inner, strict=False))
    )

  @functools.cached_property
  def widths(self) -> np.ndarray:
    """Slots of each level."""
    return np.array([self.roots, *(2 * count for count in self.inner)])

  @functools.cached_property
  def num_slots(self) -> int:
    """Slots of all levels."""
    return int(self.widths.sum())

  @functools.cached_property
  def offsets(self) -> dict[str, int]:
    """Where each part begins in the array that `pad` returns, and "end"."""
    slots, leaves, inner = self.num_slots, self.leaves, sum(self.inner)
    sizes = {
      "words": leaves,
      "rows": leaves,
      "position": leaves,
      "slot_of_leaf": leaves,
      "leaf_of_slot": slots,
      "labels": slots,
      "inner_of_slot": slots,
      "slot_of_inner": inner,
    }
    ends = np.cumsum([0, *sizes.values()]).tolist()
    return dict(zip([*sizes, "end"], ends, strict=True))

  def pad(self, plan: Plan) -> np.ndarray:
    """Returns the plan's indices, padded with ones that are out of range; int32.

    words: the leaves' words. rows, position: the words that occur, and which of them each leaf has.
    leaf_of_slot, slot_of_leaf: where leaves stand among all slots. inner_of_slot, slot_of_inner:
    where the inner nodes of a level stand in it. labels: by slot, -1 where there is no node.
    """
    array = np.full(self.offsets["end"], np.iinfo(np.int32).max, np.int32)
    part = functools.partial(self._part, array)
    num_leaves = len(plan.leaves)
    part("words")[:num_leaves] = plan.words
    part("words")[num_leaves:] = 0
    rows, position = np.unique(plan.words, return_inverse=True)
    part("rows")[: len(rows)] = rows
    part("position")[:num_leaves] = position
    # A slot moves by what the levels above it are padded with.
    splits = np.array(plan.splits[:-1])
    shift = np.concatenate([[0], np.cumsum(self.widths)])[: len(splits)] - splits
    slot = np.arange(plan.num_nodes) + np.repeat(shift, np.diff(plan.splits))
    part("leaf_of_slot")[slot[plan.leaves]] = np.arange(num_leaves)
    part("slot_of_leaf")[:num_leaves] = slot[plan.leaves]
    num_inner = np.diff(plan.inner_splits)
    rank = np.arange(len(plan.inner)) - np.repeat(plan.inner_splits[:-1], num_inner)
    part("inner_of_slot")[slot[plan.inner]] = rank
    starts = np.concatenate([[0], np.cumsum(self.inner)])[: len(splits)]
    padded_rank = rank + np.repeat(starts, num_inner)
    part("slot_of_inner")[padded_rank] = plan.inner - np.repeat(splits, num_inner)
    part("labels")[:] = -1
    part("labels")[slot] = plan.labels
    return array

  def unpack(self, array: jax.Array) -> dict[str, jax.Array]:
    """Returns the parts of what `pad` returned, by name."""
    return {name: self._part(array, name) for name in self.offsets if name != "end"}

  def _part(self, array, name: str):
    names = list(self.offsets)
    return array[self.offsets[name] : self.offsets[names[names.index(name) + 1]]]


class JaxLevelBatched(Peer):
  """The TreeLSTM, compiled by XLA for an envelope of shapes."""

  def __init__(self, model: str, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    if model != "treelstm":
      raise ValueError(f"no cell is written for {model}")
    super().__init__()
    self._trees = ResidentTrees(packed)
    self._weights = {name: jnp.asarray(value) for name, value in weights.items()}
    self._sums = {name: jnp.full_like(v, w.INITIAL_SUM) for name, v in self._weights.items()}
    self._compiled: dict[tuple[str, Envelope], jax.stages.Compiled] = {}
    self._compile_seconds: dict[str, float] = {}

  def prepare(self, mode: str, batches: Sequence[Sequence[int]]) -> None:
    """Compiles for an envelope around `batches`; mode "train", "infer" or "gradients"."""
    envelope = Envelope.around([self._trees.plan(batch) for batch in batches])
    if (mode, envelope) in self._compiled:
      return
    start = time.perf_counter()
    indices = jax.ShapeDtypeStruct((envelope.offsets["end"],), jnp.int32)
    step, donated, arguments = {
      "train": (_train, ("weights", "sums"), (self._weights, self._sums, indices, 1.0)),
      "infer": (_infer, (), (self._weights, indices)),
      "gradients": (_gradients, (), (self._weights, indices, 1.0)),
    }[mode]
    jitted = jax.jit(functools.partial(step, envelope), donate_argnames=donated)
    self._compiled[mode, envelope] = jitted.lower(*arguments).compile()
    seconds = time.perf_counter() - start
    self._compile_seconds[f"{mode} {envelope.roots} trees {envelope.num_slots} slots"] = seconds

  def set_up_seconds(self):
    return {f"compile {name}": seconds for name, seconds in self._compile_seconds.items()}

  def add(self, name, mode, batches):
    self.prepare(mode, batches)
    super().add(name, mode, batches)

  def check(self, indices):
    self.prepare("infer", [indices])
    self.prepare("infer", [[index] for index in indices])
    return super().check(indices)

  def train(self, indices):
    run, array = self._fit("train", indices)
    self._weights, self._sums, loss = run(self._weights, self._sums, array, 1.0 / len(indices))
    loss.block_until_ready()

  def infer(self, indices):
    run, array = self._fit("infer", indices)
    return np.asarray(run(self._weights, array))[: len(indices)]

  def loss_and_gradients(self, indices):
    run, array = self._fit("gradients", indices)
    loss, gradients = run(self._weights, array, 1.0 / len(indices))
    return float(loss), {name: np.asarray(value) for name, value in gradients.items()}

  def _fit(self, mode: str, indices: Sequence[int]):
    """Returns the smallest compiled step that holds the batch, and its indices, padded."""
    plan = self._trees.plan(indices)
    own = Envelope.around([plan])
    fitting = [e for m, e in self._compiled if m == mode and e.holds(own)]
    if not fitting:
      self.prepare(mode, [indices])
      fitting = [own]
    envelope = min(fitting, key=lambda e: e.num_slots)
    return self._compiled[mode, envelope], envelope.pad(plan)


def _infer(envelope: Envelope, weights, array):
  indices = envelope.unpack(array)
  x = weights["embedding"][indices["words"]]
  levels = _states(envelope, weights, x, None, indices)
  return jnp.argmax(_logits(weights, levels[0]), 1)


def _gradients(envelope: Envelope, weights, array, scale):
  indices = envelope.unpack(array)
  loss, gradients, values = _loss_and_gradients(envelope, weights, indices, scale)
  rows = jnp.zeros_like(weights["embedding"]).at[indices["rows"]].add(values, mode="drop")
  return loss, {**gradients, "embedding": rows}


def _train(envelope: Envelope, weights, sums, array, scale):
  indices = envelope.unpack(array)
  loss, gradients, values = _loss_and_gradients(envelope, weights, indices, scale)
  new_weights, new_sums = {}, {}
  for name, gradient in gradients.items():
    new_sums[name] = sums[name] + gradient * gradient
    step = w.LEARNING_RATE * gradient / (jnp.sqrt(new_sums[name]) + w.EPSILON)
    new_weights[name] = weights[name] - step
  rows = indices["rows"]
  own_sums = sums["embedding"].at[rows].get(mode="fill", fill_value=1.0) + values * values
  step = w.EMBEDDING_LEARNING_RATE * values / (jnp.sqrt(own_sums) + w.EPSILON)
  options = {"mode": "drop", "unique_indices": True}
  new_sums["embedding"] = sums["embedding"].at[rows].set(own_sums, **options)
  new_weights["embedding"] = weights["embedding"].at[rows].add(-step, **options)
  return new_weights, new_sums, loss


def _loss_and_gradients(envelope: Envelope, weights, indices, scale):
  """Returns the loss, dense gradients by name, and those of the embedding's `rows`."""
  dense = {name: value for name, value in weights.items() if name != "embedding"}
  x = weights["embedding"][indices["words"]]
  inner = {name: dense.pop(name) for name in ("inner_weights", "inner_bias")}
  width = inner["inner_bias"].shape[0]
  # Added to the gates, so that their gradients come out: the weights' is one product then.
  nothing = [jnp.zeros((count, width)) for count in envelope.inner]

  def loss_of(dense, x, nothing):
    levels = _states(envelope, {**inner, **dense}, x, nothing, indices)
    h = jnp.concatenate(levels)
    log_probabilities = jax.nn.log_softmax(_logits(dense, h))
    labels = indices["labels"]
    own = jax.nn.one_hot(labels, w.NUM_CLASSES)  # Zeros where there is no node.
    return -scale * jnp.sum(own * log_probabilities), h

  (loss, h), (gradients, dx, dgates) = jax.value_and_grad(loss_of, (0, 1, 2), has_aux=True)(
    dense, x, nothing
  )
  dgates = jnp.concatenate(dgates)
  children = h[envelope.roots :].reshape(len(dgates), -1)
  gradients["inner_weights"] = children.T @ dgates
  gradients["inner_bias"] = dgates.sum(0)
  values = jnp.zeros_like(dx).at[indices["position"]].add(dx, mode="drop")
  return loss, gradients, values


def _states(envelope: Envelope, weights, x, nothing, indices) -> list[jax.Array]:
  """Returns h of all slots, [slots, D] for each level, the roots' first."""
  leaf_gates = x @ weights["leaf_weights"] + weights["leaf_bias"]
  # Split, never sliced: the gradient of slices adds up whole arrays, that of a split joins them.
  i, o, u = jnp.split(leaf_gates, 3, axis=1)
  c = jax.nn.sigmoid(i) * jnp.tanh(u)
  h = jax.nn.sigmoid(o) * jnp.tanh(c)
  ends = np.cumsum(envelope.widths)[:-1].tolist()
  h_leaves, c_leaves = (
    jnp.split(place(part, indices["leaf_of_slot"], indices["slot_of_leaf"]), ends)
    for part in (h, c)
  )
  inner_of_slot = jnp.split(indices["inner_of_slot"], ends)
  slot_of_inner = jnp.split(indices["slot_of_inner"], np.cumsum(envelope.inner)[:-1].tolist())
  h, c = h_leaves[-1], c_leaves[-1]
  levels = [h]
  for level in range(len(envelope.inner) - 1, -1, -1):
    children = h.reshape(envelope.inner[level], -1)
    gates = children @ weights["inner_weights"] + weights["inner_bias"]
    if nothing is not None:
      gates += nothing[level]
    i, o, f_left, f_right, u = jnp.split(gates, 5, axis=1)
    c_left, c_right = jnp.split(c.reshape(children.shape), 2, axis=1)
    c = jax.nn.sigmoid(i) * jnp.tanh(u)
    c += jax.nn.sigmoid(f_left) * c_left + jax.nn.sigmoid(f_right) * c_right
    h = jax.nn.sigmoid(o) * jnp.tanh(c)
    # Each slot has a leaf or an inner node; the other is zero.
    source, target = inner_of_slot[level], slot_of_inner[level]
    h = h_leaves[level] + place(h, source, target)
    c = c_leaves[level] + place(c, source, target)
    levels.append(h)
  return levels[::-1]


def _logits(weights, h):
  return h @ weights["output_weights"] + weights["output_bias"]


@jax.custom_vjp
def place(values, source, target):
  """Returns rows `values[source]`, zeros where that is out of range; `target` is the inverse."""
  return values.at[source].get(mode="fill", fill_value=0.0)


def _place_forward(values, source, target):
  return place(values, source, target), (source, target)


def _place_backward(indices, gradient):
  source, target = indices
  return place(gradient, target, source), None, None


place.defvjp(_place_forward, _place_backward)
