"""`join` of what may be a string or something else by its type, and is one here: it was refused."""

import pytest

from tests.convert.agreement import CONVERTED, agrees, of_one


class Node:
  def __init__(self, text, value, *kids):
    self.text, self.value, self.kids = text, value, list(kids)


def tree(text="e"):
  inner = Node("b", 2, Node("c", 3), Node(text, 4))
  return Node("a", 1, inner, Node("d", 5))


TEXTS = "e", "", None, 7, "\u00e9"


def shown(f, n):
  return n.text if not n.kids else "(" + " ".join(f(kid) for kid in n.kids) + ")"


def of_kids(f, n):
  return ",".join(kid.text for kid in n.kids) + "".join([f(kid) for kid in n.kids])


def of_known_many(f, n):
  return ",".join([n.text, "x"]) + "".join([f(kid) for kid in n.kids])


def by_separator(f, n):
  return n.text.join(kid.text for kid in n.kids) + "".join([f(kid) for kid in n.kids])


def without_none(f, n):
  texts = [f(kid) for kid in n.kids]
  return n.text if not n.kids else " ".join([text for text in texts if text])


def of_scalars(f, n):
  return n.text if not n.kids else n.value if n.value == 9 else "+".join([f(kid) for kid in n.kids])


def of_optionals(f, n):
  if n.value == 9:
    return None
  return n.text if not n.kids else "+".join([f(kid) for kid in n.kids])


PROGRAMS = [
  shown,
  of_kids,
  of_known_many,
  by_separator,
  without_none,
  of_scalars,
  of_optionals,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_of_nodes(program):
  build = of_one(program)
  agrees(build, lambda: [(tree(text),) for text in TEXTS * 2])
  agrees(build, lambda: [(Node(None, 9),), (Node("a", 1, Node("b", 9)),), (tree(),)])

  def where_all_are():
    yield Node("r", 0, Node("s", 1))
    root = tree()
    root.value = None  # Which nothing reads: another kind of objects all the same.
    yield root

  agrees(build, lambda: [(n,) for n in where_all_are()], expect=CONVERTED)


LISTS = (
  ["a", ["b", "c"]],
  ["a", None],
  ["a", 1],
  [["x"], ["y", "z"]],
  [],
  "s",
  ["\u00e9", ["\u00fc"]],
)


def bracketed(f, x):
  return x if isinstance(x, str) else "(" + " ".join(f(part) for part in x) + ")"


def test_of_lists():
  build = of_one(bracketed)
  agrees(build, lambda: [(x,) for x in LISTS])
  agrees(build, lambda: [(x,) for x in LISTS if x not in (LISTS[1], LISTS[2])], expect=CONVERTED)


def test_of_a_list_that_is_of_strings():
  def build(recursive):
    @recursive
    def f(x):
      if all(isinstance(part, str) for part in x):
        return " ".join(x)
      return "|".join(f(part) for part in x if isinstance(part, list))

    return f

  agrees(build, lambda: [(x,) for x in LISTS if isinstance(x, list)])
  agrees(build, lambda: [(LISTS[3],), (LISTS[0],), (LISTS[4],)], expect=CONVERTED)


class Word(str):
  def __str__(self):
    return "never"


def test_of_a_class_derived_from_str():
  build = of_one(bracketed)
  agrees(build, lambda: [(["a", ["b"]],), (["a", [Word("b")]],), (["a", Word("c")],)])
