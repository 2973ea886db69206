"""Lists that are handed down a recursion and become parts of what is returned: known by number."""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, Node, agrees, bushy, lopsided, of_two, root


def _paths(n, visit, path):
  if not n.kids:
    return [path]
  found = []
  for k in n.kids:
    found += visit(k, path + [n.v])
  return found


def _paths_with_lengths(n, visit, path):
  if not n.kids:
    return [(len(path), path)]
  found = []
  for k in n.kids:
    found += visit(k, [*path, n.v])
  return found


def _the_same_for_all(n, visit, path):
  if not n.kids:
    return [(n.v, path)]
  path = path + [n.v]
  found = []
  for k in n.kids:
    found += visit(k, path)
  return found


def _the_same_in_two_parts(n, visit, path):
  if not n.kids:
    return (path, [path, n.v])
  found = None
  for k in n.kids:
    found = visit(k, path + [k.v])
  return found


def _one_of_two_calls(n, visit, path):
  if not n.kids:
    return (n.v, path)
  return visit(n.kids[0], path + [n.v]), visit(n.kids[-1], path)


def _of_lists(n, visit, path):
  if not n.kids:
    return [(path, n.v)]
  found = []
  for k in n.kids:
    found += visit(k, path + [[n.v, k.v]])
  return found


def _made_before_a_branch(n, visit, path):
  if not n.kids:
    return [(n.v, path)]
  own = path + [n.v]
  found = visit(n.kids[0], own)
  if len(n.kids) > 1:
    found = found + visit(n.kids[1], own)
  return found


def _in_each_turn_and_after(n, visit, path):
  if not n.kids:
    return {n.v: path}
  own = list(path)
  own.append(n.v)
  found = {}
  for k in n.kids:
    found.update(visit(k, own))
  found[-1] = own
  return found


def _with_the_path_of_before(n, visit, path, before=None):
  if not n.kids:
    return (path, before)
  found = None
  for k in n.kids:
    found = visit(k, path + [k.v], path)
  return found


_ALL = [
  _paths,
  _paths_with_lengths,
  _the_same_in_two_parts,
  _one_of_two_calls,
  _of_lists,
]


def _trees():
  return [(Node(7, True, "l"), []), (root(), []), (lopsided(), [4]), (bushy(), [5, 6])]


def _of(program):
  return of_two(lambda visit, n, path: program(n, visit, path))


@pytest.mark.parametrize("program", _ALL, ids=lambda program: program.__name__.strip("_"))
def test_lists_become_parts_of_what_is_returned(program):
  agrees(_of(program), lambda: [(n, []) for n, _ in _trees()], expect=CONVERTED)


@pytest.mark.parametrize(
  "program",
  [_the_same_for_all, _made_before_a_branch, _in_each_turn_and_after],
  ids=lambda program: program.__name__.strip("_"),
)
def test_lists_that_are_handed_down_more_than_once_are_one_object(program):
  agrees(_of(program), lambda: [(n, []) for n, _ in _trees()], expect=CONVERTED)


def test_a_list_that_is_none_in_some_calls():
  def build(recursive):
    @recursive
    def visit(n, path=None):
      if not n.kids:
        return [(n.v, path)]
      found = []
      for k in n.kids:
        found += visit(k, None if path is None and k.v > 2 else [k.v])
        found += visit(k, None)
      return found

    return visit

  agrees(build, lambda: [(n,) for n, _ in _trees()], expect=CONVERTED)


def test_the_best_of_all_choices():
  names = {"a": 2, "b": 3}

  def build(recursive):
    @recursive
    def place(layers, i, chosen, cost, best):
      if cost >= best[0]:
        return best
      if i == len(layers):
        return (cost, chosen)
      for name, price in names.items():
        move = layers[i] if chosen and chosen[-1] != name else 0
        best = place(layers, i + 1, chosen + [name], cost + move + price, best)
      return best

    return place

  def start():
    return [(layers, 0, [], 0, (float("inf"), None)) for layers in ([1, 2, 0], [], [3])]

  agrees(build, start, expect=CONVERTED)


@pytest.mark.parametrize("program", [*_ALL, _the_same_for_all], ids=lambda p: p.__name__.strip("_"))
def test_lists_of_the_caller_s_become_parts_of_what_is_returned(program):
  agrees(_of(program), _trees)


def test_two_lists_of_which_one_is_the_other_in_the_call_around():
  def build(recursive):
    @recursive
    def visit(n, path, before):
      return _with_the_path_of_before(n, visit, path, before)

    return visit

  agrees(build, lambda: [(n, path, []) for n, path in _trees()], expect=CONVERTED)


def test_arrangements():
  def build(recursive):
    @recursive
    def arranged(rest, done):
      if not rest:
        return [(done, len(done))]
      found = []
      for i in range(len(rest)):
        found += arranged(rest[:i] + rest[i + 1 :], done + [rest[i]])
      return found

    return arranged

  agrees(build, lambda: [([1, 2, 3], []), ([4], []), ([], [5])], expect=CONVERTED)


def test_a_list_that_is_changed_after_it_was_handed_down():
  def build(recursive):
    @recursive
    def visit(n, path):
      if not n.kids:
        return [(n.v, path)]
      own = path + [n.v]
      found = visit(n.kids[0], own)
      own.append(0)
      return found + [(n.v, own)]

    return visit

  agrees(build, _trees, expect={Reason.SHARED_CONTAINER, Reason.MADE_OBJECT, Reason.KINDS_DIFFER})


def test_a_list_that_is_changed_where_it_was_handed_to():
  def build(recursive):
    @recursive
    def visit(n, path):
      path.append(n.v)
      if not n.kids:
        return [(n.v, path)]
      return visit(n.kids[0], path + [0])

    return visit

  agrees(build, _trees)


@pytest.mark.parametrize("is_persistent", [False, True])
def test_gradients_of_what_lists_hold(is_persistent):
  w = tf.Variable(2.0)

  def build(recursive):
    @recursive
    def visit(n, path):
      if not n.kids:
        return [path]
      found = []
      for k in n.kids:
        found += visit(k, path + [w * tf.cast(k.v, tf.float32)])
      return found

    return visit

  def gradient(recursive):
    visit = build(recursive)
    with tf.GradientTape(persistent=is_persistent) as tape:
      total = sum(sum(x * x for x in path) for path in visit(bushy(), []))
    return visit, tape.gradient(total, w).numpy()

  _, expected = gradient(lambda function: function)
  visit, got = gradient(lambda function: rtf.recursive(function, verify=False))
  assert got == pytest.approx(expected)
  assert visit.stats.num_converted_runs == 1, visit.explain()
