"""Objects, lists and dicts that a step makes and keeps for the next call; windows of what was."""

import copy
import dataclasses
from typing import Any, NamedTuple

import keras
import tensorflow as tf

from tests.convert.function.programs._values import XS as _XS
from tests.convert.function.programs._values import Box as _Box
from tests.convert.function.programs._values import v as _v
from tests.convert.function.programs._values import x as _x


class _State:
  def __init__(self, h, c):
    self.h, self.c = h, c

  def next(self, x):
    return type(self)(tf.tanh(self.h + x), self.c * 0.5 + x)


@dataclasses.dataclass
class _Counted:
  h: Any
  count: int = 0
  log: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class _Frozen:
  h: Any
  c: Any


class _Named(NamedTuple):
  h: Any
  c: Any


class _Slots:
  __slots__ = ("_h",)

  def __init__(self, h):
    self._h = h

  @property
  def h(self):
    return self._h


_ZEROS = (0.0, 0.0)


def _cell(x, h, c):
  h = tf.tanh(x + h)
  return h, c * 0.5 + h


def _kept(make, update, calls=_XS):
  """Makes the program of a step that updates a box, which begins with what `make` gives."""
  box = _Box(**make())
  return lambda *args: update(box, *args), calls, lambda: box


def _of(kind):
  return lambda: {"s": kind(_x(*_ZEROS), _x(*_ZEROS))}


def new_object_of_tensors():
  def step(box, x):
    h, c = _cell(x, box.s.h, box.s.c)
    box.s = _State(h, c)
    return h

  return _kept(_of(_State), step)


def new_frozen_dataclass():
  def step(box, x):
    box.s = _Frozen(*_cell(x, box.s.h, box.s.c))
    return box.s.c

  return _kept(_of(_Frozen), step)


def dataclass_with_a_count():
  def step(box, x):
    box.s = _Counted(box.s.h + x, box.s.count + 1)
    return box.s.h * float(box.s.count)

  return _kept(lambda: {"s": _Counted(_x(*_ZEROS))}, step)


def dataclasses_replace():
  def step(box, x):
    box.s = dataclasses.replace(box.s, h=box.s.h + x)
    return box.s.h

  return _kept(_of(_Frozen), step)


def dataclasses_replace_of_a_field_that_is_not_there():
  def step(box, x):
    box.s = dataclasses.replace(box.s, g=x)
    return box.s.h

  return _kept(_of(_Frozen), step, _XS[:2])


def named_tuple_replace():
  def step(box, x):
    box.s = box.s._replace(h=box.s.h + x)
    return box.s.h

  return _kept(_of(_Named), step)


def object_with_slots_and_a_property():
  def step(box, x):
    box.s = _Slots(box.s.h + x)
    return box.s.h

  return _kept(lambda: {"s": _Slots(_x(*_ZEROS))}, step)


def object_that_makes_the_next_one():
  def step(box, x):
    box.s = box.s.next(x)
    return box.s.h

  return _kept(_of(_State), step)


def copied_object():
  def step(box, x):
    new = copy.copy(box.s)
    new.h = new.h + x
    box.s = new
    return box.s.h

  return _kept(_of(_State), step)


def none_until_the_first_call():
  def step(box, x):
    h, c = (tf.zeros_like(x), tf.zeros_like(x)) if box.s is None else box.s
    box.s = _cell(x, h, c)
    return box.s[0]

  return _kept(lambda: {"s": None}, step)


def object_made_where_there_is_none():
  def step(box, x):
    if box.s is None:
      box.s = _State(tf.zeros_like(x), tf.zeros_like(x))
    box.s = _State(*_cell(x, box.s.h, box.s.c))
    return box.s.h

  return _kept(lambda: {"s": None}, step)


def state_reset_to_none_between_calls():
  box = _Box(s=None)

  def step(x):
    box.s = x if box.s is None else box.s + x
    return box.s

  def reset():
    box.s = None

  return step, [*_XS[:2], reset, *_XS[:3], reset, *_XS], lambda: box


