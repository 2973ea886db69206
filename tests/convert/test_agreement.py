"""Tests of `agrees`: a converter that errs is noticed."""

import types

import pytest

from tests.convert import agreement


def _agree_with(other, calls, monkeypatch):
  """Compares `node.v += 1` with what is taken for its converted form."""

  def plain(node):
    node.v += 1
    return node

  other.stats = types.SimpleNamespace(fallbacks={}, num_converted_runs=1)
  monkeypatch.setattr(agreement.rtf, "recursive", lambda function, **_: other)
  agreement.agrees(lambda decorate: decorate(plain), calls)


def _one_root_twice():
  root = agreement.root()
  yield (root,)
  yield (root,)


def test_a_write_forgotten_in_a_later_call_is_noticed(monkeypatch):
  runs = []

  def other(node):
    runs.append(node)
    node.v += len(runs) == 1
    return node

  with pytest.raises(AssertionError, match=r"call 1: state"):
    _agree_with(other, _one_root_twice, monkeypatch)


def test_a_result_that_is_another_object_than_in_an_earlier_call_is_noticed(monkeypatch):
  runs = []

  def other(node):
    node.v += 1
    runs.append(node)
    if len(runs) == 1:
      return node
    copy = agreement.root()
    copy.v = node.v
    return copy

  with pytest.raises(AssertionError, match="not the same object"):
    _agree_with(other, _one_root_twice, monkeypatch)
