"""`@rtf.subgraph`: a SubGraph written as a Python function."""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar, overload

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._errors import SignatureError
from recursive_tf._graph_lock import graph_lock
from recursive_tf.subgraph._arguments import Arguments, Receivers, bound_weakly, name_of_callable
from recursive_tf.subgraph._body import BodyGraph
from recursive_tf.subgraph._no_copies import NotCopied
from recursive_tf.subgraph._scope import check_usable, current_graph, enclosing_graphs
from recursive_tf.subgraph._signature import Signature, user_location
from recursive_tf.subgraph._subgraph import ResultMismatch, SubGraph

_MAX_TRACES = 4  # Assumption, correction, relaxed shapes; more means it does not converge.


_P = ParamSpec("_P")
_R = TypeVar("_R")


@overload
def subgraph(
  function: Callable[_P, _R],
  *,
  inputs: Any = None,
  outputs: Any = None,
  max_depth: int | None = None,
  scheduler: str | None = None,
  policy: str | None = None,
) -> SubGraphFunction[_P, _R]: ...


@overload
def subgraph(
  function: None = None,
  *,
  inputs: Any = None,
  outputs: Any = None,
  max_depth: int | None = None,
  scheduler: str | None = None,
  policy: str | None = None,
) -> Callable[[Callable[_P, _R]], SubGraphFunction[_P, _R]]: ...


def subgraph(
  function: Callable[..., Any] | None = None,
  *,
  inputs: Any = None,
  outputs: Any = None,
  max_depth: int | None = None,
  scheduler: str | None = None,
  policy: str | None = None,
) -> Any:
  """Makes a SubGraph of a Python function of tensors that may call itself.

  The function is traced once for each signature of its arguments and each graph it is used in. A
  body that turns out to return something else than its base case promised is traced again.
  Arguments can be passed as to any Python function, by position or by name; all of them are
  tensors. A method is traced for each object anew, and takes what it uses of `self` from outside.
  AutoGraph converts it, as in `tf.function`: a Python `if` on a tensor becomes a `tf.cond`.

  ```python
  @rtf.subgraph
  def factorial(n):
    return tf.cond(n <= 1, lambda: 1, lambda: n * factorial(n - 1))
  ```

  Args:
    function: the function.
    inputs: as for `SubGraph`, a list of `tf.TensorSpec`s or nests of them, one for each argument,
      keyword-only ones last; without it, each new signature of arguments makes a new SubGraph.
    outputs: the forward declaration, as for `SubGraph`.
    max_depth: as for `SubGraph`.
    scheduler: as for `SubGraph`.
    policy: as for `SubGraph`.

  Returns:
    A `SubGraphFunction`: a callable with a method `map`, both as those of `SubGraph`.
  """
  options = {
    "outputs": outputs,
    "max_depth": max_depth,
    "scheduler": scheduler,
    "policy": policy,
  }
  if function is None:
    return lambda fn: SubGraphFunction(fn, inputs, options)
  return SubGraphFunction(function, inputs, options)


