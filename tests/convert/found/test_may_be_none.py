"""What is asked of an object that may be None, and places that are None first."""

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees


class Node:
  kind = "node"

  def __init__(self, v, left=None, right=None):
    self.v, self.l, self.r, self.w, self.name = v, left, right, None, "x"

  @property
  def half(self):
    return self.v / 2

  @property
  def missing(self):
    raise AttributeError("missing")


def tree():
  return Node(1, Node(2, None, Node(4)), Node(3))


def partly():
  """Returns a tree of which only some nodes have a tensor."""
  root = tree()
  root.l.w, root.r.w = tf.constant(5.0), tf.constant(0.5)
  return root


CALLS = [lambda: [(tree(),), (None,), (tree(),)], lambda: [(partly(),), (tree(),), (partly(),)]]

ASKS = {
  "has": lambda n, name: 1 if hasattr(n.l, name) else 7,
  "has not": lambda n, name: 7 if not hasattr(n.r, name) else 1,
  "both have": lambda n, name: 1 if hasattr(n.l, name) and hasattr(n.r, name) else 7,
  "has of itself": lambda n, name: 1 if hasattr(n, name) else 7,
  "has, then read": lambda n, name: getattr(n.l, name) if hasattr(n.l, name) else 7,
  "default": lambda n, name: getattr(n.l, name, 7),
  "none by default": lambda n, name: 7 if getattr(n.r, name, None) is None else 1,
}
WRITES = {
  "nothing": lambda n: None,
  "a value": lambda n: setattr(n, "v", 4),
  "another": lambda n: setattr(n, "mark", 5),
  "of the class": lambda n: setattr(n, "kind", "own"),
  "a node": lambda n: setattr(n, "w", n.l),
}


@pytest.mark.parametrize("name", ["v", "mark", "half", "__class__"])
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("ask", ASKS)
def test_none_has_no_attributes_of_nodes(ask, write, name):
  if name == "__class__" and ("default" in ask or "read" in ask):
    pytest.skip("returns a class")

  def build(recursive):
    @recursive
    def visit(n):
      if n is None:
        return 0
      WRITES[write](n)
      return ASKS[ask](n, name) + visit(n.l) + visit(n.r)

    return visit

  converts = write == "nothing" and name in ("v", "mark") and "read" not in ask
  agrees(build, CALLS[0], CONVERTED if converts else None)


def test_a_kept_node_is_asked():
  def build(recursive):
    @recursive
    def visit(n):
      if n is None:
        return 0
      n.w = n.l
      return visit(n.l) + visit(n.r) + (1 if hasattr(n.w, "w") else 7)

    return visit

  agrees(build, CALLS[0], CONVERTED)


def test_a_class_attribute_is_asked():
  def build(recursive):
    @recursive
    def visit(n):
      if n is None:
        return 0
      n.kind = "own"
      return visit(n.l) + visit(n.r) + (1 if hasattr(n.l, "kind") else 7)

    return visit

  agrees(build, CALLS[0], CONVERTED)


@pytest.mark.parametrize("of", [lambda n: n, lambda n: n.l])
def test_a_property_is_asked(of):
  def build(recursive):
    log = []

    @recursive
    def visit(n):
      log.append(n.v)
      found = 1 if hasattr(of(n), "missing") else 7
      log.append(n.v * 10)
      return found + (visit(n.l) if n.l is not None else 0)

    return visit, [log]

  agrees(build, lambda: [(tree(),), (tree(),)])


def by_presence(n, visit):
  return 0 if not hasattr(n, "v") else n.v + visit(n.l) + visit(n.r)


def by_default(n, visit):
  v = getattr(n, "v", None)
  return 0 if v is None else v + visit(n.l) + visit(n.r)


@pytest.mark.parametrize("body", [by_presence, by_default])
def test_a_base_case_of_what_none_lacks(body):
  def build(recursive):
    @recursive
    def visit(n):
      return body(n, visit)

    return visit

  agrees(build, CALLS[0], CONVERTED)


def memo(n, s, w):
  if n.w is None:
    n.w = s
  return n.w


def added(n, s, w):
  n.w = s if n.w is None else n.w + s
  return s


def scaled(n, s, w):
  n.w = w * n.v if n.w is None else n.w * w
  return n.w + s


