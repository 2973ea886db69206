"""What one conversion may cost, and what it has cost so far.

A conversion runs the user's program on abstract values. Loops over what is known at conversion are
unrolled, helpers are inlined, loops in loops are tried out again and again: a short program can
make a conversion that never ends. So each step is counted; beyond the limits the program is
refused, with the line that took the most.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import sys
import time
import traceback
from collections.abc import Iterator

from recursive_tf import _collection
from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import ConversionRefused, Origin, Reason
from recursive_tf.convert._stack import frames_in_use
from recursive_tf.convert.syntax.source import FunctionSource

_STEPS_PER_CHECK = 8
_CHECKS_PER_LOOK = 128  # Looking at the memory takes the time of some steps.
_PAGE_BYTES = 4096
_FRAMES_OF_LIBRARIES = 40  # How far below Python's limit a call into a library may fail by it.


@dataclasses.dataclass(frozen=True)
class Limits:
  """What all conversions of one call may take together.

  Attributes:
    num_steps: statements and expressions that are run, in all attempts.
    num_nodes: nodes of graphs, in all attempts.
    seconds: processor time of the thread.
    num_bytes: by which the memory of the process grows.
  """

  num_steps: int = 100_000
  num_nodes: int = 30_000
  seconds: float = 12.0
  num_bytes: int = 400_000_000


class Exhausted(Exception):  # noqa: N818 - control flow, becomes a refusal where attempts begin
  """A limit is reached. No refusal: those of one branch only are put off.

  Its only argument says which limit.
  """

  is_of_machine = False


class OutOfTime(Exhausted):
  """The limit is one of time or memory, which another day it might not reach."""

  is_of_machine = True


@dataclasses.dataclass
class _Line:
  """Steps that one statement took.

  Attributes:
    statement: the statement.
    source: the function that it is in.
    num_steps: expressions and statements run for it.
    num_runs: how often it was run.
  """

  statement: ast.AST
  source: FunctionSource | None
  num_steps: int = 0
  num_runs: int = 0

  def is_users(self) -> bool:
    """Tells whether it is none of the converter's, as Python that stands for a builtin is."""
    return self.source is not None and self.source.is_users


class Budget:
  """What the conversions of one call have cost. Not thread-safe."""

  def __init__(self, limits: Limits):
    self.limits = limits
    self.here = _Line(ast.Pass(), None)  # Takes the steps before the first statement.
    self._lines: dict[ast.AST, _Line] = {}
    self._num_steps = 0
    self._num_nodes = 0  # In graphs that are done.
    self._seconds = 0.0
    self._next_check = 0
    self._next_look = 0
    self._begin_seconds = 0.0
    self._begin_bytes = 0

  @contextlib.contextmanager
  def running(self) -> Iterator[None]:
    """Takes what happens inside from the budget.

    Raises:
      ConversionRefused: TOO_LARGE, if a limit is reached.
    """
    self._begin_seconds = time.thread_time()
    self._begin_bytes = self._begin_bytes or resident_bytes()
    try:
      yield
    except Exhausted as error:
      raise self._refusal(str(error), error.is_of_machine) from None
    except (RecursionError, TypeError) as error:
      # Libraries, Python's own among them, turn the one into the other.
      is_of_depth = isinstance(error, RecursionError) or isinstance(
        error.__context__, RecursionError
      )
      if not is_of_depth and not _is_at_limit(error):
        raise
      raise self._refusal("its branches, calls or loops nest deeper than Python's stack") from None
    finally:
      self._seconds += time.thread_time() - self._begin_seconds

  def statement(self, statement: ast.AST, source: FunctionSource) -> _Line:
    """Counts a statement that is run; returns where its steps are counted."""
    line = self._lines.get(statement)
    if line is None:
      line = self._lines[statement] = _Line(statement, source)
    line.num_runs += 1
    self.here = line
    self.step()
    return line

  def step(self) -> None:
    """Counts one step."""
    self.here.num_steps += 1
    self._num_steps += 1
    if self._num_steps >= self._next_check:
      self._check()

  def take(self, num_steps: int) -> None:
    """Counts steps before they are made, of what is done once for each of many elements."""
    self.here.num_steps += num_steps
    self._num_steps += num_steps
    if self._num_steps >= self._next_check:
      self._check()

  def origin(self) -> Origin | None:
    """Returns the user's line that is run; None before the first."""
    return None if self.here.source is None else _origin(self.here)

  def done(self, graph: tfi.Graph) -> None:
    """Counts the nodes of a graph that nothing is added to any more."""
    self._num_nodes += graph.num_operations()

  def _check(self) -> None:
    self._next_check = self._num_steps + _STEPS_PER_CHECK
    limits = self.limits
    if self._num_steps > limits.num_steps:
      raise Exhausted(f"it takes more than {limits.num_steps:,} steps")
    num_nodes = self._num_nodes + sum(g.num_operations() for g in tfi.graphs_being_built())
    if num_nodes > limits.num_nodes:
      raise Exhausted(f"it takes more than {limits.num_nodes:,} nodes of graphs")
    if self._seconds + time.thread_time() - self._begin_seconds > limits.seconds:
      raise OutOfTime(f"it takes more than {limits.seconds:g} seconds")
    if self._num_steps >= self._next_look:
      self._next_look = self._num_steps + _CHECKS_PER_LOOK * _STEPS_PER_CHECK
      _collection.look(is_end=False)
      if resident_bytes() - self._begin_bytes > limits.num_bytes:
        raise OutOfTime(f"it takes more than {limits.num_bytes // 1_000_000} MB")

  def _refusal(self, why: str, is_of_machine: bool = False) -> ConversionRefused:
    lines = sorted(self._lines.values(), key=lambda line: (line.is_users(), line.num_steps))
    text = f"The program is too large to convert: {why}."
    if not lines:
      return ConversionRefused.of(Reason.TOO_LARGE, text, None, is_of_machine)
    most = lines[-1]
    share = 100 * most.num_steps // max(1, self._num_steps)
    text += f" This line was run {most.num_runs:,} times and took {share}% of all steps."
    return ConversionRefused.of(Reason.TOO_LARGE, text, _origin(most), is_of_machine)


def _is_at_limit(error: Exception) -> bool:
  """Tells whether an error was raised so deep in Python's stack that the limit may be its cause."""
  depth = sum(1 for _ in traceback.walk_tb(error.__traceback__)) + frames_in_use()
  return depth + _FRAMES_OF_LIBRARIES >= sys.getrecursionlimit()


def _origin(line: _Line) -> Origin:
  assert line.source is not None  # Of statements.
  return line.source.origin(line.statement)


def resident_bytes() -> int:
  """Returns the memory of the process; 0 where the system does not tell."""
  try:
    with open("/proc/self/statm") as file:
      return int(file.read().split()[1]) * _PAGE_BYTES
  except OSError:
    return 0
