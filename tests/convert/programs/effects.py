"""Writes to objects, lists and dicts, and prints: in Python's order, each time."""

import tensorflow as tf

from tests.convert import trees
from tests.convert.programs.registry import Case, D, program


@program("writes", "attribute", "tensor")
def state_on_nodes(w):
  """Shows `node.state = h` with gradients through what was written; visualisers do that."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    if node.is_leaf:
      h = table[node.word]
    else:
      h = tf.tanh(encode(node.left) + 2.0 * encode(node.right))
    node.state = h
    return h

  def loss(result, root):
    states, agenda = [result], [root]
    while agenda:
      node = agenda.pop()
      states.append(node.state**2)
      agenda += [] if node.is_leaf else [node.left, node.right]
    return tf.add_n(states)

  return Case(encode, trees.binary(w.rng), loss=loss)


@program("writes", "self.count += 1", "method", gradients=False)
def counting_calls(w):
  """Shows `self.count += 1`: a trace would count once (tensorflow issue 31362)."""

  class Counter:
    def __init__(self):
      self.count, self.leaves = 0, 0

    @w.recursive
    def visit(self, node):
      self.count += 1
      if node.is_leaf:
        self.leaves += 1
        return self.count
      return self.visit(node.left) + self.visit(node.right)

  counter = Counter()
  return Case(counter.visit, trees.binary(w.rng), state=[counter])


@program("writes", "append", "list of tensors")
def append_states(w):
  """Shows `results.append(h)` in post-order (tensorflow issue 37512)."""
  table, results = w.embedding(), []

  @w.recursive
  def encode(node):
    h = table[node.word] if node.is_leaf else encode(node.left) * encode(node.right)
    results.append(h)
    return h

  return Case(encode, trees.binary(w.rng), state=[results])


@program("writes", "append", "list argument", "strings", gradients=False)
def collect_leaves(w):
  """Shows leaves collected into a list that is passed down."""

  @w.recursive
  def leaves(tree, found):
    if isinstance(tree[1], str):
      found.append(tree[1])
    else:
      leaves(tree[1], found)
      leaves(tree[2], found)
    return len(found)

  return Case(leaves, [(tree, []) for tree in trees.lists(w.rng)])


@program("writes", "dict", "cache by key")
def memo_by_key(w):
  """Shows `cache[key] = h` keyed by an int: each word is encoded once per run of the program."""
  table, cache = w.embedding(), {}

  @w.recursive
  def encode(node):
    if not node.is_leaf:
      return encode(node.left) + tf.tanh(encode(node.right))
    if node.word not in cache:
      cache[node.word] = tf.sigmoid(table[node.word])
    return cache[node.word]

  def mutate(rng, root):
    cache.clear()
    trees.mutate(rng, root)

  return Case(encode, trees.binary(w.rng), state=[cache], mutate=mutate)


@program("writes", "dict of counts", "strings", gradients=False)
def histogram(w):
  """Shows `counts[tag] = counts.get(tag, 0) + 1`: a histogram of tags."""
  counts = {}

  @w.recursive
  def tally(node):
    counts[node.tag] = counts.get(node.tag, 0) + 1
    for child in node.children:
      tally(child)
    return counts[node.tag]

  return Case(tally, trees.nary(w.rng), state=[counts])


@program("print", "order", gradients=False)
def prints_in_order(w):
  """Shows prints before, between and after recursive calls: a traced print comes once."""

  @w.recursive
  def show(node, depth=0):
    if node.is_leaf:
      print("leaf", node.word, "at", depth)
      return 1
    print("enter", node.tag)
    left = show(node.left, depth + 1)
    print(f"{node.tag}: {left} so far")
    right = show(node.right, depth + 1)
    print("leave", node.tag, left + right, sep="/", end="!\n")
    return left + right

  return Case(show, trees.binary(w.rng))


@program("print", "tensors")
def prints_tensors(w):
  """Shows tensors printed, and formatted by an f-string."""
  table = w.embedding(2, dtype=tf.float64)

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return table[node.word]
    h = encode(node.left) * encode(node.right)
    print("state:", h)
    return h

  return Case(encode, trees.binary(w.rng))


@program("writes", "read back", "attribute", gradients=False)
def read_own_writes(w):
  """Shows a node's field written twice and read in between, by it and by its children."""

  @w.recursive
  def walk(node, parent):
    node.mark = parent.mark + 1
    if not node.is_leaf:
      walk(node.left, node)
      node.mark += 10
      walk(node.right, node)
    return node.mark

  def top():
    node = trees.Node(word=0)
    node.mark = 100
    return node

  return Case(walk, [(tree, top()) for tree in trees.binary(w.rng)])


