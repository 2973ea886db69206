"""Leaves of trees that are strings, as nltk's are: looked up, and called by their methods."""

import pytest
import tensorflow as tf
from nltk import Tree

import recursive_tf as rtf

WORDS = {"<unk>": 0, "a": 1, "b": 2}
TABLE = tf.Variable([[0.5, 1.0], [2.0, -1.0], [3.0, 0.25]])


def of_nltk(parts):
  if isinstance(parts, str):
    return Tree("W", [parts])
  return Tree("S", [of_nltk(part) for part in parts])


def of_lists(parts):
  return [parts] if isinstance(parts, str) else [of_lists(part) for part in parts]


class Phrase(list):
  """A list of one's own."""


def of_phrases(parts):
  return Phrase([parts] if isinstance(parts, str) else [of_phrases(part) for part in parts])


def get_behind_and(t):
  if len(t) == 1 and isinstance(t[0], str):
    return WORDS.get(t[0], 0)
  return get_behind_and(t[0]) + get_behind_and(t[1])


def item_behind_and(t):
  if isinstance(t, list) and len(t) == 1 and isinstance(t[0], str):
    return WORDS[t[0]]
  return item_behind_and(t[0]) + 2 * item_behind_and(t[1])


def behind_not_or(t):
  if len(t) != 1 or not isinstance(t[0], str):
    return behind_not_or(t[0]) + 2 * behind_not_or(t[1])
  return WORDS[t[0]] + len(t[0])


def get_untested(t):
  if len(t) == 1:
    return WORDS.get(t[0], 0)
  return get_untested(t[0]) + get_untested(t[1])


def lower_untested(t):
  if len(t) == 1:
    return WORDS.get(t[0].lower(), WORDS["<unk>"])
  return lower_untested(t[0]) + 2 * lower_untested(t[1])


def lower_tested(t):
  if isinstance(t[0], str):
    return len(t[0].lower()) + WORDS.get(t[0].lower().strip(), 7)
  return lower_tested(t[0]) + 2 * lower_tested(t[1])


def starts(t):
  if len(t) == 1 and isinstance(t[0], str) and t[0].startswith("a"):
    return 1
  if len(t) == 1:
    return 0
  return starts(t[0]) + 2 * starts(t[1])


def rows(t):
  if len(t) == 1:
    return tf.gather(TABLE, WORDS.get(t[0].lower(), 0))
  return tf.tanh(rows(t[0]) * 0.5 + rows(t[1]))


PROGRAMS = [
  get_behind_and,
  item_behind_and,
  behind_not_or,
  get_untested,
  lower_untested,
  lower_tested,
  starts,
  rows,
]
SENTENCES = [("a", ("b", "a")), ("b", "a"), "a", (("a", "b"), ("b", ("b", "a")))]


@pytest.mark.parametrize("make", [of_nltk, of_lists, of_phrases])
@pytest.mark.parametrize("program", PROGRAMS)
def test_leaves_are_read_as_python_reads_them(program, make, monkeypatch):
  expected = [program(make(sentence)) for sentence in SENTENCES]
  converted = rtf.recursive(program, strict=True, verify=False)
  monkeypatch.setitem(program.__globals__, program.__name__, converted)
  for _ in range(2):
    for sentence, value in zip(SENTENCES, expected, strict=True):
      found = converted(make(sentence))
      assert type(found) is type(value)
      tf.debugging.assert_near(found, value) if tf.is_tensor(value) else _equal(found, value)


def _equal(found, value):
  assert found == value


def test_a_tree_with_a_method_of_strings_in_its_attributes(monkeypatch):
  sentence = ("a", ("b", "a"))
  converted = rtf.recursive(lower_untested, verify=False)
  monkeypatch.setitem(globals(), "lower_untested", converted)
  for _ in range(2):
    assert converted(of_phrases(sentence)) == converted.python(of_phrases(sentence))
  odd = Phrase([of_phrases("b")])
  odd[0].lower = lambda: "a"
  for _ in range(3):
    assert converted(Phrase([of_phrases("a"), odd])) == 1 + 2 * 1


@pytest.mark.parametrize("make", [of_nltk, of_lists, of_phrases])
@pytest.mark.parametrize("program", PROGRAMS)
def test_what_python_refuses_raises(program, make, monkeypatch):
  """A node with one child that is no leaf: no string, no key of a dict."""
  odd = make(("a", "b"))
  odd[1] = type(odd)("S", [make("b")]) if make is of_nltk else type(odd)([make("b")])
  expected = _outcome(program, odd)
  converted = rtf.recursive(program, verify=False)
  monkeypatch.setitem(program.__globals__, program.__name__, converted)
  for sentence in SENTENCES:
    converted(make(sentence))
  for _ in range(2):
    assert _outcome(converted, odd) == expected


def _outcome(function, *args):
  try:
    found = function(*args)
    return found.numpy().tolist() if tf.is_tensor(found) else found
  except Exception as error:
    return type(error).__name__, str(error)


class State:
  """A node of a tree that keeps its state, as in the TreeLSTM of its paper."""

  def __init__(self, number, *children):
    self.number, self.children, self.state = number, list(children), None


def keeps(node):
  for child in node.children:
    keeps(child)
  if not node.children:
    c = h = tf.fill([1, 2], 0.5)
  else:
    c, h = zip(*map(lambda x: x.state, node.children), strict=True)
    c, h = tf.concat(c, axis=0), tf.concat(h, axis=0)
  total = tf.reduce_sum(h, axis=0, keepdims=True) * TABLE[node.number]
  node.state = total + tf.reduce_sum(c, axis=0, keepdims=True), tf.tanh(total)
  return node.state


def forget(node):
  """Leaves out a child, which has no state then."""
  for child in node.children[:1]:
    forget(child)
  states = [child.state for child in node.children]
  if not states:
    node.state = tf.ones([2]), tf.zeros([2])
  else:
    c, h = zip(*states, strict=True)
    node.state = tf.reduce_sum(tf.stack(c), 0) + TABLE[node.number], tf.reduce_max(tf.stack(h), 0)
  return node.state


def _tree(number):
  return State(number % 3, *(_tree(number - k) for k in (1, 2) if number > k))


@pytest.mark.parametrize("program", [keeps, forget])
def test_states_of_children_that_may_be_none_are_taken_apart(program, monkeypatch):
  expected = [_outcome_of_pair(program, _tree(n)) for n in (1, 2, 4, 5)]
  converted = rtf.recursive(program, verify=False)
  monkeypatch.setitem(program.__globals__, program.__name__, converted)
  for _ in range(2):
    assert [_outcome_of_pair(converted, _tree(n)) for n in (1, 2, 4, 5)] == expected
  if program is keeps:
    assert not converted.stats.num_fallback_runs


def _outcome_of_pair(function, node):
  try:
    return [part.numpy().round(4).tolist() for part in function(node)]
  except Exception as error:
    return type(error).__name__, str(error)
