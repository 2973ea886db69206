"""Translation validation: a run is checked against plain Python before it counts.

The graph runs first, its effects held back (`Outcome`). Then plain Python runs for real, and what
it did is compared with what the graph would have done: results, writes, output, exceptions and,
under a tape, gradients. After Pnueli, Siegel and Singerman, "Translation validation", TACAS 1998:
not the converter is proved, but each of its translations is tried.
"""

from __future__ import annotations

import collections
import contextlib
import contextvars
import dataclasses
import functools
import io
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from typing import TypeVar

import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._signals import let_out
from recursive_tf.convert.effects._commit import Outcome
from recursive_tf.convert.program._stats import Stats
from recursive_tf.convert.program._steps import Variables
from recursive_tf.convert.validation._compare import Comparison, Difference, describe, keys_text
from recursive_tf.convert.validation._held_output import HeldOutput
from recursive_tf.convert.validation._state import Contents, Snapshot, contents_of
from recursive_tf.convert.values import _containers

MAX_SHARE = 0.02  # Of a function's time that checks may take, but for the first of each graph.
_MAX_SOURCES = 1_000  # Tensors whose gradients are compared.
_MAX_SHRINKS = 24
_SHRINK_SECONDS = 2.0
_MAX_GRAPHS = 1_000  # Of one function, whose runs are counted; the one met first is forgotten.
_T = TypeVar("_T")
_Run = Callable[[Sequence[int] | None], Outcome]  # What a run gives, of a choice of rows.
_SMALLEST = ". The smallest arguments found that show it: "


class Schedule:
  """Says which runs of a function are checked. Not thread-safe."""

  def __init__(self, verify: bool | None, stats: Stats):
    """Makes a schedule.

    Args:
      verify: True for all runs, False for none, None for the first of each graph and then ever
        fewer, within a share of the time.
      stats: of the function; it says how long calls and checks have taken.
    """
    self.verify = verify
    self._stats = stats
    self._num_runs: collections.Counter[object] = collections.Counter()
    self._last_seconds: dict[object, float] = {}

  def is_due(self, graph: object) -> bool:
    """Tells whether the next run of a graph is checked, and counts it."""
    self._num_runs[graph] += 1
    if len(self._num_runs) > _MAX_GRAPHS:
      oldest = next(iter(self._num_runs))
      del self._num_runs[oldest]
      self._last_seconds.pop(oldest, None)
    if self.verify is not None:
      return self.verify
    number = self._num_runs[graph]
    is_power = number & (number - 1) == 0
    return number == 1 or (is_power and self._last_seconds.get(graph, 0.0) <= self.allowance)

  def failed(self, graph: object) -> None:
    """Notes that a run which was due has failed, and has shown nothing."""
    if graph in self._num_runs:
      self._num_runs[graph] -= 1

  @property
  def allowance(self) -> float:
    """The seconds that checks may take now."""
    if self.verify:
      return float("inf")
    return MAX_SHARE * self._stats.total_seconds - self._stats.verify_seconds

  def note(self, graph: object, seconds: float) -> None:
    """Notes that a run was checked, and what that took."""
    self._stats.num_verified_runs += 1
    self._stats.verify_seconds += seconds
    self._last_seconds[graph] = seconds


@dataclasses.dataclass(frozen=True)
class Subject:
  """A run to be checked.

  Attributes:
    name: of the function.
    function: the plain function.
    values: the arguments of the call by name.
    rows: makes those of each row; of a single call, one.
    is_mapped: whether it is a mapped one.
    run: runs the graph and returns its tensors, and the `Outcome` of a choice of rows.
    plain: calls the plain function with arguments by name.
    is_random: whether it draws random numbers.
    is_recording: whether a tape is watching, so that gradients are compared.
    smaller: gives runs with smaller arguments of the same kinds than those of a row.
    variables: those that the graph may write itself, unlike all else that it does.
  """

  name: str
  function: object
  values: dict[str, object]
  rows: Callable[[], Sequence[dict[str, object]]]
  is_mapped: bool
  run: Callable[[], _Run]
  plain: Callable[[dict[str, object]], object]
  is_random: bool
  is_recording: bool
  smaller: Callable[[dict[str, object]], Iterator[Subject]]
  variables: Variables | None = None

  def without_smaller(self) -> Subject:
    """Returns the same for a search among smaller arguments, which need no smaller ones."""
    return dataclasses.replace(self, smaller=lambda row: iter(()))


