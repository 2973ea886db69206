"""Containers compare their elements as `==` does, whatever forms a call gives on its paths."""

import pytest

from tests.convert.agreement import agrees
from tests.convert.syntax.lowering import defined


class Chain:
  def __init__(self, v, rest=None):
    self.v, self.rest = v, rest


CHAINS = ((3, 2), (1, 7, 7), (0, 0), (2,), (1, 7, 1), (1, -1))
# What `g` gives at the end of a chain, and elsewhere.
FORMS = {
  "int or bool": ("0", "n.v > 0"),
  "bool or int": ("True", "n.v"),
  "int or float": ("0", "n.v * 0.5"),
  "int or None": ("None", "n.v"),
  "int or text": ("'a'", "n.v"),
}
ASKED = (
  "n.v in [m]",
  "m in [n.v, 1]",
  "m in (1, 0)",
  "(m, 0) == (n.v, 0)",
  "(m, 1) != (1, 1)",
  "(m, (m, 1)) == (1, (n.v, True))",
  "[m] == [m]",
  "any(m == x for x in (0, 1))",
)


def _chain(values):
  chain = None
  for v in reversed(values):
    chain = Chain(v, chain)
  return chain


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("asked", ASKED)
def test_elements_are_equal_as_values_are(form, asked):
  end, inner = FORMS[form]
  text = f"""
def f(decorate):
  @decorate
  def g(n):
    if n is None:
      return {end}
    if n.v == 7:
      return g(n.rest)
    return {inner}

  @decorate
  def ask(n):
    m = g(n.rest)
    return {asked}

  return ask
"""
  agrees(defined(text), lambda: [(_chain(values),) for values in CHAINS])
