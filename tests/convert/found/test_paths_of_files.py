"""`os.path`: names of files, put together and taken apart."""

import os
import posixpath
import random

import pytest

from recursive_tf.convert.values import _stand_ins
from tests.convert.agreement import CONVERTED, Node, agrees, of_text

NAMES = ["a.txt", ".bashrc", "/abs/x.tar.gz", "d.d", "..x", "plain", "", "x/", "a..b", "...", "//"]


def trees():
  """Returns directories of odd names."""
  leaves = [Node(i, True, name) for i, name in enumerate(NAMES)]
  return [(leaves[0],), (Node(1, True, "top", *leaves),), (Node(1, True, "/", leaves[1]),)]


def test_full_names():
  text = """
def f(n, base="."):
  full = os.path.join(base, n.name)
  found = [(full, os.path.basename(full), os.path.dirname(full), os.path.splitext(n.name))]
  for k in n.kids:
    found += f(k, full)
  return found
"""
  agrees(of_text(text, os=os), trees, CONVERTED)


@pytest.mark.parametrize("seed", range(2))
def test_what_stands_for_them_does_what_they_do(seed):
  rng = random.Random(seed)
  for _ in range(3000):
    a, b = ("".join(rng.choices("./ab", k=rng.randrange(8))) for _ in range(2))
    assert _stand_ins.path_join(a, b, a) == posixpath.join(a, b, a)
    assert _stand_ins.path_basename(a) == posixpath.basename(a)
    assert _stand_ins.path_dirname(a) == posixpath.dirname(a)
    assert _stand_ins.path_splitext(a) == posixpath.splitext(a)
