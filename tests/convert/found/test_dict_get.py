"""`dict.get` with a default of the run: what is there, or the default, as Python has it."""

import pytest
import tensorflow as tf

from tests.convert.function import harness


def write_back(m, found, x):
  m.table["a"] = found


DEFAULTS = {
  "none": lambda m, x: None,
  "number": lambda m, x: 2.0,
  "tensor": lambda m, x: x * 2.0,
  "variable": lambda m, x: m.w,
  "number of the run": lambda m, x: float(tf.reduce_sum(x)),
  "of another key": lambda m, x: m.table.get("b", x),
  "list": lambda m, x: [x, x],
}
KEYS = {"there": "a", "missing": "k", "int": 1, "tuple": ("a", 1)}
USES = {
  "returned": lambda m, found, x: found,
  "computed with": lambda m, found, x: x if found is None else x + found,
  "kept": lambda m, found, x: setattr(m, "last", found),
  "written back": write_back,
  "in a branch": lambda m, found, x: found if tf.reduce_sum(x) > 0 else x,
}


class Model:
  """A weight and a table."""

  def __init__(self):
    self.w = tf.Variable([1.0, 2.0])
    self.table = {"a": tf.constant([0.5, -0.5]), 1: tf.constant([3.0, 3.0])}
    self.last = None


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("default", DEFAULTS)
def test_get_gives_what_is_there_or_the_default(default, key, use):
  def make():
    m, make_default, key_, use_ = Model(), DEFAULTS[default], KEYS[key], USES[use]

    def step(x):
      return use_(m, m.table.get(key_, make_default(m, x)), x)

    def change():
      m.table[key_] = tf.constant([7.0, 8.0])
      m.w.assign_add([1.0, 1.0])

    def remove():
      m.table.pop(key_)

    x = tf.constant([1.0, 2.0])
    return step, [(x,), (-x,), change, (x,), remove, (x,), (-x,)], lambda: vars(m)

  report = harness.run("get", make)
  assert report.difference is None, report


def test_get_with_a_tensor_as_default_runs_as_a_graph():
  def make():
    m = Model()
    return (lambda x: m.table.get("k", x) + m.table.get("a", x)), [(tf.ones([2]),)] * 2, None

  report = harness.run("get", make)
  assert (report.difference, report.num_plain_runs) == (None, 0), report
