"""Two objects of one class: what a test says of one of them is known of the other, too."""

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees, of_text, trees

BEFORE = {"name": "svc", "replicas": 2, "ports": [80, 443], "env": {"DEBUG": "1", "MODE": "fast"}}
AFTER = {"name": "svc", "replicas": 3, "ports": [80, 8443, 9], "env": {"MODE": "safe"}, "by": None}

DIFF = """
def f(old, new):
  {test}
    return [(old, new)]
  if isinstance(old, dict):
    found = []
    for key in sorted(set(old) | set(new)):
      if key not in new:
        found.append((key, None))
      elif key not in old:
        found.append((None, key))
      else:
        found.extend(f(old[key], new[key]))
    return found
  if isinstance(old, list):
    found = []
    for a, b in zip(old, new):
      found += f(a, b)
    return found
  return [(old, new)] if old != new else []
"""

TESTS = {
  "is_not": "if type(old) is not type(new):",
  "not_is": "if not type(old) is type(new):",
  "not_equal": "if type(old) != type(new):",
  "class": "if old.__class__ is not new.__class__:",
  "turned": "if type(new) is not type(old):",
}


def pairs():
  """Returns arguments of five calls: what differs, what is the same, and of other classes."""
  return [(BEFORE, AFTER), (AFTER, BEFORE), (BEFORE, BEFORE), (1, "x"), ([1, BEFORE], [1, AFTER])]


@pytest.mark.parametrize("test", TESTS)
def test_differences_of_documents(test):
  agrees(of_text(DIFF.format(test=TESTS[test])), pairs, CONVERTED)


def test_other_objects_keep_their_classes():
  """`new` is another object below: what is known of the class of the first says nothing of it."""
  text = """
def f(old, new):
  if type(old) is type(new):
    new = new[0] if isinstance(new, list) and new else new
    if isinstance(old, list):
      return 2 if isinstance(new, list) else 3
    return 5 if isinstance(new, list) else 7
  return 11
"""
  calls = [([1], [1]), ([1], [[2]]), ([], []), (1, 2), (1, []), ([[3]], [[[4]]])]
  agrees(of_text(text), lambda: calls, CONVERTED)


OF_ALL = {
  "of_strings": "n.name.__class__ is str and (n.name + 'x').__class__ is type(n.name)",
  "of_lists": "[n.v].__class__ is n.kids.__class__ and [k.v for k in n.kids].__class__ is list",
  "of_dicts": "{n.name: 1}.__class__ is dict and {n.v}.__class__ is set",
  "of_names": "(f'{n.v}').__class__.__name__ == 'str'",
  "of_tensors": "isinstance(tf.zeros([n.v]), type(tf.cast(n.v, tf.float32)))",
  "of_two_tensors": "isinstance(tf.cast(n.v, tf.float32) * 2, (type(tf.cast(n.v, tf.int32)), str))",
  "of_no_tensors": "isinstance(tf.cast(n.v, tf.float32), (type(n.name), type(n.v)))",
}


@pytest.mark.one_in(1)
@pytest.mark.parametrize("test", OF_ALL)
def test_classes_are_pythons(test):
  text = f"def f(n):\n  return [{OF_ALL[test]}, *[f(k) for k in n.kids]]\n"
  agrees(of_text(text, tf=tf), trees, CONVERTED)
