"""f-strings, `str.format` and `%` of containers, of names and of parts; lists that are repeated."""

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, Node, agrees, bushy, lopsided, root


def trees():
  return [(Node(7, True, "l"),), (root(),), (lopsided(),), (bushy(),)]


class Names:
  """What has members that it is asked for by a method of its own."""

  def __init__(self):
    self.known = {}

  def __contains__(self, name):
    return name in self.known


def has_members(n):
  names = Names()
  names.known[n.name] = n.v
  return n.name in names, "?" in names, n.name not in names


def nested(n):
  return n.name if not n.kids else f"{n.name}{[nested(k) for k in n.kids]}"


_PROGRAMS = {
  "a list": lambda n: f"{[k.v for k in n.kids]}|{[n.name]!r}|{[n.v, n.name]!s:>12}",
  "a tuple": lambda n: f"{(n.name, n.v)} {(n.v,)}",
  "a dict": lambda n: f"{ {'a': n.v, 'b': [n.name]} }",
  "a dict of the run": lambda n: f"{ {k.name: k.v for k in n.kids} }",
  "nested": nested,
  "by name": lambda n: f"{n.name}={n.v:>4}|{n.v!r}",
  "by place": lambda n: "{0}={1:.2f}{0!r}{1}".format(n.name, n.v / 2),
  "in turn": lambda n: f"{n.name}{n.v:03d}{{}}",
  "parts": lambda n: "{0.name}<{0.v:03d}>{1[0]}{d[k]}".format(n, (n.v, 3), d={"k": n.v}),
  "a width": lambda n: "{:>{w}}|{:{}}".format(n.name, n.v, 4, w=5),
  "of a dict": lambda n: "{name}:{v}".format(**{"name": n.name, "v": n.v}),
  "by %": lambda n: "%s %r %s" % ([n.v, n.name], (n.v,), {"a": n.name}),
  "members": has_members,
  "texts again": lambda n: [n.name + "x"] * len(n.kids) + ([n.name] + [k.name for k in n.kids]) * 2,
  "pairs again": lambda n: [(n.name, n.v)] * n.v,
  "None again": lambda n: [n.v if n.flag else None] * 3,
  "ints and floats again": lambda n: [n.v if n.flag else n.v / 2, 0.5] * len(n.kids),
  "dict with more": lambda n: dict({"a": 1}, b=n.v, **{n.name + "!": n.v}),
  "dict of the run with more": lambda n: dict({k.name: 1 for k in n.kids}, z=n.v, **{n.name: 0}),
}
_OTHERS = {
  "of both kinds": lambda n: "{} {0}".format(n.v),
  "of no such name": lambda n: "{name}".format(nam=n.v),
  "of no such place": lambda n: "{3}".format(n.v),
  "of no such part": lambda n: "{0.nothing}".format(n),
  "broken": lambda n: "{".format(n.v),
  "of a node": lambda n: len("{}".format(n)) > 0,
  "of tensors": lambda n: f"{[tf.constant(1.0) * n.v]}",
  "of what is escaped": lambda n: f"{[n.name + chr(10)]}",
  "of a list with a width": lambda n: f"{[n.v]:>8}",
  "lists again": lambda n: [[n.v]] * n.v,
  "dict with more that are no strings": lambda n: dict({}, **{n.v: 1}),
  "dict with the same again": lambda n: dict(a=1, **{"a" if n.flag else "b": 2}),
  "changed afterwards": lambda n: (lambda xs: (f"{xs}", xs.append(1), f"{xs}"))([n.v]),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("program", [*_PROGRAMS, *_OTHERS])
def test_texts_are_pythons(program):
  function = {**_PROGRAMS, **_OTHERS}[program]

  def build(recursive):
    @recursive
    def visit(n):
      return [str(function(n))] + [text for k in n.kids for text in visit(k)]

    return visit

  agrees(build, trees, expect=CONVERTED if program in _PROGRAMS else None)


class Bag:
  """A list that is gone over by a method of its own."""

  def __init__(self, items):
    self.items = list(items)

  def __iter__(self):
    return iter(self.items)

  def add(self, x):
    self.items.append(x)
    return x


def added_in_a_loop(n):
  bag, found = Bag([3, n.v]), []
  for x in bag:
    found.append(x)
    if x == n.v and len(found) < 5:
      bag.add(7)
  return found


def added_in_a_comprehension(n):
  bag = Bag([3, n.v])
  return [bag.add(x) if len(bag.items) < 4 else 0 for x in bag], bag.items


def added_by_map(n):
  bag = Bag([3, n.v])
  return list(map(lambda x: len(bag.items) < 4 and bag.add(x), bag))


def changed_by_map(n):
  xs = [3, n.v]
  return list(map(lambda x: xs.append(x) if len(xs) < 4 else 0, xs)), list(filter(xs.remove, xs))


def added_at_last(n):
  bag = Bag([3, n.v])
  for x in bag:
    if x == n.v:
      bag.add(9)
      break
  return bag.items, [x for x in bag]


def taken_from_the_tree(n):
  bag = Bag([])
  bag.items = n.kids
  found = []
  for k in bag:
    found.append(k.v)
    if len(found) == 1 and k.v < 3:
      n.kids.append(Node(1, True, "new"))
  return found


@pytest.mark.one_in(1)
@pytest.mark.parametrize(
  "program",
  [
    changed_by_map,
    added_in_a_loop,
    added_in_a_comprehension,
    added_by_map,
    added_at_last,
    taken_from_the_tree,
  ],
  ids=lambda f: f.__name__,
)
def test_a_loop_sees_what_is_added_to_the_list_behind_its_object(program):
  agrees(lambda recursive: recursive(program), trees)
