"""The decorator itself: dispatch, guards, fallback, packing, explaining, depth, effects."""

import contextlib
import threading

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert import Reason
from recursive_tf.convert.recursive import RecursionDepthError
from tests.convert.trees import Node


def small_tree():
  """Returns a tree of three leaves."""
  return Node(left=Node(1), right=Node(left=Node(2), right=Node(3)))


def encoder(scale=1.0, **options):
  """Returns a converted encoder, the plain one, and its variable."""
  table = tf.Variable(tf.reshape(tf.range(30.0), [10, 3]) / 30)

  def encode(node):
    if node.is_leaf:
      return table[node.word][tf.newaxis] * scale
    return tf.tanh(encode(node.left) - 2.0 * encode(node.right))

  return rtf.recursive(encode, **options), encode, table


def test_one_program_serves_all_trees():
  f, plain, _ = encoder(strict=True)
  for tree in (small_tree(), Node(4), Node(left=small_tree(), right=small_tree())):
    tf.debugging.assert_near(f(tree), plain(tree), atol=1e-5)
  assert (f.stats.num_conversions, f.stats.num_graphs) == (1, 1)
  f.map([small_tree(), Node(1)])
  assert (f.stats.num_conversions, f.stats.num_graphs) == (1, 2)


def test_packed_trees_train_inside_a_function():
  f, plain, table = encoder(strict=True)
  traces = []

  @tf.function
  def step(packed):
    traces.append(1)
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(f.map(packed))
    return loss, tape.gradient(loss, table)

  for trees in ([small_tree(), Node(3)], [Node(left=small_tree(), right=Node(1))] * 3):
    loss, gradient = step(f.pack(trees))
    with tf.GradientTape() as tape:
      expected = tf.reduce_sum(tf.stack([plain(tree) for tree in trees]))
    tf.debugging.assert_near(loss, expected, atol=1e-4)
    wanted = tf.convert_to_tensor(tape.gradient(expected, table))
    tf.debugging.assert_near(tf.convert_to_tensor(gradient), wanted, atol=1e-4)
  assert len(traces) == 1


def test_called_while_a_graph_is_made_it_is_plain_python():
  f, plain, _ = encoder()
  tree = small_tree()
  result = tf.function(lambda: f(tree))()
  tf.debugging.assert_near(result, plain(tree), atol=1e-5)
  assert f.stats.fallbacks == {Reason.INSIDE_FUNCTION: 1}
  strict, _, _ = encoder(strict=True)
  with pytest.raises(rtf.ConversionRefused, match="inside-function"):
    tf.function(lambda: strict(tree))()


def test_explain_names_what_was_converted_and_what_not():
  f, _, _ = encoder()
  f(small_tree())
  text = str(f.explain())
  assert "encode: 1 runs as a graph, 0 as plain Python" in text
  assert "test_recursive.py" in text and "SubGraph" in text
  assert "object.word: int?" in text

  @rtf.recursive
  def unusual(node):
    class Empty:
      pass

    return node.word if node.left is None else unusual(node.left)

  assert unusual(Node(3)) == 3
  report = unusual.explain()
  assert [refusal.reason for refusal in report.fallbacks] == [Reason.SYNTAX]
  assert "test_recursive.py:" in str(report) and "[syntax]" in str(report)


def test_falling_back_is_told_once(caplog):
  @rtf.recursive
  def unusual(node):
    class Empty:
      pass

    return node.word

  for _ in range(3):
    assert unusual(Node(3)) == 3
  told = [record.getMessage() for record in caplog.records if record.name == "recursive_tf"]
  assert len(told) == 1
  assert "unusual runs as plain Python" in told[0] and "[syntax]" in told[0]


def test_strict_raises_with_the_users_line():
  @rtf.recursive(strict=True)
  def unusual(node):
    with open(node.word):
      return unusual(node.left)

  with pytest.raises(rtf.ConversionRefused, match=r"test_recursive.py:\d+.*\n?.*with open"):
    unusual(small_tree())


