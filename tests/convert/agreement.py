"""Compares one small program with plain Python: the shortest way to write a test of the front end.

A builder makes the program, with the decorator it is given, and all that it closes over:

    def build(recursive):
      seen = []

      @recursive
      def count(node):
        seen.append(node.v)
        return 1 + sum(count(kid) for kid in node.kids)

      return count, [seen]  # Or only the function.

    agrees(build, lambda: [(root(),), (root(),)], expect=CONVERTED)
"""

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.compare import Comparison
from tests.convert.harness import compare_outcomes, observe
from tests.convert.programs.registry import CONVERTED, Call

__all__ = ["CONVERTED", "Node", "agrees", "root"]


class Node:
  """A node with a number, a flag, a name and any number of children."""

  def __init__(self, v, flag, name, *kids):
    self.v, self.flag, self.name, self.kids = v, flag, name, list(kids)


def root():
  """Returns a root with two leaf children: values 1; 2, 3; flags True; True, False."""
  return Node(1, True, "r", Node(2, True, "a"), Node(3, False, "b"))


def agrees(build, calls=lambda: [(root(),)], expect=None, variables=None, **options):
  """Calls a program plainly and converted and compares all that a user can see.

  Args:
    build: `build(decorator)` returns the function, or it and a list of further objects to compare.
    calls: makes the argument tuples, anew for each side; they are called one after the other.
    expect: `CONVERTED`, the `Reason` or the set of reasons that it falls back for; None for either.
    variables: `variables(function, state)` returns what gradients are taken of; None for no tape.
    **options: of `rtf.recursive`.

  Returns:
    The converted function, to look at its `stats`.
  """
  plain, plain_state = _built(build, lambda function: function)
  other, other_state = _built(build, lambda function: rtf.recursive(function, **options))
  stats = other.stats
  seen = [], []  # All arguments and results so far: which is which is compared across calls.
  for number, (a, b) in enumerate(zip(calls(), calls(), strict=True)):
    where = f"call {number}"
    tapes = [
      variables and variables(*side) for side in ((plain, plain_state), (other, other_state))
    ]
    expected = observe(plain, Call(a), tapes[0])
    got = observe(other, Call(b), tapes[1])
    compare_outcomes(expected, got, where)
    for side, args, outcome in zip(seen, (a, b), (expected, got), strict=True):
      side.append((args, outcome.result))
    # A new comparison looks at each object again: it may have changed since the last call.
    Comparison().check(
      [*seen[0], plain_state], [*seen[1], other_state], f"{where}: state and results"
    )
  reasons = {reason for reason, count in stats.fallbacks.items() if count}
  for reason in reasons:
    # Those say that the converter was wrong, and a safety net noticed.
    assert reason.code not in ("verification-failed", "internal-error", "graph-error"), (
      other.explain()
    )
  if expect == CONVERTED:
    assert not reasons and stats.num_converted_runs, other.explain()
  elif isinstance(expect, Reason):
    assert reasons == {expect}, other.explain()
  elif expect is not None:
    assert reasons and reasons <= set(expect), other.explain()
  return other


def _built(build, decorate):
  found = build(decorate)
  return found if isinstance(found, tuple) else (found, [])
