"""A loop over the keys of a dict of the run that gives them other values."""

import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, Node, agrees, of_one


def counted(n):
  counts = {}
  for k in n.kids:
    counts[k.name] = counts.get(k.name, 0) + k.v
  return counts


def shares(f, n):
  counts = counted(n)
  total = sum(counts.values())
  for name in counts:
    counts[name] /= total
  return [f(k) for k in n.kids], counts


def products(f, n):
  counts = counted(n)
  for k in n.kids:
    below = f(k)
    total = sum(below.values())
    for name in counts:
      counts[name] *= total - below.get(name, 0) + 1
  return counts


def others(f, n):
  counts = counted(n)
  for name in counts:
    for other in counts:
      counts[other] += counts[name] if other < name else 1
  return counts, [f(k) for k in n.kids]


def some(f, n):
  counts = counted(n)
  for name in counts:
    if counts[name] < 2:
      counts[name] = -1
  return sorted(counts.items()), [f(k) for k in n.kids]


def left(f, n):
  counts = counted(n)
  for name in counts:
    counts[name] = 100
    if name == "x":
      break
  return counts, [f(k) for k in n.kids]


def larger(f, n):
  counts = counted(n)
  for name in counts:
    counts[name + "!"] = 1
    break
  return counts, [f(k) for k in n.kids]


def too_large(f, n):
  counts = counted(n)
  for name in counts:
    counts["new" if n.flag else name] = 1
  return counts, [f(k) for k in n.kids]


PROGRAMS = {
  "shares": shares,
  "products": products,
  "others": others,
  "some": some,
  "left": left,
  "larger": larger,
  "too large": too_large,
}


def trees():
  leaf = Node(3, True, "x"), Node(1, False, "y"), Node(5, False, "x"), Node(2, False, "w")
  inner = Node(1, False, "m", *leaf[:2]), Node(2, True, "a", leaf[3], leaf[3])
  return [(leaf[0],), (inner[0],), (inner[1],), (Node(5, True, "t", *inner, *leaf),)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_of_the_keys_a_loop_goes_over(name):
  agrees(of_one(PROGRAMS[name]), trees, {Reason.CHECK_FAILED} if "large" in name else CONVERTED)


def test_no_number_is_gone_through():
  def build(recursive):
    @recursive
    def f(n):
      if n.flag:
        return sum(x for x in n.v)
      return sum([f(k) for k in n.kids if not k.flag]) + n.v

    return f

  leaf = Node(3, True, "x"), Node(1, False, "y")
  calls = [(leaf[1],), (Node(2, False, "t", *leaf),), (leaf[0],), (leaf[1],)]
  agrees(build, lambda: calls, Reason.CHECK_FAILED)


@pytest.mark.parametrize("default", [["none"], ()])
def test_in_what_a_dict_has_or_a_new_list(default):
  def build(recursive):
    @recursive
    def f(node, name):
      own = name in node.get("names", list(default))
      return own or any(f(kid, name) for kid in node.get("kids", ()))

    return f

  tree = {"kids": [{"names": ["a", "b"]}, {"kids": [{}, {"names": []}]}]}
  agrees(build, lambda: [({}, "a"), (tree, "b"), (tree, "none"), ({"names": ["c"]}, "c")])