def test_a_flag_that_goes_back_and_forth_keeps_both_programs():
  class Model:
    def __init__(self):
      self.training = False

    @rtf.recursive(strict=True)
    def encode(self, node):
      if node.is_leaf:
        return tf.ones([2]) * (2.0 if self.training else 1.0)
      return self.encode(node.left) + self.encode(node.right)

  model = Model()
  for _ in range(12):
    model.training = not model.training
    expected = 6.0 if model.training else 3.0
    assert model.encode(small_tree()).numpy().tolist() == [expected] * 2
  assert model.encode.stats.num_conversions == 2


def test_a_number_that_changes_becomes_an_input():
  class Model:
    def __init__(self):
      self.scale = 1.0

    @rtf.recursive(strict=True)
    def encode(self, node):
      if node.is_leaf:
        return tf.ones([2]) * self.scale
      return self.encode(node.left) + self.encode(node.right)

  model = Model()
  for step in range(20):
    model.scale = 0.5 * step
    assert model.encode(small_tree()).numpy().tolist() == [1.5 * step] * 2
  assert model.encode.stats.num_conversions == 2


def test_a_chain_deeper_than_python_allows():
  f, _, _ = encoder(strict=True)
  chain = Node(1)
  for _ in range(5_000):
    chain = Node(left=Node(2), right=chain)
  with pytest.raises(RecursionError):
    f.python(chain)
  assert f(chain).shape == [1, 3]


def test_a_cycle_is_an_error_only_if_it_is_followed():
  f, _, _ = encoder(strict=True)
  loop = small_tree()
  loop.right.right = loop
  with pytest.raises(RecursionDepthError, match="deeper than max_depth"):
    f(loop)
  assert issubclass(RecursionDepthError, RecursionError)

  @rtf.recursive(strict=True)
  def length(node, limit):
    return 0 if limit == 0 else 1 + length(node.right, limit - 1)

  assert length(loop, 1_000) == 1_000


class Link:
  def __init__(self, next=None):
    self.next, self.seen = next, 0


def _chain(length):
  first = Link()
  for _ in range(length):
    first = Link(first)
  return first


def _cycle():
  first = Link()
  first.next = Link(first)
  return first


def _caught(f, n, depth):
  if n.next is None:
    return depth
  try:
    return f(n.next, depth + 1)
  except RecursionError:
    return -1


def _caught_by_its_base(f, n, depth):
  n.seen += 1
  if n.next is None:
    return depth
  try:
    found = f(n.next, depth + 1)
  except (ValueError, Exception):
    found = -1
  return found


def _suppressed(f, n, depth):
  found = -1
  if n.next is None:
    return depth
  with contextlib.suppress(RuntimeError):
    found = f(n.next, depth + 1)
  return found


_AnyOfThese = Exception


class _OwnError(Exception):
  pass


def _caught_by_another_name(f, n, depth):
  if n.next is None:
    return depth
  try:
    return f(n.next, depth + 1)
  except _AnyOfThese:
    return -1


@pytest.mark.parametrize(
  "program", [_caught, _caught_by_its_base, _suppressed, _caught_by_another_name]
)
def test_what_catches_errors_of_a_recursion_sees_pythons_limit(program):
  def plain(n, depth=0):
    return program(plain, n, depth)

  @rtf.recursive(verify=False)
  def f(n, depth=0):
    return program(f, n, depth)

  for make in (lambda: _chain(3), _cycle, lambda: _chain(3000), lambda: _chain(20)):
    found, expected = make(), make()
    assert f(found) == plain(expected)
    assert bool(found.seen) is bool(expected.seen)
  assert f.stats.num_converted_runs == 2, f.explain()


def test_what_catches_other_errors_is_as_deep_as_ever():
  @rtf.recursive(verify=False)
  def f(n, depth=0):
    if n.next is None:
      return depth
    try:
      return f(n.next, depth + 1)
    except (KeyError, ValueError, _OwnError):
      return -1

  assert f(_chain(3000)) == 3000
  assert f.stats.num_converted_runs == 1


def test_what_an_endless_recursion_has_done_is_done():
  @rtf.recursive(verify=False)
  def f(n):
    n.seen = 1
    return 0 if n.next is None else f(n.next)

  assert f(_chain(3)) == 0
  loop = _cycle()
  with pytest.raises(RecursionDepthError, match="RECURSIVE_TF_MAX_DEPTH"):
    f(loop)
  assert loop.seen == loop.next.seen == 1


