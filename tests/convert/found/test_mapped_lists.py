"""Lists that are given to `map` and changed are changed as in plain Python."""

import pytest

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import root


def numbers(node, out):
  out.append(node.v)
  for kid in node.kids:
    numbers(kid, out)
  return len(out)


def nodes(node, out):
  out.append(node)
  for kid in node.kids:
    nodes(kid, out)
  return len(out)


@pytest.mark.parametrize("function", [numbers, nodes])
@pytest.mark.parametrize("is_called_first", [False, True])
def test_a_list_for_each_tree(function, is_called_first):
  f = rtf.recursive(function, verify=False)
  if is_called_first:
    assert f(root(), []) == 3
  for _ in range(3):
    outs = [[], []]
    assert list(f.map([root(), root()], outs)) == [3, 3] and list(map(len, outs)) == [3, 3]
  assert f.stats.fallbacks == {Reason.UNSUPPORTED_WRITE: 3}
  assert "given to map as 'out'" in str(f.explain())


@pytest.mark.parametrize("function", [numbers, nodes])
@pytest.mark.parametrize("is_called_first", [False, True])
def test_one_list_for_all_trees(function, is_called_first):
  f = rtf.recursive(function, verify=False)
  if is_called_first:
    assert f(root(), []) == 3
  for _ in range(2):
    out = []
    assert list(f.map([root(), root()], out=out)) == [3, 6] and len(out) == 6


def test_a_list_that_is_changed_is_not_packed():
  f = rtf.recursive(numbers, verify=False)
  with pytest.raises(rtf.ConversionRefused, match="has to be called eagerly"):
    f.pack([root(), root()], out=[])
