"""Small programs whose calls take next to no time: by `rtf.function`, and by TensorFlow alone."""

from __future__ import annotations

import gc
from typing import Any

import tensorflow as tf

import recursive_tf as rtf
from benchmarks import environment
from benchmarks.peers.trees import Node
from benchmarks.worker import Workload

NUM_KEPT = 16  # As many programs for different models as a function keeps.
_LENGTHS = 24  # Of the sequences in the calls that must not grow.


class Model(tf.Module):
  """Eight variables, and a number outside of the graph."""

  def __init__(self):
    super().__init__()
    self.weights = tuple(tf.Variable(tf.ones([4])) for _ in range(8))
    self.rate, self.count, self.last = 0.5, 0, tf.zeros([4])


def _double(x):
  return x * 2.0


def _step(model, x, y):
  total = x + y
  for weight in model.weights:
    total = total + weight * model.rate
  model.weights[0].assign_sub(total * model.rate)
  return total


def _keeps(model, xs):
  total = model.last
  for x in xs:
    total = total * model.rate + x
  model.weights[0].assign_add(total)
  model.count += 1
  model.last = total
  return total


class FunctionCalls(Workload):
  """Calls by case ("tensor", "model") and kind, and what many calls leave behind."""

  def __init__(self):
    super().__init__()
    x, y, models = tf.ones([4]), tf.zeros([4]), [Model() for _ in range(NUM_KEPT)]
    self._written = []
    self._add("tensor", _double, (), (x,), [()])
    self._add("model", _step, (Model(),), (x, y), [(model,) for model in models])
    self._add_leaf()
    self.function = rtf.function(_keeps, strict=True)
    self._model = Model()
    self._xs = [tf.random.normal([length, 4]) for length in range(2, 2 + _LENGTHS)]

  def _add(self, case: str, function: Any, given: Any, tensors: Any, others: Any) -> None:
    """Adds the calls of a function of models and tensors."""
    traced = tf.function(lambda *tensors: function(*given, *tensors), autograph=False)
    concrete = traced.get_concrete_function(*tensors)
    ours, full = (rtf.function(function, strict=True, verify=False) for _ in range(2))
    for other in [*others, given]:
      for _ in range(20):  # Each constant has to be worth a program.
        full(*other, *tensors)
    ours(*given, *tensors)
    self._written += [model.weights[0] for model in given]
    self.calls |= {
      f"{case}, ConcreteFunction": lambda: concrete(*tensors),
      f"{case}, tf.function": lambda: traced(*tensors),
      f"{case}, rtf.function": lambda: ours(*given, *tensors),
      f"{case}, rtf.function, {len(others)} programs": lambda: full(*given, *tensors),
    }
    if given:
      by_itself = full.concrete(*given, *tensors)
      self.calls[f"{case}, rtf.function, concrete"] = lambda: by_itself(*tensors)

  def _add_leaf(self) -> None:
    """Adds the calls of a recursive function of a tree that is a leaf, which has a base case."""
    weight, value = tf.Variable(2.0), tf.constant(3.0)

    @rtf.recursive(strict=True, verify=False)
    def total(node):
      if node.left is None:
        return weight * tf.cast(node.leaf, tf.float32)
      return total(node.left) + total(node.right)

    leaf = Node(3, None, None)
    total(Node(-1, leaf, leaf))
    total(leaf)
    scaled = tf.function(lambda x: weight * x, autograph=False)
    concrete = scaled.get_concrete_function(value)
    self.calls |= {
      "leaf, ConcreteFunction": lambda: concrete(value),
      "leaf, rtf.recursive": lambda: total(leaf),
    }

  def results(self) -> dict[str, list[float]]:
    """Returns what each call gives; those of a model write it, each to the same."""
    found = {}
    for name, call in self.calls.items():
      for weight in self._written:
        weight.assign(tf.ones([4]))
      found[name] = call().numpy().tolist()
    return found

  def many(self, count: int) -> None:
    """Calls a function many times, with sequences of several lengths; it keeps what it computes."""
    for i in range(count):
      self._model.rate = 0.5 + 0.25 * (i % 3)
      self.function(self._model, self._xs[i % _LENGTHS])

  def models(self, count: int) -> None:
    """Calls a function for models that are new, twenty times each, and lets them go."""
    for _ in range(count):
      model = Model()
      for i in range(20):
        self.function(model, self._xs[i % _LENGTHS])

  def state(self) -> dict[str, int]:
    """Returns what must not grow: resident bytes, graphs, models and objects that are alive."""
    gc.collect()
    tracked = gc.get_objects()
    stats = self.function.stats
    return {
      "resident_bytes": environment.resident_bytes(),
      "num_graphs": stats.num_graphs,
      "num_conversions": stats.num_conversions,
      "num_fallback_runs": stats.num_fallback_runs,
      "num_converted_runs": stats.num_converted_runs,
      "objects": len(tracked),
      "models": sum(type(each) is Model for each in tracked),
    }
