"""Dicts that nodes and other objects have, written by keys that only the run knows."""

import random


class Node:
  def __init__(self, name, value, kids):
    self.name, self.value, self.kids = name, value, kids
    self.words = ["a", "b", name]
    self.counts, self.best, self.pairs, self.seen = {}, {}, {}, {}
    self.given = {"a": 1, "x": 2}


class Graph:
  def __init__(self):
    self.visited, self.parent, self.dist, self.order, self.low = {}, {}, {}, [], {}


class Vertex:
  def __init__(self, name, number):
    self.name, self.number, self.near = name, number, []


def tree(seed):
  rng = random.Random(seed)

  def make(depth):
    count = rng.randint(0, 3) if depth else 0
    return Node(rng.choice("abcd"), rng.randint(0, 9), [make(depth - 1) for _ in range(count)])

  return make(seed % 4)


def vertices(seed):
  rng = random.Random(seed)
  found = [Vertex("abcdefgh"[i], i) for i in range(2 + seed)]
  for one in found:
    one.near = rng.sample(found, 2)
  return found


def calls():
  for seed in range(5):
    root = tree(seed)
    yield root, Graph(), vertices(seed)[0], seed
    yield root, Graph(), vertices(seed)[0], seed


def build_counts(recursive):
  @recursive
  def count(n, graph, v, k):
    for word in n.words:
      n.counts[word] = n.counts.get(word, 0) + 1
    for kid in n.kids:
      count(kid, graph, v, k)
      for word, times in kid.counts.items():
        n.counts[word] = n.counts.get(word, 0) + times
    return len(n.counts)

  return count


def build_best_of_budget(recursive):
  @recursive
  def best(n, graph, v, k):
    if k in n.best:
      return n.best[k]
    if k <= 0 or not n.kids:
      found = n.value
    else:
      found = n.value + max(best(kid, graph, v, k - 1) for kid in n.kids)
    n.best[k] = found
    return found

  return best


def build_depth_first(recursive):
  @recursive
  def search(n, graph, v, k):
    graph.visited[v.number] = True
    graph.order.append(v.name)
    total = 1
    for other in v.near:
      if other.number not in graph.visited:
        graph.parent[other.number] = v.number
        total += search(n, graph, other, k)
    return total

  return search


def build_nearer(recursive):
  @recursive
  def walk(n, graph, v, k):
    if v in graph.dist and graph.dist[v] <= k:
      return
    graph.dist[v] = k
    for other in v.near:
      walk(n, graph, other, k + 1)

  return walk


def build_lowest(recursive):
  @recursive
  def walk(n, graph, v, k):
    graph.visited[v.name] = len(graph.visited)
    graph.low[v.name] = graph.visited[v.name]
    for other in v.near:
      if other.name not in graph.visited:
        walk(n, graph, other, k)
        graph.low[v.name] = min(graph.low[v.name], graph.low[other.name])
      else:
        graph.low[v.name] = min(graph.low[v.name], graph.visited[other.name])
    return graph.low[v.name]

  return walk


def build_memo_of_pairs(recursive):
  @recursive
  def paths(n, graph, i, j):
    if (n.value, j) in graph.dist:
      return graph.dist[n.value, j]
    found = j + sum(paths(kid, graph, i, j + 1) for kid in n.kids)
    graph.dist[n.value, j] = found
    return found

  return paths


def build_same_dict_under_two_names(recursive):
  @recursive
  def walk(n, graph, v, k):
    n.seen = n.given
    n.seen[n.name] = k
    n.given["x"] = n.seen.get("a", 0) + 1
    return n.seen["x"] + len(n.given) + sum(walk(kid, graph, v, k) for kid in n.kids)

  return walk


def build_taken_out(recursive):
  @recursive
  def walk(n, graph, v, k):
    n.given[n.name] = k
    gone = n.given.pop("a", 0) + n.given.pop(n.name, 1)
    if "x" in n.given:
      del n.given["x"]
    n.given["x"] = gone
    return [walk(kid, graph, v, k) for kid in n.kids], list(n.given.items())

  return walk


def build_values_changed_in_a_loop_over_keys(recursive):
  @recursive
  def walk(n, graph, v, k):
    n.given[n.name] = n.value
    for key in n.given:
      n.given[key] *= 2
    return sum(n.given.values()) + sum(walk(kid, graph, v, k) for kid in n.kids)

  return walk


def build_grows_in_a_loop_over_it(recursive):
  @recursive
  def walk(n, graph, v, k):
    for kid in n.kids:
      walk(kid, graph, v, k)
    for key in n.given:
      if n.value > 6:
        n.given[key + n.name] = n.value
    return len(n.given)

  return walk


def build_values_seen_by_a_loop_over_items(recursive):
  @recursive
  def walk(n, graph, v, k):
    total = 0
    for key, value in n.given.items():
      total += value
      if n.value > 4:
        n.given["x"] = total + 5
    return total + sum(walk(kid, graph, v, k) for kid in n.kids)

  return walk


def build_view_kept(recursive):
  @recursive
  def walk(n, graph, v, k):
    items = n.given.items()
    n.given[n.name] = k
    return len(list(items)) + sum(walk(kid, graph, v, k) for kid in n.kids)

  return walk


def build_enumerated(recursive):
  @recursive
  def walk(n, graph, v, k):
    total = 0
    for i, (key, value) in enumerate(n.given.items()):
      n.given["x"] = i + k
      total += value
    return total + sum(walk(kid, graph, v, k) for kid in n.kids)

  return walk


def build_attributes_as_a_dict(recursive):
  @recursive
  def walk(n, graph, v, k):
    n.__dict__["val" + "ue"] = k
    n.__dict__[n.name] = 1
    return n.value + sum(walk(kid, graph, v, k) for kid in n.kids)

  return walk


def build_keys_that_are_attributes(recursive):
  class Box:
    pass

  box = Box()
  box.value, box.a, box.b, box.c, box.d = 1, 2, 3, 4, 5
  holder = Node("h", 0, [])
  holder.given = vars(box)

  @recursive
  def walk(n, holder, b, k):
    holder.given[n.name] = n.value
    return b.a + b.b + b.c + b.d + sum(walk(kid, holder, b, k) for kid in n.kids)

  def call(n, graph, v, k):
    return walk(n, holder, box, k)

  return call, [walk, holder]


def build_lists_by_key(recursive):
  @recursive
  def walk(n, graph, v, k):
    n.best.setdefault(n.name, []).append(n.value)
    for kid in n.kids:
      walk(kid, graph, v, k)
      for name, values in kid.best.items():
        n.best.setdefault(name, []).append(len(values))
    return sorted(n.best)

  return walk


def build_handed_to_a_helper(recursive):
  def bump(counts, key):
    counts[key] = counts.get(key, 0) + 1

  @recursive
  def walk(n, graph, v, k):
    bump(n.counts, n.name)
    bump(graph.dist, n.name)
    for kid in n.kids:
      walk(kid, graph, v, k)
    return len(graph.dist)

  return walk


def build_known_and_found_keys(recursive):
  @recursive
  def walk(n, graph, v, k):
    n.given["x"] = k
    n.given["a"] += 1
    for kid in n.kids:
      walk(kid, graph, v, k)
    return sorted(n.given.items()), n.given.get(n.name)

  return walk
