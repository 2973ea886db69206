"""`itertools`, and `reduce`, `filter` and `math.prod`, on abstract values.

What Python makes one by one is made at once here. `_lazy` watches what that could change: where the
program would see the difference, it is refused.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterable

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics import _generators, _lazy, _written
from recursive_tf.convert.semantics._in_python import run_written
from recursive_tf.convert.semantics._protocols import as_index
from recursive_tf.convert.semantics.builtins import _iterables
from recursive_tf.convert.semantics.builtins._arithmetic import known
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import LocalList, Raises, Rows
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import Endless, Slice, Spread

_NOTHING = object()


def _iterator(
  ip: Host, make: Callable[[], object], values: tuple[object, ...], function: object = None
) -> LocalList:
  reads = () if function is None else _lazy.reads_of_function(function)
  return _lazy.made_by(ip, make, reads, values)


def _known_items(ip: Host, values: tuple[object, ...]) -> list[list[object]] | None:
  """Returns the elements of all values; None if only the run knows how many one of them has."""
  if any(ip.rows_of(value) is not None for value in values):
    return None
  return [ip.fixed_items(value) for value in values]


def chain(ip: Host, *values: object) -> LocalList:
  def make() -> LocalList:
    found = ip.frame.new(LocalList([]))
    for value in values:
      ip.extend(found, value)
    return found

  return _iterator(ip, make, values)


def chain_from_iterable(ip: Host, values: object) -> LocalList:
  return _iterator(
    ip, lambda: run_written(ip, _written.chained, lists=_iterables.to_list(ip, values)), (values,)
  )


def islice(ip: Host, value: object, *bounds: object) -> LocalList:
  _lazy.check_at_once(ip, value)
  if not 1 <= len(bounds) <= 3:
    raise Raises
  indices = [None if bound is None else as_index(ip, bound) for bound in bounds]
  if len(indices) == 1:
    indices = [None, *indices]
  for index in indices:
    if isinstance(index, Number):
      ip.frame.demand(tf.greater_equal(index.tensor, 0))
    elif type(index) is int and index < 0:
      raise Raises
  start, stop, step = (*indices, None)[:3]
  if step == 0:
    raise Raises

  def make() -> object:
    return ip.item(_iterables.to_list(ip, value), Slice(start, stop, step))

  return _iterator(ip, make, (value,))


def pairwise(ip: Host, value: object) -> LocalList:
  def make() -> object:
    values = _iterables.to_list(ip, value)
    return _iterables.zipped(ip, values, ip.item(values, Slice(1, None, None)))

  return _iterator(ip, make, (value,))


def zip_longest(ip: Host, *values: object, fillvalue: object = None) -> LocalList:
  def make() -> object:
    items = _known_items(ip, values)
    if items is not None:
      return ip.frame.new(LocalList(itertools.zip_longest(*items, fillvalue=fillvalue)))
    if len(values) != 2:
      raise ip.frame.refuse(Reason.DYNAMIC_LIST, "zip_longest() of more or less than two lists.")
    first, second = (_iterables.to_list(ip, value) for value in values)
    if all(isinstance(v.content, Rows) and v.content.form is None for v in (first, second)):
      return first  # Nothing is known to be in there.
    return run_written(ip, _written.zipped_to_longest, first=first, second=second, fill=fillvalue)

  return _iterator(ip, make, values)


def product(ip: Host, *values: object, repeat: object = 1) -> LocalList:
  _check_times(ip, repeat)

  def make() -> object:
    items = _known_items(ip, values)
    if items is not None and type(repeat) is int:
      return ip.frame.new(LocalList(known(ip, lambda: itertools.product(*items, repeat=repeat))))
    lists = [_iterables.to_list(ip, value) for value in values]
    count = len(lists) * repeat if type(repeat) is int else 0
    if count not in (2, 3):
      of_run = ip.frame.new(LocalList(lists))
      return run_written(ip, _written.of_each, lists=of_run, times=repeat)
    names = dict(zip(("first", "second", "third"), lists * (count // len(lists)), strict=False))
    return run_written(ip, _written.pairs if count == 2 else _written.triples, **names)

  return _iterator(ip, make, values)


def product_of_all(ip: Host, args: Iterable[object], repeat: object = 1) -> LocalList:
  """Does `product(*lists)` of as many as the run finds, and of others beside them."""
  _check_times(ip, repeat)
  lists = ip.frame.new(LocalList([]))
  for arg in args:
    ip.extend(lists, arg.rows if isinstance(arg, Spread) else (arg,))

  def make() -> object:
    return run_written(ip, _written.of_each, lists=lists, times=repeat)

  return _iterator(ip, make, (lists,))


def _check_times(ip: Host, repeat: object) -> None:
  if type(repeat) is not int and not (isinstance(repeat, Number) and repeat.type is int):
    raise ip.frame.refuse(Reason.NEEDS_VALUE, "product() but a number of times that is an int.")


def arranged(name: str) -> Callable[..., LocalList]:
  """Returns `combinations` or `permutations`."""
  of_two = {"combinations": _written.combined, "permutations": _written.permuted}[name]

  def arrange(ip: Host, iterable: object, r: object = None) -> LocalList:
    def make() -> object:
      items = _known_items(ip, (iterable,))
      if items is not None and type(r) is int:
        found = known(ip, lambda: getattr(itertools, name)(items[0], r))
        return ip.frame.new(LocalList(found))
      if type(r) is not int or r != 2:
        raise ip.frame.refuse(Reason.DYNAMIC_LIST, f"{name}() but of two.")
      return run_written(ip, of_two, values=_iterables.to_list(ip, iterable))

    return _iterator(ip, make, (iterable,))

  return arrange


def accumulate(
  ip: Host, iterable: object, func: object = None, *, initial: object = None
) -> LocalList:
  function = operator.add if func is None else func

  def make() -> object:
    values = _iterables.to_list(ip, iterable)
    if initial is None:
      return run_written(ip, _written.accumulated_from_first, function=function, values=values)
    return run_written(ip, _written.accumulated, function=function, values=values, total=initial)

  return _iterator(ip, make, (iterable,), function)


def starmap(ip: Host, function: object, iterable: object) -> LocalList:
  def make() -> object:
    items = _known_items(ip, (iterable,))
    if items is None:
      values = _iterables.to_list(ip, iterable)
      return run_written(ip, _written.starred, function=function, values=values)
    found = [ip.call(function, ip.fixed_items(args), {}) for args in items[0]]
    return ip.frame.new(LocalList(found))

  return _iterator(ip, make, (iterable,), function)


def filtered(keep: Callable[..., object], ends_early: bool = False) -> Callable[..., LocalList]:
  """Returns `filter` and its like: `keep` is of `_written`."""

  def choose(ip: Host, function: object, iterable: object) -> LocalList:
    if ends_early:
      _lazy.check_at_once(ip, iterable)
    iterable = _generators.gone_over(ip, iterable)
    if function is None and keep is not _written.kept:
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "A filter of None.")

    def make() -> object:
      values = _iterables.to_list(ip, iterable)
      if function is None:
        return run_written(ip, _written.kept_true, values=values)
      return run_written(ip, keep, function=function, values=values)

    return _iterator(ip, make, (iterable,), function)

  return choose


def count(ip: Host, start: object = 0, step: object = 1) -> Endless:
  if type(start) is not int or type(step) is not int:
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "count() of anything but known ints.")
  return Endless(start, step)


def zipped(ip: Host, *values: object, strict: object = False) -> object:
  """Does `zip`, of which some may be without end."""
  ended = [value for value in values if not isinstance(value, Endless)]
  if len(ended) == len(values) or not ended or strict is not False:
    return _iterables.zipped(ip, *values, strict=bool(strict))
  items = _known_items(ip, tuple(ended))
  if items is not None:
    length: object = min(map(len, items))
  else:
    lengths = [_length(ip, value) for value in ended]
    length = lengths[0]
    for other in lengths[1:]:
      length = tf.minimum(length, other)
  columns = [_counted(value, length) if isinstance(value, Endless) else value for value in values]
  return _iterables.zipped(ip, *columns)


def _length(ip: Host, value: object) -> tf.Tensor:
  rows = ip.rows_of(value)
  return tf.constant(len(ip.fixed_items(value))) if rows is None else rows.length


def _counted(endless: Endless, length: object) -> object:
  if type(length) is int:
    return tuple(itertools.islice(itertools.count(endless.start, endless.step), length))
  numbers = endless.start + endless.step * tf.range(tf.cast(length, tf.int64))
  return Rows(length, (numbers,), _forms.NumberForm(int))


def repeat(ip: Host, value: object, times: object = None) -> LocalList:
  if type(times) is not int:
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "repeat() but a known number of times.")
  return _iterator(ip, lambda: ip.frame.new(LocalList([value] * times)), ())


def getter(kind: type) -> Callable[..., object]:
  """Returns `operator.attrgetter` or `itemgetter`, of which the interpreter knows the calls."""

  def make(ip: Host, *parts: object) -> object:
    if not all(isinstance(part, (str, int)) for part in parts):
      raise ip.frame.refuse(Reason.NEEDS_VALUE, f"{kind.__name__}() of what only the run knows.")
    return known(ip, _made, kind, *parts)

  return make


@functools.lru_cache(maxsize=256, typed=True)
def _made(kind: type, *parts: object) -> object:
  """Returns the same getter each time: another one would be another constant of the program."""
  return kind(*parts)


# --- What takes all elements


def reduce(ip: Host, function: object, iterable: object, initial: object = _NOTHING) -> object:
  def consume() -> object:
    values = _iterables.to_list(ip, iterable)
    if initial is not _NOTHING:
      return run_written(ip, _written.reduced, function=function, values=values, total=initial)
    return run_written(ip, _written.reduced_from_first, function=function, values=values)

  return _lazy.interleaved(ip, iterable, consume, function)


def prod(ip: Host, iterable: object, *, start: object = 1) -> object:
  def consume() -> object:
    return run_written(
      ip, _written.multiplied, values=_iterables.to_list(ip, iterable), total=start
    )

  return _lazy.interleaved(ip, iterable, consume)
