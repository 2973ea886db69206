"""Functions that nodes have are called: each is seen once, and a new one is another graph."""

import functools
import operator

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.agreement import CONVERTED, agrees, of_one


class Op:
  def __init__(self, f, *kids, v=0):
    self.f, self.kids, self.v = f, list(kids), v


def add(*xs):
  return sum(xs)


def double(x, by=2):
  return x * by


def fail(*xs):
  raise ValueError("failed")


def leaf(v):
  return Op(None, v=v)


def tree(*functions):
  f, g = functions[0], functions[-1]
  return Op(f, Op(g, leaf(2), leaf(3)), Op(f, leaf(4), leaf(5)))


CALLED = {
  "star": lambda n, xs: n.f(*xs),
  "two": lambda n, xs: n.f(xs[0], xs[1]),
  "is": lambda n, xs: n.f(*xs) if n.f is not fail else -1,
  "local": lambda n, xs: [h(xs[0], xs[1]) for h in [n.f]][0],
  "dict": lambda n, xs: {"f": n.f}["f"](xs[0], xs[1]),
  "reduced": lambda n, xs: n.f(n.f(xs[0], xs[1]), xs[1]),
  "or": lambda n, xs: (n.f or add)(xs[0], xs[1]),
  "argument": lambda n, xs: apply(n.f, xs),
  "callable": lambda n, xs: n.f(*xs) if callable(n.f) else 0,
}


def apply(f, xs):
  return f(xs[0], xs[1])


FUNCTIONS = {
  "one": [(add,), (add,)],
  "two": [(add, double), (double, add)],
  "new": [(add,), (double,), (lambda a, b: a - b,), (add,)],
  "builtin": [(operator.add, max), (max, min), (operator.sub,)],
  "raises": [(add, double), (fail, add), (add, fail), (add,)],
  "other_arguments": [(add, double), (len,), (lambda a: a,), (add,)],
  "classes": [(add, complex), (int, add)],
  "partial": [(functools.partial(double, by=3), add), (functools.partial(max, 3),), (add,)],
  "none": [(add, None), (None,), (add,)],
}
SURE = {("star", "one"), ("star", "two"), ("two", "new"), ("is", "two"), ("two", "two")}


@pytest.mark.parametrize("functions", FUNCTIONS)
@pytest.mark.parametrize("called", CALLED)
def test_what_is_called_is_what_the_node_has(called, functions):
  call = CALLED[called]

  def build(recursive):
    @recursive
    def f(n):
      if not n.kids:
        return n.v
      return call(n, [f(k) for k in n.kids])

    return f

  expect = CONVERTED if (called, functions) in SURE else None
  agrees(build, lambda: [(tree(*some),) for some in FUNCTIONS[functions]], expect=expect)


class Called:
  def __init__(self, by):
    self.by = by

  def __call__(self, x):
    return x * self.by


class Hidden(Called):
  __call__ = None


class ByInstance:
  def __init__(self):
    self.__call__ = double


@pytest.mark.parametrize(
  "asked",
  [
    lambda n: callable(n.f),
    lambda n: not callable(n.f),
    lambda n: "f" if callable(n.f) else str(n.f),
    lambda n: n.f(n.v) if callable(n.f) else n.v,
    lambda n: len(n.f) if not callable(n.f) and n.f is not None else -1,
    lambda n: callable(n.f) and n.f(n.v),
    lambda n: [callable(x) for x in (n.f, n.v, n.kids, n)],
    lambda n: [callable(x) for x in (Hidden(n.v), Called(n.v), Op(n.f))],
  ],
)
@pytest.mark.parametrize(
  "values",
  [
    (double, "text"),
    ("text", double, None),
    (Called(3), "text"),
    (Called(3), double, "ab", [1, 2]),
    (None, "a", ""),
    (ByInstance(), double),
    (int, "3", abs),
    (Hidden(3), "x", double),
  ],
  ids=lambda values: "-".join(type(v).__name__ for v in values),
)
def test_callable_is_asked_of_objects_of_several_classes(values, asked):
  def all_of(f, n):
    return [asked(n), [f(k) for k in n.kids]]

  def calls():
    several = Op(values[0], *[Op(value, leaf(1), v=i) for i, value in enumerate(values)], v=2)
    return [(several,), (tree(*values),)]

  is_sure = asked(Op(None)) in (False, True) and len(values) == 2 and str in map(type, values)
  agrees(of_one(all_of), calls, CONVERTED if is_sure else None)


