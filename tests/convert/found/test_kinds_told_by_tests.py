"""What is a number here, a string or a node there: told by tests, written, gone over, sliced."""

import math

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees, of_one


def expressions():
  return [
    (3,),
    (["+", 1, 2.5, ["*", 2, "x"]],),
    (["neg", ["+", 1.5, "yz"]],),
    ("name",),
    (["+", ["+", 4, 5], 0.25],),
  ]


def by_or(f, e):
  if isinstance(e, float) or isinstance(e, int):  # noqa: SIM101 - what is tested.
    return float(e)
  if isinstance(e, str):
    return float(len(e))
  return sum([f(part) for part in e[1:]])


def by_not_or(f, e):
  if not (isinstance(e, str) or isinstance(e, list)):  # noqa: SIM101 - what is tested.
    return float(e) * 2
  return 0.5 if isinstance(e, str) else sum([f(part) for part in e[1:]])


def by_neither(f, e):
  if not isinstance(e, str) and not isinstance(e, list):
    return float(e) * 2
  return 0.5 if isinstance(e, str) else sum([f(part) for part in e[1:]])


def by_pattern(f, e):
  match e:
    case float() | int():
      return float(e)
    case str():
      return 0.25
    case [_, *parts]:
      return sum([f(part) for part in parts])


def by_type(f, e):
  if type(e) in (int, float):
    return float(e)
  return 0.5 if isinstance(e, str) else sum([f(part) for part in e[1:]])


def sliced(f, e):
  if isinstance(e, (int, float)):
    return tf.constant([[float(e)]])
  parts = [f(part) for part in e[1:]]
  return tf.add_n(parts) if len(parts) > 1 else parts[0]


def square_roots(f, e):
  if isinstance(e, (int, float)):
    return math.sqrt(e) + math.floor(e) + math.log2(e)
  return 1.0 if isinstance(e, str) else sum([f(part) for part in e[1:]])


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
  "program",
  [by_or, by_not_or, by_neither, by_pattern, by_type, square_roots],
  ids=lambda f: f.__name__,
)
def test_what_a_test_says_is_known_afterwards(program):
  agrees(of_one(program), expressions, expect=CONVERTED)


def test_a_slice_is_that_of_a_list_where_strings_are_leaves():
  calls = [(7,), (["neg", 2.5],), (["+", ["*", 2, 3], ["neg", ["+", 1, 1]]],), (["neg", 2.5],)]
  agrees(of_one(sliced), lambda: calls, expect=CONVERTED)


class Coder:
  """Writes code for expressions, and holds it."""

  def __init__(self):
    self.code, self.count = [], 0


def _coding(write):
  def build(recursive):
    @recursive
    def gen(coder, e):
      if isinstance(e, (int, str)):
        return e
      if e["op"] == "set":
        coder.code.append(write(e["name"], gen(coder, e["value"])))
        return None
      a, b = gen(coder, e["left"]), gen(coder, e["right"])
      if isinstance(a, int) and isinstance(b, int):
        return a + b
      coder.count += 1
      name = f"t{coder.count}"
      coder.code.append(write(name, a) + write("+", b))
      return name

    return gen

  return build


def programs():
  add = {"op": "+", "left": "a", "right": {"op": "+", "left": 3, "right": 4}}
  return [
    (Coder(), 1),
    (Coder(), {"op": "+", "left": 3, "right": 4}),
    (Coder(), add),
    (Coder(), {"op": "set", "name": "x", "value": add}),
    (Coder(), {"op": "set", "name": "y", "value": 5}),
    (Coder(), {"op": "+", "left": add, "right": "b"}),
  ]


_WRITTEN = {
  "str": lambda name, value: name + "=" + str(value),
  "join": lambda name, value: " ".join(map(str, [name, "=", value])),
  "fields": lambda name, value: f"{name} = {value}",
  "repr": lambda name, value: f"{name} = {value!r}",
  "percent": lambda name, value: "%s=%s" % (name, value),  # noqa: UP031 - what is tested.
}


@pytest.mark.parametrize("how", _WRITTEN)
def test_what_is_a_number_or_a_string_is_written(how):
  agrees(_coding(_WRITTEN[how]), programs)


class Group:
  """Goes over its own parts."""

  def __init__(self, *parts):
    self.parts = parts

  def __iter__(self):
    return iter(self.parts)


def gone_over(f, t):
  if isinstance(t, (int, float, str)):
    return 1
  return 1 + sum([f(part) for part in t])


def unpacked(f, t):
  value, *children = t
  return value + sum([f(child) for child in children])


def trees():
  return [([1, [2, [3]]],), ([1.5, [2.0], [3.0, [tf.constant(4.0)]]],), ([1, [2]],)]


@pytest.mark.parametrize("program", [gone_over, unpacked], ids=lambda f: f.__name__)
def test_lists_beside_what_else_can_be_gone_over(program):
  agrees(of_one(program), trees)


def test_lists_beside_dicts_and_own_classes():
  documents = [
    ([1, {"a": 2}],),
    ({"a": [1, 2], "b": {"c": 1}},),
    (Group(1, [2], Group()),),
    ([Group(3), {"k": 1}, "s"],),
  ]
  agrees(of_one(gone_over), lambda: documents)


class Clade:
  def __init__(self, values=None, *kids):
    self.values, self.kids = values, list(kids)


def pruned(f, n):
  if n.values is not None:
    below = tf.constant([[float(v), 1.0] for v in n.values])
  else:
    below = 1.0
    for kid in n.kids:
      below = below * f(kid)
  return tf.matmul(below, [[0.5, 0.25], [1.0, 2.0]], transpose_b=True)


def test_an_error_of_a_library_waits_for_what_calls_give():
  a, b = Clade([1, 2]), Clade([3, 4])
  calls = [(Clade(None, a, b),), (a,), (Clade(None, a, Clade(None, a, b)),), (Clade(None, b),)]
  agrees(of_one(pruned), lambda: calls, expect=CONVERTED)


def test_a_library_may_raise_for_what_there_is_at_the_end():
  agrees(of_one(pruned), lambda: [(Clade(None),), (Clade(None, Clade(None)),)])


def shown(f, x):
  if isinstance(x, list):
    return "[" + ", ".join([f(one) for one in x]) + "]"
  return str(x)


def test_none_alone_is_written_where_a_string_was():
  agrees(of_one(shown), lambda: [("y",), (None,), (["z", None],), (None,)], expect=CONVERTED)
