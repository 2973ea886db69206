"""Every construct of Python means under `rtf.function` what it means without; alone, and in pairs.

A fixed part of the programs by default; `python -m tests.convert.function.constructs` runs all.
"""

import ast
import itertools
import zlib

import pytest

from tests.convert.function.constructs import ROWS, pieces
from tests.convert.function.constructs.expected import PART, REFUSED, pairs, pairs_of_refused

# Syntax of Pythons after 3.11, which older ones cannot read: the fence refuses it by name.
_LATER = {"TypeAlias", "TemplateStr", "Interpolation"}
# What no source becomes.
_DEPRECATED = {"AugLoad", "AugStore", "Param", "Index", "ExtSlice"}
_KINDS = (
  *(ast.stmt, ast.expr, ast.boolop, ast.operator, ast.unaryop, ast.cmpop, ast.expr_context),
  *(ast.pattern, ast.excepthandler, ast.comprehension),
)


def _every(programs, n):
  """Returns the programs as parameters; about one in n runs by default, always the same ones."""
  found = []
  for names in programs:
    name = " + ".join(names)
    marks = [] if zlib.crc32(name.encode()) % n == 0 else [pytest.mark.slow]
    found.append(pytest.param(names, id=name, marks=marks))
  return found


def _classes(kind):
  """Returns the classes of syntax of a kind, other libraries' left out."""
  below = [c for c in kind.__subclasses__() if vars(ast).get(c.__name__) is c]
  return below or [kind]


def test_rows_have_all_syntax_of_python():
  """JANUS lists what it converts by what CPython compiles; this is the list of what is written."""
  found = set()
  for name in ROWS:
    found |= {type(node) for node in ast.walk(ast.parse(pieces.source([name])))}
  wanted = {c for kind in _KINDS for c in _classes(kind)}
  wanted = {c for c in wanted if c.__name__ not in _LATER | _DEPRECATED}
  assert not {c.__name__ for c in wanted - found}
  assert len(wanted) > 80


def test_every_pair_of_rows_occurs():
  occurring = set()
  for names in [*pairs(), *pairs_of_refused()]:
    occurring |= {frozenset(pair) for pair in itertools.combinations(names, 2)}
  wanted = {frozenset(pair) for pair in itertools.combinations(ROWS, 2)}
  assert not wanted - occurring


def test_a_row_may_stand_in_another():
  texts = [pieces.source(["if on a tensor", "attribute that counts"], seed) for seed in range(9)]
  assert any("\n      box.count += 1" in text for text in texts)
  assert any("\n    box.count += 1" in text for text in texts)


def test_a_row_that_means_something_else_is_found():
  sides = itertools.count()
  sources = (pieces.source([row]) for row in ("bytes", "complex number"))
  texts = list(sources)

  def make(decorate):
    space = {}
    exec(texts[next(sides) > 0], space)
    return space["make"](decorate)

  assert pieces.outcome(pieces.harness.run("another row", make)) == pieces.DIFFERENT


@pytest.mark.parametrize("names", _every([(name,) for name in ROWS], 6))
def test_row_alone(names):
  text, report = pieces.compared(names)
  assert report.difference is None, f"{report.difference}\n{text}\n{report.explanation}"
  (name,) = names
  expected = pieces.NONE if name in REFUSED else pieces.PART if name in PART else pieces.WHOLE
  assert pieces.outcome(report) == expected, report.explanation
  if name in REFUSED:
    assert {reason.code for reason in report.reasons} == {REFUSED[name]}


@pytest.mark.parametrize("names", _every([*pairs(), *pairs_of_refused()], 100))
def test_pairs_of_rows(names):
  text, report = pieces.compared(names)
  assert report.difference is None, f"{report.difference}\n{text}\n{report.explanation}"
