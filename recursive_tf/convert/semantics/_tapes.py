"""Methods of a program's own tapes."""

from __future__ import annotations

import types
from collections.abc import Iterator

import keras
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics import _row_gradients
from recursive_tf.convert.semantics._native import native
from recursive_tf.convert.values._abstract import (
  LocalDict,
  LocalList,
  Maybe,
  Ref,
  Weak,
  is_static,
  tuple_of,
)
from recursive_tf.convert.values._checks import OF_NONZERO, any_nonzero
from recursive_tf.convert.values._containers import leaves
from recursive_tf.convert.values._forms.rows import STACKED

# Ops of ours that are no calls: checks, rows that are read, what Python does with numbers.
_UNCONDITIONAL = (
  "RecursiveTf>Check",
  "RecursiveTf>Python",
  "RecursiveTf>AnyNonzero",
  "RecursiveTf>RowToken",
  "RecursiveTf>Tap",
)
_NOT_FOLLOWED = ("StopGradient", "Shape", "ZerosLike", "OnesLike")


def new(ip: Host, args: list[object], kwargs: dict[str, object]) -> object:
  """Makes a tape of the program's own."""
  tape = native(ip, tf.GradientTape, args, kwargs)
  ip.conversion.note_made(tape)
  ip.conversion.tapped.note(tape)
  return tape


def check_made(ip: Host, tape: object) -> None:
  """Refuses a tape that the program has not made: what it records is not the program's alone."""
  if not ip.conversion.has_made(tape):
    raise ip.frame.refuse(Reason.OPAQUE_CALL, "A tape that was made outside is used.")


def call(
  ip: Host, method: types.MethodType, args: list[object], kwargs: dict[str, object]
) -> object:
  """Calls a method of a tape.

  What a branch, a loop, a list or a call does not use in this run has no gradient in Python: None,
  which optimizers pass over. In the graph, which has all branches, it is zeros. So where there are
  such, a run in which a gradient is all zeros fails, and is left to plain Python.
  """
  check_made(ip, method.__self__)
  if method.__name__ == "watch":
    _check_watched(ip, [*args, *kwargs.values()])
  is_gradient = method.__name__ in ("gradient", "jacobian", "batch_jacobian")
  if is_gradient:
    (sources,) = args[1:2] or [kwargs[name] for name in ("sources", "source") if name in kwargs]
    _check_sources(ip, sources)
  if method.__name__ == "gradient":
    for given in args[2:3] or [kwargs.get("output_gradients")]:
      _check_output_gradients(ip, args[0] if args else kwargs.get("target"), given)
  args = [_strong(ip, value) for value in args]
  kwargs = {name: _strong(ip, value) for name, value in kwargs.items()}
  unconnected = kwargs.get("unconnected_gradients", tf.UnconnectedGradients.NONE)
  is_none = unconnected in (tf.UnconnectedGradients.NONE, "none")
  tokens: _row_gradients.Tokens = {}
  if method.__name__ == "gradient" and is_none:
    tokens = _row_gradients.tokens_of(ip, method.__self__, sources)
    if len(args) > 1:
      args[1] = _row_gradients.with_tokens(ip, args[1], tokens)
    else:
      name = next(name for name in ("sources", "source") if name in kwargs)
      kwargs[name] = _row_gradients.with_tokens(ip, kwargs[name], tokens)
  with tfi.resume_recording():  # A Jacobian is recorded, too.
    found = native(ip, method, args, kwargs)
    if tokens:
      found = _row_gradients.listed(ip, sources, found, tokens)
  if is_gradient and is_none:
    targets = list(_tensors(args[0] if args else kwargs.get("target")))
    if _is_conditional(targets):
      found = _checked(ip, found)
  if method.__name__ == "gradient":
    found = _row_gradients.noted(ip, sources, found, tokens)
  return found


def _check_watched(ip: Host, values: list[object]) -> None:
  """Refuses to watch what is no tensor: a number of the run would be one in the graph.

  Or a tensor that is not the result of an operation, nor an argument: of an object, list or branch
  each read is another one there. What is known at conversion must not be read of an object, too.
  """
  for value in values:
    parts = value.items or () if isinstance(value, LocalList) else value
    for part in parts if isinstance(parts, (tuple, list)) else (parts,):
      if not isinstance(ip.frame.resolve(part), tf.Tensor):
        raise ip.frame.refuse(Reason.NEEDS_VALUE, "A tape watches what may be no tensor.")
      if isinstance(part, tf.Tensor) and is_static(part):
        ip.conversion.guards.identify(part)
      else:
        _check_is_itself(ip, part)