def test_exceptions_are_pythons_and_nothing_is_kept_of_the_run():
  seen = []

  @rtf.recursive(strict=True)
  def visit(node):
    seen.append(node.word)
    if node.is_leaf:
      if node.word == 3:
        raise LookupError(f"no word {node.word}")
      return 1
    return visit(node.left) + visit(node.right)

  with pytest.raises(LookupError, match="no word 3"):
    visit(small_tree())
  assert seen == [None, 1, None, 2, 3]  # Once, as plain Python left it.


def test_writes_that_fail_are_all_taken_back():
  class Slotted:
    __slots__ = ("value",)

    def __init__(self, value):
      self.value = value

  class Pair:
    def __init__(self, left, right):
      self.left, self.right = left, right
      self.value = 0

  @rtf.recursive
  def mark(node):
    if isinstance(node, Pair):
      mark(node.left)
      mark(node.right)
      node.value = 1
    node.extra = 2

  pair = Pair(Slotted(1), Slotted(2))
  with pytest.raises(AttributeError, match="extra"):
    mark(pair)
  assert pair.value == 0 and not hasattr(pair, "extra")


def test_methods_of_nodes():
  class Leaf:
    def __init__(self, value):
      self.value = value

    def total(self):
      return self.value

  class Sum:
    def __init__(self, *parts):
      self.parts = parts

    @rtf.recursive(strict=True)
    def total(self):
      return sum(part.total() for part in self.parts)

  assert Sum(Leaf(1), Sum(Leaf(2), Leaf(3)), Leaf(4)).total() == 10


def test_arguments_by_name_and_default():
  @rtf.recursive(strict=True)
  def weigh(node, depth=0, *, decay=0.5):
    if node.is_leaf:
      return decay**depth * node.word
    return weigh(node.left, depth + 1, decay=decay) + weigh(node.right, depth + 1, decay=decay)

  tree = small_tree()
  assert weigh(tree) == weigh.python(tree)
  assert weigh(tree, decay=0.25, depth=1) == weigh.python(tree, 1, decay=0.25)
  with pytest.raises(TypeError, match="unexpected keyword"):
    weigh(tree, colour=1)


def test_map_wants_lists_of_one_length():
  f, _, _ = encoder()
  with pytest.raises(ValueError, match="no elements"):
    f.map([])

  @rtf.recursive
  def add(node, amount):
    return node.word + amount

  with pytest.raises(ValueError, match="lists of one length"):
    add.map([Node(1), Node(2)], [1])
  assert add.map([Node(1), Node(2)], [10, 20]) == [11, 22]


def test_threads():
  f, plain, _ = encoder(strict=True)
  tree = small_tree()
  expected = plain(tree)
  results = []

  def work():
    results.append([f(tree) for _ in range(5)])

  threads = [threading.Thread(target=work) for _ in range(4)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  assert len(results) == 4
  for values in results:
    for value in values:
      tf.debugging.assert_near(value, expected, atol=1e-5)


def test_shapes_are_relaxed_when_they_vary():
  @rtf.recursive(strict=True)
  def rows(node):
    if node.is_leaf:
      return node.vector
    return tf.concat([rows(node.left), rows(node.right)], 0)

  def leaf(length):
    node = Node(1)
    node.vector = tf.ones([length, 2])
    return node

  assert rows(Node(left=leaf(4), right=leaf(4))).shape == [8, 2]
  assert rows(Node(left=leaf(3), right=leaf(1))).shape == [4, 2]
  assert rows(leaf(7)).shape == [7, 2]
  assert rows.stats.num_conversions <= 3


def test_layers_that_make_their_weights_in_the_first_call():
  layer = tf.keras.layers.Dense(3)

  @rtf.recursive
  def encode(node):
    if node.is_leaf:
      return layer(tf.one_hot([node.word], 5))
    return encode(node.left) + encode(node.right)

  first = encode(small_tree())
  second = encode(small_tree())
  tf.debugging.assert_near(first, second, atol=1e-5)
  assert encode.stats.num_converted_runs >= 1