def state_reset_within():
  def step(box, x):
    if box.s is None:
      box.s = x
      return x
    y = box.s + x
    box.s = None
    return y

  return _kept(lambda: {"s": None}, step)


def one_of_each_shape():
  def step(box, x):
    found = tf.reduce_sum(x) if box.s is None else tf.reduce_sum(box.s) + tf.reduce_sum(x)
    box.s = x
    return found

  return _kept(lambda: {"s": None}, step, [(tf.ones([n, 2]),) for n in (1, 2, 2, 5, 3, 1)])


def list_of_tensors():
  def step(box, x):
    box.s = [*_cell(x, *box.s)]
    return box.s[0]

  return _kept(lambda: {"s": [_x(*_ZEROS), _x(*_ZEROS)]}, step)


def dict_of_tensors():
  def step(box, x):
    h, c = _cell(x, box.s["h"], box.s["c"])
    box.s = {"h": h, "c": c}
    return h

  return _kept(lambda: {"s": {"h": _x(*_ZEROS), "c": _x(*_ZEROS)}}, step)


def dict_display_of_the_old_one():
  def step(box, x):
    box.s = {**box.s, "h": box.s["h"] + x}
    return box.s["h"]

  return _kept(lambda: {"s": {"h": _x(*_ZEROS), "c": _x(*_ZEROS)}}, step)


def dict_of_the_old_one_by_keywords():
  def step(box, x):
    box.s = dict(box.s, h=box.s["h"] + x)
    return box.s["h"]

  return _kept(lambda: {"s": {"h": _x(*_ZEROS), "c": _x(*_ZEROS)}}, step)


def dict_copied_and_changed():
  def step(box, x):
    new = box.s.copy()
    new["h"] = new["h"] + x
    new["n"] = x
    box.s = new
    return box.s["h"]

  return _kept(lambda: {"s": {"h": _x(*_ZEROS)}}, step)


def dict_of_dicts():
  def step(box, x):
    new = {}
    for key, part in box.s.items():
      new[key] = {"h": part["h"] + x}
    box.s = new
    return box.s["a"]["h"] - box.s["b"]["h"]

  return _kept(lambda: {"s": {"a": {"h": _x(0, 0)}, "b": {"h": _x(1, 1)}}}, step)


def dict_that_is_empty_at_first():
  def step(box, x):
    box.s = {"loss": tf.reduce_sum(x), "n": box.s.get("n", 0) + 1}
    return box.s["loss"] * float(box.s["n"])

  return _kept(lambda: {"s": {}}, step)


def states_of_two_layers():
  def step(box, x):
    new = []
    for h, c in box.s:
      x, c = _cell(x, h, c)
      new.append((x, c))
    box.s = new
    return x

  return _kept(lambda: {"s": [(_x(0, 0), _x(0, 0)), (_x(1, 0), _x(0, 1))]}, step)


def objects_in_a_list():
  def step(box, x):
    new = []
    for state in box.s:
      h, c = _cell(x, state.h, state.c)
      new.append(_State(h, c))
      x = h
    box.s = new
    return x * 2.0

  return _kept(lambda: {"s": [_State(_x(0, 0), _x(0, 0)), _State(_x(1, 0), _x(0, 1))]}, step)


def object_in_an_object():
  def step(box, x):
    box.s = _State(_State(box.s.h.h + x, box.s.h.c + 1), box.s.c)
    return box.s.h.h

  return _kept(lambda: {"s": _State(_State(_x(0, 0), 1), _x(0, 0))}, step)


def states_of_a_keras_cell():
  cell = keras.layers.LSTMCell(2)
  cell.build((1, 2))

  def step(box, x):
    y, box.s = cell(x, box.s)
    return y

  return _kept(
    lambda: {"s": [tf.zeros([1, 2])] * 2}, step, [(tf.ones([1, 2]) * i,) for i in range(5)]
  )


