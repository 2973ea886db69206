"""Programs over scalars of several kinds, made of text, run plainly and as graphs."""

import math

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.compiled import compiled


class Node:
  """A node with a scalar in several places.

  Attributes:
    v: the scalar, or None.
    flag: a bool.
    vals: a list of scalars.
    items: a dict that has one as "k".
    kids: further nodes.
  """

  def __init__(self, v, flag, vals, items, kids):
    self.v, self.flag, self.vals, self.items, self.kids = v, flag, vals, items, kids


def shown(value):
  """Returns what tells apart all values by type and sign; of nodes what they hold."""
  if isinstance(value, float):
    return "float", repr(value), math.copysign(1, value)
  if isinstance(value, Node):
    return "node", shown(vars(value))
  if isinstance(value, dict):
    return "dict", [(shown(key), shown(one)) for key, one in value.items()]
  if isinstance(value, (list, tuple)):
    return type(value).__name__, [shown(one) for one in value]
  return type(value).__name__, repr(value)


def outcome(function, args):
  """Returns what a call gives or raises, and what it leaves in its arguments."""
  try:
    found = "returns", shown(function(*args))
  except Exception as error:
    found = "raises", type(error).__name__, str(error)
  return found, [shown(arg) for arg in args]


class Tally:
  """How many calls of programs returned, and how many of these ran as graphs.

  Attributes:
    num_returned: calls in which Python raises nothing.
    num_plain: those of them that ran as plain Python.
    reasons: why, with a program for each.
  """

  def __init__(self):
    self.num_returned = self.num_plain = 0
    self.reasons = {}


def compare(source, calls, tally, name="f", **names):
  """Calls a program plainly and as a graph, and compares all results, types included.

  Args:
    source: the program, in which `recursive` decorates.
    calls: makes the argument tuples, anew for each side.
    tally: is counted up.
    name: of the function to call.
    **names: further names that the program knows.

  Returns:
    The converted function.
  """
  plain = compiled(source, name, f"<plain {source}>", recursive=lambda f: f, Node=Node, **names)
  # Not verified: then each wrong result would show here.
  decorate = rtf.recursive(verify=False)
  other = compiled(source, name, f"<graph {source}>", recursive=decorate, Node=Node, **names)
  for a, b in zip(calls(), calls(), strict=True):
    expected = outcome(plain, a)
    before = other.stats.num_fallback_runs
    assert outcome(other, b) == expected, source
    if expected[0][0] == "returns":
      is_plain = other.stats.num_fallback_runs > before
      tally.num_returned += 1
      tally.num_plain += is_plain
      if is_plain:
        tally.reasons[str(other.explain())] = source
  faults = {Reason.INTERNAL_ERROR, Reason.GRAPH_ERROR, Reason.VERIFICATION_FAILED}
  assert not faults & {reason for reason, count in other.stats.fallbacks.items() if count}, source
  return other
