"""`id(node)` of objects of the heap, `next` of the user's own, and the largest of some."""

from __future__ import annotations

import heapq
import random

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason


class Node:
  def __init__(self, v, *kids):
    self.v = v
    self.kids = list(kids)
    self.data = {"kids": self.kids}


def graph(draw, count):
  """Returns a node of a graph in which some are shared."""
  nodes = [Node(0)]
  for i in range(1, count):
    nodes.append(Node(i, *draw.sample(nodes, draw.randrange(min(len(nodes), 3) + 1))))
  return Node(count, *nodes[-3:])


def order(n, seen, found):
  if id(n) not in seen:
    seen.add(id(n))
    for k in n.kids:
      order(k, seen, found)
    found.append(n)
  return found


def memo(n, known):
  if id(n) in known:
    return known[id(n)]
  known[id(n)] = n.v + sum(memo(k, known) for k in n.kids)
  return known[id(n)]


def ids(n):
  return [id(n), id(n.kids), id(n.data), *[i for k in n.kids for i in ids(k)]]


def path(n, way=()):
  return len(way) if id(n) in way else max([path(k, (*way, id(n))) for k in n.kids], default=0)


def compared(n, other):
  return (id(n) == id(other)) + sum(compared(k, n.kids[0]) for k in n.kids)


PROGRAMS = {
  "order": (order, lambda n: (n, set(), [])),
  "memo": (memo, lambda n: (n, {})),
  "ids": (ids, lambda n: (n,)),
  "path": (path, lambda n: (n,)),
  "compared": (compared, lambda n: (n, n)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_ids_are_python_s(name):
  program, arguments = PROGRAMS[name]
  function = rtf.recursive(verify=False)(program)
  draw = random.Random(name)
  for count in (1, 2, 5, 9, 12):
    node = graph(draw, count)
    plain, other = arguments(node), arguments(node)
    expected, found = program(*plain), function(*other)
    if name == "order":
      assert [*map(id, expected)] == [*map(id, found)]
    else:
      assert expected == found
    assert all(a == b for a, b in zip(plain[1:], other[1:], strict=True))
  assert not function.stats.fallbacks, function.explain()


@pytest.mark.parametrize("value", ["n.v", "n.name", "[n]", "n.kids and None"])
def test_the_id_of_what_may_be_made_anew_is_refused(value):
  def of_number(n):
    return id(n.v) * 0 + sum(of_number(k) for k in n.kids)

  def of_list(n):
    return id([n.v]) * 0 + sum(of_list(k) for k in n.kids)

  def of_either(n):
    return id(n.kids[0] if n.kids else None) * 0

  found = {"n.v": of_number, "[n]": of_list, "n.kids and None": of_either}.get(value, of_number)
  function = rtf.recursive(verify=False)(found)
  assert function(Node(1, Node(2), Node(3))) == 0
  assert set(function.stats.fallbacks) == {Reason.OPAQUE_CALL}


class Tokens:
  def __init__(self, items):
    self.items = items
    self.at = 0

  def __iter__(self):
    return self

  def __next__(self):
    if self.at >= len(self.items):
      raise StopIteration
    self.at += 1
    return self.items[self.at - 1]


def parsed(tokens):
  token = next(tokens)
  if token != "(":
    return int(token)
  total = 0
  for _ in range(int(next(tokens))):
    total += parsed(tokens)
  return total


def test_next_of_the_user_s_own():
  function = rtf.recursive(verify=False)(parsed)
  for text in ("3", "( 2 4 5", "( 3 1 ( 2 7 8 ( 0", "( 1 ( 1 ( 1 ( 2 3 4"):
    plain, other = Tokens(text.split()), Tokens(text.split())
    assert parsed(plain) == function(other)
    assert plain.at == other.at
  assert not function.stats.fallbacks, function.explain()
  with pytest.raises(StopIteration):
    function(Tokens(["(", "2", "1"]))


def largest(n, k):
  found = [(n.v % 7, n.v)]
  for kid in n.kids:
    found.extend(largest(kid, k))
  return heapq.nlargest(k, found)


def smallest(n, k):
  return heapq.nsmallest(k, [n.v, *[v for kid in n.kids for v in smallest(kid, k)]])


def by_key(n, k):
  pairs = [(n.v, n.v % 3)] + [pair for kid in n.kids for pair in by_key(kid, k)]
  return heapq.nlargest(k, pairs, key=lambda pair: pair[1])


def constants(n, k):
  return heapq.nsmallest(2, [3, 1, 2]) + heapq.nlargest(k, [len(n.kids), 2, 4])


@pytest.mark.parametrize("program", [largest, smallest, by_key, constants])
def test_the_largest_and_the_smallest(program):
  function = rtf.recursive(verify=False)(program)
  draw = random.Random(4)
  for k in (3, 1, 0, -1, 50):
    node = graph(draw, 8)
    expected, found = program(node, k), function(node, k)
    assert expected == found and [*map(type, expected)] == [*map(type, found)]
  assert not function.stats.fallbacks, function.explain()


def test_the_largest_of_objects_with_an_order_of_their_own_is_plain_python():
  class Job:
    def __init__(self, cost, *kids):
      self.cost = cost
      self.kids = kids

    def __lt__(self, other):
      return self.cost < other.cost

  def best(job):
    return heapq.nlargest(1, [job, *[b for k in job.kids for b in best(k)]])

  function = rtf.recursive(verify=False)(best)
  job = Job(3, Job(5), Job(4, Job(9)))
  assert function(job)[0] is best(job)[0]


class Bag:
  def __init__(self, items):
    self.items = items
    self.asked = 0

  def __contains__(self, item):
    self.asked += 1
    return item in self.items

  def __len__(self):
    return len(self.items)


def test_in_of_what_says_itself_what_it_has():
  def visit(n, bag):
    found = (n.v in bag) + len(bag) if bag else 0
    return found + sum([visit(k, bag) for k in n.kids])

  function = rtf.recursive(verify=False)(visit)
  draw = random.Random(6)
  for items in ([1, 2], [], [0, 5, 7, 8]):
    node, plain, other = graph(draw, 7), Bag(items), Bag(items)
    assert visit(node, plain) == function(node, other)
    assert plain.asked == other.asked
  assert not function.stats.fallbacks, function.explain()


def test_an_item_of_a_keras_variable_is_a_row():
  class Words(tf.keras.layers.Layer):
    def __init__(self):
      super().__init__()
      self.words = self.add_weight(shape=(5, 2), name="words")

    def encode(self, n):
      row = self.words[n.v % 5]
      return row + sum([tf.tanh(encode(k)) for k in n.kids], tf.zeros([2]))

  layer = Words()
  tree = Node(1, Node(2), Node(8, Node(3)), Node(-1))
  found = []
  for decorator in (lambda f: f, rtf.recursive(strict=True, verify=False)):
    encode = decorator(layer.encode)
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(encode(tree) ** 2)
    found.append((loss, tf.convert_to_tensor(tape.gradient(loss, layer.words.value))))
  tf.debugging.assert_near(found[0][0], found[1][0])
  tf.debugging.assert_near(found[0][1], found[1][1])
