"""Single exits: returns at the ends only, blocks copied while that is cheap."""

import itertools

import pytest

from recursive_tf.convert.syntax import desugar, loop_exits, single_exit, verify
from recursive_tf.convert.syntax.context import PassContext
from recursive_tf.convert.syntax.source import source_of
from tests.convert.syntax.lowering import defined, lowered, outcome, prepared_text

PROGRAMS = {
  "guard": "if a: return 1\n  return 2",
  "no return": "if a: b = 1\n  else: b = 2",
  "some returns": "if a:\n    if b: return 1\n  elif c: return 2",
  "both fall": "if a:\n    if b: return 1\n    d = 1\n  else: d = 2\n  e = d + c\n  return e",
  "three levels": (
    "if a:\n    if b:\n      if c: return 1\n      d = 2\n    d = 3\n  else: d = 4\n"
    "  if d + c == 4: return 5\n  d += 1\n  return d"
  ),
  "raise": "if a: raise ValueError(b)\n  if b: return c\n  elif c: raise KeyError(a)\n  return 4",
  "raise needs no copy": "if a: d = 1\n  elif b: d = 2\n  else: raise ValueError\n  return d + c",
  "after return": "return a\n  return b",
  "branch dead": "if a: return 1\n  else: return 2\n  return 3",
  "bare": "if a: return\n  return (b, None)",
  "inner": "def g():\n    if b: return 1\n  if a: return g()\n  return [g()]",
}


@pytest.mark.parametrize("copies", ["copied", "flagged"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_returns_the_same(name, copies, monkeypatch):
  if copies == "flagged":
    monkeypatch.setattr("recursive_tf.convert.syntax.tails.Tails._affords", lambda *_: False)
  function = defined(f"def f(a, b, c):\n  {PROGRAMS[name]}\n")
  twin = lowered(function)
  for inputs in itertools.product((0, 1), repeat=3):
    assert outcome(twin, *inputs) == outcome(function, *inputs), inputs


def test_a_branch_that_surely_leaves_takes_no_copy():
  body = "  if a: return 1\n  elif a is None: raise a\n  b = g(a)\n  return b\n"
  text = prepared_text("def f(a):\n" + body)
  assert text.count("g(a)") == 1


def test_a_small_rest_is_copied_and_a_large_one_is_not():
  head = "def f(a, b):\n  if a:\n    if b: return 1\n    c = 1\n  else: c = 2\n"
  small = prepared_text(head + "  c = g(c)\n  return c\n")
  assert small.count("g(c)") == 2 and "_rtf_" not in small
  large = prepared_text(head + "  c = g(c)\n" * 500 + "  return c\n")
  assert large.count("g(c)") == 500 and "_rtf_exited" in large


def test_copies_stay_within_the_budget():
  step = "  if a:\n    if b: return 1\n    c = 1\n  else: c = 2\n"
  text = "def f(a, b, c):\n" + step * 9 + "  return c\n"
  function, twin = defined(text), lowered(defined(text))
  assert len(prepared_text(text).splitlines()) < 2000
  for inputs in itertools.product((0, 1), repeat=3):
    assert twin(*inputs) == function(*inputs)


def test_verify_sees_a_return_that_is_not_at_the_end():
  source = source_of(defined("def f(a):\n  if a: return 1\n  return 2\n"))
  ctx = PassContext(source)
  node = loop_exits.transform(desugar.transform(source.node, ctx), ctx)
  with pytest.raises(verify.BrokenPassError, match="line 2: a return is the end of its way"):
    verify.verify(node, ["single_exit"])
  verify.verify(single_exit.transform(node, ctx), ["single_exit"])
