"""Classes of nodes that say what comparisons give, each in another way, and trees of them."""

import abc
import dataclasses
import functools

import tensorflow as tf


class Base:
  """Says nothing."""

  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


class Careful(Base):
  """Leaves it to the other one where that is none of its own."""

  def __eq__(self, other):
    if not isinstance(other, Careful):
      return NotImplemented
    return self.v == other.v

  def __lt__(self, other):
    if not isinstance(other, Careful):
      return NotImplemented
    return self.v < other.v

  __hash__ = None


class Derived(Careful):
  """Is asked first, wherever it is."""

  def __eq__(self, other):
    return self.v == getattr(other, "v", 0) + 1

  def __gt__(self, other):
    return self.v > other.v + 1

  def __lt__(self, other):
    return self.v * 2 < other.v

  __hash__ = None


class Silent(Careful):
  """Derived, and says nothing of its own."""


class Careless(Base):
  """Takes all for nodes."""

  def __eq__(self, other):
    return self.v == other.v

  def __gt__(self, other):
    return self.v > other.v

  __hash__ = None


class Odd(Base):
  """Gives what is no bool, and says by itself what differs."""

  def __eq__(self, other):
    return self.v - getattr(other, "v", 0)

  def __ne__(self, other):
    return self.v > 1

  def __lt__(self, other):
    return other.v if self.v < other.v else 0

  def __ge__(self, other):
    return None

  __hash__ = None


class Never(Base):
  """Equals nothing, not even itself."""

  def __eq__(self, other):
    return False

  __hash__ = None


class Always(Base):
  """Equals all, and is less than all: that is no order."""

  def __eq__(self, other):
    return True

  def __lt__(self, other):
    return True

  __hash__ = None


class Rock(Base):
  """Is less than one that is less than one that is less than it."""

  def __lt__(self, other):
    return (self.v - other.v) % 3 == 1


class Above:
  """Is true or not."""

  def __init__(self, x):
    self.x = x

  def __bool__(self):
    return self.x > 2


class Answering(Base):
  """Gives objects with a truth of their own."""

  def __eq__(self, other):
    return Above(self.v)

  def __lt__(self, other):
    return Above(other.v)

  __hash__ = None


class Deep(Base):
  """Equal if all below is."""

  def __eq__(self, other):
    if not isinstance(other, Deep):
      return NotImplemented
    return self.v == other.v and self.kids == other.kids

  def __lt__(self, other):
    return (self.v, len(self.kids)) < (other.v, len(other.kids))

  __hash__ = None


class DeepByLoop(Base):
  """The same, one child after the other."""

  def __eq__(self, other):
    if type(self) is not type(other) or self.v != other.v or len(self.kids) != len(other.kids):
      return False
    for mine, theirs in zip(self.kids, other.kids, strict=True):
      if not mine == theirs:
        return False
    return True

  __hash__ = None


class DeepOrder(Base):
  """Ordered by all below."""

  def __eq__(self, other):
    return self.v == other.v and all(a == b for a, b in zip(self.kids, other.kids, strict=False))

  def __ne__(self, other):
    return not self == other

  def __lt__(self, other):
    return self.v < other.v or (self.v == other.v and self.kids < other.kids)

  __hash__ = None


@functools.total_ordering
class Total(Base):
  def __eq__(self, other):
    return self.v == other.v

  def __lt__(self, other):
    return self.v < other.v

  __hash__ = None


@functools.total_ordering
class CarefulTotal(Base):
  def __eq__(self, other):
    if not isinstance(other, Base):
      return NotImplemented
    return self.v == other.v

  def __gt__(self, other):
    if not isinstance(other, Base):
      return NotImplemented
    return self.v > other.v

  __hash__ = None


@dataclasses.dataclass(order=True)
class Record:
  v: int
  kids: list = dataclasses.field(default_factory=list, compare=False)


@dataclasses.dataclass(order=True)
class MoreOfARecord(Record):
  w: int = 1


@dataclasses.dataclass
class DeepRecord:
  v: int
  kids: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(order=True)
