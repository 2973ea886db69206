"""Results for people (a table, a plot) and for programs (JSON)."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from collections.abc import Sequence

from benchmarks import environment
from benchmarks.harness import Timing
from benchmarks.options import Options


@dataclasses.dataclass
class Report:
  """What one benchmark found.

  Attributes:
    name: the benchmark's.
    options: what it was asked.
    timings: all timings.
    figures: other numbers, and those derived from timings, by name.
    goals: (claim, figure, whether it holds), for benchmarks that have a goal.
    notes: what a reader has to know, such as an arm that was left out.
  """

  name: str
  options: Options
  timings: list[Timing] = dataclasses.field(default_factory=list)
  figures: dict[str, object] = dataclasses.field(default_factory=dict)
  goals: list[tuple[str, float, bool]] = dataclasses.field(default_factory=list)
  notes: list[str] = dataclasses.field(default_factory=list)

  def goal(self, claim: str, value: float, holds: bool) -> None:
    """Adds a goal and whether `value` meets it."""
    self.goals.append((claim, value, bool(holds)))

  def print(self) -> None:
    """Prints notes, figures and goals; the benchmark itself prints its tables."""
    unstable = [timing for timing in self.timings if timing.is_unstable]
    if unstable:
      worst = max(unstable, key=lambda timing: timing.spread)
      print(
        f"UNSTABLE: {len(unstable)} of {len(self.timings)} timings have a spread of 10% or more; do"
        f" not compare them. The worst is {worst.name}, {worst.spread:.0%}."
      )
    if self.options.clock == "processor":
      print("note: seconds are the processor's, of one thread, not of a clock on the wall")
    for note in self.notes:
      print(f"note: {note}")
    for claim, value, holds in self.goals:
      print(f"{'holds' if holds else 'MISSED'}: {claim}: {value:.4g}")

  def write(self) -> pathlib.Path:
    """Writes everything to `options.out`/NAME.json and returns the path."""
    self.options.out.mkdir(parents=True, exist_ok=True)
    path = self.options.out / f"{self.name}.json"
    options = dataclasses.asdict(self.options)
    options["out"] = str(self.options.out)
    content = {
      "benchmark": self.name,
      "command": f"python -m benchmarks {self.name}",
      "options": options,
      "environment": environment.describe(),
      "goals": [{"claim": c, "value": v, "holds": h} for c, v, h in self.goals],
      "figures": self.figures,
      "notes": self.notes,
      "timings": [timing.to_json() for timing in self.timings],
    }
    path.write_text(json.dumps(content, indent=1, default=str) + "\n")
    return path


def print_table(header: Sequence[str], rows: Sequence[Sequence[object]], title: str = "") -> None:
  """Prints `rows` in columns: text to the left, numbers to the right."""
  cells = [[_text(value) for value in row] for row in rows]
  widths = [max(len(row[i]) for row in [list(header), *cells]) for i in range(len(header))]
  numeric = [all(not isinstance(row[i], str) for row in rows) for i in range(len(header))]

  def line(row):
    parts = [c.rjust(w) if n else c.ljust(w) for c, w, n in zip(row, widths, numeric, strict=True)]
    return "  ".join(parts).rstrip()

  if title:
    print(f"\n{title}")
  print(line(list(header)))
  print("  ".join("-" * width for width in widths))
  for row in cells:
    print(line(row))


def _text(value: object) -> str:
  if isinstance(value, float):
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"
  return str(value)
