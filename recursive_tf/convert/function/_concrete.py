"""One program of a function by itself: what `tf.saved_model.save` takes.

A call of a function compares what the program relies on, reads attributes, and writes them
afterwards, all in Python. Where the program goes without Python there is none of that. So a program
that needs it is refused as it is asked for, and not where it is loaded.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.effects._places import LOG
from recursive_tf.convert.program._arguments import (
  NEST,
  NUMBER,
  STATIC,
  TENSOR,
  Argument,
  classify,
)
from recursive_tf.convert.program._graph import Graph
from recursive_tf.convert.program._lifetime import parts_of
from recursive_tf.convert.program._ops import has_equal_stacks
from recursive_tf.convert.program._program import Program
from recursive_tf.convert.values import _forms, _results
from recursive_tf.convert.values._checks import OF_USUAL_SIZES, check
from recursive_tf.convert.values._containers import container

_SIZE = 2  # Of an axis that is left open, where a tensor stands for a spec.


class Concrete(tf.Module):
  """One program of a function, without the function: `tf.saved_model.save` takes it.

  What is constant in it (models, flags, numbers and attributes outside) is as it was when this was
  made; variables are the model's own. A call takes the tensors and numbers among the function's
  arguments, by place or name, and returns tensors. Numbers and tensors that the function has by
  default may be left out, as they were then.

  Attributes:
    held: the variables that it reads or writes.
  """

  def __init__(self, name: str, held: Sequence[tf.Variable], call: object):
    super().__init__(name=name)
    self.held = list(held)
    setattr(self, "__call__", call)  # noqa: B010 - where `tf.saved_model.save` looks.

  def __call__(self, /, *args: object, **kwargs: object) -> object:
    """Runs the program once."""
    return vars(self)["__call__"](*args, **kwargs)

  def get_concrete_function(self) -> object:
    """Returns TensorFlow's function of it, for `signatures=` of `tf.saved_model.save`."""
    return vars(self)["__call__"].get_concrete_function()

  def __repr__(self) -> str:
    """Describes it, also in TensorFlow's error where it is given as a signature."""
    return f"<program {self.name!r}; as a signature, pass its get_concrete_function()>"


def examples_of(value: object) -> object:
  """Returns a value with a tensor in place of each `tf.TensorSpec` in it."""
  if isinstance(value, tf.TensorSpec):
    if value.shape.rank is None:
      raise ValueError(f"{value}: pass a spec whose number of axes is known.")
    return tf.zeros([_SIZE if size is None else size for size in value.shape], value.dtype)
  if type(value) is list:
    return list(map(examples_of, value))
  if type(value) is tuple:
    return tuple(map(examples_of, value))
  if type(value) is dict:
    return {key: examples_of(part) for key, part in value.items()}
  return value


def has_specs(value: object) -> bool:
  """Tells whether there is a `tf.TensorSpec` in a value."""
  if isinstance(value, dict):
    value = list(value.values())
  if isinstance(value, (list, tuple)):
    return any(map(has_specs, value))
  return isinstance(value, tf.TensorSpec)


def with_specs(argument: Argument, given: object) -> Argument:
  """Returns an argument with the shapes of the specs among what was given for it."""
  if isinstance(given, tf.TensorSpec):
    return Argument(TENSOR, None, tf.TensorSpec(given.shape, given.dtype))
  parts = tuple(with_specs(part, inner) for part, inner in argument.inner(given))
  return argument if not parts else Argument(NEST, argument.value, None, parts, argument.keys)


