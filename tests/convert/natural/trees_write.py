"""Recursions over a tree that keep or change something on the way."""

import numpy as np

from tests.convert.natural.named_trees import Node, calls, sample  # noqa: F401 - the runner calls them


def build_histogram(recursive):
  @recursive
  def count(node, table):
    table[node.name] = table.get(node.name, 0) + 1
    for c in node.children:
      count(c, table)
    return table

  return count


def calls_histogram():
  yield (sample(), {})
  yield (sample(), {"a": 10})


def build_histogram_closure(recursive):
  table = {}

  @recursive
  def count(node):
    if node.name not in table:
      table[node.name] = 0
    table[node.name] += 1
    for c in node.children:
      count(c)

  return count, [table]


def build_levels_setdefault(recursive):
  @recursive
  def levels(node, depth, out):
    out.setdefault(depth, []).append(node.name)
    for c in node.children:
      levels(c, depth + 1, out)
    return out

  return levels


def calls_levels_setdefault():
  yield (sample(), 0, {})


def build_levels_list(recursive):
  @recursive
  def levels(node, depth=0, out=None):
    if out is None:
      out = []
    if len(out) <= depth:
      out.append([])
    out[depth].append(node.value)
    for c in node.children:
      levels(c, depth + 1, out)
    return out

  return levels


def build_number_nodes(recursive):
  @recursive
  def number(node, start=0):
    node.index = start
    after = start + 1
    for c in node.children:
      after = number(c, after)
    return after

  return number


def build_set_parents(recursive):
  @recursive
  def link(node, parent=None):
    node.parent = parent
    for c in node.children:
      link(c, node)

  return link


def build_prune(recursive):
  @recursive
  def prune(node):
    node.children = [prune(c) for c in node.children if c.value > 2]
    return node

  return prune


def build_sort_children(recursive):
  @recursive
  def order(node):
    node.children.sort(key=lambda c: -c.value)
    for c in node.children:
      order(c)
    return node

  return order


def build_diameter(recursive):
  best = [0]

  @recursive
  def arm(node):
    arms = sorted([arm(c) + 1 for c in node.children], reverse=True)
    if len(arms) >= 2:
      best[0] = max(best[0], arms[0] + arms[1])
    elif arms:
      best[0] = max(best[0], arms[0])
    return arms[0] if arms else 0

  return arm, [best]


def build_memo_dict(recursive):
  memo = {}

  @recursive
  def size(node):
    if node.name in memo:
      return memo[node.name]
    result = 1 + sum(size(c) for c in node.children)
    memo[node.name] = result
    return result

  return size, [memo]


def build_validate(recursive):
  errors = []

  def ok(node):
    if node.value < 0:
      errors.append(f"negative: {node.name}")
      return False
    return True

  @recursive
  def validate(node):
    return ok(node) and all(validate(c) for c in node.children)

  return validate, [errors]


def build_visitor(recursive):
  class Visitor:
    def __init__(self):
      self.log, self.depth, self.deepest = [], 0, 0

    def enter(self, node):
      self.depth += 1
      self.deepest = max(self.deepest, self.depth)
      self.log.append(("enter", node.name))

    def leave(self, node):
      self.depth -= 1
      self.log.append(("leave", node.name))

    @recursive
    def visit(self, node):
      self.enter(node)
      for c in node.children:
        self.visit(c)
      self.leave(node)

  visitor = Visitor()
  return visitor.visit, [visitor]


def build_numpy_inplace(recursive):
  totals = np.zeros(3)

  @recursive
  def visit(node, depth=0):
    totals[min(depth, 2)] += node.value
    for c in node.children:
      visit(c, depth + 1)

  return visit, [totals]


def build_default_list(recursive):
  @recursive
  def names(node, seen=[]):
    seen.append(node.name)
    for c in node.children:
      names(c)
    return len(seen)

  return names


def build_class_counter(recursive):
  class Counter:
    calls = 0
    names = []

    @recursive
    def visit(self, node):
      Counter.calls += 1
      Counter.names.append(node.name)
      return 1 + sum(self.visit(c) for c in node.children)

  counter = Counter()
  return counter.visit, [lambda: Counter.calls, Counter.names]


def build_shared_dag(recursive):
  @recursive
  def count(node):
    node.visits = getattr(node, "visits", 0) + 1
    for c in node.children:
      count(c)
    return node.visits

  return count


def calls_shared_dag():
  shared = Node(5, "s", [Node(6, "t")])
  tree = Node(1, "r", [shared, Node(2, "m", [shared])])
  yield (tree,)
  yield (tree,)


def build_return_state(recursive):
  cache = {}

  @recursive
  def gather(node):
    values = [node.value]
    for c in node.children:
      values.extend(gather(c))
    cache["last"] = values
    return values

  return gather, [cache]


def build_running_state(recursive):
  state = {"count": 0, "names": []}

  @recursive
  def visit(node):
    state["count"] += 1
    state["names"].append(node.name)
    for c in node.children:
      visit(c)
    return state["count"]

  return visit, [state]
