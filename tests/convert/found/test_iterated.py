"""What iterating over an object gives, by whatever means: a dict's keys, what `__iter__` says.

Every way to go through something with everything that can be gone through, on the heap, in a
closure, and as an argument.
"""

import collections
import itertools

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf


class Node:
  def __init__(self, items):
    self.items = items


class Reversed(list):
  def __iter__(self):
    return iter(self[::-1])


class Longer(list):
  def __len__(self):
    return list.__len__(self) + 1


class Shifted(list):
  def __getitem__(self, i):
    return list.__getitem__(self, i) + 10 if isinstance(i, int) else 3


class Mirrored(collections.namedtuple("Mirrored", "a b")):
  __slots__ = ()

  def __iter__(self):
    return iter((self.b, self.a))


class Pair(collections.namedtuple("Pair", "a b")):
  __slots__ = ()


class Keys(dict):
  def __iter__(self):
    return iter([7, 8])


class Getter(dict):
  def __getitem__(self, key):
    return dict.__getitem__(self, key) + 10


class Third(collections.namedtuple("Third", "a b")):
  __slots__ = ()

  def __getitem__(self, i):
    return 3


class Letters(str):
  __slots__ = ()

  def __iter__(self):
    return iter("xy")


class Own:
  def __init__(self, *items):
    self.held = list(items)

  def __iter__(self):
    return iter(self.held)


class Counted(Own):
  def __len__(self):
    return len(self.held)

  def __getitem__(self, i):
    return self.held[i] * 2


# What makes two of each kind, of different contents.
CONTAINERS = {
  "list": lambda i: [1 + i, 2],
  "tuple": lambda i: (1, 2 + i),
  "dict": lambda i: {5 + i: 0, 0: 1},
  "ordered": lambda i: collections.OrderedDict([(1, 5), (0 - i, 3)]),
  "counter": lambda i: collections.Counter({4: 2, 0: 1 + i}),
  "default": lambda i: collections.defaultdict(int, {1: 7, 0 - i: 4}),
  "set": lambda i: {3 + i},
  "deque": lambda i: collections.deque([2, 1 + i]),
  "array": lambda i: np.array([1 + i, 2]),
  "tensor": lambda i: tf.constant([1, 2 + i]),
  "range": lambda i: range(i, i + 2),
  "string": lambda i: "ab" if i else "cd",
  "reversed": lambda i: Reversed([1, 2 + i]),
  "longer": lambda i: Longer([1, 2 + i]),
  "shifted": lambda i: Shifted([1, 2 + i]),
  "mirrored": lambda i: Mirrored(1 + i, 5),
  "pair": lambda i: Pair(1 + i, 5),
  "keys": lambda i: Keys({1: 2, 3 + i: 4}),
  "getter": lambda i: Getter({0: 2, 3 + i: 4}),
  "third": lambda i: Third(1 + i, 5),
  "letters": lambda i: Letters("ab" if i else "cd"),
  "own": lambda i: Own(1 + i, 2),
  "counted": lambda i: Counted(1 + i, 2),
}


def _unpack(x):
  a, b = x
  return [b, a]


def _star_last(x):
  a, *b = x
  return [a, len(b)]


def _star_first(x):
  *b, a = x
  return [a, len(b)]


def _for(x):
  found = []
  for item in x:
    found.append(item)
  return found


def _next(x):
  return next(iter(x))


WAYS = {
  "unpack": _unpack,
  "star_last": _star_last,
  "star_first": _star_first,
  "for": _for,
  "next": _next,
  "comprehension": lambda x: [(item, 1) for item in x],
  "list": lambda x: list(x),
  "tuple": lambda x: tuple(x),
  "display": lambda x: [0, *x],
  "arguments": lambda x: max(*x),
  "sum": lambda x: sum(x),
  "max": lambda x: max(x),
  "sorted": lambda x: sorted(x),
  "any": lambda x: any(item == 1 for item in x),
  "in": lambda x: 1 in x,
  "len": lambda x: len(x),
  "truth": lambda x: 1 if x else 2,
  "item": lambda x: x[0],
  "last": lambda x: x[-1],
  "slice": lambda x: x[1:],
  "zip": lambda x: [a + b for a, b in zip(x, x, strict=True)],
  "enumerate": lambda x: [(i, item) for i, item in enumerate(x)],
  "backwards": lambda x: [item for item in reversed(x)],
  "map": lambda x: list(map(lambda item: item + item, x)),
  "chain": lambda x: [item for item in itertools.chain(x, x)],
  "extend": lambda x: [0].extend(x) or 3,
  "dict": lambda x: {item: 1 for item in x},
  "equal": lambda x: x == [1, 2],
  "add": lambda x: x + x,
}


def _outcome(function, *args):
  try:
    return function(*args)
  except Exception as error:
    return type(error).__name__


def _shown(value):
  if isinstance(value, (list, tuple)):
    return type(value).__name__, [_shown(item) for item in value]
  if tf.is_tensor(value):
    return "tensor", str(value.dtype), value.numpy().tolist()
  return type(value).__name__, str(value)


@pytest.mark.parametrize("place", ["heap", "argument", "closure"])
@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("way", WAYS)
def test_iterating_gives_what_python_gives(way, container, place):
  use, make = WAYS[way], CONTAINERS[container]
  held = [make(0)]

  def of_node(node):
    return use(node.items)

  def of_argument(value):
    return use(value)

  def of_closure(number):
    return use(held[0]), number

  function = {"heap": of_node, "argument": of_argument, "closure": of_closure}[place]
  converted = rtf.recursive(function, verify=False)
  for i in (0, 0, 1, 1, 0):
    held[0] = make(i)
    argument = {"heap": Node(make(i)), "argument": make(i), "closure": i}[place]
    expected, found = _outcome(function, argument), _outcome(converted, argument)
    assert _shown(found) == _shown(expected)
