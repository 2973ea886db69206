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
from tests.convert.harness import compare_outcomes, observe, set_verify
from tests.convert.programs.registry import CONVERTED, Call
from tests.convert.syntax.lowering import defined

__all__ = ["CONVERTED", "Node", "agrees", "root"]


class Node:
  """A node with a number, a flag, a name and any number of children."""

  def __init__(self, v, flag, name, *kids):
    self.v, self.flag, self.name, self.kids = v, flag, name, list(kids)


def root():
  """Returns a root with two leaf children: values 1; 2, 3; flags True; True, False."""
  return Node(1, True, "r", Node(2, True, "a"), Node(3, False, "b"))


def lopsided():
  """Returns a root of whose two children only the first has children: values 1; 3, 4; 5, 2."""
  inner = Node(3, False, "i", Node(5, True, "x"), Node(2, False, "y"))
  return Node(1, True, "r", inner, Node(4, True, "b"))


def bushy():
  """Returns a root of whose two children the first has three: values 1; 2, 3; 4, 5, 6."""
  inner = Node(2, True, "a", Node(4, False, "c"), Node(5, True, "d"), Node(6, True, "e"))
  return Node(1, True, "r", inner, Node(3, False, "b"))


def deep(depth, v=1):
  """Returns a tree of nodes with `depth % 3` children, which are a level less deep."""
  kids = [deep(depth - 1, 2 * v + i) for i in range(depth % 3)] if depth else []
  return Node(v, v % 3 == 0, f"n{v}", *kids)


def trees():
  """Returns arguments of five calls: a leaf, and trees of several shapes."""
  return [(Node(7, True, "l"),), (root(),), (lopsided(),), (bushy(),), (deep(5),)]


def summing(ask):
  """Returns a program that adds up `ask(node)` over a tree, and writes nothing."""

  def build(recursive):
    @recursive
    def f(n):
      return ask(n) + sum(f(kid) for kid in n.kids)

    return f

  return build


def visiting(ask):
  """Returns a program that adds up `ask(node, visit)` over a tree, with a write before and after.

  What it writes tells how far it came.
  """

  def build(recursive):
    log = []

    @recursive
    def visit(n):
      log.append(n.v)
      found = ask(n, visit)
      log.append(n.v * 10)
      return found + sum([visit(kid) for kid in n.kids])

    return visit, [log]

  return build


def of_one(program):
  """Returns a builder for `agrees` of `f(n)`, which is `program(f, n)`."""

  def build(recursive):
    @recursive
    def f(n):
      return program(f, n)

    return f

  return build


def of_two(program):
  """Returns a builder for `agrees` of `f(a, b)`, which is `program(f, a, b)`."""

  def build(recursive):
    @recursive
    def f(a, b):
      return program(f, a, b)

    return f

  return build


def of_text(text, **names):
  """Returns a builder for `agrees` of the function `f` that a text defines, which finds `names`."""

  def build(recursive):
    function = defined(text, **names)
    function.__globals__["f"] = recursive(function)
    return function.__globals__["f"]

  return build


def agrees(build, calls=lambda: [(root(),)], expect=None, variables=None, before=None, **options):
  """Calls a program plainly and converted and compares all that a user can see.

  All calls are made twice: compared here alone, and then by the converter as well.

  Args:
    build: `build(decorator)` returns the function, or it and a list of further objects to compare.
    calls: makes the argument tuples, anew for each side; they are called one after the other.
    expect: `CONVERTED`, the `Reason` or the set of reasons that it falls back for; None for either.
    variables: `variables(function, state)` returns what gradients are taken of; None for no tape.
    before: `before(*state)` is called before each call, with the further objects.
    **options: of `rtf.recursive`.

  Returns:
    The converted function, to look at its `stats`.
  """
  plain, plain_state = _built(build, lambda function: function)
  options = {"verify": False, **options}
  other, other_state = _built(build, lambda function: rtf.recursive(function, **options))
  stats = other.stats
  seen = [], []  # All arguments and results so far: which is which is compared across calls.
  rounds = [(is_verified, *pair) for is_verified in (False, True) for pair in _pairs(calls)]
  for number, (is_verified, a, b) in enumerate(rounds):
    where = f"call {number}"
    set_verify(other, is_verified)
    sides = (plain, plain_state), (other, other_state)
    for _, state in sides if before else ():
      before(*state)
    tapes = [variables and variables(*side) for side in sides]
    expected = observe(plain, Call(a), tapes[0])
    got = observe(other, Call(b), tapes[1])
    compare_outcomes(expected, got, where)
    for side, args, outcome in zip(seen, (a, b), (expected, got), strict=True):
      side.append((args, outcome.result))
    # A new comparison looks at each object again: it may have changed since the last call.
    both = [[*calls, state] for calls, (_, state) in zip(seen, sides, strict=True)]
    Comparison().check(*both, f"{where}: state and results")
  reasons = {reason for reason, count in stats.fallbacks.items() if count}
  # These say that the converter was wrong, and that a safety net noticed.
  faults = {Reason.VERIFICATION_FAILED, Reason.INTERNAL_ERROR, Reason.GRAPH_ERROR}
  assert not reasons & faults, other.explain()
  if expect == CONVERTED:
    assert not reasons and stats.num_converted_runs, other.explain()
  elif isinstance(expect, Reason):
    assert reasons == {expect}, other.explain()
  elif expect is not None:
    assert reasons and reasons <= set(expect), other.explain()
  return other


def _pairs(calls):
  """Returns the arguments of each call, for both sides."""
  return zip(calls(), calls(), strict=True)


def _built(build, decorate):
  found = build(decorate)
  return found if isinstance(found, tuple) else (found, [])