class DeepRecordInOrder:
  v: int
  kids: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Frozen:
  v: int
  name: str
  kids: tuple


class Slots:
  __slots__ = ("kids", "v")

  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)

  def __eq__(self, other):
    return isinstance(other, Slots) and self.v == other.v

  def __lt__(self, other):
    return self.v < other.v

  __hash__ = None


class Abstract(abc.ABC):
  """Compares what a property says."""

  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)

  @property
  @abc.abstractmethod
  def key(self):
    """What it is compared by."""

  def __eq__(self, other):
    return self.key == other.key

  def __lt__(self, other):
    return self.key < other.key

  __hash__ = None


class Concrete(Abstract):
  @property
  def key(self):
    return self.v % 2, self.v

  def __eq__(self, other):
    return super().__eq__(other)

  __hash__ = None


class OfTensors(Base):
  def __init__(self, v, *kids):
    super().__init__(v, *kids)
    self.x = tf.constant([float(v), 1.0])

  def __eq__(self, other):
    return bool(tf.reduce_all(tf.equal(self.x, other.x)))

  def __lt__(self, other):
    return tf.reduce_sum(self.x) < tf.reduce_sum(other.x)

  __hash__ = None


ASKED = []


class Loud(Base):
  """Tells that it has been asked."""

  def __eq__(self, other):
    ASKED.append((self.v, other.v))
    return self.v == other.v

  def __lt__(self, other):
    ASKED.append((self.v, other.v))
    return self.v < other.v

  __hash__ = None


class Raising(Base):
  def __eq__(self, other):
    if other is None:
      raise ValueError
    return self.v == other.v

  def __lt__(self, other):
    if self.v == 3:
      raise ValueError
    return self.v < other.v

  __hash__ = None


class Sometimes(Base):
  """Has an answer or none, which its class does not tell."""

  def __eq__(self, other):
    if self.v == 2:
      return NotImplemented
    return self.v == other.v

  def __lt__(self, other):
    if self.v == 2:
      return NotImplemented
    return self.v < other.v

  __hash__ = None


class WithNan(Base):
  def __init__(self, v, *kids):
    super().__init__(v, *kids)
    self.f = float("nan") if v == 3 else v / 2

  def __eq__(self, other):
    return self.f == other.f

  def __lt__(self, other):
    return self.f < other.f

  __hash__ = None


def _chosen(*kinds):
  return lambda v, *kids: kinds[v % len(kinds)](v, *kids)


def _of_lists(kind, *names):
  return lambda v, *kids: kind(v, *names, list(kids))


NODES = {
  **{kind.__name__: kind for kind in (Base, Careful, Derived, Silent, Careless, Odd, Never)},
  **{kind.__name__: kind for kind in (Always, Rock, Answering, Deep, DeepByLoop, DeepOrder)},
  **{kind.__name__: kind for kind in (Total, CarefulTotal, Slots, Concrete, OfTensors, Loud)},
  **{kind.__name__: kind for kind in (Raising, Sometimes, WithNan)},
  "Record": _of_lists(Record),
  "DeepRecord": _of_lists(DeepRecord),
  "DeepRecordInOrder": _of_lists(DeepRecordInOrder),
  "Frozen": lambda v, *kids: Frozen(v, f"n{v % 2}", kids),
  "records of two classes": _chosen(_of_lists(Record), _of_lists(MoreOfARecord)),
  "many classes": _chosen(Careful, Derived, Silent, Careless, Base),
  "one and a silent one": _chosen(Careful, Silent),
  "one and a derived one": _chosen(Careful, Derived),
  "deep ones and records": _chosen(Deep, _of_lists(DeepRecord)),
}


def trees(node):
  """Yields the arguments of calls: equal subtrees, others, a leaf, and one that is there twice."""
  yield (node(1, node(2), node(3), node(1)),)
  yield (node(2, node(1, node(2), node(1)), node(1, node(2), node(1)), node(4)),)
  yield (node(3),)
  yield (node(1, node(5, node(4)), node(5, node(4)), node(5), node(3, node(3), node(1))),)
  shared = node(2, node(1))
  yield (node(2, shared, shared),)
