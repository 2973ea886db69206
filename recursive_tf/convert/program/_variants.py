"""The variants of one function: a SubGraph for each kind of arguments that it is called with.

Calls that differ in data share a SubGraph; other constants, functions, or lists of another length
make another one. A list that has ever other lengths is one of unknown length from then on. What
makes ever more variants otherwise is refused at once: there would be no end. A string to which each
call in a call adds something is one that only the run knows from then on. An argument that each
call in a call puts into another tuple, list, dict or object has no end, if all else is the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._frame import Frame
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import Bottom

_MAX_VARIANTS = 24  # Of one function.
_MAX_LENGTHS = 3  # Of a list in one place, before it is one of unknown length.
_MAX_DEPTH = 5  # Calls in calls, each with what the one around it was given in another nest.
_MAX_GROWTH = 2  # Calls in calls, each with a string made of the one around it.

Key = Any  # The function, and by parameter what of the form is no data.


class Endless(Exception):  # noqa: N818 - control flow, becomes a refusal where attempts begin
  """There are ever more variants. No refusal: those of one branch only are put off.

  Its only argument is the refusal.
  """


class Variants:
  """The variants of all functions of one conversion; kept from attempt to attempt.

  Attributes:
    forms: of the parameters, by variant.
  """

  def __init__(self) -> None:
    self.forms: dict[Key, tuple[_forms.BaseForm, ...]] = {}
    self._callers: dict[Key, Key | None] = {}
    # Functions, and where lists and strings may be any.
    self._open: set[tuple[int, object]] = set()
    self._made: set[tuple[int, object]] = set()  # Functions, and what is known by a number.

  def is_made(self, function: int, name: object) -> bool:
    """Tells whether an argument is known by a number, as an object that the run makes."""
    return (function, name) in self._made

  def opened(self, function: int, name: object, form: _forms.BaseForm) -> _forms.BaseForm:
    """Returns the form of an argument, for any list or string where there are many."""
    return self._opened(function, (name,), form) if self._open else form

  def _opened(
    self, function: int, path: tuple[object, ...], form: _forms.BaseForm
  ) -> _forms.BaseForm:
    if (function, path) in self._open:
      if isinstance(form, _forms.StaticForm) and type(form.value) is str:
        return _forms.TextForm()
      found = _of_any_length(form)
      return form if found is None else found
    if not isinstance(form, _forms.NestForm):
      return form
    parts = tuple(
      self._opened(function, (*path, key), part)
      for key, part in zip(form.keys, form.parts, strict=True)
    )
    return _forms.NestForm(form.type, form.keys, parts)

  def admit(
    self, frame: Frame, key: Key, forms: tuple[_forms.BaseForm, ...], node: ast.AST
  ) -> None:
    """Adds a variant of the function that `node` defines.

    Raises:
      Bottom: If the next attempt makes it one with others.
      Endless: If there are too many.
    """
    own = {other: known for other, known in self.forms.items() if other[0] == key[0]}
    self._callers.setdefault(key, frame.key)
    literals = frozenset(n.value for n in ast.walk(node) if isinstance(n, ast.Constant))
    names = self._growing(frame, key, literals)
    growing: set[tuple[int, object]] = {(key[0], (name,)) for name in names}
    if growing:
      self._open_all(growing, own)
    deeper = self._deepening(key, frame.key)
    if deeper is not None and self._can_be_made(key, forms, deeper):
      self._made.add((key[0], deeper))
      self._forget(own)
    if deeper is not None:
      text = f"Each call in a call puts {_shown(deeper)} into another nest: there would be no end."
      raise Endless(frame.refuse(Reason.TOO_MANY_VARIANTS, text))
    lengths: dict[object, set[int]] = {}
    for of_key, known in (*own.items(), (key, forms)):  # Functions in it may bring other names.
      for (name, _), form in zip(of_key[1], known, strict=True):
        for path, length in _lengths(form, (name,)):
          lengths.setdefault(path, set()).add(length)
    many = {(key[0], path) for path, found in lengths.items() if len(found) > _MAX_LENGTHS}
    if many - self._open:
      self._open_all(many, own)
    if len(own) >= _MAX_VARIANTS:
      raise Endless(_too_many(frame, [*own, key]))

  def _open_all(self, places: set[tuple[int, object]], own: Iterable[Key]) -> NoReturn:
    self._open |= places
    self._forget(own)

  def _forget(self, own: Iterable[Key]) -> NoReturn:
    for key in own:
      del self.forms[key]
    raise Bottom

  def _can_be_made(self, key: Key, forms: tuple[_forms.BaseForm, ...], name: object) -> bool:
    """Tells whether an argument can be known by a number, as an object that the run makes."""
    found = [form for (one, _), form in zip(key[1], forms, strict=True) if one == name]
    return all(map(_forms.can_be_made, found))

  def _growing(self, frame: Frame, key: Key, literals: frozenset[object]) -> Iterator[object]:
    """Yields the parameters for strings to which each call in a call adds something.

    Raises:
      Endless: If these are bytes.
    """
    for name, found in key[1]:
      if not (isinstance(found, tuple) and found[0] in (str, bytes)):
        continue
      chain = self._chain(name, found, key, frame.key)
      if len(chain) <= _MAX_GROWTH or literals.issuperset(chain):
        continue
      if found[0] is bytes:
        text = ", ".join(map(repr, chain[::-1]))
        raise Endless(
          frame.refuse(
            Reason.TOO_MANY_VARIANTS,
            f"The string {_shown(name)} grows with each call ({text}, ...): each would be a"
            " SubGraph of its own.",
          )
        )
      yield name

  def _deepening(self, key: Key, caller: Key | None) -> object:
    """Returns the parameter that each call in a call is given in another nest; None if none is.

    Where anything else of a call is another constant, that may end it.
    """
    count, name = 0, None
    while caller is not None and count <= _MAX_DEPTH:
      if caller[0] == key[0]:
        pairs = zip(key[1], caller[1], strict=False)
        differing = [(new, old) for new, old in pairs if new != old]
        names = {new[0] for new, _ in differing} | {old[0] for _, old in differing}
        if len(names) != 1 or not _is_part(differing[0][1][1], differing[0][0][1]):
          return None
        (now,) = names
        if name is not None and name != now:
          return None
        key, name, count = caller, now, count + 1
      caller = self._callers.get(caller)
    return name if count > _MAX_DEPTH else None

  def _chain(
    self, name: object, found: tuple[object, str], key: Key, caller: Key | None
  ) -> list[str]:
    """Returns a string, and the shorter and shorter ones of the calls around, all parts of it."""
    chain = [found[1]]
    while caller is not None and len(chain) <= _MAX_GROWTH:
      if caller[0] == key[0]:
        around = dict(caller[1]).get(name)
        if not isinstance(around, tuple) or around[0] is not found[0] or around[1] not in chain[-1]:
          break
        chain += [around[1]] if around[1] != chain[-1] else []
      caller = self._callers.get(caller)
    return chain


def _is_part(part: object, whole: object) -> bool:
  """Tells whether the skeleton of a form is somewhere in that of a nest, and not all of it."""
  if not isinstance(whole, tuple):
    return False
  is_constant = len(whole) == 2 and whole[0] is tuple
  inside = whole[2] if len(whole) == 3 else whole[1] if is_constant else ()
  return any(part == inner or _is_part(part, inner) for inner in inside)


def _too_many(frame: Frame, keys: list[Key]) -> ConversionRefused:
  known = [dict(key[1]) for key in keys]  # Of other functions other variables are around them.
  names = list(known[0])
  differing = [name for name in names if len({one.get(name) for one in known}) > 2]
  text = " and ".join(map(_shown, differing or names))
  refusal: ConversionRefused = frame.refuse(
    Reason.TOO_MANY_VARIANTS,
    f"Calls pass more than {_MAX_VARIANTS} different functions or constants as {text}.",
  )
  return refusal


def _shown(name: object) -> str:
  """Returns what messages call a parameter, or a variable around a function."""
  return repr(name[1] if isinstance(name, tuple) else name)


def _lengths(form: _forms.BaseForm, path: tuple[object, ...]) -> Iterator[tuple[object, int]]:
  """Yields where lists and tuples of known length, which might be of any, are in a form."""
  if _of_any_length(form) is not None:
    parts = _forms.parts_of_form(form)
    yield path, len(parts or ())
  if isinstance(form, _forms.NestForm):
    for key, part in zip(form.keys, form.parts, strict=True):
      yield from _lengths(part, (*path, key))


def _of_any_length(form: _forms.BaseForm) -> _forms.Form:
  """Returns the form of a list or tuple of known length as one of unknown length; None if none."""
  kind = _forms.sequence_type(form)
  parts = _forms.parts_of_form(form)
  if kind not in (list, tuple) or parts is None or isinstance(form, _forms.RowsForm):
    return None
  try:
    return _forms.join(_forms.RowsForm(None, kind), form)
  except _forms.Mismatch:
    return None


def skeleton(form: _forms.BaseForm | None) -> object:
  """Returns what of a form tells variants of one function apart: all that is not data."""
  return "data" if form is None else form.skeleton()
