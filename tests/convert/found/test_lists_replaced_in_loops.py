"""A loop whose variable begins as a list of the caller's and becomes one that the loop makes."""

import copy

import pytest

from tests.convert.agreement import agrees, of_text

BEGINS = {
  "argument": "n['xs']",
  "copy": "list(n['xs'])",
  "chosen": "n['xs'] if n['v'] else [1, 2]",
  "or": "n['xs'] or [5]",
  "given": "given",
  "made": "[n['v'], 3]",
}
STEPS = {
  "rest": "level = level[1:]",
  "pairs": "level = [a + b for a, b in zip(level, level[1:])]",
  "filtered": "level = [x for x in level[:-1] if x]",
  "rest_of_copy": "level = list(level)[:-1]",
  "concatenated": "level = level[2:] + level[:1] if len(level) > 1 else []",
  "appended": "level.append(n['v']); level = level[2:]",
  "popped": "level.pop(); level = level[:]",
  "sorted": "level = sorted(level)[1:]",
  "by_a_call": "level = rest(level)",
  "in_a_branch": "level = level[1:] if n['v'] else level[:-1]",
  "other_name": "before = level; level = before[1:]",
  "from_the_tree": "level = n['kids'][0]['xs'] if n['kids'] and not found else []",
}
LOOPS = {
  "while": "while level:",
  "while_long": "while len(level) > 1:",
  "while_not_empty": "while level != []:",
  "for": "for _ in range(len(level)):",
  "while_both": "while level and len(found) < 3:",
}
ENDS = {
  "found": "found",
  "itself": "(found, level)",
  "identity": "(found, level is n['xs'])",
  "kept": "(found, n.setdefault('last', level))",
  "tree": "(found, n['xs'])",
}


def calls():
  def node(v, xs, *kids):
    return {"v": v, "xs": xs, "kids": list(kids)}

  trees = [
    node(1, [1, 2, 3], node(0, [4, 5]), node(2, [])),
    node(0, []),
    node(2, [7], node(3, [1, 1, 1, 1], node(0, [2, 3, 4]))),
  ]
  return [(tree, given) for tree in copy.deepcopy(trees * 2) for given in ([3, 4, 5],)]


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("begins", BEGINS)
def test_loops_are_pythons(begins, step, loop, ends):
  text = f"""
def rest(xs):
  return xs[1:]

def f(n, given):
  level, found = {BEGINS[begins]}, []
  {LOOPS[loop]}
    if level:
      found.append(level[0])
    {STEPS[step]}
  return [{ENDS[ends]}] + [f(k, given) for k in n["kids"]]
"""
  agrees(of_text(text), calls)