def _check_is_itself(ip: Host, value: object) -> None:
  """Refuses a tensor that a tape may know as another one.

  What an object, a list, a branch, a loop or a call hands on is the same object in Python, and a
  copy in the graph.
  """
  is_result = isinstance(value, tf.Tensor) and ip.frame.is_result(value)
  if not is_result and not (isinstance(value, tf.Tensor) and value.op.type == "Placeholder"):
    text = "A tape is asked for a tensor of an object, list, branch or call, which is a copy here."
    raise ip.frame.refuse(Reason.NEEDS_VALUE, text)


def _check_sources(ip: Host, sources: object) -> None:
  """Refuses the gradient of what may be a variable under another name.

  Python's tape sees each use of the variable itself, whenever the branch, the loop or the list was
  that has chosen it. In the graph what goes on is a tensor, which was read there.
  """
  copied = ip.conversion.copied
  for source in leaves(sources):
    variable = source.value if isinstance(source, keras.Variable) else source
    if isinstance(source, (Maybe, Ref, Weak)) or not is_static(source):
      _check_is_itself(ip, source)
    if copied and not (isinstance(variable, tf.Variable) and id(variable.handle) not in copied):
      name = next(iter(copied.values())).name
      raise ip.frame.refuse(
        Reason.STATEFUL_OP,
        f"Variable {name!r} is handed on by a branch, loop or list, and a gradient may be its.",
      )


def _check_output_gradients(ip: Host, target: object, given: object) -> None:
  """Refuses gradients of results that have other shapes than these: eager execution may raise."""
  if given is None:
    return
  pairs = list(leaves(target)), list(leaves(given))
  if len(pairs[0]) != len(pairs[1]):
    raise ip.frame.refuse(Reason.TENSORFLOW_ERROR, "Other output gradients than targets.")
  for one, gradient in zip(*pairs, strict=True):
    if gradient is None:
      continue
    both = [ip.frame.tensor(value) for value in (one, gradient)]
    shapes = [tf.TensorShape(getattr(value, "shape", ())) for value in both]
    # A check in the run would not do: where such a gradient is added to another, TensorFlow's
    # optimizer takes their shapes for the same, and drops it.
    if not shapes[0].is_fully_defined() or shapes[0] != shapes[1]:
      text = (
        "An output gradient of another shape than the target's, or of one that only the run knows"
      )
      raise ip.frame.refuse(Reason.TENSORFLOW_ERROR, f"{text}.")


def _strong(ip: Host, value: object) -> object:
  """Returns the tensors of what may be numbers, as the tape knows them; the run must find some."""
  if isinstance(value, LocalList) and value.items is not None:
    return ip.frame.new(LocalList([_strong(ip, part) for part in value.items]))
  if type(value) is tuple:
    return tuple(_strong(ip, part) for part in value)
  if not isinstance(value, Weak):
    return value
  ip.frame.demand(tf.logical_not(value.is_number))
  return value.tensor


def _tensors(value: object) -> Iterator[tf.Tensor]:
  yield from (part for part in leaves(value) if isinstance(part, tf.Tensor))


def _is_conditional(targets: list[tf.Tensor]) -> bool:
  """Tells whether what the targets are computed of depends on the run."""
  seen: set[object] = set()
  agenda = [tensor.op for tensor in targets if not is_static(tensor)]
  while agenda:
    op = agenda.pop()
    if op in seen or op.type in _NOT_FOLLOWED:
      continue
    seen.add(op)
    if (
      (op.type == "Pack" and STACKED in op.name)
      or ("RecursiveTf>" in op.type and not op.type.startswith(_UNCONDITIONAL))
      or tfi.nested_graphs(op)
      or isinstance(getattr(op.graph, "outer_graph", None), tfi.FuncGraph)
    ):
      return True
    agenda += [tensor.op for tensor in op.inputs]
  return False


def _checked(ip: Host, value: object) -> object:
  """Returns gradients of which none may be all zeros in a run."""
  if isinstance(value, LocalList):
    return ip.frame.new(LocalList([_checked(ip, part) for part in value.items or ()]))
  if isinstance(value, LocalDict):
    return ip.frame.new(LocalDict({key: _checked(ip, part) for key, part in value.items.items()}))
  if isinstance(value, tuple):
    parts = [_checked(ip, part) for part in value]
    return tuple_of(type(value), parts)
  if isinstance(value, tf.IndexedSlices):
    return tf.IndexedSlices(_checked(ip, value.values), value.indices, value.dense_shape)
  if isinstance(value, tf.Tensor) and (value.dtype.is_floating or value.dtype.is_complex):
    if ip.frame.key is None and value.dtype in OF_NONZERO:
      is_any = any_nonzero(value)
    else:
      is_any = tf.reduce_any(tf.not_equal(value, tf.zeros([], value.dtype)))
    return ip.frame.assume(value, is_any, "a gradient is zeros, and may be None in Python")
  return value
