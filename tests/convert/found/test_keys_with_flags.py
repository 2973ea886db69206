"""Keys of dicts and members of sets that are tuples with a bool in them: memos of choices."""

import pytest

from tests.convert.agreement import CONVERTED, agrees, of_text, trees

PROGRAMS = {
  "memo_of_the_choice": """
def f(n):
  memo = {}
  def best(m, taken):
    key = (m.name, taken)
    if key in memo:
      return memo[key]
    skip = sum(best(k, False) for k in m.kids)
    found = skip
    if not taken:
      found = max(m.v + sum(best(k, True) for k in m.kids), skip)
    memo[key] = found
    return found
  return best(n, False), memo, list(memo), [key[1] for key in memo]""",
  "counted": """
def f(n):
  counts = {}
  def count(m):
    key = (m.v % 2 == 0, m.flag)
    counts[key] = counts.get(key, 0) + 1
    for k in m.kids:
      count(k)
  count(n)
  return counts, (True, False) in counts, sorted(counts)""",
  "members": """
def f(n):
  seen = set()
  def note(m, depth):
    seen.add((m.name, depth > 1, depth))
    for k in m.kids:
      note(k, depth + 1)
  note(n, 0)
  return len(seen), sorted(seen)""",
  "merged": """
def f(n):
  found = {(n.flag, n.v): 1}
  for k in n.kids:
    for key, count in f(k).items():
      found[key] = found.get(key, 0) + count
  return found""",
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("program", PROGRAMS)
def test_flags_are_parts_of_keys(program):
  agrees(of_text(PROGRAMS[program]), trees, CONVERTED)


MIXED = {
  "written": "counts[(m.name, m.v)] = m.v",
  "asked": "counts['seen', True] = int((m.name, 1) in counts)",
  "put_together": "counts.update({(m.name, depth): 1})",
}


@pytest.mark.parametrize("mixed", MIXED)
def test_ints_in_their_place_are_pythons(mixed):
  """`True` equals `1`: a dict keeps the first of two such keys."""
  text = f"""
def f(n):
  counts = {{}}
  def count(m, depth):
    counts[m.name, m.flag] = depth
    {MIXED[mixed]}
    for k in m.kids:
      count(k, depth + 1)
  count(n, 0)
  return counts, list(counts)
"""
  agrees(of_text(text), trees)
