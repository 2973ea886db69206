"""Variables: reads and writes in every order, under several names, in containers, in branches."""

import tensorflow as tf

from tests.convert.function.programs._values import v as _v
from tests.convert.function.programs._values import x as _x


def read_before_write():
  v = _v(1, 2)

  def step(x):
    before = v + 0.0
    v.assign_add(x)
    return before

  return step, [(_x(1, 1),), (_x(2, 3),), (_x(-1, 0),), (_x(5, 5),), (_x(0, 1),)], lambda: v


def read_between_writes():
  v = _v(1, 2)

  def step(x):
    a = v * 1.0
    v.assign(x)
    b = v * 10.0
    v.assign_add(a)
    c = v * 100.0
    v.assign_sub(b)
    return a, b, c, v * 1000.0

  return step, [(_x(i, 1 - i),) for i in range(6)], lambda: v


def value_held_across_write():
  v = _v(1, 2)

  def step(x):
    held = v.read_value()
    v.assign(x)
    return held, v.read_value(), held + v

  return step, [(_x(i, 2 * i),) for i in range(6)], lambda: v


def name_held_across_write():
  v = _v(1, 2)

  def step(x):
    alias = v
    v.assign(x)
    first = alias * 2.0
    alias.assign_add(x)
    return first, v * 2.0

  return step, [(_x(i, 2 * i),) for i in range(6)], lambda: v


def result_of_assign_is_used():
  v = _v(1, 2)

  def step(x):
    a = v.assign_add(x)
    b = a * 2.0
    v.assign_add(x)
    return b, v + 0.0

  return step, [(_x(i, 2 * i),) for i in range(6)], lambda: v


def identity_held_across_write():
  v = _v(3, 4)

  def step(x):
    held = tf.identity(v)
    converted = tf.convert_to_tensor(v)
    v.assign_add(x)
    return held - converted, held + v

  return step, [(_x(i, -i),) for i in range(5)], lambda: v


def value_method_held_across_write():
  v = _v(3, 4)

  def step(x):
    held = v.value()
    item = v[0]
    v.assign(x)
    return held, item, v[0]

  return step, [(_x(i, -i),) for i in range(5)], lambda: v


def same_variable_twice_in_a_list():
  v = _v(1, 2)
  both = [v, v]

  def step(x):
    for each in both:
      each.assign(each * 2.0 + x)
    return both[0] - both[1]

  return step, [(_x(i, 1),) for i in range(5)], lambda: v


def same_variable_as_two_arguments():
  v, w = _v(1, 2), _v(5, 6)

  def step(a, b, x):
    a.assign_add(x)
    c = b * 2.0
    b.assign_sub(x * 3.0)
    return c, a + b

  x = _x(1, 2)
  return step, [(v, v, x), (v, w, x), (w, v, x), (w, w, x), (v, v, x), (v, w, x)], lambda: [v, w]


def variable_chosen_by_flag():
  v, w = _v(1, 2), _v(5, 6)

  def step(x, second):
    target = w if second else v
    target.assign_add(x)
    return v * 2.0 + w

  x = _x(1, 2)
  return step, [(x, False), (x, True), (x, True), (x, False), (x, True)], lambda: [v, w]


def variable_chosen_by_tensor():
  v, w = _v(1, 2), _v(5, 6)

  def step(x):
    if tf.reduce_sum(x) > 0.0:
      v.assign_add(x)
    else:
      w.assign_sub(x)
    return v + w

  return step, [(_x(i, 0.5),) for i in (1, -2, 3, -4, -1, 2)], lambda: [v, w]


def written_in_both_branches():
  v = _v(1, 2)

  def step(x):
    before = v + 0.0
    if tf.reduce_sum(v) > 10.0:
      v.assign(v - 8.0)
    else:
      v.assign_add(x)
    return before, v + 0.0

  return step, [(_x(3, 3),)] * 7, lambda: v


def written_in_one_branch_then_read():
  v = _v(1, 2)

  def step(x):
    if tf.reduce_mean(x) > 1.0:
      v.assign(x)
    y = v * 2.0
    v.assign_add(_x(1, 1))
    return y

  return step, [(_x(3, 3),), (_x(0, 0),), (_x(0, 1),), (_x(5, 1),), (_x(0, 0),)], lambda: v


def written_in_a_loop_over_a_range():
  v = _v(1, 2)

  def step(x):
    total = tf.zeros([2])
    for i in range(4):
      v.assign_add(x * float(i))
      total += v
    return total

  return step, [(_x(i, 1),) for i in range(5)], lambda: v