@dataclasses.dataclass(frozen=True)
class Verdict:
  """What a check found.

  Attributes:
    difference: the report; None if all is the same.
    outcome: the graph's. Of a single call only its result counts, Python has done the rest.
    has_python_run: whether plain Python has done all that the call should do.
    result, error: what Python returned or raised then.
    notes: what could not be compared.
    graph_seconds: what the run of the graph took.
  """

  difference: str | None
  outcome: Outcome
  has_python_run: bool
  result: object = None
  error: Exception | None = None
  notes: frozenset[str] = frozenset()
  graph_seconds: float = 0.0


def check(subject: Subject, seconds: float) -> Verdict:
  """Runs a graph and plain Python and compares them.

  Args:
    subject: what to check.
    seconds: how long to go on to further rows of a mapped run; at least one is checked.

  Returns:
    The verdict. If Python cannot follow, because the tree is too deep for it, nothing has happened.

  Raises:
    tf.errors.OpError: If the run of the graph fails; nothing has happened then.
  """
  return _Check(subject).run(seconds)


class _Check:
  """One check."""

  def __init__(self, subject: Subject):
    self.subject = subject
    self.snapshot = Snapshot([*subject.values.items(), (subject.name, subject.function)])
    self.comparison = Comparison(self.snapshot, subject.is_random)
    self.notes: set[str] = set()
    self.left: list[object] = []  # What the graph's run left in the variables.
    # None where no gradients are compared.
    self.graph_tape = tf.GradientTape() if subject.is_recording and not subject.is_random else None

  def run(self, seconds: float) -> Verdict:
    """Makes the check."""
    start = time.perf_counter()
    outcome_of, whole = self._in_graph(self._begin)
    graph_seconds = time.perf_counter() - start
    if self.subject.is_mapped:
      verdict = self._mapped(whole, outcome_of, seconds)
    else:
      verdict = self._single(whole)
    return dataclasses.replace(verdict, graph_seconds=graph_seconds)

  def _begin(self) -> tuple[Callable[[Sequence[int] | None], Outcome], Outcome]:
    if self.graph_tape is not None:
      for tensor in self._sources():
        self.graph_tape.watch(tensor)
    variables = self.subject.variables
    if variables is None:
      outcome_of = self.subject.run()
      return outcome_of, outcome_of(None)
    before = variables.read()
    try:
      outcome_of = self.subject.run()
      self.left = variables.read()
      return outcome_of, outcome_of(None)
    finally:
      variables.put(before)

  def _in_graph(self, function: Callable[[], _T]) -> _T:
    """Calls a part of the graph's side, which only its own tape sees.

    Tapes belong to threads. With the caller's watching, too, TensorFlow would make gradients that
    have gradients, which takes longer than all else here; with one it makes what the caller's next
    runs need.
    """
    tape = self.graph_tape
    if tape is None:
      return function()

    def taped() -> _T:
      with tape:
        return function()

    with futures.ThreadPoolExecutor(1) as pool:
      return pool.submit(contextvars.copy_context().run, taped).result()

  def _for_user(self, outcome: Outcome) -> Outcome:
    """Returns the graph's outcome as the caller's tapes see it, if the caller is to have it."""
    return outcome if self.graph_tape is None else self.subject.run()(None)

  def _single(self, outcome: Outcome) -> Verdict:
    self.snapshot.add(write.owner for write in outcome.writes)
    predicted = self.snapshot.predicted(outcome.writes)
    text = self._text(outcome)
    result, error = None, None
    with HeldOutput() as held, self._tape() as plain_tape:
      try:
        result = self.subject.plain(self.subject.values)
      except RecursionError as too_deep:
        self.notes.add("the recursion is too deep for plain Python")
        if not self.snapshot.is_complete:  # What Python has done so far cannot be put back.
          return Verdict(None, outcome, True, None, too_deep, self._all_notes())
        held.released = False
        self.snapshot.restore()
        if self.subject.variables is not None and self.graph_tape is None:
          self.subject.variables.put(self.left)
        return Verdict(None, self._for_user(outcome), False, notes=self._all_notes())
      except Exception as raised:  # Whatever the program raises is what the user gets.
        let_out(raised)  # That is not the program's.
        error = raised
    # The run would not have counted: Python does.
    if not outcome.counts or (error is not None and outcome.fails()):
      return Verdict(None, outcome, True, result, error, self._all_notes())
    try:
      if error is not None:
        raise Difference(f"plain Python raises {type(error).__name__}: {error}; the graph does not")
      self.comparison.check(result, outcome.result, "the result")
      self._compare_state(predicted)
      self._compare_variables()
      if text is not None:
        self.comparison.check_text(held.text, text)
      self._compare_gradients(plain_tape)
    except Exception as difference:  # Also a fault of the comparison: Python has run, once.
      let_out(difference)
      report = self._report(_reason(difference), self.subject.values)
      return Verdict(report, outcome, True, result, error, self._all_notes())
    return Verdict(None, outcome, True, result, None, self._all_notes())

  def _mapped(self, whole: Outcome, outcome_of: _Run, seconds: float) -> Verdict:
    start = time.perf_counter()
    rows = self.subject.rows()
    position = 0
    try:
      with contextlib.ExitStack() as stack:
        held = stack.enter_context(HeldOutput())
        held.released = False  # What a program without effects prints is nothing, or a fault.
        plain_tape = stack.enter_context(self._tape())
        order = _by_size(rows)
        rows = self.subject.rows()  # Again: now the tape sees how they come from the arguments.
        for position in order:
          chosen = self._in_graph(functools.partial(outcome_of, [position]))
          self._row(rows[position], chosen)
          if time.perf_counter() - start > seconds:
            break
      if held.text:
        raise Difference(f"plain Python prints {held.text!r}, the graph nothing")
      self._compare_state({})
      self._compare_gradients(plain_tape)
    except Exception as difference:  # As above.
      self.snapshot.restore()
      let_out(difference)
      report = self._report(_reason(difference), rows[position])
      return Verdict(report, whole, False, notes=self._all_notes())
    return Verdict(None, self._for_user(whole), False, notes=self._all_notes())

  def _row(self, row: dict[str, object], outcome: Outcome) -> None:
    try:
      result = self.subject.plain(row)
    except RecursionError:
      self.notes.add("the recursion is too deep for plain Python")
      return
    except Exception as error:
      text = f"plain Python raises {type(error).__name__}: {error}; the graph does not"
      raise Difference(text) from None
    self.comparison.check(_containers.stacked([result]), outcome.result, "the result")

  @contextlib.contextmanager
  def _tape(self) -> Iterator[object]:
    if self.graph_tape is None:
      yield None
      return
    with tf.GradientTape() as tape:
      for tensor in self._sources():
        tape.watch(tensor)
      yield tape

  def _sources(self) -> list[tf.Tensor]:
    found = [t for t in self.snapshot.tensors if t.dtype.is_floating]
    return found[:_MAX_SOURCES]

  def _text(self, outcome: Outcome) -> str | None:
    """Returns what the graph prints; None where that cannot be compared."""
    if any(site.options.get("file") is not None for site, _ in outcome.prints):
      self.notes.add("what is printed to files is not compared")
      return None
    found = outcome.taken_texts()
    if found is None:
      self.notes.add("what is printed raises")
      return None
    printed = io.StringIO()
    for site, texts in found:
      site.print(texts, printed)
    return printed.getvalue()

  def _compare_state(self, predicted: dict[int, Contents]) -> None:
    for owner, before, now, expected in self.snapshot.compared(predicted):
      if self.subject.variables is not None and owner in self.subject.variables:
        continue
      for slot in {**now, **expected}:
        where = self.snapshot.place(owner, slot)
        if (slot in now) != (slot in expected) and not self.subject.is_random:
          raise Difference(_only_on_one_side(where, slot, before, now, expected))
        if slot in now and slot in expected:
          self.comparison.check(now[slot], expected[slot], where)
      is_ordered = not isinstance(owner, set)
      if is_ordered and now.keys() == expected.keys() and list(now) != list(expected):
        where = self.snapshot.place(owner, ("", None))
        orders = f"{keys_text(now)}, by the graph {keys_text(expected)}"
        raise Difference(f"{where} has the order {orders}")
    if not self.snapshot.is_complete:
      self.notes.add("state behind more than 100,000 objects is not compared")

  def _compare_variables(self) -> None:
    variables = self.subject.variables
    if variables is None:
      return
    for index, (now, left) in enumerate(zip(variables.read(), self.left, strict=True)):
      self.comparison.check(now, left, variables.describe(index))

  def _compare_gradients(self, plain_tape: tf.GradientTape) -> None:
    pairs = self.comparison.pairs
    if self.graph_tape is None or not pairs:
      return
    tapes = plain_tape, self.graph_tape
    variables = {id(v): v for tape in tapes for v in tape.watched_variables()}
    sources = [*variables.values(), *self._sources()]
    weights = [_weights(a, i) for i, (a, _) in enumerate(pairs)]
    with tfi.stop_recording():
      plain, graph = (
        tape.gradient([pair[side] for pair in pairs], sources, output_gradients=weights)
        for side, tape in enumerate(tapes)
      )
      for source, a, b in zip(sources, plain, graph, strict=True):
        self.comparison.check_gradient(a, b, getattr(source, "name", None) or "a tensor")

  def _report(self, difference: str, row: dict[str, object]) -> str:
    """Returns what a user is told, with the smallest arguments that show a difference."""
    shown = row
    # Only a search for a better report: Python has run, so that nothing may leave it.
    with contextlib.suppress(Exception):
      deadline = time.perf_counter() + _SHRINK_SECONDS
      for smaller in itertools.islice(self.subject.smaller(row), _MAX_SHRINKS):
        if time.perf_counter() > deadline:
          break
        found = _difference_of(smaller)
        if found is not None:
          difference, shown = found, smaller.values
          break
    arguments = ", ".join(f"{name}={describe(value)}" for name, value in shown.items())
    return f"{difference}{_SMALLEST}{arguments}"

  def _all_notes(self) -> frozenset[str]:
    notes = self.notes | self.comparison.notes
    if self.subject.is_random:
      notes.add("random values are compared by type and shape alone")
    return frozenset(notes)


