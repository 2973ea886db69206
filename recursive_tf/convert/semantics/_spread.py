"""`*rows` in a call: as many arguments as the run finds, of which some get names."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._rows import concatenated, rows_of_items
from recursive_tf.convert.semantics import _items
from recursive_tf.convert.values._abstract import Bottom, Rows
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import Slice, Spread

_MOST_BRANCHES = 4  # Numbers of arguments that a call may take, each of which is a branch.


def spread(args: Sequence[object]) -> Spread | None:
  """Returns `*rows` among the arguments of a call."""
  return next((arg for arg in args if isinstance(arg, Spread)), None)


def in_one(ip: Host, args: list[object]) -> list[object]:
  """Returns arguments of which `*rows` is the last, with all that came after it."""
  place = next((i for i, arg in enumerate(args) if isinstance(arg, Spread)), len(args))
  if place >= len(args) - 1:
    return args
  parts = [
    arg.rows if isinstance(arg, Spread) else rows_of_items(ip.frame, [arg]) for arg in args[place:]
  ]
  rows = functools.reduce(functools.partial(concatenated, ip.frame), parts)
  return [*args[:place], Spread(dataclasses.replace(rows, type=tuple))]


def is_by_name(parameters: inspect.Signature, args: Sequence[object]) -> bool:
  """Tells whether elements of `*rows`, the last of the arguments, get names, or have no place."""
  return not _takes_any(parameters) or bool(_slots(parameters, args))


def _takes_any(parameters: inspect.Signature) -> bool:
  kinds = [parameter.kind for parameter in parameters.parameters.values()]
  return inspect.Parameter.VAR_POSITIONAL in kinds


def _slots(parameters: inspect.Signature, args: Sequence[object]) -> list[inspect.Parameter]:
  """Returns the parameters with a name that come after those of the other arguments."""
  positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
  named = [one for one in parameters.parameters.values() if one.kind in positional]
  return named[len(args) - 1 :]


def by_name(
  ip: Host,
  parameters: inspect.Signature,
  args: Sequence[object],
  kwargs: Mapping[str, object],
  call: Callable[[list[object]], object],
) -> object:
  """Calls a function with the elements of `*rows`, which are the last arguments, one by one.

  Where defaults leave open how many there are, each number is a branch. Python raises for any
  other: the run fails.

  Args:
    ip: the interpreter.
    parameters: the parameters of the function.
    args: the arguments in their order.
    kwargs: the arguments by name.
    call: calls the function with the arguments in their order.
  """
  *first, last = args
  assert isinstance(last, Spread)  # `in_one` has seen to it.
  slots = _slots(parameters, args)
  given_twice = [place for place, one in enumerate(slots) if one.name in kwargs]
  takes_more = _takes_any(parameters) and not given_twice
  slots = slots[: given_twice[0]] if given_twice else slots
  needed = sum(one.default is inspect.Parameter.empty for one in slots)
  most = len(slots)
  if most - needed >= _MOST_BRANCHES:
    what = "* of a list whose length only the run knows, for many parameters with defaults."
    raise ip.frame.refuse(Reason.DYNAMIC_LIST, what)

  def call_with(count: int) -> object:
    is_last = count == most
    rows, more = last.rows, is_last and takes_more
    fits = rows.length >= count if more else tf.equal(rows.length, count)
    length = ip.frame.check(rows.length, fits, "as many arguments as the function takes")
    rows = Rows(length, rows.tensors, rows.form, tuple)
    if count and rows.form is None:
      raise Bottom  # What the elements are is not known yet.
    given = [*first, *(_items.item_of_rows(ip, rows, place) for place in range(count))]
    if more:
      rest = _items.item_of_rows(ip, rows, Slice(count, None, None))
      assert isinstance(rest, Rows)  # Of a tuple.
      given.append(Spread(rest))
    return call(given)

  def choose(count: int) -> object:
    if count == most:
      return call_with(count)
    is_it = Number(tf.equal(last.rows.length, count), bool)
    return ip.frame.cond(is_it, lambda: call_with(count), lambda: choose(count + 1))

  return choose(needed)
