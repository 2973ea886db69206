"""What the zoo's JAX arms have in common: padding to one shape, compiling, Adagrad in the call.

All batches of one size are padded to one shape, for which the whole step is compiled once, weights
donated; `prepare` does it, outside of any timing. Of the embedding, only rows that occur are read
and written. Gradients of the weights of `Products.linear` are one product over all levels, made of
the inputs and of the gradients of zeros that are added to the results.
"""

from __future__ import annotations

import abc
import functools
import time
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.peers import weights as w
from benchmarks.peers.peer import Peer

Shape = tuple[int, ...]
OUT = np.iinfo(np.int32).max  # An index out of any range: gathers give zeros there.


class Products:
  """Products with weights in one trace of a model.

  Attributes:
    v: the weights, by name.
    inputs: rows that were multiplied, for each name in the order of the products.
    shapes: of the results, in the same order.
  """

  def __init__(self, v: dict[str, jax.Array], taps: dict[str, list[jax.Array]] | None):
    self.v = v
    self._taps = taps
    self.inputs: dict[str, list[jax.Array]] = {}
    self.shapes: dict[str, list[tuple[int, ...]]] = {}

  def linear(self, x: jax.Array, weights: str, bias: str | None = None) -> jax.Array:
    """Returns x times the matrix named `weights`, plus the bias so named."""
    y = x @ jax.lax.stop_gradient(self.v[weights])
    if bias:
      y += self.v[bias]
    return self.tapped(x, y, weights)

  def tapped(self, x: jax.Array, y: jax.Array, weights: str) -> jax.Array:
    """Returns y, the product of rows x and weights, having noted what their gradient needs."""
    found = self.inputs.setdefault(weights, [])
    if self._taps is not None:
      y += self._taps[weights][len(found)]
    found.append(x)
    self.shapes.setdefault(weights, []).append(y.shape)
    return y