def written_in_a_loop_over_a_tensor():
  v = _v(0, 0)

  def step(x):
    for row in x:
      v.assign(0.5 * v + row)
    return v * 2.0

  rows = [tf.reshape(tf.range(2.0 * n), [n, 2]) for n in (1, 3, 2, 5, 4)]
  return step, [(r,) for r in rows], lambda: v


def written_while_a_tensor_decides():
  v = tf.Variable(1.0)
  steps = tf.Variable(0)

  def step(limit):
    while v < limit:
      v.assign(v * 2.0)
      steps.assign_add(1)
    return steps + 0

  return step, [(tf.constant(float(n)),) for n in (5, 3, 40, 39, 1000)], lambda: [v, steps]


def variables_in_a_dict():
  store = {"a": _v(1, 2), "b": _v(3, 4)}

  def step(x, name):
    store[name].assign_add(x)
    return {k: v * 2.0 for k, v in store.items()}

  x = _x(1, -1)
  return step, [(x, "a"), (x, "b"), (x, "a"), (x, "b"), (x, "b")], lambda: store


def variable_in_the_dict_is_replaced():
  store = {"a": _v(1, 2)}

  def step(x):
    store["a"].assign_add(x)
    return store["a"] * 2.0

  def replace():
    store["a"] = _v(100, 200)

  x = _x(1, -1)
  return step, [(x,), (x,), replace, (x,), (x,), replace, (x,)], lambda: store


def variable_attribute_is_replaced():
  class Holder:
    def __init__(self):
      self.v = _v(1, 2)

    def step(self, x):
      self.v.assign_add(x)
      return self.v * 2.0

  holder = Holder()
  olds = [holder.v]

  def replace():
    holder.v = _v(10, 20)
    olds.append(holder.v)

  x = _x(1, -1)
  return holder.step, [(x,), (x,), replace, (x,), (x,), replace, (x,)], lambda: [holder, olds]


def variable_changed_from_outside():
  v = _v(1, 2)

  def step(x):
    v.assign_add(x)
    return v * 2.0

  x = _x(1, -1)
  changes = [lambda: v.assign([7.0, 7.0]), lambda: v.assign_add([1.0, 0.0])]
  return step, [(x,), changes[0], (x,), (x,), changes[1], (x,), (x,)], lambda: v


def swap_of_two_variables():
  v, w = _v(1, 2), _v(3, 4)

  def step():
    a, b = v.read_value(), w.read_value()
    v.assign(b)
    w.assign(a)
    return v - w

  return step, [()] * 5, lambda: [v, w]


def swap_that_forgets_to_read():
  v, w = _v(1, 2), _v(3, 4)

  def step():
    a = v
    v.assign(w)
    w.assign(a)
    return v - w

  return step, [()] * 5, lambda: [v, w]


def scatter_updates():
  table = tf.Variable(tf.zeros([4, 2]))

  def step(i, x):
    table.scatter_nd_add(i[:, tf.newaxis], x)
    first = tf.gather(table, i)
    table.scatter_nd_update(i[:1, tf.newaxis], x[:1] * 10.0)
    return first, table[0]

  calls = [
    (tf.constant([0, 1]), tf.ones([2, 2])),
    (tf.constant([1, 2, 3]), tf.ones([3, 2]) * 2.0),
    (tf.constant([0, 0]), tf.ones([2, 2])),
    (tf.constant([3]), tf.ones([1, 2])),
    (tf.constant([2, 1]), tf.ones([2, 2])),
  ]
  return step, calls, lambda: table


def sparse_updates_by_slices():
  table = tf.Variable(tf.zeros([4, 2]))

  def step(i, x):
    table.scatter_add(tf.IndexedSlices(x, i))
    return tf.reduce_sum(table, axis=1)

  calls = [(tf.constant([k % 4, (k + 1) % 4]), tf.ones([2, 2]) * k) for k in range(6)]
  return step, calls, lambda: table


def assign_from_a_slice():
  v = tf.Variable(tf.range(6.0))

  def step(x):
    v[1:3].assign(x)
    v[4].assign(x[0] + 1.0)
    return tf.reduce_sum(v)

  return step, [(_x(i, -i),) for i in range(5)], lambda: v


def integer_and_boolean_variables():
  count, seen, name = tf.Variable(0), tf.Variable(False), tf.Variable("none")

  def step(x):
    count.assign_add(tf.size(x))
    seen.assign(tf.logical_or(seen, tf.reduce_any(x > 2.0)))
    name.assign(tf.strings.join([name, tf.strings.as_string(count)], "-"))
    return count * 2, seen, name + ""

  return (
    step,
    [
      (_x(1, 1),),
      (
        _x(
          1,
        ),
      ),
      (_x(3, 0, 0),),
      (_x(1, 1),),
      (_x(0),),
    ],
    lambda: [
      count,
      seen,
      name,
    ],
  )


