"""A call in a step of what has no body, since a branch of it is refused, was an internal error."""

import dataclasses

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason


@dataclasses.dataclass
class Num:
  value: object


@dataclasses.dataclass
class Add:
  left: object
  right: object


@dataclasses.dataclass
class Neg:
  arg: object


def _simplified(e):
  match e:
    case Add(left, right):
      return Add(simplified(left), simplified(right))
    case Neg(Neg(arg)):
      return simplified(arg)
    case _:
      return e


simplified = rtf.function(_simplified, verify=False)


def test_the_reason_is_that_of_the_branch():
  negated = Neg(Neg(Add(Num(2), Num(3))))
  for e in (Add(Num(1), Num(2)), Add(Neg(Neg(Num(1))), Num(2)), Neg(Neg(Num(2))), negated):
    assert simplified(e) == _simplified(e)
  assert Reason.INTERNAL_ERROR not in simplified.stats.fallbacks, simplified.explain()
