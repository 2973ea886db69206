"""Tests of what makes and runs random programs (`python -m tests.convert.fuzz`)."""

import ast
import itertools

from tests.convert.fuzz import campaign, levels
from tests.convert.fuzz.generator import generate
from tests.convert.fuzz.report import CRASH, DIFFERENT, TIMEOUT


def test_a_spec_gives_one_program():
  first, again = (list(levels.draw(5, 20)) for _ in range(2))
  assert [generate(spec) for spec in first] == [generate(spec) for spec in again]


def test_every_level_of_every_dimension_makes_valid_source():
  simplest = {name: choices[0] for name, choices in levels.DIMENSIONS.items()}
  for name, choices in levels.DIMENSIONS.items():
    for level in choices:
      spec = levels.Spec("each", tuple((simplest | {name: level}).items()))
      ast.parse(generate(spec))


def test_pairs_of_levels_are_covered_soon():
  wanted = {
    frozenset((a, b))
    for (d, first), (e, second) in itertools.combinations(levels.DIMENSIONS.items(), 2)
    for a in [(d, level) for level in first[1:]]
    for b in [(e, level) for level in second[1:]]
  }
  seen = set()
  for spec in levels.draw(0, 2000):
    varied = [(d, level) for d, level in spec.levels if level != levels.DIMENSIONS[d][0]]
    seen |= {frozenset(pair) for pair in itertools.combinations(varied, 2)}
  assert len(seen & wanted) >= 0.95 * len(wanted)


def test_bad_programs_are_told_apart(tmp_path):
  bodies = {
    DIFFERENT: "  is_plain = recursive(len) is len\n  return lambda n: n + is_plain",
    CRASH: "  os.abort()",
    TIMEOUT: "  while True:\n    pass",
  }
  jobs = []
  for number, body in enumerate(bodies.values()):
    path = tmp_path / f"program_{number}.py"
    path.write_text(
      f"import os\n\n\ndef build(recursive):\n{body}\n\n\ndef calls():\n  yield (1,)\n"
    )
    jobs.append(campaign.Job(str(path)))
  reports = campaign.run_all(jobs, verify=None, limits=campaign.Limits(seconds=3.0))
  assert [report["status"] for report in reports] == list(bodies)
