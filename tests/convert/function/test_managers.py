"""Context managers that are generators, entered where they are called, under `rtf.function`."""

import contextlib

import pytest
import tensorflow as tf

from tests.convert.function import harness

CALLS = [[1.0, 2.0], [3.0, -1.0], [-3.0, -1.0], [1.0, 1.0]]


class Base:
  def rank(self):
    return 10


class State(Base):
  """What managers and their blocks change; known as it is, because of its variable."""

  def __init__(self):
    self.log, self.depth, self.flag = [], 0, False
    self.weight = tf.Variable([1.0, 2.0])

  @contextlib.contextmanager
  def mode(self, flag):
    before = self.flag
    self.flag = flag
    try:
      yield self
    finally:
      self.flag = before

  @contextlib.contextmanager
  def deeper(self):
    self.depth += 1
    yield self.depth
    self.depth -= 1

  @staticmethod
  @contextlib.contextmanager
  def static(log):
    log.append("static")
    yield log
    log.append("end of static")

  @classmethod
  @contextlib.contextmanager
  def of_class(cls, log):
    log.append(cls.__name__)
    yield cls

  def rank(self):
    with tagged(self.log):
      return super().rank() + 1


@contextlib.contextmanager
def tagged(log, name="n", *args, **kwargs):
  log.append(f"in {name} {len(args)} {len(kwargs)}")
  value = len(log)
  try:
    yield value
  finally:
    log.append(f"out {name} {value}")


@contextlib.contextmanager
def nested(log):
  with tagged(log, "outer") as a, tagged(log, "inner") as b:
    c = a + b
    yield c
    log.append(f"{c + 1}")


@contextlib.contextmanager
def taped():
  with tf.GradientTape() as tape:
    yield tape


@contextlib.contextmanager
def caught(log):
  try:
    yield
  except ValueError as error:
    log.append(type(error).__name__)
  else:
    log.append("fine")


@contextlib.contextmanager
def twice():
  yield 1
  yield 2


@contextlib.contextmanager
def chosen(flag):
  if flag:
    yield 1


@contextlib.contextmanager
def early(flag):
  yield 1
  if flag:
    return
  flag.append(1)


def walk(xs):
  yield from xs


def attribute(s, x):
  with s.mode(True) as held:
    y = x * 2.0 if held.flag else x
  return y, s.flag


def loops(s, x):
  for i in range(3):
    with s.deeper() as d:
      x = x * float(d) + i
      with s.deeper() as e:
        x = x + e
  return x, s.depth


def several(s, x):
  with tagged(s.log, "a") as t, tagged(s.log, "b", 1, 2, z=3) as u:
    s.log.append(f"{t + u}")
    x = x + 1.0
  return x


def in_another(s, x):
  with tagged(s.log, "a"), nested(s.log) as c:
    with tagged(s.log):
      return x * float(c)


def branches(s, x):
  with tagged(s.log) as k:
    if tf.reduce_sum(x) > 1.0:
      y = x + k
    else:
      y = x - 1.0
  return y


def in_branches(s, x):
  if tf.reduce_sum(x) > 0:
    with s.deeper() as d:
      x = x + d
  else:
    with tagged(s.log, "negative"):
      x = x - 1.0
  return x


def tape(s, x):
  with taped() as held:
    held.watch(x)
    loss = tf.reduce_sum(x * x * s.weight)
  return held.gradient(loss, [x, s.weight])


def carried(s, x):
  n = 1
  with tagged(s.log) as k:
    n = n + k
    t = x * n
    t = t + n
    u = t
  return u


def returns(s, x):
  with tagged(s.log):
    if tf.reduce_sum(x) > 0:
      return x
    s.log.append("negative")
  return -x


def exits(s, x):
  for i in walk([1, 2, 3, 4]):
    with tagged(s.log, i):
      if i == 2:
        continue
      if i == 4:
        break
      x = x + i
    s.log.append(f"{i}")
  else:
    s.log.append("else")
  return x


def returns_from_a_loop(s, x):
  with tagged(s.log):
    for i in walk([1, 2, 3]):
      if i == 2:
        return x * i
      for j in range(2):
        with tagged(s.log, i * 10 + j):
          if j:
            break
  return x


def loop_of_the_run(s, x):
  i = 0
  while tf.reduce_sum(x) < 30.0:
    with s.mode(True):
      x = x + tf.abs(x) + 1.0
      i += 1
      if i > 4:
        break
  return x, i


def closures(s, x):
  with tagged(s.log) as k:
    y = x * 2.0

    def f(z):
      return z + y + k

    g = lambda z: z * y  # noqa: E731
  return f(x) + g(x) + (n := k) + n


def of_classes(s, x):
  with s.static(s.log) as log:
    log.append("middle")
  with State.static(s.log), s.of_class(s.log) as cls:
    s.log.append(f"{cls is State}")
  return x + s.rank()


def targets(s, x):
  with tagged(s.log) as s.depth, nested(s.log) as x:
    pass
  return x + s.depth


def unset(s, x):
  with tagged(s.log) as k:
    if k < 7:
      y = x
  return y


WHOLLY = [attribute, loops, several, in_another, branches, in_branches, tape, carried, returns]
WHOLLY += [exits, returns_from_a_loop, loop_of_the_run, closures, of_classes, targets]


def outcome(function):
  def make():
    state = State()
    calls = [(state, tf.constant(x)) for x in CALLS]
    return function, calls, lambda: (state.log, state.depth, state.flag)

  report = harness.run(function.__name__, make)
  assert report.difference is None, f"{report.difference}\n{report.explanation}"
  return report


@pytest.mark.parametrize("function", WHOLLY)
def test_is_what_it_is_in_python(function):
  report = outcome(function)
  assert not report.num_plain_runs, report.explanation


def test_an_unset_name_is_an_error():
  report = outcome(unset)
  assert 0 < report.num_plain_runs == report.num_raised


def raises(s, x):
  with caught(s.log):
    if tf.reduce_sum(x) < 0:
      raise ValueError("negative")
    x = x * 2.0
  return x


def test_what_is_raised_in_the_block_is_handled_by_python():
  report = outcome(raises)
  assert report.num_plain_runs == sum(sum(x) < 0 for x in CALLS) == 1


def yields_twice(s, x):
  with twice() as k:
    x = x + k
  return x


def yields_perhaps(s, x):
  with chosen(s.flag) as k:
    x = x + k
  return x


def returns_perhaps(s, x):
  with early(s.log):
    x = x + 1.0
  return x


def is_kept(s, x):
  manager = tagged(s.log)
  s.log.append("before")
  with manager:
    return x + 1.0


def is_no_generator_of_elements(s, x):
  for k in tagged.__wrapped__(s.log):
    x = x + k
  return x


REFUSED = {
  yields_twice: "more than one yield",
  yields_perhaps: "yields in a branch",
  returns_perhaps: "it returns",
  is_kept: "_GeneratorContextManager",
  is_no_generator_of_elements: "no context manager here",
}


@pytest.mark.parametrize("function", REFUSED)
def test_refusals_say_why(function):
  report = outcome(function)
  assert not report.num_graph_runs and REFUSED[function] in report.explanation
