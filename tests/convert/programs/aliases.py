"""Writes that meet other reads and writes: one object by two ways, structure that changes."""

import tensorflow as tf

from recursive_tf.convert import Reason
from tests.convert import trees
from tests.convert.programs.registry import Case, program
from tests.convert.programs.shared_objects import dags


@program("writes", "dag", "counts", gradients=False)
def writes_to_shared_nodes(w):
  """Shows `node.visits += 1` on nodes that are reached by several ways."""

  @w.recursive
  def visit(node):
    node.visits = getattr(node, "visits", 0) + 1
    if node.is_leaf:
      return node.visits
    return visit(node.left) + visit(node.right)

  return Case(visit, dags(w.rng))


@program("writes", "dag", "visited flag", "tensor")
def visited_flags(w):
  """Shows a flag on the node instead of a cache: the second visit takes the stored state."""
  table = w.embedding()

  def reset(root):
    agenda = [root]
    while agenda:
      node = agenda.pop()
      node.done, node.state = False, None
      agenda += [] if node.is_leaf else [node.left, node.right]

  @w.recursive
  def encode(node):
    if node.done:
      return node.state
    node.state = (
      table[node.word] if node.is_leaf else tf.tanh(encode(node.left) - 0.5 * encode(node.right))
    )
    node.done = True
    return node.state

  return Case(encode, dags(w.rng), prepare=reset)


@program("writes", "structure", "tuple assignment", gradients=False)
def mirror(w):
  """Shows `node.left, node.right = node.right, node.left`, then recursion into both."""

  @w.recursive
  def flip(node):
    if node.is_leaf:
      return node.word
    node.left, node.right = node.right, node.left
    return 2 * flip(node.left) - flip(node.right)

  return Case(flip, trees.binary(w.rng))


@program("writes", "structure", "None", gradients=False)
def prune(w):
  """Shows subtrees cut off in the run, and the cut seen by the parent."""

  @w.recursive
  def cut(node):
    if node.is_leaf:
      return 1
    size = cut(node.left) + cut(node.right)
    if size <= 2 and node.tag != "NP":
      node.word = node.left.word
      node.left = None
      node.right = None
    return 1 if node.is_leaf else size

  return Case(cut, trees.binary(w.rng))


@program("writes", "short-circuit", "append", gradients=False)
def short_circuit_with_writes(w):
  """Shows `check(left) and check(right)`: what is not evaluated is not written."""
  seen = []

  @w.recursive
  def check(node):
    seen.append(node.tag)
    if node.is_leaf:
      return node.word != 2
    return check(node.left) and check(node.right)

  return Case(check, trees.binary(w.rng), state=[seen])


@program("writes", "two names of one list", "len", gradients=False)
def one_list_two_names(w):
  """Shows a list reached as `self.log` and as an argument: both see each append."""

  class Logger:
    def __init__(self):
      self.log = []

    def run(self, root):
      return self.visit(root, self.log)

    def visit(self, node, log):
      self.log.append(node.word)
      before = len(log)
      if not node.is_leaf:
        self.visit(node.left, log)
        log.append(before)
        self.visit(node.right, log)
      return len(self.log) - before

  logger = Logger()
  return Case(logger.run, trees.binary(w.rng), state=[logger])


@program("writes", "parent reads children", "max", gradients=False)
def heights_on_nodes(w):
  """Shows fields that parents read of children after these wrote them: AVL heights."""

  @w.recursive
  def update(node):
    for child in node.children:
      update(child)
    node.height = 1 + max([child.height for child in node.children], default=0)
    node.tallest = None
    for child in node.children:
      if child.height == node.height - 1:
        node.tallest = child
        break
    return node.height

  return Case(update, trees.nary(w.rng))


@program("writes", "sibling order", "threaded through an object", gradients=False)
def euler_tour(w):
  """Shows entry and exit times from one clock object, as in lowest-common-ancestor code."""

  class Clock:
    def __init__(self):
      self.time = 0

    def tick(self):
      self.time += 1
      return self.time

  clock = Clock()

  @w.recursive
  def tour(node):
    node.enter = clock.tick()
    for child in node.children:
      tour(child)
    node.leave = clock.tick()
    return node.leave - node.enter

  return Case(tour, trees.nary(w.rng), state=[clock])


@program(
  "writes",
  "dict of lists",
  "append",
  "strings",
  expect=Reason.EFFECT_ORDER,
  gradients=False,
)
def words_by_tag(w):
  """Shows `groups[tag].append(word)`: which list is changed only the run knows."""
  groups = {tag: [] for tag in trees.TAGS}

  @w.recursive
  def index(node):
    groups[node.tag].append(node.word)
    for child in node.children:
      index(child)
    return len(groups["NP"])

  return Case(index, trees.nary(w.rng), state=[groups])


@program("writes", "local list", "stack", "no effect outside")
def local_lists(w):
  """Shows lists made and filled inside one call: they are values, not effects."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    states = []
    for child in node.children:
      states.append(encode(child) * 0.5)
    states.append(table[node.word])
    return tf.reduce_max(tf.stack(states), axis=0) + states[-1]

  return Case(encode, trees.nary(w.rng))


@program("writes", "exception", "print", "map", gradients=False)
def error_after_effects_elsewhere(w):
  """Shows an error in the right subtree after effects in the left one, tree after tree."""
  total = {"words": 0}

  @w.recursive
  def add(node):
    if node.is_leaf:
      print("word", node.word)
      total["words"] += node.word
      return [10, 20, 30, 40, 50, 60][node.word]
    return add(node.left) + add(node.right)

  bad = trees.Node(left=trees.Node(1), right=trees.Node(left=trees.Node(6), right=trees.Node(2)))
  return Case(add, trees.binary(w.rng), raising=[bad], state=[total])
