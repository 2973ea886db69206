"""`try` around the read of an item, with KeyError or IndexError: a test of whether it is there."""

import collections
import contextlib

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.agreement import CONVERTED, Node, agrees, bushy, lopsided, root

KNOWN = {"a": 1, "c": 2, "root": 7}
LISTS = {"a": [], "c": [1]}


def trees():
  return [(root(),), (lopsided(),), (bushy(),), (Node(7, True, "l"),), (root(),)]


def first_child(n):
  try:
    return n.kids[0].v
  except IndexError:
    return -1


def in_a_table(n):
  table = {"a": 1, "l": 2}
  try:
    x = table[n.name]
  except KeyError:
    x = 0
  return x + sum(map(in_a_table, n.kids))


def in_a_known_table(n):
  try:
    x = KNOWN[n.name]
  except (KeyError, IndexError):
    x = 0
  return x + sum(map(in_a_known_table, n.kids))


def counted(n, counts=None):
  counts = {} if counts is None else counts
  try:
    counts[n.name] += 1
  except KeyError:
    counts[n.name] = 1
  for k in n.kids:
    counted(k, counts)
  return counts


def remembered(n, memo=None):
  memo = {} if memo is None else memo
  try:
    return memo[n.name]
  except KeyError:
    pass
  found = n.v + sum(remembered(k, memo) for k in n.kids)
  memo[n.name] = found
  return found


def with_else(n):
  try:
    a = n.kids[1].v + n.kids[0].v
  except LookupError:
    a = n.v
  else:
    a += 100
  return a + sum(map(with_else, n.kids))


def grouped(n):
  groups = {}
  for k in n.kids:
    try:
      groups[k.v % 2].append(k.name)
    except KeyError:
      groups[k.v % 2] = [k.name]
  return groups


def from_the_end(n):
  found = []
  for i in (-3, -2, -1, 0, 1, 2):
    try:
      x = [k.name for k in n.kids][i]
    except IndexError:
      x = "none"
    found.append(x)
    try:
      x = n.kids[i].name
    except IndexError:
      x = "none"
    found.append(x)
  return found


def that_make_items(n):
  counts, made = collections.Counter(), collections.defaultdict(list)
  try:
    x = counts[n.name], made[n.name]
  except KeyError:
    x = 7
  return x, dict(made)


def of_all_errors(n):
  try:
    return {"q": n.v}[n.name] + 1
  except Exception:
    return n.v


_CONVERTED = (
  *(first_child, in_a_table, in_a_known_table, counted, remembered, with_else, grouped),
  *(from_the_end, of_all_errors),
)


def not_of_this_error(n):
  try:
    return {"q": 1}[n.name]
  except IndexError:
    return 0


def not_a_key(n):
  try:
    return KNOWN[n.kids]
  except KeyError:
    return 0


def first_of_an_item(n):
  try:
    return {"root": {"b": 1}}[n.name]["a"]
  except KeyError:
    return n.v


def by_another_first(n):
  try:
    return n.nothing + {"q": 1}[n.name]
  except KeyError:
    return 0


def fails_later(n):
  try:
    return {n.name: [n.v]}[n.name][n.v]
  except IndexError:
    return -1


def of_a_tensor(n):
  try:
    return tf.constant([1.0, 2.0])[len(n.kids)]
  except IndexError:
    return tf.constant(0.0)
  except tf.errors.InvalidArgumentError:
    return tf.constant(9.0)


class Missing(dict):
  def __missing__(self, key):
    return "made " + key


def of_what_is_made(n):
  try:
    return Missing(a=1)[n.name]
  except KeyError:
    return 0


def of_a_known_one(n):
  table = KNOWN if n.flag else {}
  try:
    return table[n.name]
  except KeyError as error:
    return str(error)


def changing_what_is_asked(n):
  found = []

  def key():
    found.append(1)
    return n.name

  try:
    return KNOWN[key()], found
  except KeyError:
    return found


def suppressed(n):
  total = 0
  if n.v >= 0:
    with contextlib.suppress(KeyError):
      LISTS[n.name].append(n.v)
  for k in n.kids:
    total += suppressed(k)
  return total + 1


_OTHERS = (
  suppressed,
  *(that_make_items, not_of_this_error, not_a_key, first_of_an_item, by_another_first, fails_later),
  *(of_a_tensor, of_what_is_made, of_a_known_one, changing_what_is_asked),
)


@pytest.mark.one_in(1)
@pytest.mark.parametrize("program", [*_CONVERTED, *_OTHERS], ids=lambda f: f.__name__)
def test_what_is_not_there_is_handled_as_by_python(program):
  expect = CONVERTED if program in _CONVERTED else None
  agrees(lambda recursive: recursive(program), trees, expect=expect)


_EXTREMES = {
  "ints": lambda n: max(n.v, 2, *[k.v for k in n.kids]),
  "floats": lambda n: min(0.5, 9.5, *[k.v / 2 for k in n.kids]),
  "names": lambda n: min(n.name, "b", *[k.name for k in n.kids]),
  "pairs": lambda n: max((n.v, n.name), (3, "z"), *[(k.v, k.name) for k in n.kids]),
  "one of its own": lambda n: max(n.v, *[k.v for k in n.kids]) if n.kids else 0,
  "one alone": lambda n: max(n.v, *[k.v for k in n.kids]),
  "of both kinds": lambda n: max(1, 1.0, *[k.v for k in n.kids]),
}


@pytest.mark.one_in(1)
@pytest.mark.parametrize("program", _EXTREMES)
def test_extremes_of_some_and_of_a_list(program):
  expect = CONVERTED if program not in ("one alone", "of both kinds") else None
  agrees(lambda recursive: recursive(_EXTREMES[program]), trees, expect=expect)


def test_a_handler_that_no_graph_has_is_told():
  def first(n):
    try:
      return n.kids[len(n.kids)]
    except IndexError as error:
      return str(error)

  f = rtf.recursive(first)
  assert f(Node(7, True, "l")) == "list index out of range"  # What is in a list is not known yet.
  assert "raised in a `try`" in str(f.explain())
