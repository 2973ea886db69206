"""`del`, `pop`, `insert` and `*=` of dicts and lists, by keys and at places that the run finds."""

import collections

import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, Node, agrees, bushy, lopsided, root, summing

TREES = (root, lopsided, bushy, root)


def outside(change, make):
  """Returns a program that changes something that is there before all calls."""

  def build(recursive):
    thing = make()

    @recursive
    def f(n):
      found = change(thing, n)
      return found + sum([f(kid) for kid in n.kids])

    return f, [thing]

  return build, lambda: [(tree(),) for tree in TREES]


def passed_in(change, make):
  """Returns a program that changes what each call is given anew."""

  def build(recursive):
    @recursive
    def f(n, thing):
      found = change(thing, n)
      for kid in n.kids:
        found = found + f(kid, thing)
      return found

    return f

  return build, lambda: [(tree(), make()) for tree in TREES]


def of_nodes(change, make):
  """Returns a program that changes what nodes hold."""

  def build(recursive):
    @recursive
    def f(n):
      found = change(n.items, n)
      return found + sum([f(kid) for kid in n.kids])

    return f

  def filled(node):
    node.items = make()
    for kid in node.kids:
      filled(kid)
    return node

  return build, lambda: [(filled(tree()),) for tree in TREES]


def of_the_run(change, make):
  """Returns a program that changes lists that it makes: of known length, and of others."""
  first = make()

  def ask(n):
    return change([*first, n.v], n) + change([kid.v for kid in n.kids] + [*first], n)

  return summing(ask), lambda: [(tree(),) for tree in TREES]


def deleted(d, n):
  if n.name in d:
    del d[n.name]
  return len(d)


def popped(d, n):
  return d.pop(n.name, 7)


def popped_where_it_is(d, n):
  if n.name in d:
    return d.pop(n.name)
  d[n.name] = n.v
  return 0


def moved_to_the_end(d, n):
  value = d.pop(n.name, 0)
  d[n.name] = value + n.v
  return value


def cleared(d, n):
  if n.v == 3:
    d.clear()
  d[n.name] = n.v
  return len(d)


def deleted_by_a_constant(d, n):
  if n.v == 2 and "b" in d:
    del d["b"]
  return d.get("b", 5)


def deleted_in_a_loop(d, n):
  for key in list(d):
    if key == n.name:
      del d[key]
  return len(d)


def deleted_without_a_look(d, n):
  del d[n.name]
  return 1


def deleted_while_it_is_gone_through(d, n):
  for key in d:
    if key == n.name:
      del d[key]
  return len(d)


def by_numbers(d, n):
  if n.v in d:
    del d[n.v]
  else:
    d[n.v * 2] = 1
  return len(d)


def by_tuples(d, n):
  if (n.v, n.name) in d:
    del d[n.v, n.name]
  else:
    d[n.v, n.name] = 1
  return len(d)


STRINGS = {"a": 1, "b": 2, "x": 3}
DICTS = [
  *(
    (change, lambda: dict(STRINGS))
    for change in (deleted, popped, popped_where_it_is, moved_to_the_end, cleared)
  ),
  *((change, lambda: dict(STRINGS)) for change in (deleted_by_a_constant, deleted_in_a_loop)),
  (by_numbers, lambda: {2: 5, 3: 6, 9: 1}),
  (by_tuples, lambda: {(2, "a"): 5}),
  (deleted_without_a_look, lambda: collections.Counter(a=2, b=1)),
  (moved_to_the_end, lambda: collections.Counter(a=2, b=1)),
  (deleted, lambda: collections.defaultdict(int, a=2, b=1)),
]


@pytest.mark.parametrize("where", [outside, passed_in])
@pytest.mark.parametrize(("change", "make"), DICTS)
def test_items_are_taken_out_of_dicts(change, make, where):
  agrees(*where(change, make), CONVERTED)


@pytest.mark.parametrize("where", [outside, passed_in])
def test_what_is_not_there_is_deleted_by_python(where):
  agrees(*where(deleted_without_a_look, lambda: dict(STRINGS)), Reason.CHECK_FAILED)


@pytest.mark.parametrize("where", [outside, passed_in])
def test_a_dict_that_a_loop_goes_over_keeps_its_items(where):
  agrees(*where(deleted_while_it_is_gone_through, lambda: dict(STRINGS)), Reason.EFFECT_ORDER)


def pops(xs, n):
  return xs.pop(n.v % len(xs)) if xs else 0


def pops_from_the_end(xs, n):
  return xs.pop(-1 - n.v % 2) if len(xs) > 2 else 0


def inserts(xs, n):
  xs.insert(n.v, n.v * 10)
  return xs[0]