def state_kept_and_returned():
  def step(box, x):
    new = _State(box.s.h + x, 1.0)
    box.s = new
    return new

  return _kept(_of(_State), step)


def results_kept_and_returned():
  def step(box, x):
    out = {"y": x * 2, "z": [x + 1, x + 2]}
    box.s = out
    return out

  return _kept(lambda: {"s": None}, step)


def one_object_under_two_names():
  def step(box, x):
    new = _State(box.s.h + x, 1.0)
    box.s = new
    box.last = new
    return box.s.h

  return _kept(lambda: {"s": _State(_x(0, 0), 1.0), "last": None}, step)


def kept_and_then_changed():
  def step(box, x):
    new = _State(box.s.h, 1.0)
    box.s = new
    new.h = new.h + x
    return box.s.h

  return _kept(_of(_State), step)


def part_kept_elsewhere():
  def step(box, x):
    parts = [x, box.n + x]
    box.s = {"parts": parts}
    box.n = box.n + x
    return parts

  return _kept(lambda: {"s": None, "n": _x(0, 0)}, step)


def the_old_one_is_returned():
  def step(box, x):
    old = box.s
    box.s = _State(old.h + x, 2.0)
    return old

  return _kept(_of(_State), step)


def the_old_one_is_kept_elsewhere():
  def step(box, x):
    new = _State(box.s.h + x, 1.0)
    box.last = box.s
    box.s = new
    return box.s.h

  return _kept(lambda: {"s": _State(_x(0, 0), 1.0), "last": None}, step)


def the_old_list_is_returned():
  def step(box, x):
    old = box.s
    box.s = [old[0] + x, old[1] + 1]
    return old

  return _kept(lambda: {"s": [_x(0, 0), 1]}, step)


def the_old_list_under_another_name():
  def step(box, x):
    same = box.s is box.first
    box.s = [box.s[0] + x]
    return same, box.s[0]

  def make():
    first = [_x(0, 0)]
    return {"s": first, "first": first}

  return _kept(make, step)


def the_same_list_again():
  def step(box, x):
    box.s = box.s
    return box.s[0] + x

  return _kept(lambda: {"s": [_x(0, 0)]}, step)


def replaced_only_at_times():
  def step(box, x):
    if tf.reduce_sum(x) > 3.5:
      box.s = _State(box.s.h + x, 2.0)
    return box.s.h

  return _kept(_of(_State), step)


def list_replaced_only_at_times():
  def step(box, x):
    if tf.reduce_sum(x) > 3.5:
      box.s = [box.s[0] + x]
    return box.s[0]

  return _kept(lambda: {"s": [_x(0, 0)]}, step)


def tensor_kept_and_returned():
  def step(box, x):
    box.s = box.s + x
    return box.s

  program, calls, state = _kept(lambda: {"s": _x(0, 0)}, step)
  return program, calls, lambda: [state(), program(_x(1, 1)) is state().s]


def object_beside_a_variable():
  weight = _v(1, 2)

  def step(box, x):
    weight.assign_add(x)
    box.s = _State(box.s.h + weight, box.s.c + 1.0)
    return box.s.h

  program, calls, state = _kept(_of(_State), step)
  return program, calls, lambda: [state(), weight]


def a_check_that_fails_after_it_is_kept():
  def step(box, x):
    box.s = _State(box.s.h + x, box.s.c + 1.0)
    tf.debugging.assert_less(tf.reduce_sum(x), 6.0)
    return box.s.h

  return _kept(_of(_State), step)


def after_a_loop():
  def step(box, x):
    h, c = box.s.h, box.s.c
    for row in x:
      h, c = _cell(row, h, c)
    box.s = _State(h, c)
    return h

  return _kept(_of(_State), step, [(tf.ones([n, 2]),) for n in (1, 2, 4, 3, 5)])


def inside_a_loop():
  def step(box, x):
    for row in x:
      box.s = _State(*_cell(row, box.s.h, box.s.c))
    return box.s.h

  return _kept(_of(_State), step, [(tf.ones([n, 2]),) for n in (1, 2, 3, 2)])


