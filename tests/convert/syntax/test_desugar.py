"""Desugaring keeps what is evaluated, how often and in which order."""

import pytest

from tests.convert.syntax.lowering import defined, lowered, outcome, prepared_text

PROGRAMS = {
  "several targets": "a = note(1)[note(2)] = b = note(3)\n  return a, b",
  "annotated": "a: int = note(1)\n  b: note(9)\n  note(2)[0]: note(9)\n  return a",
  "annotated, never bound": "if 0: b: int\n  return b",
  "chain": "return note(1) < note(2) < note(3) < note(2) < note(9)",
  "chain, middle name": "return note(1) < x < note(7) != x is not None",
  "chain value": "return note(0) <= note(1) <= note(x)",
  "chain in lambda": "return (lambda y: note(1) < note(y) < note(5))(x)",
  "chain in comprehension": "return [y for y in range(9) if note(2) < note(y) < x]",
  "chain in default": "def g(y=note(1) < note(2) < x):\n    return y\n  return g()",
  "chain in condition": "return 1 if note(1) < note(x) < note(5) else 2",
  "chain in while": "while note(1) < note(x) < note(5):\n    x += 1\n  return x",
  "set in a test": (
    "if note(x) > 1 and (y := note(x + 1)) < 6 and (z := note(y)) != 4:\n"
    "    return y, z\n  return 0"
  ),
  "set in a test, else": (
    "if note(x) > 1 and (y := note(x + 1)) < 5:\n    return y\n  else:\n    return note(7)"
  ),
  "set in either test": "if note(x) > 1 or (y := note(x + 1)) < 2:\n    return x\n  return y",
  "not in": "return note(1) not in [x] and x is not None",
  "decorators": (
    "@note\n  @(lambda g: lambda: g() + note(1))\n"
    "  def g():\n    return note(5)\n  return g() if x < 3 else 0"
  ),
  "star target": "a, *b = note(1), note(2), note(3)\n  [c, [d, *e]] = a, b\n  return c, d, e, b",
  "late global": "if x < 3: return 1\n  global counted\n  counted = x\n  return counted",
  "dead global": "counted = x\n  return g0()\n  counted = 1",
}


class Noted(int):
  """An int that can be assigned into."""

  def __getitem__(self, index):
    return index

  def __setitem__(self, index, value):
    pass

  def __call__(self):
    return self


@pytest.mark.parametrize("name", PROGRAMS)
def test_evaluates_the_same_in_the_same_order(name):
  text = f"def f(x, note):\n  {PROGRAMS[name]}\n"

  def run(function, x):
    notes = []

    def note(value):
      notes.append(value if isinstance(value, int) else "function")
      return Noted(value) if isinstance(value, int) else value

    return outcome(function, x, note), notes

  function = defined(text, counted=0, g0=lambda: 5)
  for x in range(6):
    assert run(lowered(function), x) == run(function, x)


def test_middle_names_and_constants_need_no_temporary():
  text = prepared_text("def f(x, y):\n  return 0 < x < 5 < y.z < 9\n")
  assert "return 0 < x and x < 5 and (5 < (_rtf_middle := y.z)) and (_rtf_middle < 9)" in text


def test_declarations_come_first():
  text = prepared_text("def f(x):\n  if x:\n    global a\n    a = 1\n  def g():\n    nonlocal x\n")
  assert text.startswith("def f(x):\n    global a\n    if x:\n        pass\n        a = 1\n")
