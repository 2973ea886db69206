"""Branches of which nothing but what they do matters: they are kept, or the program is refused."""

import pytest
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, root


def visiting(own):
  """Returns `build` for `agrees`: a program that does `own(n, state)` at each node."""

  def build(recursive):
    state = {"count": tf.Variable(0.0), "seen": [], "table": tf.Variable([1.0, 2.0])}

    @recursive
    def visit(n):
      own(n, state)
      for k in n.kids:
        visit(k)
      return n.v

    return visit, [state]

  return build


def by_if(n, state):
  if n.flag:
    state["count"].assign_add(1.0)


def by_either(n, state):
  if n.flag:
    state["count"].assign_add(1.0)
  else:
    state["count"].assign_sub(3.0)


def by_and(n, state):
  n.flag and state["count"].assign_add(1.0)


def by_or(n, state):
  n.flag or state["count"].assign_add(1.0)


def by_conditional_expression(n, state):
  state["count"].assign_add(1.0) if n.flag else None


def by_match(n, state):
  match n.v:
    case 1:
      state["count"].assign_add(1.0)
    case 2:
      state["count"].assign_add(10.0)


def by_nested_ifs(n, state):
  if n.flag:
    if n.v > 0:
      if n.v < 100:
        state["count"].assign_add(1.0)


def by_a_test_on_tensors(n, state):
  if tf.reduce_sum(state["table"]) > 2.0:
    state["count"].assign_add(1.0)


def bump(count, n):
  count.assign_add(float(n.v))


def by_a_helper(n, state):
  if n.flag:
    bump(state["count"], n)


def by_rows(n, state):
  if n.flag:
    state["table"].scatter_nd_update([[0]], [5.0])


def by_printing(n, state):
  if n.flag:
    tf.print("seen", n.v)


def by_an_assertion_of_tensorflow(n, state):
  if n.flag:
    tf.debugging.assert_less(n.v, 100)


@pytest.mark.parametrize(
  "own",
  [
    by_if,
    by_either,
    by_and,
    by_or,
    by_conditional_expression,
    by_match,
    by_nested_ifs,
    by_a_test_on_tensors,
    by_a_helper,
    by_rows,
    by_printing,
    by_an_assertion_of_tensorflow,
  ],
)
def test_a_branch_that_changes_something_outside_is_refused(own):
  agrees(visiting(own), lambda: [(root(),), (root(),)], Reason.STATEFUL_OP)


def test_a_function_that_runs_once_and_changes_a_variable_under_a_condition():
  def build(recursive):
    count = tf.Variable(0.0)

    @recursive
    def note(n):
      if n.flag:
        count.assign_add(1.0)
      return n.v

    return note, [count]

  agrees(build, lambda: [(root(),), (root(),)], Reason.STATEFUL_OP)


def test_a_function_of_tensorflow_that_changes_a_variable_under_a_condition():
  def build(recursive):
    count = tf.Variable(0.0)
    add = tf.function(lambda: count.assign_add(1.0))

    @recursive
    def visit(n):
      if n.flag:
        add()
      for k in n.kids:
        visit(k)

    return visit, [count]

  agrees(build, lambda: [(root(),), (root(),)], Reason.STATEFUL_OP)


def test_a_metric_that_is_updated_under_a_condition():
  def build(recursive):
    mean = tf.keras.metrics.Mean()

    @recursive
    def visit(n):
      if n.flag:
        mean.update_state(float(n.v))
      for k in n.kids:
        visit(k)

    return visit, [mean.variables]

  found = agrees(build, lambda: [(root(),), (root(),)])
  assert not found.stats.num_converted_runs


def test_what_is_converted_is_done_in_branches_of_no_value():
  def appends(n, state):
    if n.flag:
      state["seen"].append(n.v)

  def prints(n, state):
    if n.flag:
      print("seen", n.v)
    else:
      print("not")

  def writes(n, state):
    if n.flag:
      n.mark = n.v * 2

  for own in (appends, prints, writes):
    agrees(visiting(own), lambda: [(root(),), (root(),)], CONVERTED)


def test_what_raises_in_branches_of_no_value_is_raised():
  def raises(n, state):
    if n.flag:
      if n.v > 1:
        raise ValueError("too large")

  def divides(n, state):
    if n.flag:
      10 // (n.v - 2)

  def gathers(n, state):
    if n.flag:
      tf.gather([1.0, 2.0], n.v)

  for own in (raises, divides, gathers):
    agrees(visiting(own), lambda: [(root(),), (root(),)], Reason.CHECK_FAILED)
