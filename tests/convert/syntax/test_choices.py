"""What a condition chooses is changed as before, under the condition."""

import itertools

import pytest

from tests.convert.syntax.lowering import defined, lowered, outcome, prepared_text

CHOICES = {
  "expression": "t = a if note(x) > 2 else b",
  "expression in a list": "t = s[note(0)] if note(x) > 2 else s[note(1)]",
  "nested": "t = a if note(x) > 3 else b if note(x) > 1 else s[note(0)]",
  "statement": "if note(x) > 2:\n    t = a\n  else:\n    note(7)\n    t = b",
  "elif": "if note(x) > 3:\n    t = a\n  elif note(x) > 1:\n    t = b\n  else:\n    t = s[note(1)]",
  "one of them returns": "if note(x) > 3:\n    return 9\n    t = a\n  else:\n    t = b",
  "in a loop": "for i in range(3):\n    note(i)\n    t = a if i == x else b\n    t.append(i)",
}
CHANGES = {
  "append": "t.append(note(x))",
  "after others": "y = note(5)\n  t.append(y)\n  note(6)",
  "several": "t.append(note(1))\n  y = note(len(t))\n  t += [y]\n  t[note(0)] = note(8)",
  "only read": "y = note(len(t))",
  "bound anew": "t = [note(3)]\n  t.append(x)",
  "much later": "note(1)\n  note(2)\n  note(3)\n  note(4)\n  note(5)\n  t.append(6)",
  "lambda": "t.append((lambda y: note(y) + x)(2))",
}
WRITTEN_OUT = {
  "method": "(a if note(x) > 2 else b).append(note(x))",
  "method of a nested choice": "(a if x > 3 else b if note(x) > 1 else s[0]).append(note(x))",
  "item": "(a if note(x) > 2 else b)[note(0)] += note(x)",
  "in a branch": "if x > 1:\n    (a if note(x) > 2 else b).append(note(x))\n  else:\n    note(3)",
  "in a loop": "for i in range(x):\n    (a if note(i) > 2 else b).append(note(i))",
  "value kept": "y = (a if note(x) > 2 else b).pop(note(0))\n  note(y)",
  "raises": "(a if note(x) > 2 else None).append(note(x))",
}
PAIRS = itertools.product(CHOICES, CHANGES)
PROGRAMS = {f"{a}, {b}": f"{CHOICES[a]}\n  {CHANGES[b]}" for a, b in PAIRS} | WRITTEN_OUT


@pytest.mark.parametrize("name", PROGRAMS)
def test_changes_the_same_in_the_same_order(name):
  text = f"def f(x, note, a, b, s):\n  {PROGRAMS[name]}\n  return a, b, s, x\n"

  def run(function, x):
    notes = []

    def note(value):
      notes.append(value)
      return value

    a, b = [10], [20]
    return outcome(function, x, note, a, b, [a, b]), notes, a, b

  function = defined(text)
  for x in range(6):
    assert run(lowered(function), x) == run(function, x)


def test_statements_go_as_far_as_the_last_change():
  text = "def f(x, a, b):\n  t = a if x else b\n  t.append(x)\n  t.append(1)\n  return x\n"
  found = prepared_text(text)
  assert found.count("t.append(x)") == found.count("t.append(1)") == 2
  assert found.count("return x") == 1


def test_what_is_only_read_is_not_copied():
  assert (
    prepared_text("def f(x, a, b):\n  t = a if x else b\n  return t.y + t.z\n").count("t.z") == 1
  )
