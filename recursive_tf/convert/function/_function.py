"""`@rtf.function`: imperative TensorFlow programs, run as graphs, that mean the same."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import keras
import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.decorated._decorated import Decorated, decorated
from recursive_tf.convert.frame._budget import Limits
from recursive_tf.convert.function._nests import nested, structure_of
from recursive_tf.convert.function._shapes import Shapes
from recursive_tf.convert.program._arguments import NEST, NUMBER, OBJECT, STATIC, Argument, classify
from recursive_tf.convert.program._lifetime import parts_of

# Of whole training steps of large models, which are called many times.
_LIMITS = Limits(num_steps=1_000_000, num_nodes=1_000_000, seconds=120.0, num_bytes=4_000_000_000)
_MAX_STRUCTURES = 4  # Of one parameter; each is a conversion.
_STATE = (tf.Variable, tf.Module, keras.Variable, keras.layers.Layer, keras.optimizers.Optimizer)
_PLAIN = (list, tuple, dict, set, frozenset)


def function(
  function: Callable[..., Any] | None = None,
  *,
  strict: bool = False,
  verify: bool | None = None,
) -> Any:
  """Runs an imperative TensorFlow function as a graph that means the same.

  ```python
  @rtf.function
  def train_step(model, optimizer, x, y):
    with tf.GradientTape() as tape:
      loss = loss_fn(y, model(x, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    model.last_loss = loss
    return loss
  ```

  The function is written for eager execution, and stays as it is. What its graph relies on is
  compared before each run; where that has changed, another graph is made. Variables, attributes,
  output and results are those of plain Python, and a run that fails changes nothing: plain Python
  then does it. What cannot be converted runs as plain Python. docs/function.md has the whole.

  After Jeong et al., "JANUS: fast and flexible deep learning via symbolic graph execution of
  imperative programs", NSDI 2019.

  Args:
    function: the function or method.
    strict: raise `ConversionRefused` where the plain function would be run instead.
    verify: whether runs of the graph are compared with plain Python before they count: True for
      all, False for none, None for the first run of each graph and then ever fewer, as long as they
      take at most 2% of the function's time. RECURSIVE_TF_VERIFY says what None means.

  Returns:
    A `Function`.
  """
  return decorated(Function, function, strict, verify)


class Function(Decorated):
  """What `@rtf.function` returns. Thread-safe; calls of one function run one after the other.

  Attributes:
    python: the plain function.
    stats: counters.
  """

  _runs_in_graph = True

  def __init__(
    self,
    function: Callable[..., Any],
    strict: bool = False,
    verify: bool | None = None,
    limits: Limits | None = None,
  ):
    super().__init__(function, strict, verify, limits or _LIMITS)
    self._shapes = Shapes()
    self._has_state: dict[type, bool] = {}
    self._structures: dict[str, set[Any]] = {}
    self._constants: tuple[type, ...] = ()  # The types of numbers that are constants of graphs.
    around = str(getattr(function, "__qualname__", "")).split(".")[-2:-1]
    self._is_method = around not in ([], ["<locals>"])

  def _classify(self, values: dict[str, Any]) -> dict[str, Argument]:
    found: dict[str, Argument] = {}
    seen: set[int] = set()
    for position, (name, value) in enumerate(values.items()):
      nest = self._nest(name, value, seen) if type(value) in (list, dict, tuple) else None
      found[name] = nest or classify(value, False)
      if found[name].kind != OBJECT:
        continue
      is_owner = position == 0 and self._is_method and not _is_node(value)
      if is_owner or self._is_stateful(value):
        found[name] = Argument(STATIC, value)
    return found

  def _nest(self, name: str, value: Any, seen: set[int]) -> Argument | None:
    """Returns a list, dict or tuple of tensors by its parts; None if that is not what it is.

    Where ever other lengths and keys come, it is read as an object.
    """
    found = nested(value, seen)
    known = self._structures.setdefault(name, set())
    if found is None or found.kind != NEST:
      return None
    structure = structure_of(found)
    if structure not in known and len(known) >= _MAX_STRUCTURES:
      return None
    known.add(structure)
    return found

  def _is_stateful(self, value: Any) -> bool:
    """Tells whether an object is one that computes, not one of data; all of its class are."""
    kind = type(value)
    if kind in _PLAIN:
      return _reaches_state(value)
    if kind not in self._has_state:
      self._has_state[kind] = _reaches_state(value)
    return self._has_state[kind]

  def _attempt(
    self,
    arguments: dict[str, Argument],
    values: dict[str, Any],
    plain: Callable[[], Any],
    leaves_out: bool = False,
  ) -> Callable[[], Any]:
    arguments = _with_constants(arguments, values, self._constants)
    wide = self._shapes.widened(arguments)
    try:
      return self._attempt_with(wide, arguments, values, plain)
    except ConversionRefused as refusal:
      if refusal.without is None or not self._programs.leaves_out:
        raise
    return super()._attempt(wide, values, plain, leaves_out=True)

  def _attempt_with(
    self,
    wide: dict[str, Argument],
    arguments: dict[str, Argument],
    values: dict[str, Any],
    plain: Callable[[], Any],
  ) -> Callable[[], Any]:
    """Runs a graph of all branches: of open shapes, of constants, or of the shapes as they are."""
    try:
      return super()._attempt(wide, values, plain)
    except ConversionRefused as refusal:
      # Where TensorFlow wants a number of Python's: an axis, the slope of an activation.
      if refusal.reason == Reason.TENSORFLOW_ERROR:
        for kinds in (int,), (int, float):
          constant = _with_constants(arguments, values, kinds)
          if constant != arguments:
            with contextlib.suppress(ConversionRefused):
              done = super()._attempt(constant, values, plain)
              self._constants = kinds
              return done
      if wide == arguments or not self._shapes.admits(arguments):
        raise
    return super()._attempt(arguments, values, plain)


def _with_constants(
  arguments: dict[str, Argument], values: dict[str, Any], kinds: tuple[type, ...]
) -> dict[str, Argument]:
  """Returns the arguments of a call, numbers of some types as constants."""
  if not kinds:
    return arguments
  return {
    name: Argument(STATIC, values[name])
    if argument.kind == NUMBER and argument.value in kinds
    else argument
    for name, argument in arguments.items()
  }


def _is_node(value: Any) -> bool:
  """Tells whether an object holds others of its class: it is a part of a structure."""
  parts = list(getattr(value, "__dict__", {}).values())
  for part in list(parts):
    parts += part if isinstance(part, (list, tuple)) else ()
  return any(type(part) is type(value) for part in parts)


def _reaches_state(value: Any) -> bool:
  """Tells whether an object holds variables, layers or functions."""
  return any(isinstance(part, _STATE) for part in parts_of(value))
