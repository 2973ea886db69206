"""Dicts and lists passed in that a function reads before it writes to them, beside others."""

import copy

import pytest

from tests.convert.agreement import CONVERTED, agrees, of_text


class Part:
  def __init__(self, sku, unit, *components):
    self.sku, self.unit, self.components = sku, unit, list(components)


def catalog():
  parts = [
    Part("a", 1.0, ("b", 2), ("c", 1)),
    Part("b", 2.0, ("c", 3)),
    Part("c", 0.5),
  ]
  return {part.sku: part for part in parts}


WRITTEN = {
  "looked_up_first": """
  if sku in memo:
    return memo[sku]
  part = parts[sku]
  total = part.unit
  for child, count in part.components:
    total += count * f(parts, child, memo)
  memo[sku] = total
  return total
""",
  "by_get": """
  found = memo.get(sku)
  if found is not None:
    return found
  part = parts[sku]
  total = part.unit + sum(count * f(parts, child, memo) for child, count in part.components)
  memo[sku] = total
  return total
""",
  "not_in": """
  if sku not in memo:
    part = parts[sku]
    memo[sku] = part.unit + sum(n * f(parts, child, memo) for child, n in part.components)
  return memo[sku]
""",
  "counted": """
  memo[sku] = memo.get(sku, 0) + 1
  part = parts[sku]
  return part.unit + sum(n * f(parts, child, memo) for child, n in part.components)
""",
  "update": """
  if sku in memo:
    return memo[sku] + 0.0
  part = parts[sku]
  total = part.unit + sum(n * f(parts, child, memo) for child, n in part.components)
  memo.update({sku: total})
  return total
""",
}


FILLED = {"empty": [{}, {}, {}, {}], "filled": [{}, {}, {"c": 4.0}, {"b": 1.5, "a": 2.0}, {}]}


@pytest.mark.parametrize("filled", FILLED)
@pytest.mark.parametrize("written", WRITTEN)
def test_a_memo_beside_a_dict_of_objects(written, filled):
  text = f"def f(parts, sku, memo):{WRITTEN[written]}"

  def calls():
    memos = copy.deepcopy(FILLED[filled])
    return [(catalog(), "abc"[i % 3], memo) for i, memo in enumerate(memos)]

  is_known = filled == "empty" and written != "update"
  agrees(of_text(text), calls, expect=CONVERTED if is_known else None)


LISTS = {
  "read_first": """
  if len(seen) > 1 and seen[-1] == n["v"]:
    return 0
  seen.append(n["v"])
  return 1 + sum(f(kid, seen, names) for kid in n["kids"])
""",
  "summed_first": """
  before = sum(seen)
  seen.append(n["v"])
  return before + sum(f(kid, seen, names) for kid in n["kids"])
""",
  "stack": """
  last = seen.pop() if seen else 0
  seen.append(n["v"] + last)
  return [last] + [f(kid, seen, names) for kid in n["kids"]]
""",
  "by_place": """
  if seen:
    seen[-1] += n["v"]
  else:
    seen.append(n["v"])
  return len(names) + seen[0] + sum(f(kid, seen, names) for kid in n["kids"])
""",
}


@pytest.mark.parametrize("written", LISTS)
def test_a_list_beside_another(written):
  text = f"def f(n, seen, names):{LISTS[written]}"

  def tree(v, *kids):
    return {"v": v, "kids": list(kids)}

  def calls():
    trees = [tree(1), tree(2, tree(2), tree(3)), tree(0, tree(4, tree(4)))]
    return [(trees[i % 3], [[], [2], [5, 2]][i % 3], ["a", "b"][: i % 3]) for i in range(6)]

  agrees(of_text(text), calls)


def test_what_stays_refused_keeps_its_reason():
  text = """
def f(parts, sku, memo):
  if sku in memo:
    return memo[sku]
  memo[sku] = open(sku)
  return memo[sku]
"""
  agrees(of_text(text), lambda: [(catalog(), "zzz", {}), (catalog(), "zzz", {"zzz": 1})])
