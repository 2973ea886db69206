"""Random bodies: effects, conditionals, loops, calls, empty rows and dimensions, by seed.

A body is a list of statements, each a tuple (what, operands...), that adds a value to a scope or
has an effect. An operand is a number: which of the values of its kind that the scope has by then.
So a body stays one if statements are taken away, which is how a failure is made small.

Kinds of values: R float64 [1, 3], M float64 [?, 3] with none to a few rows, S float64 [], I int32
[], B bool []. Each frame has an id, and a row of its own in a variable; to the rest of it a frame
adds nothing but zeros. So what frames do commutes, and what one frame does has to come in order.
"""

import dataclasses
import random

import tensorflow as tf

WIDTH = 3
F64 = tf.float64
COUNT, ROW = tf.TensorSpec([], tf.int32), tf.TensorSpec([1, WIDTH], F64)
_ROOT_IDS, _CHILDREN = 4, 64  # A frame's children have the ids from _CHILDREN times its own on.
NUM_ROWS = _ROOT_IDS * _CHILDREN**2  # Roots, their children and grandchildren.


class Store:
  """The variables that bodies use, and their first values."""

  def __init__(self):
    numbers = tf.random.stateless_normal
    self.rows = tf.Variable(numbers([NUM_ROWS, WIDTH], [1, 0], dtype=F64))
    self.weights = tf.Variable(numbers([WIDTH, WIDTH], [2, 0], dtype=F64))
    self.total = tf.Variable(0)
    self._first = [tf.identity(v) for v in self.state]

  @property
  def state(self):
    """The variables."""
    return [self.rows, self.total, self.weights]

  def reset(self):
    """Gives all variables their first values."""
    for variable, first in zip(self.state, self._first, strict=True):
      variable.assign(first)


@dataclasses.dataclass
class Scope:
  """What statements find.

  Attributes:
    f, n, id: the body's own call, the depth that is left, the frame's id.
    store: the variables.
    turn: of the loops around; tells frames apart that one call makes.
    values: lists by kind.
    counts_as_bool: whether conditionals are given int32 predicates as they are.
  """

  f: object
  n: tf.Tensor
  id: tf.Tensor
  store: Store
  turn: object
  values: dict
  counts_as_bool: bool

  def __call__(self, kind, which):
    return self.values[kind][which % len(self.values[kind])]

  def add(self, kind, value):
    """Adds a value."""
    self.values[kind].append(value)

  def inner(self, **changes):
    """Returns the scope of a branch or a turn."""
    values = {kind: list(found) for kind, found in self.values.items()}
    return dataclasses.replace(self, values=values, **changes)


# --- Values. By name: the kind of the result, and what it is of a scope and operands.


def _with_row(s, a, b):
  return tf.concat([s("R", a), s("M", b)], 0)


def _through_few(s, a, b):
  """A product through 0 to 2 columns."""
  few = s("I", b) % 3
  weights = s.store.weights
  return tf.tanh(tf.matmul(tf.matmul(s("M", a), weights[:, :few]), weights[:few]))


def _among_themselves(s, a, b):
  m = s("M", a)
  return tf.tanh(tf.matmul(tf.matmul(m, s("M", b), transpose_b=True), s("M", b)) + m)


