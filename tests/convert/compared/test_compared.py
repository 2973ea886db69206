"""Comparisons of nodes by what their classes say: all kinds of these with all that is asked."""

import pytest

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, summing
from tests.convert.compared.asks import ASKS
from tests.convert.compared.nodes import ASKED, NODES, trees

_BOTH = ("equal", "not equal", "may be None", "where", "removed", "unique", "count", "in", "pairs")
_ORDER = ("less", "greater", "between", "of two", "best or itself", "sorted", "max", "min")


@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize("node", NODES)
def test_comparisons_are_pythons(node, ask):
  agrees(summing(ASKS[ask]), lambda: list(trees(NODES[node])))


@pytest.mark.parametrize(
  ("node", "ask"),
  [
    *((node, ask) for node in ("Careful", "Deep", "CarefulTotal", "Record") for ask in _BOTH),
    *((node, ask) for node in ("Careful", "Deep", "CarefulTotal", "Record") for ask in _ORDER),
    *((node, ask) for node in ("DeepRecord", "Frozen", "DeepByLoop") for ask in _BOTH),
    *(("one and a silent one", ask) for ask in (*_BOTH, *_ORDER)),
    *(("deep ones and records", ask) for ask in _BOTH),
    *(("DeepRecordInOrder", ask) for ask in ("lists", "order of lists", "tuples", "at most")),
  ],
)
def test_natural_comparisons_are_converted(node, ask):
  agrees(summing(ASKS[ask]), lambda: list(trees(NODES[node])), CONVERTED)


@pytest.mark.parametrize("ask", ["sorted", "backwards"])
def test_what_is_no_order_is_sorted_by_python(ask):
  rock = NODES["Rock"]
  calls = [(rock(1, rock(1), rock(2), rock(3)),)]
  agrees(summing(ASKS[ask]), lambda: calls, Reason.CHECK_FAILED)


@pytest.mark.parametrize("ask", ["equal", "in", "where", "count", "lists", "sorted", "max"])
def test_objects_are_asked_in_pythons_order(ask):
  def build(recursive):
    @recursive
    def f(n):
      return ASKS[ask](n) + sum([f(kid) for kid in n.kids])

    return f

  plain, other = build(lambda f: f), build(rtf.recursive)
  for (tree,) in trees(NODES["Loud"]):
    found = []
    for f in (plain, other):
      ASKED.clear()
      found.append((f(tree), [*ASKED]))
    assert found[0] == found[1]
