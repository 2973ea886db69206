"""Trees for programs that make objects, and what they make, compared in step."""

import math

import tensorflow as tf


class Tree:
  """A node with a list of children, and the first two of them by name."""

  def __init__(self, v, *kids, flag=False):
    self.v, self.name, self.flag, self.kids = v, f"n{v}", flag, list(kids)
    self.left = kids[0] if kids else None
    self.right = kids[1] if len(kids) > 1 else None
    self.made = None


def leaf():
  return Tree(3)


def small():
  shared = Tree(5, Tree(6))
  last = Tree(4, Tree(7, flag=True), Tree(2))
  return Tree(1, Tree(2, Tree(9), shared), last, shared)


def deep(depth):
  tree = Tree(depth)
  for v in range(depth - 1, 0, -1):
    tree = Tree(v, tree)
  return tree


def check_same(plain, other):
  """Raises AssertionError unless two results are the same, the user's own objects included."""
  partners, agenda, alive = {}, [(plain, other, "result")], []
  while agenda:
    a, b, where = agenda.pop()
    assert type(a) is type(b), f"{where}: {type(a)} and {type(b)}"
    if isinstance(a, tf.Tensor):
      assert a.dtype == b.dtype and a.shape == b.shape, where
      (tf.debugging.assert_near if a.dtype.is_floating else tf.debugging.assert_equal)(a, b)
    elif isinstance(a, float):
      assert a == b or (math.isnan(a) and math.isnan(b)), f"{where}: {a} and {b}"
    elif isinstance(a, (int, str, bool, type(None))):
      assert a == b, f"{where}: {a} and {b}"
    elif isinstance(a, Tree):
      assert a is b, f"{where}: another object than the user's"
    else:
      if not isinstance(a, tuple):
        known = partners.get(("plain", id(a))), partners.get(("other", id(b)))
        assert (known[0] is None) == (known[1] is None), f"{where}: identity"
        if known[0] is not None:
          assert known[0] is b and known[1] is a, f"{where}: identity"
          continue
        partners["plain", id(a)], partners["other", id(b)] = b, a
        alive += [a, b]
      agenda += _parts(a, b, where)


def _parts(a, b, where):
  if isinstance(a, (tuple, list)):
    assert len(a) == len(b), f"{where}: {len(a)} and {len(b)} elements"
    return [(x, y, f"{where}[{i}]") for i, (x, y) in enumerate(zip(a, b, strict=True))]
  if not isinstance(a, dict):
    names = getattr(type(a), "__slots__", ()) or vars(a)
    assert names is type(a).__dict__.get("__slots__") or list(vars(a)) == list(vars(b)), where
    return [(getattr(a, name), getattr(b, name), f"{where}.{name}") for name in names]
  assert list(a) == list(b), f"{where}: {list(a)} and {list(b)}"
  return [(a[key], b[key], f"{where}[{key!r}]") for key in a]
