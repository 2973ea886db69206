"""What an attribute can be shows only as objects are followed, in the attempt that asked before."""

import pytest

import recursive_tf as rtf

_TESTS = {
  "truth": "not node",
  "none": "node is None",
}
_ENDS = {"number": ("0.0", "1.0"), "truth": ("False", "True")}
_JOINS = {
  "and": "return {call_left} and {call_right}",
  "or": "return {call_left} or {call_right}",
  "conditional": "return {call_right} if {call_left} else {bad}",
  "statement": "if not {call_left}:\n      return {bad}\n    return {call_right}",
  "nested": "if {call_left}:\n      if {call_right}:\n        return {good}\n    return {bad}",
}
_TEXT = """
def valid(node, lo=float('-inf'), hi=float('inf')):
    if {test}:
      return {good}
    if not lo < node.val < hi:
      return {bad}
    {join}
"""


class _Node:
  def __init__(self, val, left=None, right=None):
    self.val, self.left, self.right = val, left, right


def _trees():
  whole = _Node(8, _Node(3, _Node(1), _Node(6)), _Node(10, None, _Node(14, _Node(13))))
  broken = _Node(8, _Node(3, _Node(1), _Node(60)), _Node(10))
  return [whole, broken, _Node(5), None]


@pytest.mark.parametrize("join", _JOINS)
@pytest.mark.parametrize("test, end", [("truth", "number"), ("none", "truth")])
def test_the_first_call_runs_as_a_graph(tmp_path, test, end, join):
  bad, good = _ENDS[end]
  calls = {
    "call_left": "valid(node.left, lo, node.val)",
    "call_right": "valid(node.right, node.val, hi)",
  }
  body = _JOINS[join].format(good=good, bad=bad, **calls)
  text = _TEXT.format(test=_TESTS[test], good=good, bad=bad, join=body)
  path = tmp_path / "program.py"
  path.write_text(text)
  names, other = {}, {}
  exec(compile(text, str(path), "exec"), names)
  exec(compile(text, str(path), "exec"), other)
  other["valid"] = ours = rtf.recursive(other["valid"], strict=True, verify=False)
  for tree in _trees():
    found, expected = ours(tree), names["valid"](tree)
    assert (type(found), found) == (type(expected), expected)
  assert ours.stats.num_fallback_runs == 0
