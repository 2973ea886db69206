"""SubGraph: a graph function that may call itself.

Jeong et al., Improving the Expressiveness of Deep Learning Frameworks with Recursion, EuroSys 2018,
section 3. docs/how_it_works.md follows one call through the system.
"""

from __future__ import annotations

import contextlib
import numbers
from types import TracebackType
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._config import config
from recursive_tf._errors import DefinitionError, GraphScopeError, SignatureError
from recursive_tf._graph_lock import locked
from recursive_tf.subgraph import _forward_declaration
from recursive_tf.subgraph._accesses import keep_program_order, reads_and_writes
from recursive_tf.subgraph._body import Body, BodyGraph, unique_key
from recursive_tf.subgraph._calls import check_base_case, emit_invoke, emit_launch
from recursive_tf.subgraph._no_copies import NotCopied
from recursive_tf.subgraph._ordered import may_run_in_order
from recursive_tf.subgraph._run_errors import told_first
from recursive_tf.subgraph._scheduling import batched, check_options
from recursive_tf.subgraph._scope import (
  check_by_position,
  check_not_compiled,
  check_usable,
  current_graph,
  find_caller,
)
from recursive_tf.subgraph._signature import Signature, num_arguments, user_location


class ResultMismatch(SignatureError):  # noqa: N818 - a SignatureError to the user
  """The results differ from what calls in the body were told; `found` has their signature."""

  found: Signature

  @classmethod
  def of(cls, message: str, found: Signature) -> ResultMismatch:
    """Makes the error; not a constructor, for `RecursiveTFError`'s reason."""
    error = cls(message)
    error.found = found
    return error


