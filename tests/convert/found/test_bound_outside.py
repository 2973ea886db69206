"""What `def` and `import` bind is bound where the names are declared to be: outside."""

import pytest
import tensorflow as tf

from tests.convert.function import harness


def defines(x):
  global _HELPER

  def _HELPER(y):
    return y + 1.0

  return x + 1.0


def imports(x):
  global math
  import math

  return x * math.pi


def imports_from(x):
  global tau
  from math import tau

  return x * tau


def defines_in_the_function_around():
  inner = None

  def step(x):
    nonlocal inner

    def inner(y):
      return y * 2.0

    return inner(x)

  return step, lambda: inner.__name__


GLOBAL = {"_HELPER": defines, "math": imports, "tau": imports_from}


@pytest.mark.parametrize("name", GLOBAL)
def test_a_global_name_is_bound(name):
  def make():
    globals().pop(name, None)
    calls = [(tf.constant(x),) for x in (1.0, 2.0)]
    return GLOBAL[name], calls, lambda: str(globals().get(name)).partition(" at ")[0]

  report = harness.run(name, make)
  assert report.difference is None, report.explanation


def test_a_nonlocal_name_is_bound():
  def make():
    step, state = defines_in_the_function_around()
    return step, [(tf.constant(x),) for x in (1.0, 2.0)], state

  report = harness.run("nonlocal", make)
  assert report.difference is None, report.explanation
