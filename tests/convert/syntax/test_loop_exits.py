"""Loops without exits: the flags say when to stop, and nothing runs after an exit."""

import ast
import itertools

import pytest

from recursive_tf.convert.syntax.annotations import Annotation, annotation
from tests.convert.syntax.lowering import defined, lowered, outcome, prepared, prepared_text

PROGRAMS = {
  "break": "for t in xs:\n    if t == a: break\n    n += t\n  return n, t",
  "continue": "for t in xs:\n    if t == a: continue\n    n += t\n  return n",
  "return": "for t in xs:\n    if t == a: return n\n    n += t\n  return -1",
  "all three": (
    "for t in xs:\n    if t == a: continue\n    elif t == b: return n\n    n += 1\n"
    "    if n > 2: break\n    n += t\n  return n, 9"
  ),
  "nested": (
    "for t in xs:\n    for u in xs:\n      if u == a: break\n      if u + t == b: return t, u\n"
    "      if t == b: continue\n      n += u\n    else_ = n\n    if n > 9: break\n    n += 10\n"
    "  return n"
  ),
  "both branches fall": (
    "for t in xs:\n    if t > a:\n      if t == b: continue\n      n += 1\n"
    "    else:\n      if t == 1: break\n      n += 2\n    n += 10\n  return n"
  ),
  "while": (
    "while n < 7:\n    n += a + 1\n    if n == b: break\n    if n == 3: return 'three'\n  return n"
  ),
  "endless": "while True:\n    n += 1\n    if n > a: return n\n    if n == b: continue\n    n += 1",
  "endless with break": "while 1:\n    n += 1\n    if n > a: return n\n    if n == b: break",
  "test is not run again": (
    "it = iter(xs)\n  while next(it) < 3:\n    if a: break\n  return list(it)"
  ),
  "element is not taken": "it = iter(xs)\n  for t in it:\n    if t == a: break\n  return list(it)",
  "returned value first": "for t in xs:\n    if t == a: return xs[b]\n  return n",
  "return nothing": "for t in xs:\n    if t == a: return\n  return n",
  "raise": (
    "for t in xs:\n    if t == a: raise ValueError(t)\n    if t == b: continue\n    n += t\n"
    "  return n"
  ),
  "dead code": "for t in xs:\n    n += t\n    break\n    n = 100\n  return n\n  return a",
  "in a function": (
    "def g(y):\n    for t in xs:\n      if t == y: return t\n      if t == a: break\n"
    "    return -1\n  for t in xs:\n    if g(t) == b: return t"
  ),
  "else": "for t in xs:\n    n += t\n  else:\n    n += 10\n  return n",
  "else after break": (
    "for t in xs:\n    if t == a: break\n    n += t\n  else:\n    n += 10\n  return n, t"
  ),
  "else after return": (
    "for t in xs:\n    if t == a: return n\n    if t == b: break\n  else:\n    return 'else'\n"
    "  return 'end'"
  ),
  "else of while": (
    "while n < a:\n    n += 1\n    if n == b: break\n  else:\n    n = -n\n  return n"
  ),
  "else of an endless loop": (
    "while True:\n    n += 1\n    if n > a: return n\n  else:\n    n = 100\n  return n"
  ),
  "else leaves the outer loop": (
    "for t in xs:\n    for u in xs:\n      if u > t: break\n    else:\n      if t == a: break\n"
    "      n += 10\n      continue\n    n += 1\n  else:\n    n += 100\n  return n"
  ),
  "else that always leaves": (
    "for t in xs:\n    for u in xs:\n      n += u\n      if u == a: continue\n    else:\n"
    "      break\n    n += 1000\n  return n"
  ),
  "else raises": (
    "for t in xs:\n    if t == a: break\n  else:\n    raise ValueError(b)\n  return n"
  ),
  "else with a loop with else": (
    "for t in xs:\n    if t == a: break\n  else:\n    for u in xs:\n      if u == b: break\n"
    "    else:\n      n = 5\n    n += 7\n  return n"
  ),
  "first statement": "for t in xs:\n    continue\n  for t in xs:\n    return t\n  return a",
}


@pytest.mark.parametrize("copies", ["copied", "flagged"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_leaves_loops_as_python_does(name, copies, monkeypatch):
  if copies == "flagged":
    monkeypatch.setattr("recursive_tf.convert.syntax.tails.Tails._affords", lambda *_: False)
  function = defined(f"def f(xs, a, b):\n  n = 0\n  {PROGRAMS[name]}\n")
  twin = lowered(function)
  for xs, a, b in itertools.product([[], [1], [1, 2], [3, 2, 1, 4]], range(5), range(5)):
    assert outcome(twin, xs, a, b) == outcome(function, xs, a, b), (xs, a, b)


def loops(function):
  """Returns the loops of the prepared function."""
  return [n for n in ast.walk(prepared(function).node) if isinstance(n, ast.For | ast.While)]


def test_a_loop_that_only_continues_has_no_flag():
  (loop,) = loops(defined("def f(xs):\n  for t in xs:\n    if t: continue\n    xs[t] = t\n"))
  assert annotation(loop, Annotation.UNTIL) is None
  assert ast.unparse(loop) == "for t in xs:\n    if t:\n        pass\n    else:\n        xs[t] = t"


def test_one_flag_serves_a_loop_that_only_returns():
  function = defined("def f(xs):\n  for t in xs:\n    if t: return t\n  return 0\n")
  (loop,) = loops(function)
  assert annotation(loop, Annotation.UNTIL) == "_rtf_returned"
  slots = {
    annotation(n, Annotation.RETURN_SLOT)
    for n in ast.walk(prepared(function).node)
    if isinstance(n, ast.Assign) and n.targets[0].id == "_rtf_result"
  }
  assert slots == {None, "_rtf_returned"}  # None: where it is set.


def test_an_endless_loop_returns_its_slot_and_nothing_else():
  text = prepared_text("def f(x):\n  while True:\n    x = g(x)\n    if x: return x\n")
  assert text.endswith("return _rtf_result") and "return None" not in text


def test_made_code_is_at_the_users_lines():
  function = defined("def f(xs):\n  n = 0\n  for t in xs:\n    if t:\n      break\n  return n\n")
  lines = {
    ast.unparse(n): n.lineno for n in ast.walk(prepared(function).node) if isinstance(n, ast.Assign)
  }
  assert lines == {"n = 0": 2, "_rtf_stop = False": 3, "_rtf_stop = True": 5}
