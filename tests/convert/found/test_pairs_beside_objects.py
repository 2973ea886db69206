"""Pairs in lists beside objects that cannot be gone through: what is taken apart is a pair."""

from tests.convert.agreement import CONVERTED, agrees


class Chance:
  def __init__(self, kind, value, *succ):
    self.kind, self.value, self.succ = kind, value, list(succ)


def test_pairs_beside_objects_that_cannot_be_gone_through():
  def build(recursive):
    @recursive
    def backup(s):
      if s.kind == "leaf":
        return s.value
      if s.kind == "chance":
        return sum([p * backup(t) for p, t in s.succ])
      best = backup(s.succ[0])
      for t in s.succ[1:]:
        best = max(best, backup(t))
      return best

    return backup

  def leaf(value):
    return Chance("leaf", value)

  def calls():
    largest = Chance("max", 0.0, leaf(1.0), leaf(4.0))
    inner = Chance("chance", 0.0, (0.25, leaf(2.0)), (0.75, largest))
    return [(Chance("max", 0.0, leaf(1.5), inner),), (inner,), (leaf(1.0),)]

  agrees(build, calls, expect=CONVERTED)
  # A pair where an object is expected, and the other way round.
  agrees(build, lambda: [*calls(), (Chance("chance", 0.0, leaf(1.0)),)])
  agrees(build, lambda: [*calls(), (Chance("max", 0.0, (1.0, leaf(1.0))),)])
