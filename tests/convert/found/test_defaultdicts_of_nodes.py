"""A `defaultdict` of a node is read by keys of the run; what it would put in, no run does."""

import collections
import itertools

import pytest

from tests.convert.agreement import CONVERTED, agrees, of_text


class Graph:
  def __init__(self, edges, weights=()):
    self.adj = collections.defaultdict(list)
    self.weight = collections.defaultdict(float, weights)
    self.counts = collections.defaultdict(int)
    for a, b in edges:
      self.adj[a].append(b)
      self.adj[b].append(a)
      self.counts[a] += b


def _graphs(first=0):
  names = {0: 0.5, 1: 2.0, 2: 4.0, 3: 1.0, 4: 8.0}
  return [
    (Graph([(0, 1)], names), first, -1),
    (Graph([(0, 1), (0, 2), (2, 3), (2, 4)], names), first, -1),
    (Graph([(0, 3)], names), first, -1),
  ]


def test_neighbours():
  def build(recursive):
    @recursive
    def total(graph, v, parent):
      found = graph.weight[v]
      for w in graph.adj[v]:
        if w != parent:
          found += 2 * total(graph, w, v)
      return found

    return total

  agrees(build, _graphs, expect=CONVERTED)


def test_neighbours_and_none():
  def build(recursive):
    @recursive
    def total(graph, v, parent=None):
      found = graph.weight[v]
      for w in graph.adj[v]:
        if w != parent:
          found += 2 * total(graph, w, v)
      return (found, parent) if parent is None else found

    return total

  agrees(build, lambda: [(graph, v) for graph, v, _ in _graphs()])


@pytest.mark.slow
def test_what_is_missing_is_put_in():
  def build(recursive):
    @recursive
    def total(graph, v, parent):
      found = graph.weight[v] + graph.counts[v]
      for w in graph.adj[v]:
        if w != parent:
          found += 2 * total(graph, w, v)
      return found

    return total

  # What it takes to find that out is near the budget of a conversion.
  agrees(build, _graphs)


_READS = [
  "graph.adj[{0}][0]",
  "len(graph.adj[{0}])",
  "graph.weight.get({0}, 3)",
  "graph.counts.get({0}, 3)",
  "({0} in graph.counts) + 2 * ({0} in graph.adj)",
  "len(graph.counts)",
  "sum(graph.counts.values())",
  "sum(k for k in graph.adj)",
  "(graph.counts[{0}] if {0} in graph.counts else 7)",
  "graph.counts[{0}]",
]
_KEYS = ["v", "v + 0", "graph.adj[v][0]"]


@pytest.mark.parametrize(("read", "key"), itertools.product(_READS, _KEYS))
def test_reads(read, key):
  text = f"""
def f(graph, v, parent):
  found = {read.format(key)}
  for w in graph.adj[v]:
    if w != parent:
      found += 2 * f(graph, w, v)
  return found
"""
  agrees(of_text(text), _graphs)


@pytest.mark.parametrize(
  "write",
  [
    "graph.counts[v] += 1",
    "graph.adj[v].append(7)",
    "graph.counts.setdefault(v, 3)",
    "counts[v] += 5",
    "counts[v] = graph.counts[v] + 1",
    "graph.counts = collections.defaultdict(int, {v: 2})",
  ],
)
@pytest.mark.parametrize("read", ["graph.counts[v]", "len(graph.adj[v])", "(v in graph.counts)"])
def test_reads_after_writes(read, write):
  text = f"""
def f(graph, v, parent, counts):
  found = {read}
  {write}
  found += 3 * {read}
  for w in graph.adj[v][:2]:
    if w != parent and w < 7:
      found += 2 * f(graph, w, v, counts)
  return found + {read}
"""

  def calls():
    return [(graph, v, parent, graph.counts) for graph, v, parent in _graphs()]

  agrees(of_text(text, collections=collections), calls)


def test_an_index_that_is_no_number():
  def build(recursive):
    @recursive
    def take(v, parent, adj, weights):
      taken, left = weights[v], 0
      for w in adj[v]:
        if w != parent:
          inner, outer = take(w, v, adj, weights)
          taken += outer
          left += max(inner, outer)
      return taken, left

    return take

  def calls():
    return [(0, None, [[]], [3]), (0, None, [[1], [0]], [3, 5])]

  agrees(build, calls, expect=CONVERTED)


def test_an_index_that_is_no_number_raises():
  def build(recursive):
    @recursive
    def take(v, adj, weights, items):
      if v == 2:
        return weights[items[0]]
      return sum(take(w, adj, weights, items) for w in adj[v]) + weights[v]

    return take

  adj = [[1], [], [0]]
  agrees(build, lambda: [(0, adj, [3, 4], [["x"]]), (2, adj, [3, 4], [["x"]]), (1, adj, [3], [[]])])
