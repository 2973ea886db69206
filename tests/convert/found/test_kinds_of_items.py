"""Dicts and lists of values of several kinds, of which some are keys, or are written."""

import copy

import pytest
import tensorflow as tf

from tests.convert.agreement import agrees, of_text

# A tree of dicts with numbers, strings and dicts, by keys of the run.
FOUND = {
  "index": "row[n['at']]",
  "index_of_a_tuple": "(row[0], row[1], 2.5)[n['at']]",
  "slice": "row[n['at']:]",
  "character": "'abcdef'[n['at']]",
  "key": "names[n['name']]",
  "key_of_numbers": "numbers[n['at']]",
}
WALK = """
def f(n, row):
  names, numbers = {{"a": 1, "b": 2}}, {{0: "x", 1: "y"}}
  if "leaf" in n:
    return [n["leaf"]]
  {written}
  side = "left" if row[n["at"]] <= n["limit"] else "right"
  return [{found}] + f(n[side], row)
"""
WRITTEN = {
  "counted": "n['hits'] = n.get('hits', 0) + 1",
  "set": "n['seen'] = True",
  "of_row": "n['value'] = row[0]",
  "nothing": "pass",
}


def _trees():
  def leaf(name):
    return {"leaf": name, "n": 1}

  def tree():
    inner = {"at": 1, "limit": 2.0, "name": "b", "left": leaf("b"), "right": leaf("c")}
    return {"at": 0, "limit": 1.0, "name": "a", "left": leaf("a"), "right": inner}

  one = tree()
  return [(one, row) for row in ([0.0, 1.0], [2.0, 3.0], [2.0, 1.0])] + [(leaf("z"), [1.0, 2.0])]


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("found", FOUND)
def test_items_by_items_are_pythons(found, written):
  text = WALK.format(found=FOUND[found], written=WRITTEN[written])
  agrees(of_text(text), _trees)


@pytest.mark.slow
def test_a_walk_that_counts_is_converted():
  other = agrees(of_text(WALK.format(found="row[n['at']]", written=WRITTEN["counted"])), _trees)
  assert other.stats.num_converted_runs


# Lists of elements of several kinds, of which only one takes what is done.
NESTED = [
  [1, "ab", {"x": 1}],
  ["q", {"x": 2, "y": 3}, [4]],
  [{"x": {"x": 5}}, [6, "c"], None],
]
DONE = {
  "written": "x['x'] = 7",
  "written_where_it_is": "if isinstance(x, dict):\n      x['x'] = 7",
  "read": "found.append(x['x'])",
  "read_where_it_is": "if isinstance(x, dict):\n      found.append(x['x'])",
  "first": "if isinstance(x, list):\n      found.append(x[0])",
  "put": "if isinstance(x, list):\n      x[0] = 9",
}


@pytest.mark.parametrize("done", DONE)
def test_what_only_one_kind_takes_is_pythons(done):
  text = f"""
def f(t, found):
  for x in t:
    {DONE[done]}
    if isinstance(x, list):
      f(x, found)
  return found
"""

  def calls():
    whole = [[{"x": 1, "y": 2}, {"x": 3}], *NESTED]
    return [(t, []) for t in copy.deepcopy(whole)]

  agrees(of_text(text), calls)


SLICED = {
  "two": "(xs[n['v']:], xs[:n['w']])",
  "both_ends": "xs[n['v']:n['w']]",
  "step": "xs[::n['w'] or 1]",
  "text": "'abcd'[n['v']:]",
  "tuple": "(5, 6, 7, 8)[n['v']:]",
  "tensor": "TENSOR[n['v']:]",
  "of_the_run": "[x + 1 for x in xs][n['v']:n['w']]",
}


VALUES = {
  "several": [(None, 1), (True, 2), (1, None), ("a", 1), (2.5, True), (2, True), (True, False)],
  "bool_or_none": [(None, True), (True, None), (False, True), (None, None), (True, False)],
}


@pytest.mark.parametrize("written", ["n['seen'] = n['v']", "n['seen'] = 1.5", "pass"])
@pytest.mark.parametrize("sliced", SLICED)
@pytest.mark.parametrize("of", VALUES)
def test_bounds_of_several_kinds_are_pythons(of, sliced, written):
  text = f"""
def f(n, xs):
  {written}
  return [{SLICED[sliced]}] + [f(k, xs) for k in n["kids"]]
"""

  def node(i, *kids):
    v, w = VALUES[of][i % len(VALUES[of])]
    return {"v": v, "w": w, "kids": list(kids)}

  def calls():
    good = [node(1, node(2, node(5)), node(6)), node(0, node(1), node(2))]
    trees = [*good, node(3), node(4, node(1)), *good, node(1, node(3)), *good]
    return [(tree, [5, 6, 7, 8]) for tree in copy.deepcopy(trees)]

  agrees(of_text(text, TENSOR=tf.range(4)), calls)
