"""The fence refuses, at the user's line, what is not converted."""

import pytest

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.syntax.pipeline import prepare
from recursive_tf.convert.syntax.source import source_of
from tests.convert.syntax.lowering import defined, prepared_text

REFUSED = {
  "try:\n    x = 1\n  finally:\n    return x": (3, "a finally that returns"),
  "del x.a": (3, "del of an attribute or a slice"),
  "if x:\n    del x[0:1]": (4, "del of an attribute or a slice"),
  "class A:\n    pass": (3, "define it outside"),
  "def g():\n    x = 1\n    y = yield x": (5, "the value of a yield"),
  "def g():\n    for y in x:\n      y = [1, (yield from y)]": (5, "the value of a yield"),
  "def g():\n    yield x\n    return 1": (5, "a generator that returns a value"),
  "def g():\n    yield x\n    with x:\n      if x:\n        yield y": (5, "a yield inside of"),
  "def g():\n    try:\n      yield from x\n    finally:\n      y = 1": (4, "a yield inside of"),
  "def g():\n    if x:\n      del y, x[1:]": (5, "del of an attribute or a slice"),
  "async def g():\n    await x": (3, "an async function is not converted"),
  "g = lambda: (yield)": (3, "a generator is not converted"),
  "x = [y for y in x if y\n    for z in range(a < y() < b)]": (4, "a chained comparison"),
}


@pytest.mark.parametrize("statement", REFUSED)
def test_refusals_name_the_line_and_what_to_do(statement):
  line, explanation = REFUSED[statement]
  function = defined(f"def f(x, a=0, b=1):\n  y = x\n  {statement}\n  return x\n")
  with pytest.raises(ConversionRefused, match=explanation) as caught:
    prepare(source_of(function))
  error = caught.value
  assert error.reason is Reason.SYNTAX
  assert (error.origin.line, error.origin.function) == (line, "f")
  assert error.origin.file == function.__code__.co_filename
  assert error.origin.text and error.origin.text in str(error)


def test_the_first_refused_line_is_named():
  function = defined("def f(x):\n  if x:\n    del x[0:]\n  class A: pass\n")
  with pytest.raises(ConversionRefused) as caught:
    prepare(source_of(function))
  assert caught.value.origin.line == 3


@pytest.mark.parametrize(
  "statement",
  [
    "assert x, 'no'",
    "raise ValueError(x) from None",
    "import math as m, os.path",
    "from math import sqrt",
    "x = [y for y in x if a < y.v() < b]",
    "x = [y for y in range(a < x < b)]",
    "x = f'{x!r:>{a}}' + str({**x, 1: (*a, 2)}) + x[1:2, ...]",
    "y: int",
  ],
)
def test_other_statements_pass(statement):
  assert prepared_text(f"def f(x, a=0, b=1):\n  {statement}\n")