def concrete_of(
  name: str, program: Program, graph: Graph, defaults: Mapping[str, object]
) -> Concrete:
  """Returns a program by itself.

  Args:
    name: of the function.
    program: the program.
    graph: its graph.
    defaults: what the function's parameters are where nothing is given.

  Raises:
    ConversionRefused: If it needs what only calls of the function have.
  """
  refused = next(_reasons(program, graph), None)
  if refused is not None:
    raise ConversionRefused.of(Reason.UNSUPPORTED_OPERATION, f"{name} by itself: {refused}")
  arguments = {n: a for n, a in program.own_arguments.items() if a.kind != STATIC}
  # As `Program.feed` has it, in the order of their names: what is read of objects is nothing.
  changing = [tf.constant(one.read()) for one in program.layout.changing.values()]
  num_ints = program.layout.columns.num_ints
  inputs = enumerate(graph.function.graph.inputs)
  of_usual_sizes = {i for i, tensor in inputs if getattr(tensor, OF_USUAL_SIZES, False)}

  def run(*args: object) -> object:
    tensors = [
      tensor
      for argument, value in zip(arguments.values(), args, strict=True)
      for tensor in _tensors(argument, value)
    ]
    checked = [
      _checked(tensor) if i in of_usual_sizes else tensor for i, tensor in enumerate(tensors)
    ]
    found = graph.function(*checked, *changing, tf.zeros([0, num_ints], tf.int32))
    if program.is_seen_by_tapes:
      found = [_without_gradient(tensor) for tensor in found]
    return _structured(graph.form, iter(found))

  specs = {n: _spec(n, argument) for n, argument in arguments.items()}
  held = _held(program, graph)
  if held is None:
    raise ConversionRefused.of(
      Reason.STATEFUL_OP, f"{name} by itself: it uses what is neither a variable nor a constant."
    )
  named = _named(run, list(specs), _optional(arguments, defaults))
  call = tf.function(named, list(specs.values()), autograph=False)
  call.get_concrete_function()
  return Concrete(name if name.isidentifier() else "program", held, call)


def _reasons(program: Program, graph: Graph) -> Iterator[str]:
  """Yields why a program cannot be by itself."""
  layout = program.layout
  if program.left_out:
    site = next(iter(program.left_out))
    yield f"the branch at {site.origin} is left out, and plain Python does it."
  for place in program.effects.places.values():
    what = "it prints" if place.kind == LOG else f"it writes {_name(place.name) or 'a container'}"
    yield f"{what}, which Python does after the run. Return it instead."
  given = [a for a in program.own_arguments.values() if a.kind != STATIC]
  is_given = all(map(_is_of_tensors, given))
  if layout.columns.all or layout.constants or layout.state or not is_given:
    yield "it reads objects before each run. Pass tensors."
  if layout.makes_objects:
    yield "it makes objects, which Python does after the run. Return tensors and numbers."
  for _, name in layout.changing:
    if name != "array":
      yield f"it reads {_name(name)} anew before each run, since that has changed. Pass it."
  form = graph.form
  if any(_results.not_of_tensors(form)) or not _is_plain(form):
    yield f"it returns {_forms.describe(form)}. Return tensors and numbers, in tuples or dicts."
  if any(a.kind != STATIC and name == "self" for name, a in program.own_arguments.items()):
    yield "TensorFlow's functions take nothing by the name 'self'. Rename the argument."
  if has_equal_stacks(graph.function.graph):
    yield (
      "it stacks one tensor several times. TensorFlow 2.21 takes another tensor then, where it"
      " optimizes by itself. Use tf.repeat or tf.tile."
    )


def _is_of_tensors(argument: Argument) -> bool:
  return argument.kind in (TENSOR, NUMBER, NEST) and all(map(_is_of_tensors, argument.parts))


def _name(name: object) -> str:
  if isinstance(name, tuple):
    return " ".join(map(str, name))
  return "" if name is None else repr(name)


def _is_plain(form: _forms.Form) -> bool:
  """Tells whether a result is made of what a graph can return."""
  if not isinstance(form, _forms.NestForm):
    return True
  is_tuple = issubclass(form.type, tuple)
  return (is_tuple or form.type in (list, dict)) and all(map(_is_plain, form.parts))