@program("nonlocal", "writes", gradients=False)
def nonlocal_counter(w):
  """Shows a `nonlocal` counter: preorder numbers given to nodes."""
  counter = 0

  @w.recursive
  def number(node):
    nonlocal counter
    node.index = counter
    counter += 1
    for child in node.children:
      number(child)
    return counter

  return Case(number, trees.nary(w.rng), state=[lambda: counter])


@program("writes", "order across children", gradients=False)
def evaluation_order(w):
  """Shows a stack machine: operands are appended left to right, popped by their parent."""
  stack = []

  @w.recursive
  def run(node):
    if node.is_leaf:
      stack.append(node.word)
    else:
      run(node.left)
      run(node.right)
      b = stack.pop()
      a = stack.pop()
      stack.append(a - 2 * b)
    return stack[-1]

  return Case(run, trees.binary(w.rng), state=[stack])


@program("writes", "other object", "argument object", "float", gradients=False)
def accumulate_in_statistics(w):
  """Shows an accumulator object passed down: sums and maxima kept on it."""

  class Statistics:
    def __init__(self):
      self.total, self.deepest, self.last = 0.0, 0, None

  @w.recursive
  def gather(node, stats, depth):
    stats.total += node.word * 0.5
    stats.last = node
    if depth > stats.deepest:
      stats.deepest = depth
    for child in node.children:
      gather(child, stats, depth + 1)
    return stats.total

  return Case(gather, [(tree, Statistics(), 1) for tree in trees.nary(w.rng)])


@program("writes", "failing run", "exception", gradients=False)
def writes_before_an_exception(w):
  """Shows what stays written when a later node raises: as plain Python leaves it."""
  seen = []

  @w.recursive
  def visit(node):
    seen.append(node.word)
    node.seen = True
    print("saw", node.word)
    if node.word is not None and node.word > 50:
      raise LookupError(f"no word {node.word}")
    if node.is_leaf:
      return 1
    return visit(node.left) + visit(node.right)

  bad = trees.Node(left=trees.Node(1), right=trees.Node(left=trees.Node(99), right=trees.Node(2)))
  return Case(visit, trees.binary(w.rng), raising=[bad], state=[seen])


@program("writes", "None", "reset")
def reset_fields(w):
  """Shows a field set to None first and filled later, with a read of the old value."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    node.h = None
    if not node.is_leaf:
      a, b = encode(node.left), encode(node.right)
      node.h = a + b if node.left.h is not None else a
      node.left.h = None
    else:
      node.h = table[node.word]
    return node.h

  return Case(encode, trees.binary(w.rng))


@program("writes", "self", "running average", "tf.Module")
def attributes_of_a_module(w):
  """Shows a module that keeps its last hidden state and a number of updates."""

  class Encoder(tf.Module):
    def __init__(self):
      super().__init__()
      self.table, self.last, self.updates = w.embedding(), tf.zeros([D]), 0

    @w.recursive
    def encode(self, node):
      if node.is_leaf:
        h = self.table[node.word] + 0.5 * self.last
      else:
        h = self.encode(node.left) - self.encode(node.right)
      self.last = tf.stop_gradient(h)
      self.updates += 1
      return h

  model = Encoder()

  return Case(model.encode, trees.binary(w.rng), state=[lambda: (model.last, model.updates)])


@program("writes", "items of a list", gradients=False)
def write_list_items(w):
  """Shows `counts[i] += 1` on a list of fixed length: word counts."""
  counts = [0] * trees.VOCABULARY

  @w.recursive
  def tally(node):
    counts[node.word] += 1
    for child in node.children:
      tally(child)
    return counts[0]

  return Case(tally, trees.nary(w.rng), state=[counts])
