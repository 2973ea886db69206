"""Objects reached more than once: DAGs with and without a cache, parents, cycles."""

import tensorflow as tf

from tests.convert import trees
from tests.convert.programs.registry import Case, program


@program("dag", "cache dict", "writes", "objects as keys")
def dag_with_cache(w):
  """Shows shared nodes and a dict of what is done already: expression DAGs, sum-product nets."""
  table, cache = w.embedding(), {}

  @w.recursive
  def encode(node):
    if node in cache:
      return cache[node]
    if node.is_leaf:
      h = table[node.word]
    else:
      h = tf.tanh(encode(node.left) + 2.0 * encode(node.right))
    cache[node] = h
    return h

  def mutate(rng, root):
    cache.clear()
    trees.mutate(rng, root)

  return Case(encode, dags(w.rng), state=[cache], mutate=mutate)


def dags(rng):
  """Returns graphs where each level's both children are of the levels below."""
  found = []
  for size in (1, 3, 5):
    nodes = [trees.Node(trees.word(rng))]
    for _ in range(size):
      a, b = (nodes[int(rng.integers(len(nodes)))] for _ in range(2))
      nodes += [trees.Node(left=nodes[-1], right=a), trees.Node(left=b, right=nodes[-1])]
    found.append(nodes[-1])
  return found


@program("dag", "shared objects")
def shared_nodes(w):
  """Shows the same DAGs without a cache: shared nodes are encoded as often as they are reached."""
  table = w.embedding()

  @w.recursive
  def encode(node, depth):
    if node.is_leaf or depth == 3:
      return table[node.word or 0]
    return encode(node.left, depth + 1) - 0.5 * encode(node.right, depth + 1)

  return Case(encode, [(dag, 0) for dag in dags(w.rng)])


@program("cyclic objects", "is", "parent")
def siblings_through_the_parent(w):
  """Shows parent links and `is`: a node is encoded from its siblings' words, too."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    h = table[node.word]
    if node.parent is not None:
      for sibling in node.parent.children:
        if sibling is not node:
          h = h + 0.1 * table[sibling.word]
    return h + tf.add_n([encode(c) for c in node.children]) if node.children else h

  return Case(encode, trees.nary(w.rng))


@program("cyclic objects", "int argument")
def unrolled_graph(w):
  """Shows a cyclic graph walked to a given depth: message passing by recursion."""
  table = w.embedding()

  @w.recursive
  def message(node, hops):
    own = table[node.word]
    if hops == 0:
      return own
    return tf.tanh(own + message(node.next, hops - 1) * 0.5)

  def ring(length):
    nodes = [trees.Node(trees.word(w.rng)) for _ in range(length)]
    for i, node in enumerate(nodes):
      node.next = nodes[(i + 1) % length]
    return nodes[0]

  return Case(message, [(ring(n), hops) for n, hops in ((1, 3), (3, 7), (4, 0))])
