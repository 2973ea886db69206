"""`==` of what may be a string, or a tree of NLTK, which is a list that compares in its own way."""

from typing import NamedTuple

import pytest
from nltk import ParentedTree, Tree

from tests.convert.agreement import CONVERTED, agrees, of_one, of_two

WORDS = ["dog", "cat", "sees", "a", "the", "runs"]


def small():
  return Tree.fromstring("(S (NP (D the) (N dog)) (VP (V runs)))")


def larger():
  return Tree.fromstring("(S (NP (D a) (N cat)) (VP (V sees) (NP (D the) (N dog))))")


def twice_one():
  tree = small()
  return tree, tree


def shared():
  part = Tree("A", ["x"])
  return Tree("S", [part, part])


PAIRS = {
  "equal": lambda: (small(), small()),
  "others": lambda: (small(), larger()),
  "one": twice_one,
  "other leaves": lambda: (Tree("N", ["dog"]), Tree("N", ["cat"])),
  "other labels": lambda: (Tree("N", ["dog"]), Tree("M", ["dog"])),
  "a leaf for a tree": lambda: (Tree("S", [Tree("A", ["x"])]), Tree("S", ["x"])),
  "empty": lambda: (Tree("S", []), Tree("S", [])),
  "numbers": lambda: (Tree("S", [1, True]), Tree("S", [1.0, 1])),
  "none": lambda: (Tree("S", [Tree("A", [None])]), Tree("S", [Tree("A", [None])])),
  "classes": lambda: (small(), ParentedTree.convert(small())),
  "with parents": lambda: (ParentedTree.convert(larger()), ParentedTree.convert(larger())),
}


def as_wholes(f, a, b):
  return a == b, a != b, b == a


def in_step(f, a, b):
  if isinstance(a, str) or isinstance(b, str):
    return 10 if a == b else 20
  return sum(f(x, y) for x, y in zip(a, b, strict=False)) + (a == b)


def in_all(f, a, b):
  count = 1 if a == b else 0
  if isinstance(a, Tree):
    for child in a:
      count += f(child, b)
  return count


def among(f, a, b):
  return b in list(a), [x for x in a if x in b]


LONG = [pytest.param(program, marks=pytest.mark.slow) for program in (as_wholes, in_step, in_all)]


@pytest.mark.parametrize("program", [*LONG, among])
def test_pairs(program):
  build = of_two(program)
  agrees(build, lambda: [make() for make in PAIRS.values()])
  some = ["equal", "others", "one", "other labels"]
  agrees(build, lambda: [PAIRS[name]() for name in some], expect=CONVERTED)


def words(f, t):
  if isinstance(t, str):
    return WORDS.index(t) if t in WORDS else -1
  return sum(f(child) for child in t)


def leaves_that_are_one(f, t):
  return sum(1 for c in t if c == "dog") + sum(f(c) for c in t if not isinstance(c, str))


def neighbours(f, t):
  if isinstance(t, str):
    return 0
  return sum(t[i] == t[i + 1] for i in range(len(t) - 1)) + sum(f(child) for child in t)


def places(f, t):
  return [t.index(child) for child in t], [f(c) for c in t if isinstance(c, Tree)]


def has_word(f, t):
  return "dog" in t or any(f(c) for c in t if isinstance(c, Tree))


def beside_others(f, t):
  if isinstance(t, str):
    return 0
  return (t == 3) + (t == []) + (t == ("S",)) + (t == None) + sum(f(c) for c in t)  # noqa: E711


@pytest.mark.parametrize(
  "program", [words, leaves_that_are_one, neighbours, places, has_word, beside_others]
)
def test_strings_beside_trees(program):
  agrees(of_one(program), lambda: [(t,) for t in (small(), larger(), shared())], expect=CONVERTED)


def test_a_word_that_no_list_has_raises():
  def build(recursive):
    @recursive
    def f(t):
      return WORDS.index(t) if isinstance(t, str) else sum(f(child) for child in t)

    return f

  agrees(build, lambda: [(small(),), (shared(),)])


class Left(list):
  """A list that leaves all comparisons to the other one."""

  def __eq__(self, other):
    return NotImplemented

  __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__


OTHERS = {
  "a list": lambda: [1],
  "one": lambda: Left([1]),
  "an int": lambda: 1,
  "a list in a list": lambda: [[1]],
}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("is_swapped", [False, True])
def test_what_leaves_it_to_a_list_is_compared_as_one(other, is_swapped):
  def pair():
    found = Left([1]), OTHERS[other]()
    return found[::-1] if is_swapped else found

  agrees(of_two(lambda f, a, b: a == b), lambda: [pair(), pair()])


class Leaf(NamedTuple):
  value: int


class Pair(NamedTuple):
  first: object
  second: object


class Marked(NamedTuple):
  mark: str
  inner: object


def test_named_tuples_in_named_tuples_are_compared_in_one_function():
  """Each may hold each of the others, however deep."""

  def folded(f, n):
    if isinstance(n, Leaf):
      return n
    if isinstance(n, Marked):
      return Marked(n.mark, f(n.inner))
    first, second = f(n.first), f(n.second)
    return first if first == second else Pair(first, second)

  def terms():
    one, two = Leaf(1), Leaf(2)
    marked = Marked("a", Pair(one, Marked("b", two)))
    alike = Marked("a", Pair(Leaf(1), Marked("b", Leaf(2))))
    other = Marked("a", Pair(Leaf(1), Marked("c", Leaf(2))))
    pairs = [(one, Leaf(1)), (marked, alike), (marked, other), (two, marked), (Pair(one, two), one)]
    return [(one,), *((Pair(*pair),) for pair in pairs)]

  agrees(of_one(folded), terms, CONVERTED)
