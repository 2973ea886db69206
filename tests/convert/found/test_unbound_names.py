"""Names that are not bound where they are read: Python raises, whatever is of that name outside."""

import pytest

from tests.convert.agreement import agrees, of_text, trees

OUTSIDE = "x = 7  # What no program means."

PROGRAMS = {
  "in_a_comprehension": """
def f(n):
  found = [x for _ in n.kids]
  if not n.kids:
    x = n.v
  return found, [f(k) for k in n.kids]""",
  "in_a_lambda": """
def f(n):
  get = lambda: x + 1
  found = get() if n.kids else 0
  x = n.v
  return found + get(), [f(k) for k in n.kids]""",
  "in_a_function_around": """
def f(n):
  x = 5
  def middle():
    def inner():
      return x + n.v
    found = inner() if n.kids else 0
    x = 1
    return found + x
  return middle(), [f(k) for k in n.kids]""",
  "added_to": """
def f(n):
  x = 0
  def visit(m):
    x += 1
    for k in m.kids:
      visit(k)
  if n.kids:
    visit(n.kids[0])
  return x, [f(k) for k in n.kids]""",
  "a_set_joined": """
def f(n):
  seen = set()
  def visit(m):
    seen.add(m.v)
    seen |= {m.v}
  if n.kids:
    visit(n)
  return len(seen), [f(k) for k in n.kids]""",
  "of_a_second_for": """
def f(n):
  x = n.v
  return [x * y for y in range(2) for x in (x, x + 1)], [f(k) for k in n.kids]""",
  "of_a_second_for_in_any": """
def f(n):
  return any(x > k.v for k in n.kids for x in (x, 1)), [f(k) for k in n.kids]""",
  "deleted": """
def f(n):
  x = n.v
  def visit(m):
    found = x
    if m.kids:
      del x
    return found
  return visit(n), [f(k) for k in n.kids]""",
  "of_a_loop": """
def f(n):
  def visit(m):
    for x in m.kids:
      pass
    return x.v
  return visit(n) if n.kids else 0, [f(k) for k in n.kids]""",
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("program", PROGRAMS)
def test_names_are_those_of_their_function(program):
  agrees(of_text(OUTSIDE + PROGRAMS[program]), trees)


_RECURSIVE = """
def f(n):
  def visit(m):
    nonlocal last
    {}
    for k in m.kids:
      visit(k)
  visit(n)
  if n.v > 1000:
    last = 0
  return last"""
SET_FIRST = {
  "inlined": """
def f(n):
  def visit():
    nonlocal last
    last = n.v
  visit()
  if n.v > 1000:
    last = 0
  return last, [f(k) for k in n.kids]""",
  "recursive": _RECURSIVE.format("last = m.v"),
  "on_some_paths": _RECURSIVE.format("if m.v > 2: last = m.v"),
}


@pytest.mark.parametrize("program", SET_FIRST)
def test_a_name_is_set_first_by_an_inner_function(program):
  agrees(of_text(SET_FIRST[program]), trees)
