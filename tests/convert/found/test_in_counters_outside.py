"""`in` of a Counter or defaultdict outside that is only asked was an internal error."""

import collections

import pytest

from tests.convert.agreement import CONVERTED, agrees, bushy, lopsided


@pytest.mark.parametrize("kind", [collections.Counter, lambda x: collections.defaultdict(int, x)])
def test_what_is_outside_is_asked(kind):
  def build(recursive):
    known = kind({"a": 1, "b": 2})

    @recursive
    def f(n):
      return [n.name in known, [f(kid) for kid in n.kids]]

    return f, [known]

  def more(known):
    known["c"] = len(known)

  agrees(build, lambda: [(bushy(),), (lopsided(),)], expect=CONVERTED, before=more)


def test_what_is_passed_in_is_that_of_each_call():
  def build(recursive):
    @recursive
    def f(n, known):
      return [n.name in known, [f(kid, known) for kid in n.kids]]

    return f

  calls = [(bushy(), collections.Counter("ab")), (lopsided(), collections.Counter("i"))]
  agrees(build, lambda: calls, expect=CONVERTED)