def inserts_from_the_end(xs, n):
  xs.insert(-n.v, n.v)
  return xs[-1]


def deletes(xs, n):
  if n.v < len(xs):
    del xs[n.v]
  return len(xs)


def deletes_two(xs, n):
  if len(xs) > 3:
    del xs[-1], xs[0]
  return xs[0]


def repeats(xs, n):
  if n.v == 2:
    xs *= 2
  if n.v == 3:
    xs *= 0
  return len(xs)


def repeats_as_the_run_says(xs, n):
  xs *= n.v % 3
  xs.append(n.v)
  return len(xs)


def pops_beyond(xs, n):
  return xs.pop(n.v * 9)


LISTS = (pops, pops_from_the_end, inserts, inserts_from_the_end, deletes, deletes_two)
LISTS += (repeats, repeats_as_the_run_says)


@pytest.mark.parametrize("where", [outside, passed_in, of_nodes, of_the_run])
@pytest.mark.parametrize("change", LISTS)
def test_lists_are_changed_at_places_of_the_run(change, where):
  agrees(*where(change, lambda: [5, 1, 4, 2, 3, 9, 8]), CONVERTED)


@pytest.mark.parametrize("where", [outside, of_nodes, of_the_run])
def test_places_beyond_the_list_are_pythons(where):
  agrees(*where(pops_beyond, lambda: [5, 1]), Reason.CHECK_FAILED)


class Counted(dict):
  """Notes what is deleted."""

  def __init__(self, *args):
    super().__init__(*args)
    self.num_deleted = 0

  def __delitem__(self, key):
    self.num_deleted += 1
    super().__delitem__(key)

  def pop(self, key, *default):
    self.num_deleted += 10
    return super().pop(key, *default)


@pytest.mark.parametrize("change", [deleted, popped, cleared])
@pytest.mark.parametrize("kind", [Counted, collections.OrderedDict])
def test_dicts_of_other_classes_are_changed_in_their_own_way(kind, change):
  agrees(*outside(change, lambda: kind(STRINGS)))


def rebuilding(recursive):
  """Changes a dict that it is given in each call, and returns it."""

  @recursive
  def f(n, found):
    found.pop("last", None)
    found[n.name] = found.get(n.name, 0) + n.v
    for kid in n.kids:
      f(kid, found)
    found["last"] = n.v
    return found

  return f


def test_a_dict_that_is_returned_has_its_items_in_order():
  agrees(rebuilding, lambda: [(tree(), {"last": 9, "b": 1}) for tree in TREES], CONVERTED)


def test_nothing_is_taken_out_where_the_run_fails():
  def build(recursive):
    kept = dict(STRINGS)

    @recursive
    def f(n):
      kept.pop(n.name, None)
      if n.v == 2:
        raise ValueError(n.name)
      return 1 + sum([f(kid) for kid in n.kids])

    return f, [kept]

  agrees(build, lambda: [(tree(),) for tree in TREES])


def test_nodes_are_moved():
  def build(recursive):
    @recursive
    def f(n):
      if len(n.kids) > 1:
        n.kids.insert(n.v % 2, n.kids.pop(n.v % len(n.kids)))
      return n.v + sum([f(kid) for kid in n.kids])

    return f

  agrees(build, lambda: [(tree(),) for tree in TREES], CONVERTED)


class Shelf(Node):
  """Takes things out by itself."""

  def __delitem__(self, key):
    self.v = self.v + key


def test_a_class_deletes_in_its_own_way():
  def build(recursive):
    @recursive
    def f(n):
      del n[n.v]
      return n.v + sum([f(kid) for kid in n.kids])

    return f

  def shelves():
    return [(Shelf(1, True, "a", Shelf(2, True, "b")),)]

  agrees(build, shelves, CONVERTED)


def test_a_dict_that_the_run_makes_loses_an_item():
  def ask(n):
    found = {"v": n.v, "name": n.name, 3: n.v * 2}
    del found["name"], found[3]
    return len(found) + found["v"]

  agrees(summing(ask), lambda: [(tree(),) for tree in TREES], CONVERTED)


def test_a_dict_with_keys_of_the_run_loses_an_item():
  def ask(n):
    found = {kid.name: kid.v for kid in n.kids}
    if n.name == "r":
      del found["b"]
    return sum(found.values()) + len(found)

  agrees(summing(ask), lambda: [(tree(),) for tree in TREES], CONVERTED)


def test_a_dict_that_is_only_written_keeps_what_it_had():
  def build(recursive):
    kept = {"last": 1, "b": 2}

    @recursive
    def f(n):
      kept[n.name] = n.v
      return 1 + sum([f(kid) for kid in n.kids])

    return f, [kept]

  agrees(build, lambda: [(tree(),) for tree in TREES], CONVERTED)