VALUES = {
  "product": ("R", lambda s, a, b: tf.tanh(s("R", a) @ s.store.weights)),
  "add": ("R", lambda s, a, b: s("R", a) + 0.5 * s("R", b)),
  "scaled": ("R", lambda s, a, b: tf.sin(s("R", a)) * s("S", b)),
  "select": ("R", lambda s, a, b: tf.where(s("B", a), s("R", a), tf.tanh(s("R", b)))),
  "sum_rows": ("R", lambda s, a, b: tf.tanh(tf.reduce_sum(s("M", a), 0, keepdims=True))),
  "max_rows": ("R", lambda s, a, b: tf.reduce_max(_with_row(s, a, b), 0, keepdims=True)),
  "best_row": (
    "R",
    lambda s, a, b: tf.gather(_with_row(s, a, b), tf.argmax(_with_row(s, a, b)[:, :1], 0)),
  ),
  "sum_products": (
    "R",
    lambda s, a, b: tf.reduce_sum(tf.tanh(s("M", a) @ s.store.weights), 0)[tf.newaxis],
  ),
  "rows_product": ("M", lambda s, a, b: tf.tanh(s("M", a) @ s.store.weights)),
  "rows_and": ("M", _with_row),
  "rows_twice": ("M", lambda s, a, b: tf.concat([s("M", a), tf.sin(s("M", b))], 0)),
  "repeat": ("M", lambda s, a, b: tf.repeat(s("R", a), s("I", b) % 3, 0)),
  "no_rows": ("M", lambda s, a, b: s("M", a)[:0]),
  "rest": ("M", lambda s, a, b: s("M", a)[1:]),
  "first": ("M", lambda s, a, b: s("M", a)[: s("I", b) % 2]),
  "turned": ("M", lambda s, a, b: tf.reverse(s("M", a), [0])),
  "gathered": ("M", lambda s, a, b: tf.gather(s("M", a), tf.range(tf.shape(s("M", a))[0]))),
  "picked": ("M", lambda s, a, b: tf.gather(_with_row(s, a, b), tf.zeros([b % 3], tf.int32))),
  "stacked": ("M", lambda s, a, b: tf.stack([s("M", a), tf.sin(s("M", a))], 1)[:, b % 2]),
  "positive": ("M", lambda s, a, b: tf.boolean_mask(s("M", a), s("M", a)[:, 0] > 0)),
  "softmax": ("M", lambda s, a, b: tf.nn.softmax(s("M", a))),
  "broadcast": ("M", lambda s, a, b: s("M", a) * s("R", b)),
  "matvec": (
    "M",
    lambda s, a, b: tf.linalg.matvec(s("M", a), s("R", b)[0])[:, tf.newaxis] * s("R", a),
  ),
  "few_columns": ("M", _through_few),
  "attend": ("M", _among_themselves),
  "sum": ("S", lambda s, a, b: tf.tanh(tf.reduce_sum(s("R", a)))),
  "sum_all": ("S", lambda s, a, b: tf.tanh(tf.reduce_sum(s("M", a)))),
  "entry": ("S", lambda s, a, b: s("R", a)[0, s("I", b) % WIDTH]),
  "dot": ("S", lambda s, a, b: tf.tanh(tf.matmul(s("R", a), s("R", b), transpose_b=True))[0, 0]),
  "next": ("I", lambda s, a, b: (s("I", a) * 3 + 1) % 5),
  "num_rows": ("I", lambda s, a, b: tf.shape(s("M", a))[0]),
  "largest": ("I", lambda s, a, b: tf.argmax(s("R", a), 1, tf.int32)[0]),
  "smallest_row": ("I", lambda s, a, b: tf.argmin(_with_row(s, a, b), 0, tf.int32)[b % WIDTH]),
  "is_positive": ("B", lambda s, a, b: s("S", a) > 0),
  "is_even": ("B", lambda s, a, b: s("I", a) % 2 == 0),
  "has_rows": ("B", lambda s, a, b: tf.shape(s("M", a))[0] > b % 2),
  "not": ("B", lambda s, a, b: tf.logical_not(s("B", a))),
}


# --- Reads and effects, which have to stay in order in one frame


def _own(s):
  return s.id[tf.newaxis]


def _added(s, row):
  return s.store.rows.assign_add(tf.one_hot(_own(s), NUM_ROWS, axis=0, dtype=F64) @ row)


def _checked(s, a, b):
  """A value behind an assertion."""
  check = tf.debugging.Assert(tf.logical_or(s("B", b), s("I", b) >= -9), ["never", s("I", b)])
  with tf.control_dependencies([check] if check is not None else []):  # Eagerly it is nothing.
    return tf.identity(s("R", a))


READS = {
  "read": lambda s, a, b: tf.gather(s.store.rows, s.id)[tf.newaxis],
  "look_up": lambda s, a, b: tf.nn.embedding_lookup(s.store.rows, _own(s)),
  "read_all": lambda s, a, b: s.store.rows.read_value()[s.id][tf.newaxis],
  "checked": _checked,
}
EFFECTS = {
  "assert": lambda s, a, b: tf.debugging.assert_greater_equal(s("I", a), -9),
  "check": lambda s, a, b: tf.debugging.check_numerics(s("R", a), "never"),
  "count": lambda s, a, b: s.store.total.assign_add(s("I", a)),
  "count_down": lambda s, a, b: s.store.total.assign_sub(1),
  "add_all": lambda s, a, b: _added(s, s("R", a)),
  "add": lambda s, a, b: s.store.rows.scatter_nd_add(_own(s)[tf.newaxis], s("R", a)),
  "subtract": lambda s, a, b: s.store.rows.scatter_sub(tf.IndexedSlices(s("R", a), _own(s))),
  "multiply": lambda s, a, b: s.store.rows.scatter_mul(tf.IndexedSlices(s("R", a), _own(s))),
  "write": lambda s, a, b: s.store.rows.scatter_nd_update(_own(s)[tf.newaxis], s("R", a)),
  "update": lambda s, a, b: s.store.rows.scatter_update(tf.IndexedSlices(s("R", a), _own(s))),
  "set": lambda s, a, b: s.store.rows[s.id].assign(s("R", a)[0]),
  "set_part": lambda s, a, b: s.store.rows[s.id, 1:].assign(s("R", a)[0, 1:]),
}


# --- Statements


def run(statements, scope):
  """Runs statements; `scope` then has their values."""
  for what, a, b, *rest in statements:
    if what in VALUES:
      kind, value = VALUES[what]
      scope.add(kind, value(scope, a, b))
    elif what in READS:
      scope.add("R", READS[what](scope, a, b))
    elif what in EFFECTS:
      EFFECTS[what](scope, a, b)
    else:
      _NESTED[what](scope, a, b, *rest)


def _finish(statements, scope, which):
  run(statements, scope)
  return tf.tanh(scope("R", which) + scope("R", -1))


