"""Reasons say what the user wrote, and nothing of how it is converted."""

import collections

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import Node, agrees, root


@pytest.mark.parametrize(
  "function, text",
  [
    (lambda n: [n, 1.0, n.kids] if n.flag else (lambda: n), "a list of 3 and "),
    (lambda n: n.v + (lambda x: x), "int of the run and function"),
    (lambda n: len(n.kids) * b"a", "int of the run and bytes"),
    (lambda n: tf.add(lambda x: x, 1.0), "A function of the program is passed to a library"),
    (lambda n: (1, n) if n.flag else (lambda: n), "a tuple of 2"),
    (lambda n: n.kids[n], "by a Node"),
    (lambda n: isinstance(n, n.v), "isinstance of an int of the run"),
    (lambda n: {1: 2} @ n.v, "dict and int of the run"),
  ],
)
def test_a_reason_names_values_by_their_python_types(function, text):
  def call(n):
    return function(n)

  with pytest.raises(rtf.ConversionRefused) as refused:
    rtf.recursive(call, strict=True)(root())
  assert text in str(refused.value)


def test_an_unusual_attribute_of_a_tensor():
  with pytest.raises(rtf.ConversionRefused, match="A tensor has no attribute 'nothing'"):
    rtf.recursive(lambda n: tf.ones([n.v]).nothing, strict=True)(Node(1, True, "a"))


class Names(list):
  """A kind of list."""


@pytest.mark.parametrize(
  "make, change, text",
  [
    (dict, lambda out, n: out.update({"a": n.v}), "update of a dict"),
    (set, lambda out, n: out.difference_update([n.name]), "of a set"),
    (collections.deque, lambda out, n: out.append(n.name), "append of a deque"),
    (Names, lambda out, n: out.append(n.name), "append of a Names"),
  ],
  ids=["update", "set", "deque", "subclass"],
)
def test_containers_that_are_passed_in_and_changed_are_named(make, change, text):
  def build(recursive):
    @recursive
    def walk(node, out):
      change(out, node)
      for kid in node.kids:
        walk(kid, out)

    return walk

  function = agrees(build, lambda: [(root(), make()), (root(), make())], Reason.UNSUPPORTED_WRITE)
  assert text in str(function.explain())


def test_lists_that_a_dict_which_is_passed_in_keeps_are_changed():
  def build(recursive):
    @recursive
    def walk(node, out):
      out.setdefault(node.name, []).append(node.v)
      for kid in node.kids:
        walk(kid, out)

    return walk

  agrees(build, lambda: [(root(), {}), (root(), {})])
