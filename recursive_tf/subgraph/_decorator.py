"""`@rtf.subgraph`: a SubGraph written as a Python function."""

from __future__ import annotations

import functools
import inspect
import threading
import weakref
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._errors import SignatureError
from recursive_tf.subgraph._body import BodyGraph
from recursive_tf.subgraph._scope import current_graph, enclosing_graphs
from recursive_tf.subgraph._signature import Signature
from recursive_tf.subgraph._subgraph import ResultMismatch, SubGraph

# One for all functions: while one is traced, it may call the others.
_tracing_lock = threading.RLock()
_MAX_TRACES = 4  # Assumption, correction, relaxed shapes; more means it does not converge.


def subgraph(
  function: Callable[..., Any] | None = None,
  *,
  input_signature: Any = None,
  outputs: Any = None,
  max_depth: int | None = None,
  scheduler: str | None = None,
  policy: str | None = None,
) -> Any:
  """Makes a SubGraph of a Python function of tensors that may call itself.

  The function is traced once for each signature of its arguments and each graph it is used in. A
  body that turns out to return something else than its base case promised is traced again.
  AutoGraph converts it, as in `tf.function`: a Python `if` on a tensor becomes a `tf.cond`.

  ```python
  @rtf.subgraph
  def factorial(n):
    return tf.cond(n <= 1, lambda: 1, lambda: n * factorial(n - 1))
  ```

  Args:
    function: the function.
    input_signature: list of `tf.TensorSpec`s or nests of them, one for each argument; without it,
      each new signature of arguments makes a new SubGraph.
    outputs: the forward declaration, as for `SubGraph`.
    max_depth: as for `SubGraph`.
    scheduler: as for `SubGraph`.
    policy: as for `SubGraph`.

  Returns:
    A callable with a method `map`, both as those of `SubGraph`.
  """
  options = {
    "outputs": outputs,
    "max_depth": max_depth,
    "scheduler": scheduler,
    "policy": policy,
  }
  if function is None:
    return lambda fn: SubGraphFunction(fn, input_signature, options)
  return SubGraphFunction(function, input_signature, options)


class SubGraphFunction:
  """What `@rtf.subgraph` returns. Thread-safe."""

  __name__: str

  def __init__(self, function: Callable[..., Any], input_signature: Any, options: dict[str, Any]):
    functools.update_wrapper(self, function)
    autograph = tf.__internal__.autograph
    self._function = autograph.tf_convert(function, autograph.control_status_ctx())
    self._input_signature = None if input_signature is None else tuple(input_signature)
    self._options = options
    self._python_signature = inspect.signature(function)
    # By the graph in which they are defined: a SubGraph cannot outlive it.
    self._traced: Any = weakref.WeakKeyDictionary()
    self._traced_eagerly: dict[Any, SubGraph] = {}

  def __call__(self, *args: Any, **kwargs: Any) -> Any:
    """Calls the SubGraph for these arguments once, tracing it if need be."""
    args = self._positional(args, kwargs)
    return self._find(args, mapped=False)(*args)

  def map(self, *args: Any, **kwargs: Any) -> Any:
    """Calls it once for each row of the arguments, concurrently; see `SubGraph.map`."""
    args = self._positional(args, kwargs)
    return self._find(args, mapped=True).map(*args)

  def _positional(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    bound = self._python_signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args

  def _find(self, args: tuple[Any, ...], mapped: bool) -> SubGraph:
    if self._input_signature is not None:
      signature = Signature.of(self._input_signature)
    else:
      signature = Signature.of(args)
      if mapped:
        specs = [tf.TensorSpec(spec.shape[1:], spec.dtype) for spec in signature.specs]
        signature = Signature.of(signature.pack(specs))
    graphs = enclosing_graphs(current_graph())
    bodies = [i for i, graph in enumerate(graphs) if isinstance(graph, BodyGraph)]
    # Inside a body, define it beside that body, so that the two can call each other.
    home_graphs = graphs[bodies[-1] + 1 :] if bodies else graphs
    home = home_graphs[0] if home_graphs else None
    traced = self._traced_eagerly if home is None else self._traced.setdefault(home, {})
    key = (str(signature.structure), tuple((s.dtype, str(s.shape)) for s in signature.specs))
    for graph in graphs:  # A body calling itself with a compatible signature.
      owner = getattr(graph, "subgraph", None)
      if owner is not None and owner in traced.values() and _accepts(owner, signature):
        return owner
    with _tracing_lock:
      if key not in traced:
        self._trace(signature, home, traced, key)
      return traced[key]

  def _trace(
    self, signature: Signature, home: tfi.Graph | None, traced: dict[Any, SubGraph], key: Any
  ) -> None:
    options = dict(self._options)
    for attempt in range(_MAX_TRACES):
      try:
        with tf.init_scope() if home is None else home.as_default():
          found = SubGraph(self.__name__, **options)
          traced[key] = found
          with found:
            args = [found.input(spec) for spec in signature.structure]
            found.output(self._function(*args))
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
