"""Whether all that a call is given is what the program took it for: none of it is there twice."""

from __future__ import annotations

from collections.abc import KeysView, Sequence

import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.effects._heap_dicts import CHANGED_DICTS
from recursive_tf.convert.effects._places import CONTENT_STEP, CONTENT_STEPS, DICT, DICT_STEP, LIST
from recursive_tf.convert.frame._inputs import ARRAY
from recursive_tf.convert.heap._profile import reaches
from recursive_tf.convert.program._aliases import Aliases
from recursive_tf.convert.program._arguments import CONTAINER, NEST, Argument
from recursive_tf.convert.program._conversion import Conversion
from recursive_tf.convert.program._given import Given
from recursive_tf.convert.values._logits import has_logits


class Distinct:
  """Refuses calls that are given one list or tensor under two names.

  Args:
    arguments: of a single call.
    conversion: of the program, which has settled.
    given: the same arguments.
  """

  def __init__(self, arguments: dict[str, Argument], conversion: Conversion, given: Given):
    self._arguments = arguments
    self._places = conversion.effects.places
    self._guards = conversion.guards
    self._read = conversion.profile.reads(conversion.columns.all.values())
    self._aliases = Aliases(self._places.values(), self._read, self._guards)
    self._changing = conversion.layout.changing.keys()
    self._given = given
    self._known: set[int] | None = None
    self._known_tensors: dict[int, object] | None = None
    self._has_containers = any(map(_may_be_container, arguments.values())) or any(
      place.kind in (LIST, DICT) or place.key in CONTENT_STEPS for place in self._places.values()
    )
    # What is taken as it is, while lists are changed of which only the run knows which ones.
    kinds: list[type] = [list] if CONTENT_STEP in self._places else []
    kinds += CHANGED_DICTS if DICT_STEP in self._places else []
    self._relied = [owner for owner, _ in conversion.guards.relied() if type(owner) in kinds]

  def check_containers(
    self, values: dict[str, object], state: list[object], objects: Sequence[object]
  ) -> None:
    """Refuses this call if a list or dict that changes is also elsewhere in what it is given.

    Args:
      values: the arguments.
      state: lists and dicts in what the places of the program hold.
      objects: all that was walked.
    """
    self._aliases.check(objects)
    if not (self._has_containers or state):
      return
    given = [values[name] for name, a in self._arguments.items() if a.kind == CONTAINER] + state
    given += [one for n, a in self._arguments.items() for one in a.containers(values[n])]
    places = self._places.values()
    changed = given + [place.owner for place in places if place.kind in (LIST, DICT)]
    if self._relied and reaches(objects, self._relied, self._read):
      raise ConversionRefused.of(
        Reason.EFFECT_ORDER,
        "A list or dict outside, which is read as it was, may be changed in the run.",
      )
    if not changed:
      return
    if self._known is None:
      self._known = self._guards.known()
    is_twice = len({id(one) for one in changed}) < len(changed)
    if is_twice or any(id(one) in self._known for one in given):
      raise ConversionRefused.of(
        Reason.SHARED_CONTAINER, "A list that is passed in and changed is used under another name."
      )
    if reaches(objects, changed, self._read):
      raise ConversionRefused.of(
        Reason.EFFECT_ORDER, "A list or dict that is passed in is also a part of an object."
      )

  def check_tensors(self, values: dict[str, object], others: Sequence[Sequence[object]]) -> None:
    """Refuses this call of a step if it is given one tensor under two names, or with logits.

    Args:
      values: the arguments.
      others: what is fed beside them.
    """
    if self._known_tensors is None:
      # Arrays that are read anew for each run are fed by the very names that are relied on.
      self._known_tensors = {
        number: known
        for number, known in self._guards.tensors().items()
        if (number, ARRAY) not in self._changing
      }
    given = self._given.tensors(values)
    for more in others:
      given += more
    _check_tensors(given, self._known_tensors.keys())


def _may_be_container(argument: Argument) -> bool:
  """Tells whether an argument is a list or dict, or is taken apart and may be or hold one."""
  return argument.kind in (CONTAINER, NEST)


def _check_tensors(given: Sequence[object], known: KeysView[int]) -> None:
  """Refuses a call of a step that is given one tensor under two names, which a tape would see.

  Or a tensor that has more to say than its values.

  Args:
    given: what is fed.
    known: the numbers of tensors that the program knows by other names.
  """
  numbers = {id(value) for value in given}
  if len(numbers) < len(given):
    tensors = [id(value) for value in given if isinstance(value, (tf.Tensor, np.ndarray))]
    if len({*tensors}) < len(tensors):
      raise _shared()
  if not known.isdisjoint(numbers):
    raise _shared()
  if any(map(has_logits, given)):
    raise ConversionRefused.of(
      Reason.OPAQUE_READ,
      "A result of Keras' softmax or sigmoid is passed in, with its logits, which losses use.",
    )


def _shared() -> ConversionRefused:
  return ConversionRefused.of(
    Reason.SHARED_CONTAINER, "A tensor that is passed in is also known by another name."
  )