def _branch(s, statements, which):
  return lambda: _finish(statements, s.inner(), which)


def _run_cond(s, a, b, is_used, by_count, first, second):
  predicate = s("I", a) if by_count else s("B", a)
  if by_count and not s.counts_as_bool:
    predicate = tf.not_equal(predicate, 0)
  result = tf.cond(predicate, _branch(s, first, b), _branch(s, second, b))
  if is_used:
    s.add("R", result)


def _run_case(s, a, b, is_used, branches):
  result = tf.switch_case(s("I", a) - 1, [_branch(s, branch, b) for branch in branches])
  if is_used:
    s.add("R", result)


def _run_loop(s, a, b, is_used, statements):
  def turn(i, z):
    inner = s.inner(turn=s.turn * 3 + i, counts_as_bool=False)  # What TensorFlow itself refuses.
    inner.add("R", z)
    inner.add("I", tf.convert_to_tensor(i))
    return i + 1, _finish(statements, inner, b)

  turns = s("I", a) % 3
  result = tf.while_loop(lambda i, z: i < turns, turn, (0, s("R", b)))[1]
  if is_used:
    s.add("R", result)


def _child(s, site):
  return s.id * _CHILDREN + 1 + site * 9 + s.turn % 9


def _run_call(s, a, b, is_used, site):
  result = s.f(s.n - 1, _child(s, site), tf.tanh(s("R", a)))
  if is_used:
    s.add("R", result)


def _run_map(s, a, b, is_used, site):
  count = tf.where(s.n > 0, s("I", a) % 3, 0)
  ids = _child(s, site) + tf.range(count)
  rows = tf.repeat(tf.tanh(s("R", b))[tf.newaxis], count, 0) * tf.cast(ids % 5, F64)[:, None, None]
  result = s.f.map(tf.fill([count], s.n - 1), ids, rows)
  if is_used:
    s.add("M", tf.squeeze(result, 1))


_NESTED = {
  "cond": _run_cond,
  "case": _run_case,
  "loop": _run_loop,
  "call": _run_call,
  "map": _run_map,
}


class Grower:
  """Grows statements.

  Attributes:
    calls: how many call sites there are yet.
  """

  def __init__(self, seed):
    self._random = random.Random(seed)
    self._num_sites = 0

  def body(self):
    """Returns the statements of a body: (at the top, of a leaf, of an inner node, whether by cond).

    Without a condition at the top, the recursion ends where there are no children to map over.
    """
    has_cond = self._random.random() < 0.7
    top = self.block(2, 2, "value read effect" if has_cond else "value read effect map")
    leaf = self.block(2, 2, "value read effect")
    inner = self.block(2, 4, "value read effect call map" if has_cond else "value read effect map")
    return top, leaf, inner, has_cond

  def block(self, depth, size, allowed):
    """Returns up to `size` statements, with blocks in them `depth` deep."""
    count = self._random.randint(1, size)
    return [self._statement(depth, allowed.split()) for _ in range(count)]

  def _statement(self, depth, allowed):
    choices = [*allowed, "value", "value", "effect", "read"]
    choices += ["cond", "cond", "case", "loop"] if depth else []
    what = self._random.choice(choices)
    a, b = self._random.randrange(100), self._random.randrange(100)
    is_used = self._random.random() < 0.7
    block = lambda: self.block(depth - 1, 2, " ".join(allowed))  # noqa: E731
    match what:
      case "value":
        return self._random.choice(list(VALUES)), a, b
      case "read":
        return self._random.choice(list(READS)), a, b
      case "effect":
        return self._random.choice(list(EFFECTS)), a, b
      case "cond":
        return what, a, b, is_used, self._random.random() < 0.3, block(), block()
      case "case":
        return what, a, b, is_used, [block(), block()]
      case "loop":
        return what, a, b, is_used, block()
      case _:  # Calls; few, as each has ids of its own.
        if self._num_sites * 9 + 9 >= _CHILDREN:
          return "product", a, b
        self._num_sites += 1
        return what, a, b, is_used, self._num_sites - 1


def make_program(seed_or_body, store, counts_as_bool):
  """Returns the program (f, n, id, x) of a seed or of the statements of `Grower.body`."""
  is_seed = isinstance(seed_or_body, int)
  top, leaf, inner, has_cond = Grower(seed_or_body).body() if is_seed else seed_or_body

  def program(f, n, number, x):
    values = {
      "R": [x, tf.tanh(x) * 0.5],
      "M": [tf.repeat(x, n % 3, 0), tf.zeros([0, WIDTH], F64)],
      "S": [tf.reduce_sum(x)],
      "I": [n + 1, number % 7],
      "B": [n % 2 == 0, tf.reduce_sum(x) > 0],
    }
    scope = Scope(f, n, number, store, 0, values, counts_as_bool)
    run(top, scope)
    if has_cond:
      return tf.cond(n <= 0, _branch(scope, leaf, 0), _branch(scope, inner, 1))
    run(inner, scope)
    return tf.tanh(scope("R", -1) + tf.reduce_sum(scope("M", -1), 0, keepdims=True))

  return program
