"""`with` and `try`: exits taken out of them, handlers gone, and else the same."""

import ast
import itertools

import pytest

from tests.convert.syntax.lowering import defined, lowered, outcome, prepared_text

PROGRAMS = {
  "falls": "with note(a) as b: c = b + 1\n  return c",
  "returns": "with note(a) as b: return b + c",
  "returns nothing": "with note(a): return",
  "returns in a branch": "with note(a):\n    if b: return 1\n    c = 2\n  return c",
  "returns in all branches": "with note(a):\n    if b: return 1\n    else: return c\n  return 3",
  "nested": "with note(a):\n    with note(b):\n      if c: return 1\n    a = 5\n  return a",
  "two managers": "with note(a) as d, note(d + b) as e: return d, e",
  "tuple target": "with note((a, b)) as (d, e): c = d\n  return c, e",
  "in a loop": "for i in range(3):\n    with note(i):\n      a += i\n  return a",
  "return in a with in a loop": (
    "for i in range(3):\n    with note(i):\n      if i == b: return a\n  return c"
  ),
  "a loop inside": "with note(a):\n    for i in range(3):\n      if i == b: break\n  return i",
  "try": "try: a = b + 1\n  except ValueError: a = 7\n  return a",
  "try returns": "try: return b\n  except ValueError: a = 7\n  return a",
  "else": "try: a = b\n  except ValueError as e: a = 7\n  else: a += 2\n  return a",
  "finally": "try: return note(a).value\n  finally: note(b).__enter__()",
  "finally after a branch": (
    "try:\n    if a: return b\n    c = 5\n  finally: note(c).__enter__()\n  return c"
  ),
  "all of it": (
    "try:\n    if a: return b\n  except KeyError: return 9\n  else: c = 4\n"
    "  finally: note(c).__enter__()\n  return c"
  ),
  "break in a try": (
    "for i in range(3):\n    try:\n      if i == a: break\n    except KeyError: pass\n  return i"
  ),
  "break": (
    "for i in range(3):\n    with note(i):\n      if i == a: break\n      c = i\n  return c, i"
  ),
  "continue": (
    "for i in range(3):\n    with note(i):\n      if i == b: continue\n"
    "      c += i\n    a += c\n  else: c = -c\n  return a, c"
  ),
  "continue in the end": "for i in range(3):\n    with note(i):\n      continue\n  return i",
  "all exits": (
    "for i in range(3):\n    with note(i):\n      if a: break\n      if b:\n"
    "        if i: return c\n        continue\n      c += i\n    note(c).__enter__()\n"
    "  else: return -c\n  return c, i"
  ),
  "exits of two managers": (
    "while a < 4:\n    a += 1\n    with note(a) as d, note(b) as e:\n"
    "      if d == 2: continue\n      with note(c):\n        if e: break\n      c += 1\n"
    "  return a, c"
  ),
  "returns out of a loop": (
    "with note(a):\n    for i in range(3):\n      if i == b: return i\n"
    "      c += 1\n    c += 5\n  return c"
  ),
  "returns out of loops": (
    "with note(a):\n    for i in range(3):\n      for j in range(2):\n        if j == c: break\n"
    "        if i == b: return i, j\n      else: a += 1\n    else: c = 7\n  return a, c"
  ),
  "leaves a loop, and returns out of one": (
    "for k in range(3):\n    with note(k):\n      for i in range(3):\n"
    "        if i + k == 3 * b: return i\n      if k == a: break\n    c += 1\n  return c"
  ),
  "continue in a try": (
    "for i in range(3):\n    try:\n      if i == a: continue\n      c += 1\n"
    "    finally: note(i).__enter__()\n    b += 1\n  return b, c"
  ),
  "del": "d = a\n  del d\n  return b",
}


class Note:
  """Writes down when it is entered and left."""

  log = []

  def __init__(self, value):
    self.value = value

  def __enter__(self):
    self.log.append(("enter", self.value))
    return self.value

  def __exit__(self, *error):
    self.log.append(("exit", self.value, error))


@pytest.mark.parametrize("name", PROGRAMS)
def test_does_the_same(name):
  function = defined(f"def f(a, b, c):\n  {PROGRAMS[name]}\n", note=Note)
  twin = lowered(function)
  for inputs in itertools.product((0, 1), repeat=3):
    seen = []
    for each in (twin, function):
      Note.log.clear()
      seen.append((outcome(each, *inputs), list(Note.log)))
    assert seen[0] == seen[1], inputs


def test_only_handlers_are_dropped():
  text = prepared_text(
    "def f(a):\n  try: b = a\n  except KeyError: b = 1\n  finally: c = 2\n  return b"
  )
  assert not any(isinstance(node, ast.Try) for node in ast.walk(ast.parse(text)))
  assert "c = 2" in text and "b = 1" not in text


def test_what_only_a_handler_binds_stays_a_local():
  function = defined("def f(a):\n  try: b = a\n  except KeyError as e: e = 1\n  return e", e=5)
  with pytest.raises(UnboundLocalError):
    function(1)
  with pytest.raises(UnboundLocalError):
    lowered(function)(1)
