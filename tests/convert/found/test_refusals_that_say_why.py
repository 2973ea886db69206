"""Refusals that named the wrong reason, or the converter's own lines."""

import xml.etree.ElementTree

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason


def test_len_of_an_object_of_c_is_no_endless_recursion():
  @rtf.recursive(verify=False)
  def tags(element):
    if len(element) == 0:
      return element.tag
    return element.tag + "".join(tags(child) for child in element)

  assert tags(xml.etree.ElementTree.fromstring("<p>hi</p>")) == "p"
  assert set(tags.stats.fallbacks) == {Reason.OPAQUE_READ}, tags.explain()


def _squash(t):
  if isinstance(t, str):
    return t
  a, b = squash(t[0]), squash(t[1])
  return a if a == b else (a, b)


squash = rtf.recursive(_squash, verify=False)


def test_a_comparison_as_deep_as_the_run_is_no_endless_one():
  assert squash("x") == "x"
  assert squash(("x", ("x", "y"))) == ("x", ("x", "y"))
  assert squash(((("x", "y"), ("x", ("y", "y"))), "x")) == (("x", "y"), "x")
  assert not squash.stats.fallbacks, squash.explain()


class _Node:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


_kept = []


def _kept_with_its_keys(n):
  out = {"v": n.v}
  if n.kids:
    out["kids"] = [kept_with_its_keys(kid) for kid in n.kids]
  _kept.append(out)
  return out


kept_with_its_keys = rtf.function(_kept_with_its_keys, verify=False)


def test_forms_that_do_not_meet_in_a_step_are_a_refusal():
  assert kept_with_its_keys(_Node(1, _Node(2))) == {"v": 1, "kids": [{"v": 2}]}
  assert set(kept_with_its_keys.stats.fallbacks) == {Reason.KINDS_DIFFER}
  assert "_kept.append(out)" in str(kept_with_its_keys.explain())