def list_in_a_tf_module():
  class Model(tf.Module):
    def __init__(self):
      super().__init__()
      self.s = [_x(0, 0), _x(0, 0)]

  model = Model()

  def step(x):
    model.s = [*_cell(x, *model.s)]
    return model.s[0]

  return step, _XS, lambda: [list(model.s)]


def window_of_three():
  def step(box, x):
    box.s.append(x)
    if len(box.s) > 3:
      box.s.pop(0)
    return tf.add_n(box.s)

  return _kept(lambda: {"s": []}, step, _XS + _XS)


def window_by_a_slice():
  def step(box, x):
    box.s = (box.s + [x])[-3:]
    return tf.add_n(box.s)

  return _kept(lambda: {"s": []}, step, _XS + _XS)


def window_from_the_front():
  def step(box, x):
    box.s.insert(0, x)
    if len(box.s) > 2:
      box.s.pop()
    return box.s[0] - box.s[-1]

  return _kept(lambda: {"s": []}, step, _XS + _XS)


def pops_and_inserts():
  def step(box, x):
    first, last = box.s.pop(0), box.s.pop()
    box.s.insert(0, x)
    box.s.append(first)
    second = box.s.pop(1)
    box.s.insert(-1, last)
    return first + 10 * last + 100 * second + box.s[0]

  return _kept(lambda: {"s": [_x(i, -i) for i in range(7)]}, step)


def pops_until_there_is_nothing():
  def step(box, x):
    return box.s.pop(0) + x

  return _kept(lambda: {"s": [_x(1, 1), _x(2, 2), _x(3, 3)]}, step)


def pops_by_a_position_from_the_end():
  def step(box, x):
    box.s.append(x)
    return box.s.pop(-2)

  return _kept(lambda: {"s": [_x(1, 1), _x(2, 2)]}, step)


def list_that_grows_without_end():
  def step(box, x):
    box.s = box.s + [x * 2]
    return box.s[-1] + box.s[0]

  return _kept(lambda: {"s": []}, step, _XS + _XS)


def all_parts_of_a_dict_of_variables():
  weights = {"a": _v(1, 2), "b": _v(3, 4)}

  def step(x):
    total = tf.zeros_like(x)
    for key, weight in weights.items():
      total = total + weight * x * (2.0 if key == "a" else 3.0)
    for weight in weights.values():
      weight.assign_add(total)
    return total, list(weights.keys())

  def grow():
    weights["c"] = _v(1, 1)

  return step, [*_XS[:2], grow, *_XS[:3]], lambda: weights


def views_of_a_dict():
  def step(x):
    parts = {"a": x, "b": x + 1}
    keys, values = parts.keys(), parts.values()
    return isinstance(values, list), isinstance(keys, tuple), len(values), [*keys], sum(values)

  return step, _XS[:2], None


def view_of_a_dict_as_result():
  def step(x):
    return {"a": x, "b": x + 1}.keys()

  return step, _XS[:2], None


def view_of_a_dict_has_no_items():
  def step(x):
    return {"a": x, "b": x + 1}.values()[0]

  return step, _XS[:2], None


def iterators_as_results():
  items = [1, 2]

  def step(x):
    return zip(items, items, strict=True), reversed(items), enumerate(items), x

  return step, _XS[:2], lambda: None


def set_to_none_at_first():
  box = _Box()

  def step(x):
    box.known = None
    box.last = x if tf.reduce_sum(x) > 3.0 else None
    return x

  return step, [(_x(1, 2),), (_x(3, 1),), (_x(1, 1),), (_x(2, 2),)], lambda: vars(box)


def node_or_none_at_first():
  box, node = _Box(n=1), _Box(h=_x(1, 2))

  def step(x, other):
    box.last = other
    box.best = getattr(box, "last", None)
    return x

  return step, [(_x(1, 2), None), (_x(3, 1), node), (_x(1, 1), None)], lambda: vars(box)
