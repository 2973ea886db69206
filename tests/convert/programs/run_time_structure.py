"""Recursion steered by tensors: what the structure is shows only in the run."""

import tensorflow as tf

from tests.convert import trees
from tests.convert.programs.registry import Case, D, program


@program("tensor predicate", "top-down", "int argument")
def top_down_generation(w):
  """Shows a tree that is made while it runs; doubly recurrent networks, the top-down Tree-LSTM."""
  left, right, stop = w.dense(D), w.dense(D), w.weight(D)

  @w.recursive
  def grow(h, depth):
    if depth >= 4:
      return h
    if tf.tensordot(h[0], stop, 1) > 0.1:
      return tf.tanh(h)
    return grow(tf.tanh(left(h)), depth + 1) + grow(tf.tanh(right(h)), depth + 1)

  return Case(grow, [(w.tensor(1, D), 0) for _ in range(5)], map=False)


@program("tensor predicate", "objects and tensors")
def skip_by_value(w):
  """Shows `if tf.reduce_sum(h) > 0:` between recursive calls over a tree."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return table[node.word]
    h = encode(node.left)
    if tf.reduce_sum(h) > 0:
      h = h + encode(node.right)
    else:
      h = -h
    return h

  return Case(encode, trees.binary(w.rng))


@program("tensor predicate", "int and tensor result")
def generated_size(w):
  """Shows a Python count of what a tensor decided: (state, number of nodes)."""
  mix = w.weight(D, D)

  @w.recursive
  def grow(h, budget):
    if budget == 0 or tf.norm(h) < 0.5:
      return h, 1
    a, n = grow(tf.tanh(tf.linalg.matvec(mix, h)), budget - 1)
    b, m = grow(h * 0.5, budget - 1)
    return a + b, n + m + 1

  return Case(grow, [(w.tensor(D) * k, 3) for k in (0.1, 1.0, 2.0)], map=False)


@program("tensor predicate", "and/or/not on tensors")
def boolean_tensors(w):
  """Shows `and`, `or`, `not` on tensor comparisons, mixed with Python ones."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return table[node.word]
    a, b = encode(node.left), encode(node.right)
    if node.tag == "NP" and a[0] > b[0] or not tf.reduce_any(a > 0.5):
      return a - b
    return a if -1.0 < b[1] < 1.0 else b

  return Case(encode, trees.binary(w.rng))


@program("tensor while", "inside the recursion", gradients=False)
def while_on_tensor(w):
  """Shows `while` on a tensor inside the body: halving until small."""

  @w.recursive
  def total(node):
    if node.is_leaf:
      x = tf.constant(1.0) * (node.word + 1)
      while x > 1.5:
        x = x / 2.0
      return x
    return total(node.left) + total(node.right)

  return Case(total, trees.binary(w.rng))


@program("tensor shapes shrink", "tensor.shape", gradients=False)
def quicksort(w):
  """Shows quicksort of a tensor by `tf.boolean_mask`: shapes known only in the run."""

  @w.recursive
  def sort(x):
    if tf.size(x) <= 1:
      return x
    pivot, rest = x[0], x[1:]
    small, large = tf.boolean_mask(rest, rest < pivot), tf.boolean_mask(rest, rest >= pivot)
    return tf.concat([sort(small), [pivot], sort(large)], axis=0)

  return Case(sort, [(w.tensor(n),) for n in (0, 1, 5, 8)], map=False)


@program("tensor shapes shrink", "strided slices", "int argument")
def fast_walsh_transform(w):
  """Shows a radix-2 transform with strided slices (tensorflow issue 45279, its FFT)."""
  scale = w.weight(dtype=tf.float64)

  @w.recursive
  def transform(x, n):
    if n == 1:
      return x * scale
    even, odd = transform(x[0::2], n // 2), transform(x[1::2], n // 2)
    return tf.concat([even + odd, even - odd], axis=0)

  cases = [(w.tensor(n, dtype=tf.float64), n) for n in (1, 2, 8)]
  return Case(transform, cases, map=False)


@program("tensor predicate", "bisection", "float64", gradients=False)
def bisection(w):
  """Shows a search that halves an interval until it is short enough."""

  @w.recursive
  def root_of(low, high):
    middle = (low + high) / 2
    if high - low < 1e-3:
      return middle
    if tf.sin(middle) * tf.sin(low) <= 0:
      return root_of(low, middle)
    return root_of(middle, high)

  pairs = [(2.0, 4.0), (3.0, 3.5)]
  return Case(root_of, [tuple(tf.constant(x, tf.float64) for x in p) for p in pairs], map=False)


@program("tensor predicate", "tensor index", "int from tensor in gather")
def descent_by_argmax(w):
  """Shows a decision tree where a tensor picks the child: soft trees at inference."""
  table = w.embedding()

  @w.recursive
  def route(node, x):
    if node.is_leaf:
      return table[node.word] * x
    if tf.argmax(x) == 0:
      return route(node.left, x[::-1])
    return route(node.right, tf.roll(x, 1, axis=0))

  return Case(route, [(tree, w.tensor(D)) for tree in trees.binary(w.rng)])


@program("tensor predicate", "assert on tensor", "exception")
def assert_on_tensor(w):
  """Shows `assert` on a tensor and an error that TensorFlow raises on a value."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    if node.is_leaf:
      h = table[node.word] * node.label
      assert tf.reduce_max(tf.abs(h)) < 50.0, "exploded"
      return h
    return encode(node.left) - encode(node.right)

  huge = trees.Node(left=trees.Node(1), right=trees.Node(2, label=1000))
  return Case(encode, trees.binary(w.rng), raising=[huge])


@program("early exit", "tensor predicate", "print", "order", gradients=False)
def printed_decisions(w):
  """Shows prints on the path that tensors chose."""

  @w.recursive
  def search(x, depth):
    print("depth", depth)
    if depth == 3:
      print("bottom")
      return x
    if x > 0:
      print("down", depth)
      return search(x - 1.0, depth + 1)
    return search(-x, depth + 1) + search(x + 0.5, 3)

  return Case(search, [(tf.constant(x), 0) for x in (2.5, -0.25, 0.75)], map=False)


@program("tensor predicate", "writes", "append", gradients=False)
def writes_under_tensor_predicates(w):
  """Shows appends and attribute writes that happen or not by a tensor's value."""
  table, chosen = w.embedding(), []

  @w.recursive
  def mark(node):
    if tf.reduce_sum(table[node.word]) > 0.0:
      node.positive = True
      chosen.append(node.word)
    else:
      node.positive = False
    for child in node.children:
      mark(child)
    return len(chosen)

  return Case(mark, trees.nary(w.rng), state=[chosen])