def _reason(error: Exception) -> str:
  if isinstance(error, Difference):
    return str(error)
  return f"the two could not be compared ({type(error).__name__}: {error}); please report it"


def _only_on_one_side(
  where: str,
  slot: tuple[str, object],
  before: Contents,
  now: Contents,
  expected: Contents,
) -> str:
  shown = describe((now if slot in now else expected)[slot])
  if slot in before:
    who, other = ("the graph", "plain Python") if slot in now else ("plain Python", "the graph")
    return f"{where}, {shown}, is taken away by {who}, not by {other}"
  who, other = ("plain Python", "the graph") if slot in now else ("the graph", "plain Python")
  return f"{where} gets {shown} by {who}, nothing by {other}"


def _difference_of(subject: Subject) -> str | None:
  """Returns how a smaller run differs, if it does and says so; nothing of it stays."""
  trial = _Check(subject)
  with HeldOutput() as held:
    held.released = False
    try:
      verdict = trial.run(0.0)
    except Exception:  # The run of the smaller one fails: try the next.
      return None
    finally:
      trial.snapshot.restore()
  return verdict.difference.split(_SMALLEST)[0] if verdict.difference else None


def _weights(tensor: tf.Tensor, number: int) -> tf.Tensor:
  """Returns output gradients that tell all elements apart."""
  weights = np.cos(np.arange(np.prod(tensor.shape, dtype=int)) + 2 * number + 1)
  return tf.constant(weights.reshape(tensor.shape), tensor.dtype)


def _by_size(rows: Sequence[dict[str, object]]) -> list[int]:
  """Returns the rows' positions, smaller objects first, those without parts last."""
  sizes = [sum(map(_size, row.values())) for row in rows]
  smallest = min(sizes)
  return sorted(range(len(rows)), key=lambda i: (sizes[i] == smallest < max(sizes), sizes[i]))


def _size(value: object) -> int:
  """Returns how many objects are behind a value, as far as that is quickly found."""
  seen: set[int] = set()
  agenda = [value]
  while agenda and len(seen) < 200:
    value = agenda.pop()
    if id(value) in seen or isinstance(value, (str, int, float, tf.Tensor, np.ndarray, type)):
      continue
    seen.add(id(value))
    agenda.extend(contents_of(value).values())
  return len(seen)
