"""Branches, loops and exits of plain Python inside the recursion."""

import tensorflow as tf

from tests.convert import trees
from tests.convert.programs.registry import Case, D, program


@program("if/elif", "string ==", "early return")
def tag_chain(w):
  """Shows an if/elif/else chain on `node.tag`, one weight per phrase type; syntactically untied."""
  table, np_mix, vp_mix, other = w.embedding(), w.dense(2 * D), w.dense(2 * D), w.dense(2 * D)

  @w.recursive
  def encode(node):
    if node.word is not None:
      return table[node.word][tf.newaxis]
    both = tf.concat([encode(node.left), encode(node.right)], 1)
    if node.tag == "NP":
      return tf.tanh(np_mix(both))
    elif node.tag == "VP":
      return tf.nn.relu(vp_mix(both))
    else:
      return other(both)

  return Case(encode, trees.binary(w.rng))


@program("conditional expression")
def conditional_expressions(w):
  """Shows nested conditional expressions that recur on one side only."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    left = encode(node.left) if node.left is not None else table[node.word]
    right = encode(node.right) if node.right is not None else left * 2.0
    return tf.tanh(left - right if node.tag != "NP" else left + right)

  return Case(encode, trees.binary(w.rng))


@program("and/or/not", "in")
def boolean_operators(w):
  """Shows short-circuits: the right side would fail where the left one decides."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    if not node.is_leaf and (node.left.is_leaf and node.left.word == 2 or node.tag in ("VP", "PP")):
      return encode(node.left) - encode(node.right)
    if node.is_leaf or not node.right:
      return table[node.word]
    return tf.tanh(encode(node.left) + encode(node.right))

  return Case(encode, trees.binary(w.rng))


@program("chained comparison")
def chained_comparisons(w):
  """Shows `1 < node.word <= 3`, also with a call in the middle."""
  table = w.embedding()

  @w.recursive
  def encode(node, depth=0):
    h = table[node.word]
    if 1 < node.word <= 3:
      h = h * 2.0
    if 0 < len(node.children) < 3 < depth + 3:
      h = -h
    for child in node.children:
      h += encode(child, depth + 1)
    return h

  return Case(encode, trees.nary(w.rng))


@program("for loop", "accumulator", "left to right")
def fold_over_children(w):
  """Shows a loop-carried state: h = f(h, child), as a tree-shaped RNN."""
  table, step = w.embedding(), w.dense(2 * D, activation="tanh")

  @w.recursive
  def encode(node):
    h = table[node.word][tf.newaxis]
    for child in node.children:
      h = step(tf.concat([h, encode(child)], axis=1))
    return h

  return Case(encode, trees.nary(w.rng))


@program("enumerate", "position")
def enumerate_children(w):
  """Shows `enumerate`: children weighted by their place."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    total = table[node.word]
    for i, child in enumerate(node.children):
      total = total + encode(child) / (i + 1.0)
    return total

  return Case(encode, trees.nary(w.rng))


@program("zip", "slices")
def zip_neighbours(w):
  """Shows `zip` over children and their right neighbours."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    h = table[node.word]
    for a, b in zip(node.children, node.children[1:]):  # noqa: B905
      h = h + encode(a) * table[b.word]
    return tf.tanh(h)

  return Case(encode, trees.nary(w.rng))


@program("while", "parent", "cyclic objects", gradients=False)
def while_parent(w):
  """Shows `while node.parent is not None`: how deep each leaf is; ete3's style."""

  def depth_of(node):
    depth = 0
    while node.parent is not None:
      node = node.parent
      depth += 1
    return depth

  @w.recursive
  def total_path_length(node):
    return depth_of(node) + sum(total_path_length(child) for child in node.children)

  return Case(total_path_length, trees.nary(w.rng))


@program("continue")
def continue_in_loop(w):
  """Shows `continue`: prepositional phrases are passed over."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    h = table[node.word]
    for child in node.children:
      if child.tag == "PP":
        continue
      h = h + tf.tanh(encode(child))
    return h

  return Case(encode, trees.nary(w.rng))


@program("break", "for loop")
def break_in_loop(w):
  """Shows `break` out of a loop that recurs: children after the first VP do not count."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    h = table[node.word]
    for child in node.children:
      h = h + encode(child)
      if child.tag == "VP":
        break
    return tf.tanh(h)

  return Case(encode, trees.nary(w.rng))


