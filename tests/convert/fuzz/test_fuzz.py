"""Random programs: whatever the converter does with them, a user sees what plain Python does.

More of them: RECURSIVE_TF_FUZZ_COUNT=1000 RECURSIVE_TF_FUZZ_SEED=7, or
`python -m tests.convert.fuzz`.
"""

import ast
import itertools
import os

import pytest

from tests.convert.fuzz import campaign, levels
from tests.convert.fuzz.__main__ import make_jobs, make_operator_jobs
from tests.convert.fuzz.generator import generate
from tests.convert.fuzz.report import (
  CONVERTED,
  CRASH,
  DIFFERENT,
  INVALID,
  MIXED,
  REFERENCE,
  TIMEOUT,
)

_COUNT = int(os.environ.get("RECURSIVE_TF_FUZZ_COUNT", "16"))
_SEED = int(os.environ.get("RECURSIVE_TF_FUZZ_SEED", "0"))


@pytest.mark.long
@pytest.mark.timeout(300 + 60 * _COUNT)
@pytest.mark.parametrize("count", [_COUNT, pytest.param(3 * _COUNT, marks=pytest.mark.slow)])
def test_random_programs_agree_with_python(tmp_path, count):
  jobs = make_jobs(_SEED, count, tmp_path)
  reports = campaign.run_all(jobs, verify=True, limits=campaign.Limits())
  _check_none_differs(jobs, reports)
  statuses = [report["status"] for report in reports]
  # The programs have to be of some use: few are wrong in Python, many become graphs.
  assert statuses.count(INVALID) <= 0.05 * count
  assert sum(status in (CONVERTED, MIXED) for status in statuses) >= 0.3 * count


@pytest.mark.timeout(300 + 10 * _COUNT)
@pytest.mark.parametrize("count", [_COUNT // 4, pytest.param(10 * _COUNT, marks=pytest.mark.slow)])
def test_random_operators_agree_with_python(tmp_path, count):
  jobs = make_operator_jobs(_SEED, count, tmp_path)
  reports = campaign.run_all(jobs, verify=False, limits=campaign.Limits())
  _check_none_differs(jobs, reports)
  statuses = [report["status"] for report in reports]
  assert statuses.count(INVALID) == 0
  assert sum(status in (CONVERTED, MIXED) for status in statuses) >= 0.1 * count


def _check_none_differs(jobs, reports):
  shown = [
    f"{report['status']}: {job.path}\n{report['detail']}"
    for job, report in zip(jobs, reports, strict=True)
    if report["status"] in (DIFFERENT, CRASH, TIMEOUT, REFERENCE)
  ]
  assert not shown, "\n\n".join(shown)


def test_a_spec_gives_one_program():
  first, again = (list(levels.draw(5, 20)) for _ in range(2))
  assert [generate(spec) for spec in first] == [generate(spec) for spec in again]


def test_every_level_of_every_dimension_makes_valid_source():
  simplest = {name: choices[0] for name, choices in levels.DIMENSIONS.items()}
  for name, choices in levels.DIMENSIONS.items():
    for level in choices:
      spec = levels.Spec("each", tuple((simplest | {name: level}).items()))
      ast.parse(generate(spec))


@pytest.mark.parametrize("source", levels.DIMENSIONS["source"])
def test_what_programs_collect_into_can_be_made_where_it_is(source):
  simplest = {name: choices[0] for name, choices in levels.DIMENSIONS.items()}
  for collect in levels.DIMENSIONS["collect"]:
    spec = levels.Spec("each", tuple((simplest | {"source": source, "collect": collect}).items()))
    module = {"__name__": "program"}
    exec(generate(spec), module)
    module["build"](lambda function: function)


def test_programs_with_new_levels_can_be_asked_for():
  assert all(level in levels.DIMENSIONS[dimension] for dimension, level in levels.NEW)
  for spec in levels.draw(3, 50, num_new=3):
    assert len(set(spec.levels) & set(levels.NEW)) >= 3


def test_pairs_of_levels_are_covered_soon():
  wanted = {
    frozenset((a, b))
    for (d, first), (e, second) in itertools.combinations(levels.DIMENSIONS.items(), 2)
    for a in [(d, level) for level in first[1:]]
    for b in [(e, level) for level in second[1:]]
  }
  seen = set()
  for spec in levels.draw(0, 5000):
    varied = [(d, level) for d, level in spec.levels if level != levels.DIMENSIONS[d][0]]
    seen |= {frozenset(pair) for pair in itertools.combinations(varied, 2)}
  assert len(seen & wanted) >= 0.95 * len(wanted)


@pytest.mark.slow
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
