"""`@rtf.recursive`, the decorator."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import ParamSpec, TypeVar, overload

from recursive_tf.convert.decorated._decorated import decorated
from recursive_tf.convert.recursive._function import RecursiveFunction
from recursive_tf.convert.recursive._generators import RecursiveGenerator

_P = ParamSpec("_P")
_R = TypeVar("_R")


@overload
def recursive(
  function: Callable[_P, _R], *, strict: bool = False, verify: bool | None = None
) -> RecursiveFunction[_P, _R]: ...


@overload
def recursive(
  function: None = None, *, strict: bool = False, verify: bool | None = None
) -> Callable[[Callable[_P, _R]], RecursiveFunction[_P, _R]]: ...


def recursive(
  function: Callable[..., object] | None = None,
  *,
  strict: bool = False,
  verify: bool | None = None,
) -> object:
  """Runs a recursive Python function over objects as one recursive graph.

  ```python
  @rtf.recursive
  def encode(node):
    if node.is_leaf:
      return cell.leaf(embedding(node.word))
    return cell.inner(encode(node.left), encode(node.right))

  h, c = encode(tree)
  states = encode.map(trees)
  ```

  Values, gradients, exceptions, output and the state of objects afterwards are those of plain
  Python. docs/recursive.md says what is converted; `encode.explain()` what was, and what was not.

  Args:
    function: the function or method.
    strict: raise `ConversionRefused` where the plain function would be run instead.
    verify: whether runs of the graph are compared with plain Python before they count: True for
      all, False for none, None for the first run of each graph and then ever fewer, as long as they
      take at most 2% of the function's time. RECURSIVE_TF_VERIFY says what None means.

  Returns:
    A `RecursiveFunction`.
  """
  if function is None:
    return lambda found: recursive(found, strict=strict, verify=verify)
  is_generator = isinstance(function, types.FunctionType) and inspect.isgeneratorfunction(function)
  kind = RecursiveGenerator if is_generator else RecursiveFunction
  return decorated(kind, function, strict, verify)
