"""What verification needs of a prepared run: ways to run it, and smaller ones of the same kind."""

from __future__ import annotations

import collections
import types
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import tensorflow as tf

from recursive_tf.convert.effects._commit import Outcome
from recursive_tf.convert.program._arguments import OBJECT, Argument, num_rows, rows_of_call
from recursive_tf.convert.program._feeding import Outdated
from recursive_tf.convert.program._programs import Prepared, Programs
from recursive_tf.convert.validation._state import contents_of
from recursive_tf.convert.validation._verification import Subject

_MAX_PARTS = 2_000  # Objects among which smaller arguments are looked for.
_ATOMS = (str, bytes, int, float, type(None), tf.Tensor, np.ndarray, type, types.FunctionType)


def subject_of(
  name: str,
  function: object,
  programs: Programs,
  prepared: Prepared,
  values: dict[str, object],
  plain: Callable[[dict[str, object]], object],
  is_recording: bool,
) -> Subject:
  """Returns a run as what verification checks.

  Args:
    name: of the function.
    function: the plain function.
    programs: all programs of it.
    prepared: the program and what to feed it.
    values: the arguments.
    plain: calls the plain function with arguments by name.
    is_recording: whether gradients are compared.
  """
  program, arguments = prepared.program, prepared.arguments
  count = num_rows(arguments, values)
  graph = programs.graph(program, arguments)

  def run() -> Callable[[Sequence[int] | None], Outcome]:
    fed = prepared.tensors, prepared.objects
    if is_recording:
      fed = programs.feed(program, arguments, values)  # Again, so that the tape sees it.
    tensors, objects = fed
    found = graph.run(tensors)

    def outcome(rows: Sequence[int] | None) -> Outcome:
      if rows is None:
        return program.outcome(graph, found, objects, values, count)
      chosen = [tf.gather(tensor, rows) for tensor in found[:-1]]  # The last counts the rows.
      return program.outcome(graph, chosen, objects, values, len(rows))

    return outcome

  def smaller(row: dict[str, object]) -> Iterator[Subject]:
    single = {key: argument.single() for key, argument in arguments.items()}
    for values in _smaller(single, row, program.root_types):
      try:
        fed = programs.feed(program, single, values)
      except Outdated:
        continue
      inner = Prepared(prepared.entry, program, single, frozenset(), prepared.key, *fed)
      found = subject_of(name, function, programs, inner, values, plain, is_recording)
      yield found.without_smaller()

  return Subject(
    name=name,
    function=function,
    values=values,
    rows=lambda: [values] if count is None else list(rows_of_call(arguments, values)),
    is_mapped=count is not None,
    run=run,
    plain=plain,
    is_random=program.conversion.is_random,
    is_recording=is_recording,
    # What the smaller ones write would stay.
    smaller=smaller if program.step is None else lambda row: iter(()),
    variables=program.variables,
  )


def _smaller(
  arguments: dict[str, Argument], values: dict[str, object], root_types: dict[str, frozenset[type]]
) -> Iterator[dict[str, object]]:
  """Yields the arguments with a part in place of an object, the smallest first."""
  for name, argument in arguments.items():
    if argument.kind != OBJECT:
      continue
    whole = values[name]
    parts = [p for p in _parts(whole) if p is not whole and type(p) in root_types[name]]
    for part in sorted(parts, key=lambda p: sum(1 for _ in _parts(p))):
      yield {**values, name: part}


def _parts(value: object) -> Iterator[object]:
  """Yields the objects behind a value, itself first."""
  seen: set[int] = set()
  agenda = collections.deque([value])
  while agenda and len(seen) < _MAX_PARTS:
    value = agenda.popleft()
    if id(value) in seen or isinstance(value, _ATOMS):
      continue
    seen.add(id(value))
    yield value
    agenda.extend(contents_of(value).values())
