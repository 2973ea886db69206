"""The reference interpreter does what Python does, and shows where a pass does not."""

import ast
import pathlib

import pytest

from recursive_tf.convert.syntax import annotations, pipeline
from tests.convert.fuzz import runner
from tests.convert.fuzz.generator import generate
from tests.convert.fuzz.levels import draw
from tests.convert.fuzz.report import CONVERTED, INVALID
from tests.convert.reference import interpreter

_COUNT = 300
_NATURAL = pathlib.Path(__file__).parents[1] / "natural"
_FILES = sorted(
  path for path in _NATURAL.glob("**/*.py") if "\ndef build_" in path.read_text()
)  # fmt: skip


def differing(specs, folder):
  """Returns what differs in random programs, by their specs."""
  found = {}
  for spec in specs:
    path = folder / f"p{spec.seed.replace('.', '_')}.py"
    path.write_text(generate(spec))
    report = runner.run_reference(path)
    if report.status not in (CONVERTED, INVALID):
      found[str(spec)] = report.detail
  return found


@pytest.mark.long
def test_random_programs(tmp_path):
  assert not differing(draw(0, _COUNT), tmp_path)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("path", _FILES, ids=lambda path: path.stem)
def test_natural_programs(path):
  for name in runner.programs_of(runner.load(path)):
    report = runner.run_reference(path, name)
    assert report.status == CONVERTED, f"{name}: {report.detail}"


def test_functions_without_a_normal_form_run_as_they_are():
  def countdown(n):
    yield n

  assert interpreter.reference(countdown) is countdown


# --- Passes that are wrong


def _without_carried(node, ctx):
  for part in ast.walk(node):
    if isinstance(part, ast.For | ast.While):
      annotations.annotate(part, annotations.Annotation.CARRIED, frozenset())
  return node


def _without_flags(node, ctx):
  for part in ast.walk(node):
    if hasattr(part, annotations.Annotation.UNTIL.value):
      delattr(part, annotations.Annotation.UNTIL.value)
  return node


def _without_live(node, ctx):
  for part in ast.walk(node):
    if isinstance(part, ast.If):
      annotations.annotate(part, annotations.Annotation.LIVE_AFTER, frozenset())
  return node


def _with_swapped_branches(node, ctx):
  for part in ast.walk(node):
    if isinstance(part, ast.IfExp):
      part.body, part.orelse = part.orelse, part.body
  return node


@pytest.mark.parametrize(
  "wrong", [_without_carried, _without_flags, _without_live, _with_swapped_branches]
)
def test_a_wrong_pass_is_found(wrong, tmp_path, monkeypatch):
  monkeypatch.setattr(pipeline, "PASSES", (*pipeline.PASSES, ("liveness", wrong)))
  monkeypatch.setattr(interpreter, "_NORMAL", {})
  assert differing(draw(0, 60), tmp_path)
