"""The matrix: whatever the converter does with its programs, a user sees what plain Python does.

All of it with a table of what came out: `python -m tests.convert.matrix`; each pair of levels in a
program that is simple otherwise: `python -m tests.convert.matrix --alone`.
"""

import ast

import pytest

from tests.convert.fuzz import campaign
from tests.convert.fuzz import levels as fuzz_levels
from tests.convert.fuzz.report import BAD, INVALID
from tests.convert.matrix.covering import all_pairs, pairs_of
from tests.convert.matrix.levels import DIMENSIONS
from tests.convert.matrix.matrix import LIMITS, make_jobs, rows, rows_alone
from tests.convert.matrix.source import generate

_ROWS = rows()
# What levels are called in random programs, where they are called otherwise.
_IN_FUZZ = {
  ("collect", "tuple"): ("collect", "grow"),
  ("collect", "class_attribute"): ("source", "class_attribute"),
  ("collect", "default"): ("source", "default"),
  ("what", "number"): ("what", "scalar"),
  ("what", "string"): ("what", "str"),
  ("use", "return"): ("result", "items"),
  ("use", "mutate"): ("change", "set_item"),
  ("alias", "one_name"): ("alias", "none"),
  ("alias", "returned_and_kept"): ("alias", "kept"),
  ("inside", "none"): ("inside", "statement"),
  ("source", "attribute"): ("source", "object_attribute"),
  ("change", "new_tree"): ("between", "new"),
  ("change", "mutated_tree"): ("between", "value"),
  ("change", "new_type"): ("between", "type"),
  ("change", "new_global"): ("between", "global"),
  ("change", "deeper"): ("between", "deeper"),
}


def _few(all_rows):
  """Returns some rows in which every level occurs: those that run by default."""
  missing, found = {one for row in all_rows for one in row.named()}, []
  while missing:
    found.append(max(all_rows, key=lambda row: len(missing.intersection(row.named()))))
    missing -= set(found[-1].named())
  return found


_SOME = _few(_ROWS)


def test_every_pair_of_levels_occurs():
  seen = set().union(*(pairs_of(row.levels) for row in _ROWS))
  assert seen == all_pairs(DIMENSIONS)
  alone = set().union(*(pairs_of(row.levels) for row in rows_alone()))
  assert alone == all_pairs(DIMENSIONS)


def test_the_matrix_is_small():
  largest = sorted(len(levels) for levels in DIMENSIONS.values())[-2:]
  assert len(_ROWS) <= 1.25 * largest[0] * largest[1]


def test_every_level_occurs_in_the_rows_that_run_by_default():
  for number, levels in enumerate(DIMENSIONS.values()):
    assert {row.levels[number] for row in _SOME} == set(levels)
  assert len(_SOME) <= 1.5 * max(map(len, DIMENSIONS.values()))


def test_a_row_gives_one_program_of_valid_source():
  for row, again in zip(_ROWS, rows(), strict=True):
    source = generate(row)
    ast.parse(source)
    assert source == generate(again)


def test_random_programs_have_the_levels_of_the_matrix():
  for dimension, levels in DIMENSIONS.items():
    for level in levels:
      there, name = _IN_FUZZ.get((dimension, level), (dimension, level))
      assert name in fuzz_levels.DIMENSIONS[there], (dimension, level)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_some_programs_agree_with_python(tmp_path):
  _check(_SOME, tmp_path, verify=False)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("verify", [False, True])
def test_all_programs_agree_with_python(tmp_path, verify):
  _check(_ROWS, tmp_path, verify)


def _check(rows, folder, verify):
  jobs = make_jobs(rows, folder)
  reports = campaign.run_all(jobs, verify, LIMITS)
  shown = [
    f"{report['status']}: {job.path}\n{report['detail']}"
    for job, report in zip(jobs, reports, strict=True)
    if report["status"] in (*BAD, INVALID)
  ]
  assert not shown, "\n\n".join(shown)
