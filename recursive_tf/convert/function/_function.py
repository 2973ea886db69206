"""`@rtf.function`: imperative TensorFlow programs, run as graphs, that mean the same."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import keras
import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.decorated._decorated import BoundDecorated, Decorated, decorated
from recursive_tf.convert.decorated._known_calls import KnownCalls, glance_at
from recursive_tf.convert.frame._budget import Limits
from recursive_tf.convert.function._concrete import (
  Concrete,
  concrete_of,
  examples_of,
  has_specs,
  with_specs,
)
from recursive_tf.convert.function._nests import nested, structure_of
from recursive_tf.convert.function._shapes import Shapes
from recursive_tf.convert.program._arguments import NEST, NUMBER, OBJECT, STATIC, Argument, classify
from recursive_tf.convert.program._lifetime import parts_of
from recursive_tf.convert.program._programs import Prepared

# Of whole training steps of large models, which are called many times.
_LIMITS = Limits(num_steps=1_000_000, num_nodes=1_000_000, seconds=120.0, num_bytes=4_000_000_000)
_MAX_STRUCTURES = 4  # Of one parameter; each is a conversion.
_STATE = (tf.Variable, tf.Module, keras.Variable, keras.layers.Layer, keras.optimizers.Optimizer)
_PLAIN = (list, tuple, dict, set, frozenset)


def function(
  function: Callable[..., object] | None = None,
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
  """What `@rtf.function` returns. Thread-safe.

  Graphs of one function run one after the other; calls that are plain Python run at once.

  Attributes:
    python: the plain function.
    stats: counters.
  """

  _runs_in_graph = True
  _how_to_save = (
    "Give the module its program for some arguments:"
    " module.{name}_program = module.{name}.concrete(...)."
  )

  def __init__(
    self,
    function: Callable[..., object],
    strict: bool = False,
    verify: bool | None = None,
    limits: Limits | None = None,
  ):
    super().__init__(function, strict, verify, limits or _LIMITS)
    self._shapes = Shapes(self._programs.assumptions)
    self._calls = KnownCalls()
    self._has_state: dict[type, bool] = {}
    self._structures: dict[str, set[object]] = {}
    self._constants: tuple[type, ...] = ()  # The types of numbers that are constants of graphs.
    around = str(getattr(function, "__qualname__", "")).split(".")[-2:-1]
    self._is_method = around not in ([], ["<locals>"])

  def _bound(self, owner: object) -> BoundFunction:
    return BoundFunction(self, owner)

  def concrete(self, /, *args: object, **kwargs: object) -> Concrete:
    """Returns the program for such arguments by itself, which `tf.saved_model.save` takes.

    What is not a tensor or number among the arguments is a constant of it, as is all else outside;
    variables are shared. With tensors it is compared with plain Python, as the first run of any
    graph; nothing stays of that. Axes are open that have been others in calls, and those that are
    None in a `tf.TensorSpec` in a tensor's place; of specs, nothing can be compared. With a loss or
    metric of Keras inside, an open axis takes two rows or more.

    Args:
      *args: as in a call.
      **kwargs: as in a call.

    Raises:
      ConversionRefused: If there is no such program, or one that needs Python in each run: it reads
        or writes attributes that change, prints, reads objects, or leaves branches to Python.
    """
    given = self._bind(args, kwargs)
    if not tf.executing_eagerly():
      raise ConversionRefused.of(
        Reason.INSIDE_FUNCTION, f"{self.__name__}.concrete is called while a graph is made."
      )
    values = {name: examples_of(value) for name, value in given.items()}
    with self._lock, self._turn():
      arguments = _with_constants(self._classify(values), values, self._constants)
      is_open = any(map(has_specs, given.values()))
      if is_open:
        arguments = {name: with_specs(a, given[name]) for name, a in arguments.items()}
      else:
        arguments = self._shapes.widened(arguments)
      prepared = self._programs.prepare(arguments, values)
      program = prepared.program
      graph = self._programs.graph(program, prepared.arguments)
      found = concrete_of(self.__name__, program, graph, self._defaults())
      key = program.version, False, False
      if not is_open and not program.has_prints and self._schedule.is_due(key):
        self._check_and_restore(prepared, values, key)
    return found

  def _defaults(self) -> dict[str, object]:
    """Returns what parameters are where nothing is given, by now."""
    found = self._signature.defaults()
    return found if self._partial is None else {**found, **self._partial.keywords}

  def _check_and_restore(self, prepared: Prepared, values: dict[str, object], key: object) -> None:
    """Compares a run with plain Python; variables are as before then."""
    variables = prepared.program.variables
    before = [] if variables is None else variables.read()
    try:
      verdict = self._check(prepared, values, key, is_recording=False)
    finally:
      if variables is not None:
        variables.put(before)
    if verdict.difference is not None:
      raise self._verification_failed(prepared, verdict)
    if verdict.error is not None:
      raise verdict.error

  def _classify(self, values: dict[str, object]) -> dict[str, Argument]:
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

  def _nest(self, name: str, value: object, seen: set[int]) -> Argument | None:
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

  def _is_stateful(self, value: object) -> bool:
    """Tells whether an object is one that computes, not one of data; all of its class are."""
    kind = type(value)
    if kind in _PLAIN:
      # A long list of trees would take as long to look into as they take to run.
      by_kind = {type(part): part for part in _elements(value)}
      if not by_kind.keys().isdisjoint(_PLAIN):
        return _reaches_state(value)
      return any(map(self._is_stateful, by_kind.values()))
    if kind not in self._has_state:
      self._has_state[kind] = _reaches_state(value)
    return self._has_state[kind]

  def _again(self, values: dict[str, object], lists: Sequence[int]) -> Prepared | None:
    if self._constants:
      return None
    before = self._calls.find(glance_at(values.values()), self._shapes.version)
    if not before or (self._is_method and self._is_owner_node(values)):
      return None
    return self._programs.again(before, values)

  def _is_owner_node(self, values: dict[str, object]) -> bool:
    """Tells whether the owner of a method is data by what it holds now; see `_classify`."""
    owner = next(iter(values.values()), None)
    return classify(owner, False).kind == OBJECT and _is_node(owner)

  def _attempt(
    self,
    arguments: dict[str, Argument],
    values: dict[str, object],
    plain: Callable[[], object],
    leaves_out: bool = False,
  ) -> Callable[[], object]:
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
    values: dict[str, object],
    plain: Callable[[], object],
  ) -> Callable[[], object]:
    """Runs a graph of all branches: of open shapes, of constants, or of the shapes as they are."""
    try:
      prepared = self._programs.prepare(wide, values)
      self._calls.note(glance_at(values.values()), self._shapes.version, prepared, values)
      return self._run(prepared, wide, values, plain, {})
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


class BoundFunction(BoundDecorated):
  """A decorated method of one object."""

  _function: Function

  def concrete(self, /, *args: object, **kwargs: object) -> Concrete:
    """Returns the program for such arguments by itself; see `Function.concrete`."""
    found: Concrete = self._function.concrete(self._owner, *args, **kwargs)
    self.note_program(found)
    return found


def _with_constants(
  arguments: dict[str, Argument], values: dict[str, object], kinds: tuple[type, ...]
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


def _is_node(value: object) -> bool:
  """Tells whether an object holds others of its class: it is a part of a structure."""
  parts = list(getattr(value, "__dict__", {}).values())
  for part in list(parts):
    parts += part if isinstance(part, (list, tuple)) else ()
  return any(type(part) is type(value) for part in parts)


def _elements(value: Any) -> Iterable[object]:
  """Returns what one of `_PLAIN` holds: of a dict its values."""
  found: Iterable[object] = value.values() if isinstance(value, dict) else value
  return found


def _reaches_state(value: object) -> bool:
  """Tells whether an object holds variables, layers or functions."""
  return any(isinstance(part, _STATE) for part in parts_of(value))