class SubGraphFunction(NotCopied, Generic[_P, _R]):
  """What `@rtf.subgraph` returns. Thread-safe."""

  def __init__(self, function: Callable[..., Any], inputs: Any, options: dict[str, Any]):
    functools.update_wrapper(self, function)
    self._name = name_of_callable(function)
    self._given = function  # As it was decorated: perhaps a classmethod.
    self._is_method = False  # Defined in a class, to be called on its objects.
    self._receivers = Receivers()
    if isinstance(function, (staticmethod, classmethod)):
      function = function.__func__
    autograph = tf.__internal__.autograph
    self._function = autograph.tf_convert(function, autograph.control_status_ctx())
    self._inputs = None if inputs is None else tuple(inputs)
    self._options = options
    self._python_signature = inspect.signature(function)
    # By the graph in which they are defined: a SubGraph cannot outlive it.
    self._traced: Any = weakref.WeakKeyDictionary()
    self._traced_eagerly: dict[_Key, SubGraph] = {}

  def __call__(self, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
    """Calls the SubGraph for these arguments once, tracing it if need be."""
    bound = self._bound_to(args)
    if bound is not None:
      return bound(*args[1:], **kwargs)
    arguments = Arguments.of(self._name, self._python_signature, args, kwargs, mapped=False)
    return self._find(arguments, mapped=False)(*arguments.values)

  def map(self, /, *args: Any, **kwargs: Any) -> Any:
    """Calls it once for each row of the arguments, concurrently; see `SubGraph.map`.

    An argument that is not given has its default in each row.
    """
    bound = self._bound_to(args)
    if bound is not None:
      return bound.map(*args[1:], **kwargs)
    arguments = Arguments.of(
      self._name,
      self._python_signature,
      args,
      kwargs,
      mapped=True,
      has_specs=self._inputs is not None,
    )
    return self._find(arguments, mapped=True).map(*arguments.values)

  # --- Methods

  def __set_name__(self, owner: type, name: str) -> None:
    """Notes that it is a class's."""
    self._is_method = not isinstance(self._given, staticmethod)

  def __get__(self, receiver: Any, owner: type | None = None) -> Any:
    """Returns the method of an object, which is traced for each object anew."""
    if isinstance(self._given, staticmethod):
      return self
    if isinstance(self._given, classmethod):
      receiver = owner if owner is not None else type(receiver)
    return self if receiver is None else BoundMethod(receiver, self._method_of(receiver))

  def _method_of(self, receiver: Any) -> SubGraphFunction[..., Any]:
    return self._receivers.find(receiver, self._bind)

  def _bind(self, receiver: Any) -> SubGraphFunction[..., Any]:
    function = getattr(self._given, "__func__", self._given)
    return SubGraphFunction(bound_weakly(function, receiver), self._inputs, self._options)

  def _bound_to(self, args: tuple[Any, ...]) -> SubGraphFunction[..., Any] | None:
    """Returns the method, where a call names the object or the class as its first argument."""
    is_class = bool(args) and isinstance(args[0], type)
    return self._method_of(args[0]) if args and (self._is_method or is_class) else None

  # --- Tracing

  def _find(self, arguments: Arguments, mapped: bool) -> SubGraph:
    if not tf.executing_eagerly():  # To find the user's line takes as long as a small call.
      check_usable(f"SubGraph '{self._name}'", user_location(), arguments.values)
    if self._inputs is not None:
      signature = Signature.of(self._inputs)
    else:
      signature = arguments.signature(mapped)
    graphs = enclosing_graphs(current_graph())
    bodies = [i for i, graph in enumerate(graphs) if isinstance(graph, BodyGraph)]
    # Inside a body, define it beside that body, so that the two can call each other.
    home_graphs = graphs[bodies[-1] + 1 :] if bodies else graphs
    home = home_graphs[0] if home_graphs else None
    traced: dict[_Key, SubGraph] = (
      self._traced_eagerly if home is None else self._traced.setdefault(home, {})
    )
    specs = tuple((spec.dtype, str(spec.shape)) for spec in signature.specs)
    key = _Key(arguments.names, len(arguments.values), str(signature.structure), specs)
    for graph in graphs:  # A body calling itself with a compatible signature.
      owner: Any = getattr(graph, "subgraph", None)
      keys = [known for known, subgraph in list(traced.items()) if subgraph is owner]
      if keys and keys[0].names == key.names and _accepts(owner, signature):
        return owner
    # One for all functions, for one that is traced may call the others, and the one that gradients
    # are made under, for what is traced may make some, and a gradient may call functions.
    with graph_lock:
      if key not in traced:
        self._trace(arguments, signature, home, traced, key)
      return traced[key]

  def _trace(
    self,
    arguments: Arguments,
    signature: Signature,
    home: tfi.Graph | None,
    traced: dict[_Key, SubGraph],
    key: _Key,
  ) -> None:
    options = dict(self._options)
    for attempt in range(_MAX_TRACES):
      try:
        with tf.init_scope() if home is None else home.as_default():
          found = SubGraph(self._name, **options)
          traced[key] = found
          with found:
            values = [found.input(spec) for spec in signature.structure]
            args, kwargs = arguments.unpack(values)
            found.output(self._function(*args, **kwargs))
        return
      except ResultMismatch as mismatch:
        traced.pop(key, None)
        if self._options["outputs"] is not None or attempt == _MAX_TRACES - 1:
          raise
        assumed = options["outputs"] and Signature.of(options["outputs"])
        relaxed = assumed.relaxed_to(mismatch.found) if assumed else mismatch.found
        if relaxed is None:
          raise
        options["outputs"] = relaxed.pack(list(relaxed.specs))
      except BaseException:
        traced.pop(key, None)
        raise


class BoundMethod:
  """A method of an object that it holds on to: what is traced for the object does not."""

  def __init__(self, receiver: Any, function: SubGraphFunction[..., Any]):
    functools.update_wrapper(self, function)
    self.__self__ = receiver
    self._function = function

  def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
    """As that of `SubGraphFunction`."""
    return self._function(*args, **kwargs)

  def map(self, /, *args: Any, **kwargs: Any) -> Any:
    """As that of `SubGraphFunction`."""
    return self._function.map(*args, **kwargs)


class _Key(NamedTuple):
  """What one trace of a function serves.

  Attributes:
    names: of the arguments that are passed by name.
    num_values: of all arguments.
    structure: of all arguments.
    specs: their types and shapes.
  """

  names: tuple[str, ...]
  num_values: int
  structure: str
  specs: tuple[tuple[tf.DType, str], ...]


def _accepts(owner: SubGraph, signature: Signature) -> bool:
  """Tells whether a SubGraph that is being traced takes arguments of this signature."""
  have = Signature.of(tuple(owner._input_nests))
  try:
    tf.nest.assert_same_structure(have.structure, signature.structure, expand_composites=True)
  except (ValueError, TypeError, SignatureError):
    return False
  return all(
    a.dtype == b.dtype and a.shape.is_compatible_with(b.shape)
    for a, b in zip(have.specs, signature.specs, strict=True)
  )
