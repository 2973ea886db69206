"""A variable that a branch, a loop, a list or a call of the run has chosen, and then a tape.

Python's tape sees the variable itself, whenever it was chosen and by whatever name it goes. A graph
goes on with what it held there, so a gradient that might be the variable's is refused.
"""

import pytest
import tensorflow as tf

from tests.convert.function import harness


class Model:
  """Two weights."""

  def __init__(self, kind):
    self.v, self.w = kind([0.5, 0.25, 1.0]), kind([0.1, 0.2, 0.3])


def in_an_expression(m, x):
  return m.v if tf.reduce_sum(x) > 0 else x


def in_a_statement(m, x):
  found = x
  if tf.reduce_sum(x) > 0:
    found = m.v
  return found


def of_two_variables(m, x):
  return m.v if tf.reduce_sum(x) > 0 else m.w


def by_max(m, x):
  return max([m.v, x], key=lambda t: float(tf.reduce_sum(t)))


def by_sorted(m, x):
  return sorted([m.v, x], key=lambda t: float(tf.reduce_sum(t)))[0]


def by_index(m, x):
  return [m.v, x][int(tf.reduce_sum(x) > 0)]


def in_a_loop(m, x):
  found, i = x, tf.constant(0)
  while i < 3:
    found = m.v
    i += 1
  return found


def among_others(m, x):
  found = x
  for each in [m.v, x]:
    if tf.reduce_sum(each) > 0:
      found = each
  return found


def filtered(m, x):
  found = [each for each in [m.v, x] if tf.reduce_sum(each) > 0]
  return found[0] if found else x


def by_a_function(m, x):
  def pick(is_first):
    if is_first:
      return m.v
    return x

  return pick(tf.reduce_sum(x) > 0)


def unpacked(m, x):
  first, _ = (m.v, x) if tf.reduce_sum(x) > 0 else (x, m.v)
  return first


def inside_others(m, x):
  found = (m.v, {"k": [m.w]}) if tf.reduce_sum(x) > 0 else (x, {"k": [x]})
  return found[1]["k"][0]


def by_recursion(m, x):
  def down(n, variable):
    if n <= 0:
      return variable
    return down(n - 1, variable)

  return down(3, m.v)


CHOICES = [
  in_an_expression,
  in_a_statement,
  of_two_variables,
  by_max,
  by_sorted,
  by_index,
  in_a_loop,
  among_others,
  filtered,
  by_a_function,
  unpacked,
  inside_others,
  by_recursion,
]


def loss_of(m, y):
  return tf.reduce_sum(tf.tanh(y) * m.w * m.v)


def before_the_tape(m, x, choose, sources):
  y = choose(m, x)
  with tf.GradientTape() as tape:
    loss = loss_of(m, y)
  return tape.gradient(loss, sources(m, y)), loss


def under_the_tape(m, x, choose, sources):
  with tf.GradientTape() as tape:
    y = choose(m, x)
    loss = loss_of(m, y)
  return tape.gradient(loss, sources(m, y)), loss


def while_it_stops(m, x, choose, sources):
  with tf.GradientTape() as tape:
    with tape.stop_recording():
      y = choose(m, x)
    loss = loss_of(m, y)
  return tape.gradient(loss, sources(m, y)), loss


def in_the_turn_before(m, x, choose, sources):
  y = x
  for _ in range(2):
    with tf.GradientTape() as tape:
      loss = loss_of(m, y)
    found = tape.gradient(loss, sources(m, y))
    y = choose(m, x)
  return found, loss


def between_two_tapes(m, x, choose, sources):
  with tf.GradientTape() as outer:
    y = choose(m, x)
    with tf.GradientTape() as tape:
      loss = loss_of(m, y)
    slope = tape.gradient(loss, m.w)
  return outer.gradient(slope, sources(m, y)), slope


def written_after(m, x, choose, sources):
  y = choose(m, x)
  m.v.assign_add([1.0, 2.0, 3.0])
  return y + 0.0


WHEN = [
  before_the_tape,
  under_the_tape,
  while_it_stops,
  in_the_turn_before,
  between_two_tapes,
  written_after,
]
SOURCES = {
  "v": lambda m, y: [m.v],
  "v and w": lambda m, y: {"v": m.v, "w": [m.w]},
  "chosen": lambda m, y: y,
  "w": lambda m, y: m.w,
}


@pytest.mark.parametrize("kind", [tf.Variable, tf.keras.Variable], ids=["tf", "keras"])
@pytest.mark.parametrize("sources", SOURCES)
@pytest.mark.parametrize("when", WHEN, ids=lambda each: each.__name__)
@pytest.mark.parametrize("choose", CHOICES, ids=lambda each: each.__name__)
def test_a_tape_sees_what_it_sees_in_python(choose, when, sources, kind):
  def make():
    m = Model(kind)

    def step(x):
      return when(m, x, choose, SOURCES[sources])

    calls = [(tf.constant(sign) * [1.0, 2.0, 3.0],) for sign in (1.0, -1.0, 0.05, 1.0)]
    return step, calls, lambda: [m.v, m.w]

  report = harness.run(choose.__name__, make)
  assert report.difference is None, report


def test_what_is_chosen_is_converted_where_no_gradient_is_its():
  def make():
    m = Model(tf.Variable)

    def step(x):
      rate = m.v if tf.reduce_sum(x) > 0 else x
      with tf.GradientTape() as tape:
        loss = tf.reduce_sum(m.w**2 * x)
      return tape.gradient(loss, m.w) * rate

    calls = [(tf.constant(sign) * [1.0, 2.0, 3.0],) for sign in (1.0, -1.0, 1.0)]
    return step, calls, lambda: [m.v, m.w]

  report = harness.run("rate", make)
  assert report.difference is None, report
  assert report.num_graph_runs == 3