def chain_through_three_variables():
  a, b, c = _v(1), _v(2), _v(3)

  def step(x):
    a.assign(b + x)
    b.assign(c * a)
    c.assign(a - b)
    a.assign_add(c)
    return a + b + c

  return step, [(_x(0.1 * i),) for i in range(6)], lambda: [a, b, c]


def write_in_a_helper_called_twice():
  v = _v(1, 2)

  def bump(by):
    v.assign_add(by)
    return v * 1.0

  def step(x):
    return bump(x) - bump(x * 2.0) + v

  return step, [(_x(i, 1),) for i in range(5)], lambda: v


def arguments_are_evaluated_in_order():
  v = _v(1)

  def twice():
    v.assign(v * 2.0)
    return v.read_value()

  def add():
    v.assign_add([3.0])
    return v.read_value()

  def step():
    return tf.concat([twice(), add(), twice()], axis=0), {"b": add(), "a": twice()}

  return step, [()] * 5, lambda: v


def write_in_a_comprehension():
  v = _v(0)

  def advance(x):
    v.assign_add(x)
    return v.read_value()

  def step(xs):
    return [advance(x) for x in xs], tf.stack([advance(x * 2.0) for x in xs])

  return step, [([_x(1), _x(2)],), ([_x(3)],), ([_x(1), _x(2), _x(3)],), ([_x(1)],)], lambda: v


def short_circuit_keeps_a_write_back():
  v = _v(0)

  def write(x):
    v.assign_add([1.0])
    return tf.reduce_sum(v + x) > 2.0

  def step(x, flag):
    if flag and write(x):
      return v * 1.0
    if flag or write(x):
      return v * 2.0
    return v * 3.0

  x = _x(0)
  return step, [(x, True), (x, False), (x, False), (x, True), (x, False), (x, True)], lambda: v


def conditional_expression_with_writes():
  v = _v(0)

  def up():
    v.assign_add([1.0])
    return v.read_value()

  def down():
    v.assign_sub([5.0])
    return v.read_value()

  def step(x):
    y = up() if tf.reduce_sum(v) < x else down()
    return y * 2.0

  return step, [(tf.constant(2.0),)] * 6, lambda: v


def list_of_variables_as_argument():
  a, b, c = _v(1), _v(2), _v(3)

  def step(variables, x):
    for i, v in enumerate(variables):
      v.assign_add(x * float(i + 1))
    return tf.add_n([v.read_value() for v in variables])

  x = _x(1)
  calls = [([a, b], x), ([a, b], x), ([b, a], x), ([a, b, c], x), ([c, c], x), ([a, b], x)]
  return step, calls, lambda: [a, b, c]


def shapes_of_a_variable_without_static_shape():
  v = tf.Variable(tf.zeros([1]), shape=tf.TensorShape([None]))

  def step(x):
    before = tf.reduce_sum(v)
    v.assign(tf.concat([v, x], axis=0))
    return before, tf.size(v)

  return step, [(_x(1),), (_x(1, 2),), (_x(3),), (_x(1, 2, 3),), (_x(9),)], lambda: v


def moving_average_of_two_names():
  class Model(tf.Module):
    def __init__(self):
      super().__init__()
      self.w = _v(1, 2)
      self.shadow = self.w

    def step(self, x):
      self.w.assign_add(x)
      self.shadow.assign(0.9 * self.shadow + 0.1 * self.w)
      return self.w - self.shadow

  model = Model()

  def split():
    model.shadow = _v(0, 0)

  x = _x(1, 2)
  return model.step, [(x,), (x,), split, (x,), (x,), (x,)], lambda: [model.w, model.shadow]


def control_dependencies_order():
  v = _v(1)

  def step(x):
    with tf.control_dependencies([v.assign_add(x)]):
      y = v * 2.0
    with tf.control_dependencies([y]):
      v.assign_add(x)
    return y, v + 0.0

  return step, [(_x(i),) for i in range(5)], lambda: v


def variable_dtypes_mix():
  a, b = tf.Variable(1.5, dtype=tf.float64), tf.Variable(2, dtype=tf.int64)

  def step(x):
    b.assign_add(tf.cast(x, tf.int64))
    a.assign(a * tf.cast(b, tf.float64))
    return tf.cast(a, tf.float32) + x, b // 2

  return step, [(tf.constant(float(i)),) for i in range(1, 6)], lambda: [a, b]


def returned_variable_is_the_same():
  v = _v(1)

  def step(x):
    v.assign_add(x)
    return v

  return step, [(_x(i),) for i in range(4)], lambda: v