class JaxModel(Peer):
  """A model in JAX, batched and padded by hand."""

  def __init__(self, model: str, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    super().__init__()
    self._weights = {name: jnp.asarray(value) for name, value in weights.items()}
    self._sums = {name: jnp.full_like(v, w.INITIAL_SUM) for name, v in self._weights.items()}
    self._compiled: dict[tuple[str, Shape], Any] = {}
    self._compile_seconds: dict[str, float] = {}

  @abc.abstractmethod
  def plan(self, indices: Sequence[int]) -> Any:
    """Plans a batch."""

  @abc.abstractmethod
  def shape_of(self, plan: Any) -> Shape:
    """Returns the least numbers that a padded batch has to have; those of several join by max."""

  @abc.abstractmethod
  def pad(self, plan: Any, shape: Shape) -> dict[str, np.ndarray]:
    """Returns the indices of a batch, padded; "words" among them if the model has an embedding."""

  @abc.abstractmethod
  def outputs(self, shape: Shape, products: Products, x: Any, p: dict) -> Any:
    """Returns (h [N, D], labels [N]), -1 where nothing counts; and what `asked` takes."""

  @abc.abstractmethod
  def asked(self, shape: Shape, products: Products, x: Any, p: dict) -> Any:
    """Returns the states that `infer` classifies, padded."""

  @abc.abstractmethod
  def kept(self, plan: Any, classes: np.ndarray) -> np.ndarray:
    """Returns the classes without those of the padding."""

  def prepare(self, mode: str, batches: Sequence[Sequence[int]]) -> Shape:
    """Compiles for a shape that holds all `batches`; mode "train", "infer" or "gradients"."""
    plans = [self.plan(batch) for batch in batches]
    shape = _joined([self.shape_of(plan) for plan in plans])
    if (mode, shape) not in self._compiled:
      start = time.perf_counter()
      padded = self._padded(plans[0], shape)
      step = functools.partial(getattr(self, f"_{mode}"), shape)
      donated = (0, 1) if mode == "train" else ()
      arguments = self._arguments(mode, padded, 1)
      self._compiled[mode, shape] = (
        jax.jit(step, donate_argnums=donated).lower(*arguments).compile()
      )
      self._compile_seconds[f"{mode} {len(batches[0])}"] = time.perf_counter() - start
    return shape

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
    run, _, padded = self._fit("train", indices)
    arguments = self._arguments("train", padded, len(indices))
    self._weights, self._sums, loss = run(*arguments)
    loss.block_until_ready()

  def infer(self, indices):
    run, plan, padded = self._fit("infer", indices)
    return self.kept(plan, np.asarray(run(self._weights, padded)))

  def loss_and_gradients(self, indices):
    run, _, padded = self._fit("gradients", indices)
    loss, gradients = run(*self._arguments("gradients", padded, len(indices)))
    return float(loss), {name: np.asarray(value) for name, value in gradients.items()}

  def _arguments(self, mode: str, padded: dict, num_samples: int) -> tuple:
    if mode == "infer":
      return self._weights, padded
    scale = np.float32(1.0 / num_samples)
    sums = (self._sums,) if mode == "train" else ()
    return self._weights, *sums, padded, scale

  def _padded(self, plan: Any, shape: Shape) -> dict[str, np.ndarray]:
    padded = self.pad(plan, shape)
    if "words" in padded:
      words = padded["words"]
      rows, position = np.unique(np.maximum(words, 0), return_inverse=True)
      padded["position"] = np.where(words < 0, OUT, position.reshape(-1))
      padded["rows"] = np.full(len(words), OUT)
      padded["rows"][: len(rows)] = rows
      padded["words"] = np.maximum(words, 0)
    return {
      name: value if value.dtype == np.float32 else np.minimum(value, OUT).astype(np.int32)
      for name, value in padded.items()
    }

  def _fit(self, mode: str, indices: Sequence[int]):
    """Returns the smallest compiled step that holds the batch, the plan, and its padded indices."""
    plan = self.plan(indices)
    own = self.shape_of(plan)
    fitting = [s for m, s in self._compiled if m == mode and _joined([own, s]) == s]
    shape = min(fitting, key=sum) if fitting else self.prepare(mode, [indices])
    return self._compiled[mode, shape], plan, self._padded(plan, shape)

  def _infer(self, shape, weights, p):
    products = Products(weights, None)
    x = weights["embedding"][p["words"]] if "words" in p else None
    return jnp.argmax(_logits(products, self.asked(shape, products, x, p)), 1)

  def _gradients(self, shape, weights, p, scale):
    loss, gradients, values = self._loss_and_gradients(shape, weights, p, scale)
    if values is not None:
      zeros = jnp.zeros_like(weights["embedding"])
      gradients["embedding"] = zeros.at[p["rows"]].add(values, mode="drop")
    return loss, gradients

  def _train(self, shape, weights, sums, p, scale):
    loss, gradients, values = self._loss_and_gradients(shape, weights, p, scale)
    new_weights, new_sums = {}, {}
    for name, gradient in gradients.items():
      new_sums[name] = sums[name] + gradient * gradient
      step = w.LEARNING_RATE * gradient / (jnp.sqrt(new_sums[name]) + w.EPSILON)
      new_weights[name] = weights[name] - step
    if values is not None:
      rows = p["rows"]
      total = sums["embedding"].at[rows].get(mode="fill", fill_value=1.0) + values * values
      step = w.EMBEDDING_LEARNING_RATE * values / (jnp.sqrt(total) + w.EPSILON)
      options = {"mode": "drop", "unique_indices": True}
      new_sums["embedding"] = sums["embedding"].at[rows].set(total, **options)
      new_weights["embedding"] = weights["embedding"].at[rows].add(-step, **options)
    return new_weights, new_sums, loss

  def _loss_and_gradients(self, shape, weights, p, scale):
    """Returns the loss, dense gradients by name, and those of the embedding's `rows`."""
    dense = {name: value for name, value in weights.items() if name != "embedding"}
    x = weights["embedding"][p["words"]] if "words" in p else jnp.zeros([])

    def loss_of(dense, x, taps):
      products = Products(dense, taps)
      h, labels = self.outputs(shape, products, x, p)
      log_probabilities = jax.nn.log_softmax(_logits(products, h))
      own = jax.nn.one_hot(labels, log_probabilities.shape[1])  # Zeros where there is no node.
      return -scale * jnp.sum(own * log_probabilities), products.inputs

    first = Products(dense, None)
    jax.eval_shape(lambda x: self._trace(shape, first, x, p), x)
    taps = {name: [jnp.zeros(s) for s in shapes] for name, shapes in first.shapes.items()}
    (loss, inputs), (gradients, dx, dtaps) = jax.value_and_grad(loss_of, (0, 1, 2), has_aux=True)(
      dense, x, taps
    )
    for name, parts in dtaps.items():
      gradients[name] = _rows(inputs[name]).T @ _rows(parts)
    if "words" not in p:
      return loss, gradients, None
    return loss, gradients, jnp.zeros_like(dx).at[p["position"]].add(dx, mode="drop")

  def _trace(self, shape, products, x, p):
    h, _ = self.outputs(shape, products, x, p)
    return _logits(products, h)


def _logits(products: Products, h: jax.Array) -> jax.Array:
  return products.linear(h, "output_weights", "output_bias")


def _rows(parts: list[jax.Array]) -> jax.Array:
  return jnp.concatenate([part.reshape(-1, part.shape[-1]) for part in parts])


def _joined(shapes: Sequence[Shape]) -> Shape:
  """Returns the largest of each number; those of shorter shapes count as 0."""
  length = max(map(len, shapes))
  padded = [shape + (0,) * (length - len(shape)) for shape in shapes]
  return tuple(map(max, zip(*padded, strict=True)))