@program("while", "index", "len")
def while_over_children(w):
  """Shows a hand-written index loop, as in code that came from C."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    h, i = table[node.word], 0
    while i < len(node.children):
      h = 0.5 * h + encode(node.children[i])
      i += 1
    return h

  return Case(encode, trees.nary(w.rng))


@program("range", "constant loop")
def range_with_constant(w):
  """Shows a loop of known length inside the body: two layers per node."""
  table, layers = w.embedding(), [w.dense(D), w.dense(D)]

  @w.recursive
  def encode(node):
    if node.is_leaf:
      h = table[node.word][tf.newaxis]
    else:
      h = encode(node.left) + encode(node.right)
    for k in range(2):
      h = tf.tanh(layers[k](h))
    return h

  return Case(encode, trees.binary(w.rng))


@program("assert", "raise", "exception", gradients=False)
def asserts(w):
  """Shows asserts with a message: the first bad node in Python's order is reported."""

  @w.recursive
  def check(node):
    assert node.word is None or node.word < 100, f"word {node.word} is out of range"
    if node.is_leaf:
      return 1
    assert node.right is not None
    return check(node.left) + check(node.right)

  two_bad = trees.Node(left=trees.Node(200), right=trees.Node(300))
  half = trees.Node(left=trees.Node(1))
  return Case(check, trees.binary(w.rng), raising=[two_bad, half])


@program("raise", "exception", "ValueError")
def raise_for_bad_label(w):
  """Shows `raise ValueError` for a label outside the table."""
  out = w.weight(trees.VOCABULARY, 3)

  @w.recursive
  def loss(node):
    if not 0 <= node.label < 3:
      raise ValueError("bad label: %d" % node.label)  # noqa: UP031
    if node.is_leaf:
      return out[node.word, node.label]
    return loss(node.left) * loss(node.right)

  bad = trees.Node(left=trees.Node(1), right=trees.Node(2, label=7))
  return Case(loss, trees.binary(w.rng), raising=[bad])


@program("exception", "KeyError", "dict lookup")
def missing_key(w):
  """Shows the KeyError of an unknown word: the key, and the line, are Python's."""
  vocabulary = {"the": 0, "cat": 1, "sat": 2, "on": 3, "a": 4, "mat": 5}
  table = w.embedding()

  @w.recursive
  def encode(tree):
    if len(tree) == 2:
      return table[vocabulary[tree[1]]]
    return tf.tanh(encode(tree[1]) + 2.0 * encode(tree[2]))

  unknown = ["NP", ["W", "the"], ["W", "dog"]]
  return Case(encode, trees.lists(w.rng), raising=[unknown])


@program("exception", "AttributeError", gradients=False)
def missing_attribute(w):
  """Shows the AttributeError of a node that lacks what others have."""

  @w.recursive
  def total(node):
    if node.is_leaf:
      return node.word
    return total(node.left) + total(node.right)

  broken = trees.Node(left=trees.Node(1), right=trees.Node(2))
  del broken.right.word
  return Case(total, trees.binary(w.rng), raising=[broken])


@program("exception", "ZeroDivisionError", "int and float")
def division_by_zero(w):
  """Shows a ZeroDivisionError: in a graph 1 / 0 would be inf."""
  scale = w.weight(1)

  @w.recursive
  def ratio(node):
    if node.is_leaf:
      return scale * (12 / node.word)
    return ratio(node.left) - ratio(node.right)

  def make(**kwargs):
    node = trees.Node(**kwargs)
    node.word = None if node.word is None else node.word + 1
    return node

  def mutate(rng, root):
    root.tag = "NP"

  zero = trees.Node(left=trees.Node(3), right=trees.Node(0))
  return Case(ratio, trees.binary(w.rng, make), raising=[zero], mutate=mutate)


@program("any/all", "generator expression", gradients=False)
def any_and_all(w):
  """Shows `any` and `all` over a generator of recursive results, with their short-circuit."""

  @w.recursive
  def has_verb_phrase(node):
    return node.tag == "VP" or any(has_verb_phrase(child) for child in node.children)

  def mutate(rng, root):
    root.tag = "NP" if root.tag == "VP" else "VP"
    root.children[1:] = []

  return Case(has_verb_phrase, trees.nary(w.rng), mutate=mutate)


@program("walrus", "truth of a list")
def walrus_and_truth(w):
  """Shows `:=` and the truth of a list and of a number."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    if n := len(node.children):
      return tf.add_n([encode(c) for c in node.children]) / float(n)
    return table[node.word] if node.word else -table[node.word]

  return Case(encode, trees.nary(w.rng))


@program("nested comprehension", "filter", gradients=False)
def grandchildren(w):
  """Shows a comprehension with two fors and an if, over children's children."""

  @w.recursive
  def count(node):
    inner = sum([1 for child in node.children for c in child.children if c.word > 1])
    return inner + sum([count(child) for child in node.children])

  return Case(count, trees.nary(w.rng))


@program("early return", "None result", gradients=False)
def returns_nothing(w):
  """Shows a function that returns nothing: None for each tree, only its writes count."""

  @w.recursive
  def number(node, depth=0):
    node.depth = depth
    if not node.children:
      return
    for child in node.children:
      number(child, depth + 1)

  return Case(number, trees.nary(w.rng), map=False)


@program("return in a loop", "int argument", gradients=False)
def return_inside_a_loop(w):
  """Shows a search that returns from inside the loop over children: depth of the first match."""

  @w.recursive
  def find(node, word):
    if node.word == word:
      return 0
    for child in node.children:
      depth = find(child, word)
      if depth >= 0:
        return depth + 1
    return -1

  return Case(find, [(tree, 2) for tree in trees.nary(w.rng)])
