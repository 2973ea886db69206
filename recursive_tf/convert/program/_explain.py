"""What `explain()` of a recursive function tells."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence

from recursive_tf.convert._refusal import ConversionRefused
from recursive_tf.convert.frame._left_out import LeftOut, Site
from recursive_tf.convert.heap._columns import path_text
from recursive_tf.convert.program._assumptions import Assumption
from recursive_tf.convert.program._program import Program
from recursive_tf.convert.program._stats import Stats


@dataclasses.dataclass(frozen=True)
class Report:
  """What was converted and what was not.

  Attributes:
    name: the function.
    converted: (file, line, function, how) of all that was converted.
    columns: (read, kind, types) of what is read of objects.
    left_out: the branches that graphs are made without, and why.
    fallbacks: why plain Python ran, newest last.
    notes: what comparing runs with plain Python leaves out.
    counters: as in `stats`, by name.
    assumptions: what graphs rely on, how often that did not hold, and what became of it.
    num_kept: the graphs that are kept; the others had arguments, or models, that are gone.
  """

  name: str
  converted: tuple[tuple[str, int, str, str], ...]
  columns: tuple[tuple[str, str, str], ...]
  left_out: tuple[str, ...]
  fallbacks: tuple[ConversionRefused, ...]
  notes: tuple[str, ...]
  counters: dict[str, object]
  assumptions: tuple[Assumption, ...] = ()
  num_kept: int = 0

  def __str__(self) -> str:
    """Returns the report for people."""
    counters = self.counters
    lines = [
      f"{self.name}: {counters['num_converted_runs']} runs as a graph,"
      f" {counters['num_fallback_runs']} as plain Python; {counters['num_verified_runs']}"
      f" compared; {counters['num_conversions']}"
      f" conversions, {counters['num_graphs']} graphs, {self.num_kept} of them kept,"
      f" {counters['walked_objects']} objects read",
    ]
    if self.converted:
      lines.append("converted:")
      lines += [
        f"  {os.path.basename(file)}:{line} {function}: {how}"
        for file, line, function, how in self.converted
      ]
    if self.columns:
      lines.append("read of objects:")
      lines += [f"  {read}: {kind}, of {types}" for read, kind, types in self.columns]
    if self.left_out:
      lines.append("left out, and checked by each run:")
      lines += [f"  {branch}" for branch in self.left_out]
    broken = [assumption for assumption in self.assumptions if assumption.num_breaks]
    if self.assumptions:
      lines.append(f"assumptions: {len(self.assumptions)}, of which {len(broken)} did not hold:")
      lines += [f"  {assumption}" for assumption in broken]
    if self.fallbacks:
      lines.append("plain Python, because:")
      for refusal in self.fallbacks:
        lines += [f"  {line}" for line in str(refusal).splitlines()]
    if self.notes:
      lines.append("not compared with plain Python:")
      lines += [f"  {note}" for note in self.notes]
    return "\n".join(lines)


def _left_out(site: Site, found: LeftOut) -> str:
  where = f"{os.path.basename(site.origin.file)}:{site.origin.line}"
  instead = "plain Python" if found.is_final else "a graph of its own, or plain Python"
  return (
    f"{where} {site.origin.function}: what comes where the condition is {found.value}"
    f" ({instead}): [{found.refusal.reason.code}] {found.refusal.explanation}"
  )


def report_of(
  name: str,
  programs: Sequence[Program],
  stats: Stats,
  refusals: Sequence[ConversionRefused],
  notes: Sequence[str],
  assumptions: Sequence[Assumption] = (),
) -> Report:
  """Collects a report of a function's programs."""
  converted = {
    (*place, how) for program in programs for place, how in program.conversion.converted.items()
  }
  columns = {
    (
      path_text(column.path),
      column.kind,
      ", ".join(sorted(type_.__name__ for type_ in column.types)),
    )
    for program in programs
    for column in program.layout.columns.all.values()
  }
  return Report(
    name,
    tuple(sorted(converted)),
    tuple(sorted(columns)),
    tuple(sorted({_left_out(*item) for p in programs for item in p.left_out.items()})),
    tuple(refusals),
    tuple(notes),
    dataclasses.asdict(stats),
    tuple(assumptions),
    sum(program.num_graphs for program in programs),
  )