class SubGraph(NotCopied):
  """A named, typed graph function that may call itself.

  Define the body in a `with` block, then call it, in the body or outside of it:

  ```python
  with rtf.SubGraph("factorial") as f:
    n = f.input(tf.int32)
    f.output(tf.cond(n <= 1, lambda: 1, lambda: n * f(n - 1)))
  f(5)                      # 120
  f.map(tf.range(1, 5))     # [1, 2, 6, 24]: one concurrent call per row
  ```

  Tensors, variables, layers and tables from outside can be used in the body as they are. Calls are
  differentiable with respect to inputs and everything used from outside. Calls from several threads
  are independent of each other.
  """

  def __init__(
    self,
    name: str = "subgraph",
    *,
    inputs: Any = None,
    outputs: Any = None,
    max_depth: int | None = None,
    scheduler: str | None = None,
    policy: str | None = None,
  ):
    """Declares a SubGraph; its body follows in a `with` block.

    Args:
      name: names it in messages and graphs.
      inputs: list of `tf.TensorSpec`s or nests of them, one for each argument; only needed to have
        calls checked that come before the body, as in mutual recursion.
      outputs: nest of `tf.TensorSpec`s that the body returns: the forward declaration. Needed where
        a body calls itself outside all conditionals whose other branch shows what it returns.
      max_depth: frames that may be active below each other; default 100,000.
      scheduler: how calls from outside run. "batched": ready work of all frames is grouped and run
        as one. "concurrent": each frame runs on its own, as soon as it can. "auto" (default):
        batched, unless nothing in the bodies can serve many frames; see `explain`.
      policy: which ready work runs first. Batched: "look_ahead" (default), "agenda" or "depth";
        concurrent: "deepest_first" (default; keeps few frames alive) or "fifo".

    Raises:
      DefinitionError: If `max_depth`, `scheduler` or `policy` is not allowed.
    """
    self.name = name
    self.max_depth = config().max_depth if max_depth is None else max_depth
    self.scheduler, self._ready_policy, self._batched_policy = check_options(
      name, scheduler, policy
    )
    is_whole = isinstance(self.max_depth, numbers.Integral)
    if not is_whole or isinstance(self.max_depth, bool) or self.max_depth < 1:
      raise DefinitionError(
        f"SubGraph '{name}': max_depth={max_depth!r}, expected a whole number of at least 1."
      )
    self.max_depth = int(self.max_depth)
    self._key = unique_key(name)
    self._outer_graph = current_graph()
    self._declared_inputs = None if inputs is None else Signature.of(tuple(inputs))
    self._declared = None if outputs is None else Signature.of(outputs)
    self._assumed: Signature | None = None
    self._graph: BodyGraph | None = None
    self._input_nests: list[Any] = []
    self._input_signature: Signature | None = None
    self._results: Signature | None = None
    self._result_tensors: list[tf.Tensor] | None = None
    self._output_location = ""
    self._body: Body | None = None
    self._function: Any = None
    self._is_ordered = False
    self._early_calls: list[tuple[str, Any, bool]] = []
    self._eager_calls: dict[bool, tuple[tf.types.experimental.ConcreteFunction, bool]] = {}
    self._tracing = contextlib.ExitStack()

  # --- Definition

  def __enter__(self) -> SubGraph:
    """Starts the body."""
    if self._graph is not None:
      raise DefinitionError(f"SubGraph '{self.name}' already has a body; make another SubGraph.")
    if current_graph() is not self._outer_graph:
      raise GraphScopeError(
        f"SubGraph '{self.name}' was declared in another graph than the one its body is in"
        f" ({user_location()}). Declare and define it in the same tf.function."
      )
    self._graph = BodyGraph(self._key, self)
    self._tracing.enter_context(self._graph.as_default())
    self._order = tfi.ControlDependencies()
    self._order.__enter__()
    return self

  def __exit__(
    self,
    error_type: type[BaseException] | None,
    error: BaseException | None,
    traceback: TracebackType | None,
  ) -> None:
    """Ends the body and makes its function."""
    with self._tracing:
      if error_type is not None:
        return
      if self._result_tensors is None:
        raise DefinitionError(
          f"SubGraph '{self.name}' has no output: call {self.name}.output(...) once at the end of"
          f" its body ({user_location()})."
        )
      assert self._graph is not None  # Set by __enter__.
      self._order.__exit__(None, None, None)
      self._graph.control_outputs = list(self._order.ops_which_must_run)
    self._complete()

  def input(self, spec: Any, shape: Any = ()) -> Any:
    """Declares the next argument and returns its placeholder.

    Args:
      spec: a type; or a `tf.TensorSpec`, a composite spec, or a nest of them.
      shape: the shape, if `spec` is a type.

    Returns:
      A tensor of the body, or a nest of them.

    Raises:
      DefinitionError: If the body is not being defined.
    """
    self._check_tracing("input")
    is_spec = isinstance(spec, tf.TypeSpec) or tf.nest.is_nested(spec)
    nest = spec if is_spec else tf.TensorSpec(shape, tf.as_dtype(spec))
    signature = Signature.of(nest)
    assert self._graph is not None  # _check_tracing.
    with self._graph.as_default():
      tensors = [
        tfi.placeholder(s.dtype, s.shape, f"arg_{len(self._input_nests)}") for s in signature.specs
      ]
    nest = signature.pack(tensors)
    self._input_nests.append(nest)
    return nest

  def output(self, *results: Any) -> None:
    """Sets what a frame returns.

    Args:
      *results: a tensor or a nest of tensors: tuples, lists, dicts, dataclasses that `tf.nest`
        knows, composite tensors. Several are a tuple: `f.output(h, c)` is `f.output((h, c))`.

    Raises:
      DefinitionError: If called twice, or outside the body.
      SignatureError: If the results differ from `outputs`, or from what the calls in the body were
        given.
    """
    self._check_tracing("output")
    if self._result_tensors is not None:
      raise DefinitionError(
        f"SubGraph '{self.name}' has two outputs: at {self._output_location} and at"
        f" {user_location()}. Return a tuple to have several results."
      )
    if current_graph() is not self._graph:
      raise DefinitionError(
        f"{self.name}.output is called inside a conditional or loop ({user_location()}). Return the"
        " value from the branch and call output once, at the end of the body."
      )
    self._output_location = user_location()
    nest = tf.nest.map_structure(_as_result, results[0] if len(results) == 1 else results)
    found = Signature.of(nest)
    if not found.specs:
      raise DefinitionError(f"{self.name}.output at {self._output_location} got no tensors.")
    expected = self._declared or self._assumed
    if expected is None:
      tensors = tf.nest.flatten(nest, expand_composites=True)
    else:
      tensors = self._check_results(nest, expected, found)
    assert self._graph is not None  # _check_tracing.
    self._results = expected or found
    self._result_tensors = [
      self._graph.capture(self._order.mark_as_return(tensor)) for tensor in tensors
    ]

  def _check_results(self, results: Any, expected: Signature, found: Signature) -> list[tf.Tensor]:
    origin = "declared" if self._declared else "expected from the base case"
    try:
      tensors = expected.flatten(
        results,
        f"SubGraph '{self.name}' output ({self._output_location}): result",
        f"It is what calls in the body were told ({origin}). Declare the general form with"
        " SubGraph(..., outputs=...), using None for dimensions that vary.",
      )
    except SignatureError as error:
      raise ResultMismatch.of(str(error), found) from None
    for position, (want, got) in enumerate(zip(expected.specs, found.specs, strict=True)):
      if not want.shape.is_fully_defined() or want.shape == got.shape or origin == "declared":
        continue
      raise ResultMismatch.of(
        f"SubGraph '{self.name}' output ({self._output_location}): result {position} has shape"
        f" {got.shape}, {origin} {want.shape}. Declare"
        f" outputs=... with shape {got.shape}, or fix the shape with tf.ensure_shape.",
        found,
      )
    return tensors

  def _check_tracing(self, what: str) -> None:
    if self._graph is None or self._body is not None or not self._is_tracing():
      raise DefinitionError(
        f"{self.name}.{what} is called outside the body of SubGraph '{self.name}'"
        f" ({user_location()}); call it in the `with` block that defines it."
      )

  def _is_tracing(self) -> bool:
    graph = current_graph()
    while graph is not None and graph is not self._graph:
      graph = getattr(graph, "outer_graph", None)
    return graph is not None

  def _complete(self) -> None:
    signature = Signature.of(tuple(self._input_nests))
    args = tf.nest.flatten(self._input_nests, expand_composites=True)
    graph = self._graph
    assert graph is not None and self._result_tensors is not None  # __exit__.
    self._input_signature = signature
    body = Body(self._key, graph, graph.frame, args, self._result_tensors, list(graph.captures))
    self._function = body.make_function("inference")
    self._body = body
    check_base_case([body], {self._key: self.name})
    for location, nest, mapped in self._early_calls:
      self._check_num_args(nest, signature, location)
      signature.check(
        nest,
        f"SubGraph '{self.name}' call site ({location}): argument",
        "Convert the argument, change the input, or declare SubGraph(..., inputs=...), by which"
        " calls before the body are checked while they run.",
        mapped,
      )

  # --- Calls

  def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
    """Calls the SubGraph once.

    Args:
      *args: one value, tensor or nest for each `input`.
      **kwargs: none: inputs have no names.

    Returns:
      The results, in the nest given to `output`.

    Raises:
      SignatureError: If arguments do not match the inputs, or the results of a recursive call have
        to be declared. Shapes that a graph does not know are checked by its run, which fails with
        `tf.errors.InvalidArgumentError`.
      GraphScopeError: If called outside the graph it was defined in.
      DefinitionError: If it has no body yet.
    """
    return self._call(args, kwargs, mapped=False)

  def map(self, /, *args: Any, **kwargs: Any) -> Any:
    """Calls the SubGraph once for each row of its arguments, all concurrently.

    Args:
      *args: as for a single call, with one more leading dimension [N, ...], the same for all; N may
        be known only at run time, and may be 0.
      **kwargs: none.

    Returns:
      The results, stacked to [N, ...].

    Raises:
      As a single call.
    """
    return self._call(args, kwargs, mapped=True)

  def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any], mapped: bool) -> Any:
    location = user_location()
    check_by_position(f"SubGraph '{self.name}'", location, kwargs)
    check_not_compiled(f"SubGraph '{self.name}'", location)
    caller = find_caller(self.name, self._outer_graph)
    if caller is not None:
      results = self._results_for_call_sites(location)
      tensors = self._flatten_args(args, mapped, location)
      caller.called[self._key] = self
      shapes = results
      if mapped and self._body is not None:  # No rows have the shape that others would have.
        shapes = results.refined_by(self._body.results)
      return results.pack(emit_invoke(caller, self._key, tensors, shapes, mapped))
    if self._body is None:
      raise DefinitionError(
        f"SubGraph '{self.name}' is called at {location} before its body is complete. Outside of"
        " bodies it can be called after the `with` block that defines it."
      )
    check_usable(f"SubGraph '{self.name}'", location, args)
    tensors = self._flatten_args(args, mapped, location)
    assert self._results is not None  # It has a body.
    if tf.executing_eagerly():
      return self._results.pack(self._call_eagerly(tensors, mapped))
    for subgraph in self._reachable():
      used = [] if subgraph._body is None else [outer for outer, _ in subgraph._body.captures]
      check_usable(f"SubGraph '{self.name}'", location, used)
    launched = self._launch(tensors, mapped)
    if mapped:
      _set_num_rows(launched, tensors)
    return self._results.pack(launched)

  def _results_for_call_sites(self, location: str) -> Signature:
    """Returns the result signature, by forward declaration while the body is incomplete."""
    known = self._results or self._declared or self._assumed
    if known is not None:
      return known
    try:
      if self._graph is None:
        raise _forward_declaration.Unknown
      self._assumed = _forward_declaration.infer_results(self._graph)
    except _forward_declaration.Unknown:
      if self._graph is not None and self._graph.is_probing:
        raise  # Another conditional around the first call may know.
      raise SignatureError(
        f"SubGraph '{self.name}' call site ({location}): what the call returns is not known yet,"
        " because the body is not complete and no branch without a call shows it. Declare it:"
        f" SubGraph('{self.name}', outputs=tf.TensorSpec(shape, dtype)), or a nest of specs."
      ) from None
    return self._assumed

  def _flatten_args(self, args: Any, mapped: bool, location: str) -> list[tf.Tensor]:
    signature = self._input_signature or self._declared_inputs
    if signature is None and self._graph is not None:
      signature = Signature.of(tuple(self._input_nests))
    if signature is None:  # Declared only: checked when the body is there.
      flat = tf.nest.flatten(args, expand_composites=True)
      tensors = [tf.convert_to_tensor(value) for value in flat]
      nest = tf.nest.pack_sequence_as(args, tensors, expand_composites=True)
      self._early_calls.append((location, nest, mapped))
      return tensors
    self._check_num_args(args, signature, location)
    what = f"SubGraph '{self.name}' call site ({location}): argument"
    return signature.flatten(args, what, "Convert the argument, or change the input.", mapped)

  def _check_num_args(self, args: Any, signature: Signature, location: str) -> None:
    count = len(signature.structure)
    if len(args) != count:
      raise SignatureError(
        f"SubGraph '{self.name}' call site ({location}): {num_arguments(len(args))}, expected"
        f" {count}. Pass one argument for each input of the body."
      )

  def _reachable(self) -> list[SubGraph]:
    """Returns this SubGraph and all that its run can call, this one first."""
    found = {self._key: self}
    agenda = [self]
    while agenda:
      subgraph = agenda.pop()
      if subgraph._body is None:
        raise DefinitionError(
          f"SubGraph '{subgraph.name}' is called by SubGraph '{self.name}', or by one that it"
          " calls, but has no body. Define it before the first call from outside."
        )
      assert subgraph._graph is not None  # It has a body.
      for key, callee in subgraph._graph.called.items():
        if key not in found:
          found[key] = callee
          agenda.append(callee)
    return list(found.values())

  @locked
  def _launch(self, args: list[tf.Tensor], mapped: bool) -> list[tf.Tensor]:
    reachable = self._reachable()
    bodies = [subgraph._body for subgraph in reachable if subgraph._body is not None]
    assert self._body is not None and self._results is not None  # _reachable: all have a body.
    check_base_case(bodies, {subgraph._key: subgraph.name for subgraph in reachable})
    if self.scheduler != "concurrent":
      launched = batched[0].launch(
        bodies,
        args,
        self._results,
        mapped,
        self.max_depth,
        self._batched_policy,
        is_required=self.scheduler == "batched",
      )
      if launched is not None:
        return launched
    serialized = any(reads_and_writes(body.graph) for body in bodies)
    if serialized:
      for subgraph in reachable:
        subgraph._keep_program_order()
    functions = [subgraph._function for subgraph in reachable]
    return emit_launch(
      self._body,
      bodies,
      functions,
      args,
      self._results,
      mapped,
      self.max_depth,
      self._ready_policy,
      serialized,
    )

  def _keep_program_order(self) -> None:
    assert self._body is not None  # _reachable.
    if not self._is_ordered:
      keep_program_order(self._body.graph)
      self._function = self._body.make_function("inference")
      self._is_ordered = True

  def explain(self) -> Any:
    """Tells how calls from outside are run: the blocks, and what cannot be batched, where and why.

    Returns:
      A `recursive_tf.batching.Explanation`; print it.

    Raises:
      DefinitionError: If it, or a SubGraph that it calls, has no body yet.
    """
    reachable = self._reachable()
    bodies = [subgraph._body for subgraph in reachable if subgraph._body is not None]
    return batched[0].explain(bodies, self.scheduler)

  def _call_eagerly(self, args: list[tf.Tensor], mapped: bool) -> list[tf.Tensor]:
    """Calls through a tf.function, which brings tapes, threads and caching of the graph along."""
    call, is_ordered = self._eager_calls.get(mapped) or self._make_eager_call(mapped)
    try:
      return tfi.call_flat(call, args, call.captured_inputs, is_ordered)
    except tf.errors.OpError as error:
      raise told_first(error) from None

  @locked
  def _make_eager_call(self, mapped: bool) -> tuple[tf.types.experimental.ConcreteFunction, bool]:
    if mapped in self._eager_calls:  # By another thread.
      return self._eager_calls[mapped]
    assert self._input_signature is not None  # It has a body.
    specs = list(self._input_signature.specs)
    if mapped:
      shapes = self._input_signature.mapped_shapes()
      specs = [tf.TensorSpec(s, spec.dtype) for s, spec in zip(shapes, specs, strict=True)]
    # One trace: `tf.config.run_functions_eagerly` does not reach it, and it is none that TensorFlow
    # would count as traced again.
    call = tf.function(
      lambda *tensors: self._launch(list(tensors), mapped),
      input_signature=specs,
      autograph=False,
    ).get_concrete_function()
    self._eager_calls[mapped] = call, may_run_in_order(call.graph)
    return self._eager_calls[mapped]

  def __repr__(self) -> str:
    """Describes the SubGraph by name."""
    return f"<SubGraph '{self.name}'>"


def _as_result(value: Any) -> Any:
  if isinstance(value, tf.__internal__.CompositeTensor):
    return value
  return tf.convert_to_tensor(value)


def _set_num_rows(results: list[tf.Tensor], args: list[tf.Tensor]) -> None:
  """Notes what is known of the number of rows of a mapped call; its run refuses others."""
  counts = {arg.shape[0] for arg in args if arg.shape.rank is not None} - {None}
  if len(counts) == 1:
    (count,) = counts
    for result in results:
      if result.shape.rank is not None:
        result.set_shape([count, *result.shape[1:]])
