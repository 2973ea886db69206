"""An attribute that is data in objects of one class and code in those of another, in one place.

What the walk reads along a path it reads of all that lies there: it must never ask the code.
"""

import functools
import random

import pytest

import recursive_tf as rtf

LOG = []


class Plain:
  """Has `value` as data."""

  def __init__(self, value, down=None):
    self.value, self.down = value, down


class Counting:
  """Counts how often its property is asked."""

  def __init__(self, value, down=None):
    self.start, self.down, self.asked = value, down, 0

  @property
  def value(self):
    self.asked += 1
    LOG.append(self.asked)
    return self.start + self.asked


class Making:
  """Makes what it lacks."""

  def __init__(self, value, down=None):
    self.start, self.down = value, down

  def __getattr__(self, name):
    if name == "value":
      LOG.append(name)
      return 4
    raise AttributeError(name)


class Described:
  """Has a value by a descriptor of its own."""

  class Described:
    """Notes when it is asked."""

    def __get__(self, owner, kind):
      LOG.append("described")
      return 5

  value = Described()

  def __init__(self, value, down=None):
    self.start, self.down = value, down


class Caching:
  """Computes its value when it is first asked."""

  def __init__(self, value, down=None):
    self.start, self.down = value, down

  @functools.cached_property
  def value(self):
    LOG.append("cached")
    return 6


def below(node, recurse):
  if node is None:
    return None
  own = node.down.value if node.down is not None else node.value
  return own, recurse(node.down)


def of_one_class(node, recurse):
  if node is None:
    return 0
  return recurse(node.down) + (node.down.value if isinstance(node.down, Plain) else 1)


def by_type(node, recurse):
  down = node.down
  if down is None:
    return node.value
  return (down.value if type(down) is Plain else 3) + recurse(down)


def with_default(node, recurse):
  if node is None:
    return 0
  return (getattr(node.down, "value", 0) if node.down is not None else 7) + recurse(node.down)


def if_there(node, recurse):
  if node is None:
    return 0
  return (node.down.value if hasattr(node.down, "value") else 2) + recurse(node.down)


def two_below(node, recurse):
  if node is None:
    return 0
  found = 1
  if node.down is not None and isinstance(node.down.down, Plain):
    found += node.down.down.value
  return found + recurse(node.down)


PROGRAMS = [below, of_one_class, by_type, with_default, if_there, two_below]


def chain(seed, kinds):
  rng, node = random.Random(seed), None
  for _ in range(rng.randint(1, 5)):
    node = rng.choice([Plain, Plain, *kinds])(rng.randrange(9), node)
  return node


def outcome(function, node):
  """Returns what a call gives and leaves, in the objects and in the log."""
  LOG.clear()
  try:
    result = function(node)
  except TypeError as error:
    result = str(error)
  left = []
  while node is not None:
    left.append((type(node), sorted((k, v) for k, v in vars(node).items() if k != "down")))
    node = node.down
  return result, left, LOG[:]


@pytest.mark.one_in(1)
@pytest.mark.parametrize("kinds", [(Counting,), (Counting, Making), (Described,), (Caching,)])
@pytest.mark.parametrize("program", PROGRAMS)
def test_code_is_asked_as_often_as_in_python(program, kinds):
  def plain(node):
    return program(node, plain)

  @rtf.recursive(verify=False)
  def fast(node):
    return program(node, fast)

  for seed in range(12):
    assert outcome(fast, chain(seed, kinds)) == outcome(plain, chain(seed, kinds))
  if kinds == (Counting,) and program is not if_there:
    assert fast.stats.num_converted_runs == 12


def test_an_error_of_a_property_beside_data_is_the_users():
  @rtf.recursive(verify=False)
  def last(node):
    return node.down.value if node.down.down is None else last(node.down)

  assert last(Plain(1, Plain(2))) == 2
  assert last(Plain(1, Counting(2))) == 3
  for _ in range(2):
    with pytest.raises(TypeError, match="can only concatenate str"):
      last(Plain(1, Counting("a")))
  assert not any(reason.code == "internal-error" for reason in last.stats.fallbacks)
