"""Recursions that compute something of a tree."""

import dataclasses
from typing import NamedTuple

from tests.convert.natural.named_trees import Node, calls, sample  # noqa: F401 - the runner calls them


def calls_contains():
  for name in ("d", "zz", "root"):
    yield (sample(), name)


def calls_is_symmetric():
  yield (sample(), sample())
  other = sample()
  other.children[0].children[1].value = 99
  yield (sample(), other)
  yield (other, other)


def build_depth(recursive):
  @recursive
  def depth(node):
    if not node.children:
      return 1
    return 1 + max(depth(c) for c in node.children)

  return depth


def build_leaf_values(recursive):
  @recursive
  def values(node):
    if not node.children:
      return [node.value]
    out = []
    for child in node.children:
      out.extend(values(child))
    return out

  return values


def build_preorder_acc(recursive):
  @recursive
  def walk(node, out=None):
    if out is None:
      out = []
    out.append(node.name)
    for child in node.children:
      walk(child, out)
    return out

  return walk


def build_paths(recursive):
  @recursive
  def paths(node):
    if not node.children:
      return [[node.name]]
    return [[node.name] + p for c in node.children for p in paths(c)]

  return paths


def build_paths_backtrack(recursive):
  found = []

  @recursive
  def search(node, path):
    path.append(node.name)
    if not node.children:
      found.append(list(path))
    for c in node.children:
      search(c, path)
    path.pop()

  return search, [found]


def calls_paths_backtrack():
  yield (sample(), [])
  yield (Node(3, "x"), ["before"])


def build_path_sum(recursive):
  @recursive
  def has_path(node, target):
    rest = target - node.value
    if not node.children:
      return rest == 0
    return any(has_path(c, rest) for c in node.children)

  return has_path


def calls_path_sum():
  yield (sample(), 7)
  yield (sample(), 14)
  yield (sample(), 5)


def build_find(recursive):
  @recursive
  def find(node, name):
    if node.name == name:
      return node
    for c in node.children:
      hit = find(c, name)
      if hit is not None:
        return hit
    return None

  return find


calls_find = calls_contains


def build_find_all(recursive):
  @recursive
  def find_all(node, name):
    hits = [node] if node.name == name else []
    for c in node.children:
      hits.extend(find_all(c, name))
    return hits

  return find_all


def calls_find_all():
  for name in ("a", "zz", "root"):
    yield (sample(), name)


def build_max_node(recursive):
  @recursive
  def largest(node):
    best = node
    for c in node.children:
      other = largest(c)
      if other.value > best.value:
        best = other
    return best

  return largest


def build_min_max(recursive):
  @recursive
  def bounds(node):
    lo = hi = node.value
    for c in node.children:
      a, b = bounds(c)
      lo = min(lo, a)
      hi = max(hi, b)
    return lo, hi

  return bounds


def build_stats(recursive):
  class Stats(NamedTuple):
    count: int
    total: int
    depth: int

  @recursive
  def stats(node):
    below = [stats(c) for c in node.children]
    return Stats(
      1 + sum(s.count for s in below),
      node.value + sum(s.total for s in below),
      1 + max([s.depth for s in below], default=0),
    )

  return stats


def build_stats_dataclass(recursive):
  @dataclasses.dataclass
  class Stats:
    count: int = 0
    total: float = 0.0

  @recursive
  def stats(node):
    s = Stats(1, float(node.value))
    for c in node.children:
      t = stats(c)
      s.count += t.count
      s.total += t.total
    return s

  return stats


def build_to_dict(recursive):
  @recursive
  def to_dict(node):
    return {"name": node.name, "value": node.value, "children": [to_dict(c) for c in node.children]}

  return to_dict


def build_to_string(recursive):
  @recursive
  def show(node):
    if not node.children:
      return node.name
    return node.name + "(" + ", ".join(show(c) for c in node.children) + ")"

  return show


def build_pretty_print(recursive):
  @recursive
  def show(node, indent=0):
    print("  " * indent + f"{node.name}: {node.value}")
    for c in node.children:
      show(c, indent + 1)

  return show


def build_diff(recursive):
  @recursive
  def diff(a, b, path=()):
    out = []
    if a.value != b.value:
      out.append((path, a.value, b.value))
    for i, (x, y) in enumerate(zip(a.children, b.children)):
      out.extend(diff(x, y, path + (i,)))
    return out

  return diff


calls_diff = calls_is_symmetric


def build_lca(recursive):
  @recursive
  def lca(node, p, q):
    if node.name in (p, q):
      return node
    hits = [h for h in (lca(c, p, q) for c in node.children) if h is not None]
    if len(hits) >= 2:
      return node
    return hits[0] if hits else None

  return lca


def calls_lca():
  yield (sample(), "c", "d")
  yield (sample(), "c", "b")
  yield (sample(), "x", "y")


def build_max_independent_set(recursive):
  @recursive
  def best(node):
    take, skip = node.value, 0
    for c in node.children:
      t, s = best(c)
      take += s
      skip += max(t, s)
    return take, skip

  return best


def build_even_odd(recursive):
  @recursive
  def split(node, evens, odds):
    target = evens if node.value % 2 == 0 else odds
    target.append(node.value)
    for c in node.children:
      split(c, evens, odds)
    return len(evens), len(odds)

  return split


def calls_even_odd():
  yield (sample(), [], [])


def build_partition_local(recursive):
  @recursive
  def split(node):
    small, large = [], []
    for c in node.children:
      (small if c.value < 4 else large).append(c.name)
    below = [split(c) for c in node.children]
    return small, large, below

  return split


def build_longest_list(recursive):
  @recursive
  def longest(node):
    best = []
    for c in node.children:
      p = longest(c)
      if len(p) > len(best):
        best = p
    return [node.name] + best

  return longest


def build_fold(recursive):
  @recursive
  def fold(node, fn):
    return fn(node.value, [fold(c, fn) for c in node.children])

  def start(node):
    return fold(node, lambda v, below: v + sum(below)), fold(
      node, lambda v, below: max([v] + below)
    )

  return start


def build_inner_nonlocal(recursive):
  @recursive
  def best(node):
    top = None

    def walk(n, depth):
      nonlocal top
      if top is None or n.value > top[0]:
        top = (n.value, depth, n.name)
      for c in n.children:
        walk(c, depth + 1)

    walk(node, 0)
    return top

  return best


def build_dict_sum(recursive):
  @recursive
  def totals(node):
    out = {node.name: node.value}
    for c in node.children:
      for name, value in totals(c).items():
        out[name] = out.get(name, 0) + value
    return out

  return totals


def build_kth(recursive):
  @recursive
  def kth(node, k):
    if k == 0:
      return node, 0
    k -= 1
    for c in node.children:
      found, k = kth(c, k)
      if found is not None:
        return found, k
    return None, k

  return kth


def calls_kth():
  for k in (0, 2, 4, 9):
    yield (sample(), k)


def build_accumulate_tuple(recursive):
  @recursive
  def trail(node, so_far=()):
    so_far = so_far + (node.value,)
    if not node.children:
      return (so_far,)
    out = ()
    for c in node.children:
      out += trail(c, so_far)
    return out

  return trail


def build_unzip(recursive):
  @recursive
  def info(node):
    if not node.children:
      return node.value, 1
    values, sizes = zip(*[info(c) for c in node.children])
    return node.value + max(values), 1 + sum(sizes)

  return info


def build_validate_raise(recursive):
  @recursive
  def validate(node):
    if node.value < 0:
      raise ValueError(f"negative value {node.value} at {node.name}")
    for c in node.children:
      validate(c)
    return True

  return validate