def swapped(n, s, w):
  old = n.w
  n.w = s
  return s if old is None else s + old


def largest(n, s, w):
  if n.w is None or s > n.w:
    n.w = s
  return n.w


@pytest.mark.parametrize("shape", [[], [2], [None]])
@pytest.mark.parametrize("calls", CALLS)
@pytest.mark.parametrize("keep", [memo, added, scaled, swapped, largest])
def test_a_tensor_is_kept_where_none_was(keep, calls, shape):
  def build(recursive):
    w = tf.Variable(0.5)

    @recursive
    def visit(n):
      if n is None:
        return tf.constant(0.0)
      return keep(n, visit(n.l) + visit(n.r) + float(n.v) * w, w)

    return visit

  def shaped():
    rows = calls()
    for (root,) in rows:
      resize(root, shape)
    return rows

  agrees(build, shaped, CONVERTED if shape == [] else None)


def resize(n, shape):
  """Gives the tensors of a tree a shape; None stands for one that differs from node to node."""
  if n is not None:
    if n.w is not None and shape:
      n.w = tf.fill([n.v if size is None else size for size in shape], n.w)
    resize(n.l, shape)
    resize(n.r, shape)


def test_tensors_of_several_shapes_beside_none_are_read():
  def build(recursive):
    @recursive
    def visit(n):
      if n is None:
        return tf.constant(0.0)
      found = n.w if n.v > 1 else None
      own = tf.constant(1.0) if found is None else tf.reduce_sum(found)
      return own + visit(n.l) + visit(n.r)

    return visit

  def calls():
    rows = [(partly(),), (tree(),), (partly(),)]
    for (root,) in rows:
      resize(root, [None])
    return rows

  agrees(build, calls)


# Where elements are known by numbers, a run in which they cannot be compared fails.
@pytest.mark.parametrize(
  ("first", "expect"),
  [
    ([0, "a"], CONVERTED),
    ([0, (1, 2)], CONVERTED),
    ([None, None], CONVERTED),
    ([0, 0.5, None, "s"], CONVERTED),
  ],
)
def test_items_of_several_kinds(first, expect):
  def build(recursive):
    items = list(first)

    @recursive
    def visit(n):
      if n is None:
        return 0
      if items[0] is None or n.v > items[0]:
        items[0] = n.v
        items[1] = n.name
      return items[0] + visit(n.l) + visit(n.r)

    return visit, [items]

  agrees(build, lambda: [(None,), (tree(),), (tree(),)], expect)


class Meta(type):
  @property
  def size(cls):
    return 11

  def half(cls):
    return 5


class Sized(metaclass=Meta):
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


OUTSIDE = Sized(7)


class Box:
  def __init__(self, v):
    self.v = v


@pytest.mark.parametrize(
  "ask",
  [
    lambda n: hasattr(n, "size"),
    lambda n: getattr(n, "size", 2) == 2,
    lambda n: n.size == 11,
    lambda n: hasattr(n, "half"),
    lambda n: n.half() == 5,
    lambda n: hasattr(n, "__name__"),
    lambda n: hasattr(n, "mro"),
    lambda n: hasattr(n, "__module__"),
    lambda n: hasattr(OUTSIDE, "size"),
    lambda n: hasattr(OUTSIDE, "v"),
    lambda n: hasattr(Box(n.v), "__name__"),
    lambda n: hasattr(Box(n.v), "v"),
    lambda n: hasattr(Sized, "size"),
    lambda n: Sized.size == 11,
  ],
)
def test_what_a_metaclass_has_is_not_the_objects(ask):
  def build(recursive):
    @recursive
    def visit(n):
      return (1 if ask(n) else 10) + sum([visit(kid) for kid in n.kids])

    return visit

  agrees(build, lambda: [(Sized(1, Sized(2), Sized(3)),), (Sized(4),)])


class Mark:
  def __init__(self, mark=None, other=None):
    self.mark, self.other = mark, other


@pytest.mark.parametrize("value", [None, 3, 1.5])
def test_writes_of_a_program_that_reads_no_numbers(value):
  def build(recursive):
    @recursive
    def mark(n):
      n.mark = value
      return n.mark is n.other

    return mark

  shared = Mark()
  agrees(build, lambda: [(Mark(),), (Mark(1, shared),), (Mark(1.5, 1.5),)])