def _held(program: Program, graph: Graph) -> list[tf.Variable] | None:
  """Returns the variables behind what a graph captures; None if there is any other resource."""
  wanted = {
    id(outer): outer
    for outer, _ in tfi.captured(graph.function.graph)
    if outer.dtype in (tf.resource, tf.variant)
  }
  given = [a.value for a in program.own_arguments.values() if a.kind == STATIC]
  found: dict[int, tf.Variable] = {}
  for variable in program.guards.all_variables([p for value in given for p in parts_of(value)]):
    if id(getattr(variable, "handle", None)) in wanted:
      found[id(variable.handle)] = variable
  return None if wanted.keys() - found.keys() else [found[key] for key in wanted]


def _spec(name: str, argument: Argument) -> object:
  """Returns what an argument is in the signature."""
  if argument.kind == NEST:
    pairs = zip(_keys(argument), argument.parts, strict=True)
    parts = [_spec(f"{name}_{key}", part) for key, part in pairs]
    if argument.value is dict:
      return dict(zip(argument.keys, parts, strict=True))
    return argument.value(*parts) if hasattr(argument.value, "_fields") else argument.value(parts)
  (spec,) = argument.specs()
  return tf.TensorSpec(spec.shape, spec.dtype, name)


def _keys(argument: Argument) -> Sequence[object]:
  return argument.keys or range(len(argument.parts))


def _tensors(argument: Argument, value: Any) -> Iterator[object]:
  """Yields the tensors of a value, in the order of the graph's inputs."""
  if argument.kind in (TENSOR, NUMBER):
    yield value
  if argument.kind == NEST:
    for key, part in zip(_keys(argument), argument.parts, strict=True):
      yield from _tensors(part, value[key])


def _structured(form: _forms.Form, tensors: Iterator[tf.Tensor]) -> object:
  """Returns a result as tensors."""
  if isinstance(form, _forms.StaticForm):
    kind = type(form.value)
    dtype = _forms.dtype_of_number(kind) if kind in _forms.NUMBERS else None
    return tf.convert_to_tensor(form.value, dtype)
  if isinstance(form, _forms.NestForm):
    return container(form.type, form.keys, [_structured(part, tensors) for part in form.parts])
  found, *_ = [next(tensors) for _ in _forms.specs(form)]  # A `Weak` is its number as a tensor.
  return found


def _checked(tensor: tf.Tensor) -> tf.Tensor:
  """Fails the run if a loss or metric of Keras would have seen a last axis of 1, and could not."""
  if tensor.shape.rank == 0 or tensor.shape[-1] is not None:
    return tensor
  message = "a loss or metric of Keras takes two rows or more"
  found = check(tensor, tf.shape(tensor)[-1] > 1, message)
  found.set_shape(tensor.shape)
  return found


def _without_gradient(tensor: tf.Tensor) -> tf.Tensor:
  """Has gradients raise: a tape outside would take a variable for what was written to it."""
  message = "The result depends on variables that the program has written. Open the tape inside."
  is_taped = tensor.dtype.is_floating or tensor.dtype.is_complex
  return tf.raw_ops.PreventGradient(input=tensor, message=message) if is_taped else tensor


def _optional(arguments: dict[str, Argument], defaults: Mapping[str, object]) -> dict[str, object]:
  """Returns what the last parameters are where nothing is given.

  A program for a float is none for an int by default, nor one for a tensor for a number: Python
  would compute something else. What stands before such a parameter cannot be left out, either.
  """
  found: dict[str, object] = {}
  for name, argument in reversed(arguments.items()):
    if name not in defaults or argument.kind not in (TENSOR, NUMBER):
      break
    if not argument.takes(classify(defaults[name], False)):
      break
    found[name] = defaults[name]
  return found


def _named(
  run: Callable[..., object], names: list[str], defaults: Mapping[str, object]
) -> Callable[..., object]:
  """Gives a function's parameters names, and the values by default that they have."""
  kind, empty = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
  parameters = [inspect.Parameter(n, kind, default=defaults.get(n, empty)) for n in names]
  run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
  return run
