"""Natural programs that make objects."""

import collections
import dataclasses

import tensorflow as tf

from recursive_tf.convert._refusal import Reason

MEMO = {}


class Own:
  count = 0

  def __init__(self, part, kids=None):
    self.part = part
    self.kids = [] if kids is None else kids


class Counted:
  count = 0

  def __init__(self, part):
    Counted.count += 1
    self.part = part


@dataclasses.dataclass
class Data:
  v: int
  left: object = None
  right: object = None


Pair = collections.namedtuple("Pair", "first second")


def clone(n):
  return Own(n.v, [clone(k) for k in n.kids])


def to_dict(n):
  return {"name": n.name, "v": n.v, "kids": [to_dict(k) for k in n.kids]}


def nested_list(n):
  if not n.kids:
    return n.v
  return [nested_list(k) for k in n.kids]


def bracketed(n):
  if not n.kids:
    return n.name
  return (n.name, *[bracketed(k) for k in n.kids])


def mirror(n):
  if n.left is None and n.right is None:
    return n
  return Data(n.v, mirror(n.right), mirror(n.left)) if n.right is not None else n


def pruned(n):
  return Own(n, [pruned(k) for k in n.kids if k.v > 2])


def shared(n):
  label = Own(n.name)
  kids = [shared(k) for k in n.kids]
  return Own([label, kids], [label, kids])


def with_count(n):
  found = [with_count(k) for k in n.kids]
  return Own(n.v, [made for made, _ in found]), 1 + sum([count for _, count in found])


def appended(n):
  made = Own(n.v)
  for k in n.kids:
    made.kids.append(appended(k))
  return made


def linked(n):
  first = None
  for k in n.kids:
    first = Data(k.v, first)
  return first, [linked(k) for k in n.kids]


def old_or_new(n):
  return [k if k.v > 2 else Own(k.v) for k in n.kids]


def is_none(n):
  found = mirror(n)
  return found is None, found is not None, [is_none(k) for k in n.kids]


def tensors(n):
  return Pair(tf.ones([n.v, 2]), [tensors(k) for k in n.kids])


CONVERTED = (
  "clone to_dict nested_list bracketed mirror pruned shared with_count appended linked old_or_new"
  " is_none tensors"
).split()


def insert(n, x):
  if n is None:
    return Data(x)
  if x < n.v:
    return Data(n.v, insert(n.left, x), n.right)
  return Data(n.v, n.left, insert(n.right, x))


def insert_late(n, x):
  if n is None:
    return Data(x)
  left, right = n.left, n.right
  if x < n.v:
    left = insert_late(left, x)
  else:
    right = insert_late(right, x)
  return Data(n.v, left, right)


INSERTED = ("insert", "insert_late")


def check_search_tree(plain, made):
  """Raises AssertionError unless two search trees hold the same."""
  agenda = [(plain, made)]
  while agenda:
    a, b = agenda.pop()
    assert type(a) is type(b)
    if a is not None:
      assert a.v == b.v
      agenda += [(a.left, b.left), (a.right, b.right)]


def raising(n):
  if n.v == 9:
    raise ValueError("nine")
  return Own(n.v, [raising(k) for k in n.kids])


def reads(n):
  found = mirror(n)
  n.made = found.v
  return n


def tests_class(n):
  n.made = 1 if isinstance(mirror(n), Data) else 2
  return n


def tests_truth(n):
  n.made = 1 if mirror(n) else 2
  return n


def changes(n):
  x = Own(n.v)
  y = x if n.v > 1 else n
  x.part = 5
  n.made = (x, y)
  return n


def changes_later(n):
  made = Own(n.v)
  n.made = [made, n] if n.v > 1 else [n, made]
  made.kids.append(n)
  return n


def counts(n):
  n.made = [Counted(n.v), n] if n.v > 1 else n
  return n


READ = ["reads", "tests_class", "tests_truth", "counts"]

REFUSED = {
  "changes": Reason.SHARED_CONTAINER,
  "changes_later": Reason.SHARED_CONTAINER,
}