@pytest.mark.parametrize("value", [tf.constant([1.0, 2.0]), tf.Variable(1), 3, "text", None, [1]])
def test_what_is_no_function_raises_as_in_python(value):
  def called(f, n):
    try:
      return n.f(n.v), n.f()
    except TypeError as error:
      return str(error), [f(k) for k in n.kids]

  agrees(of_one(called), lambda: [(Op(value, Op(value)),)])


@pytest.mark.parametrize("place", ["tuple", "dict", "list", "argument"])
def test_functions_in_containers(place):
  def build(recursive):
    @recursive
    def in_tuple(layers, x):
      if not layers:
        return x
      w, act = layers[0]
      return in_tuple(layers[1:], act(x * w))

    @recursive
    def in_dict(n, x):
      return n["f"](x) + sum([in_dict(k, x) for k in n["kids"]])

    @recursive
    def in_list(fs, x):
      for f in fs:
        x = f(x)
      return x

    @recursive
    def as_argument(f, x):
      return f(x) if x > 3 else as_argument(f, x + 1)

    return {"tuple": in_tuple, "dict": in_dict, "list": in_list, "argument": as_argument}[place]

  def calls():
    if place == "tuple":
      x = tf.constant([0.5, -1.0])
      return [([(1.0, tf.tanh), (2.0, tf.nn.relu)], x), ([(3.0, tf.nn.relu)], x), ([], x)]
    if place == "dict":
      two = {"f": double, "kids": [{"f": add, "kids": []}]}
      return [(two, 3), ({"f": abs, "kids": [two, two]}, -3), ({"f": add, "kids": []}, 1)]
    if place == "list":
      return [([double, add, double], 3), ([abs], -3), ([], 1), ([add, lambda x: x - 1], 1)]
    return [(double, 1), (add, 2), (double, 5)]

  agrees(build, calls)


def test_gradients_go_through_the_function_that_the_node_has():
  def build(recursive):
    w = tf.Variable([0.5, -0.25])

    @recursive
    def f(n):
      if not n.kids:
        return n.v * w
      return n.f(tf.add_n([f(k) for k in n.kids]))

    return f, [w]

  def calls():
    inner = Op(tf.nn.relu, leaf(1.0), leaf(2.0))
    return [(Op(tf.tanh, inner, leaf(3.0)),), (Op(tf.nn.relu, Op(tf.tanh, leaf(1.0)), inner),)]

  agrees(build, calls, expect=CONVERTED, variables=lambda function, state: state)


def test_code_and_closures_of_such_functions_may_change():
  def build(recursive):
    def by(number):
      return lambda x: x * number

    shared = by(2)
    state = {"k": 3}

    def of_state(x):
      return x + state["k"]

    @recursive
    def f(n):
      return n.f(n.v) + sum([f(k) for k in n.kids])

    root = Op(shared, Op(of_state, v=1), Op(by(5), v=2), v=3)
    return f, [root, state]

  plain, (root, state) = build(lambda function: function)
  other, (same, its) = build(lambda function: rtf.recursive(function, verify=False))
  for number in range(6):
    assert plain(root) == other(same)
    state["k"] = its["k"] = number
    for one in (root, same):
      if number == 3:
        one.kids[1].f = double
        one.kids[1].f.__defaults__ = (7,)
      if number == 4:
        one.f, one.v = len, "four"
  double.__defaults__ = (2,)
  assert other.stats.num_converted_runs


def test_ever_new_functions_end_in_plain_python_and_not_in_ever_new_graphs():
  @rtf.recursive(verify=False)
  def f(n):
    return n.f(n.v) + sum([f(k) for k in n.kids])

  for number in range(60):
    assert f(Op(lambda x, n=number: x + n, Op(abs, v=-2), v=1)) == number + 3
  assert f.stats.num_conversions < 40
