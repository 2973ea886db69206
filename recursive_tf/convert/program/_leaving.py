"""Arrays that would leave a program as other objects than Python's."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.effects._places import LOG, Place
from recursive_tf.convert.semantics._arrays import is_numpy
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._forms import EAGER_TENSOR, ArrayForm
from recursive_tf.convert.values._stand_ins import STANDS_FOR


def check_results(
  form: _forms.Form, changed: Collection[_forms.Form], places: Collection[Place]
) -> None:
  """Refuses arrays, and what stands for others, that would leave as other objects than Python's.

  Args:
    form: of what is returned.
    changed: the forms of the lists that are passed in and changed.
    places: what else is written.

  Raises:
    ConversionRefused: If there are any.
  """
  for part, how in (
    (form, "returned"),
    *((one, "put into a list that is passed in") for one in changed),
    *((place.left_form, "printed" if place.kind == LOG else "written") for place in places),
  ):
    for kind in _forms.classes_of_parts(part):
      if kind in STANDS_FOR:
        raise _stays(STANDS_FOR[kind], how)
  returned = [found for found in _forms.arrays(form) if not _is_scalar(found)]
  for found in returned:
    # Of several, or of those in a list, some may be the same object.
    is_only = len(returned) == 1 and not _forms.has_rows(form)
    if not (found.is_known or (is_only and _is_new_or_known(found))):
      raise _leaves(found, "returned")
  for found in (found for part in changed for found in _forms.arrays(part)):
    if not _is_scalar(found) and not found.is_known:
      raise _leaves(found, "put into a list that is passed in")
  for place in places:
    for found in _forms.arrays(place.left_form):
      is_shown = place.kind == LOG and found.types == {np.ndarray}
      if not _is_scalar(found) and not is_shown and not found.is_known:
        raise _leaves(found, "printed" if place.kind == LOG else "written")


def _stays(kind: type, how: str) -> ConversionRefused:
  return ConversionRefused.of(
    Reason.UNSUPPORTED_OPERATION, f"A {kind.__name__} is {how}. Make it a list: list(...)."
  )


def _is_new_or_known(form: ArrayForm) -> bool:
  """Tells whether what no number tells is an array that the program has computed."""
  if form.has_number:
    return EAGER_TENSOR not in form.types  # Which has none either.
  return form.is_new and form.types == {np.ndarray}


def _is_scalar(form: ArrayForm) -> bool:
  return len(form.types) == 1 and all(issubclass(kind, np.generic) for kind in form.types)


def _leaves(form: ArrayForm, how: str) -> ConversionRefused:
  what = "A variable" if not any(map(is_numpy, ([t] for t in form.types))) else "An array of NumPy"
  return ConversionRefused.of(
    Reason.UNSUPPORTED_OPERATION,
    f"{what} is {how}, not a tensor, on some path at least. Make it a tensor:"
    " tf.convert_to_tensor(...).",
  )
