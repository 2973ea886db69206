"""`repr`, `!r` and `str` of scalars and of what a program makes of them."""

import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, Node, agrees

KINDS = {
  "strings": ["plain", "it's", 'say "x"', "", "'", "~ [x]"],
  "ints": [1, -3, 0, 2**40],
  "floats": [1.5, 1e22, float("inf"), -0.0, 1e-7, 2.0],
  "truths": [True, False],
  "None": [None, None],
  "numbers and None": [1, None, 7],
  "mixed": [1, "a", 2.5, True, None, "it's"],
}
ESCAPED = ['it\'s "both"', "back\\slash", "new\nline", "é", "\x7f", "\t"]
USES = {
  "repr": lambda n: repr(n.v),
  "!r": lambda n: f"<{n.v!r}>",
  "list": lambda n: repr([n.v, len(n.kids)]) + repr([]),
  "tuple": lambda n: repr((n.v,)) + repr(()) + repr((1, n.v)),
  "dict": lambda n: repr({"a": n.v, 3: [n.v]}),
  "of children": lambda n: repr([kid.v for kid in n.kids]) + repr(tuple(k.v for k in n.kids)),
  "in lists": lambda n: repr([[kid.v, (n.v,)] for kid in n.kids]),
  "str of a list": lambda n: str([n.v, [n.v]]) + str([]) + str([kid.v for kid in n.kids]),
  "str of a tuple": lambda n: str((n.v,)) + str(()) + str((1, (n.v, "a"))),
  "str of a dict": lambda n: str({"a": n.v, 3: [n.v]}) + str({}),
}


def writing(use):
  def build(recursive):
    @recursive
    def write(n):
      return use(n) + "".join([write(kid) for kid in n.kids])

    return write

  return build


def nodes(values):
  return [(Node(values[0], True, "", *[Node(v, True, "") for v in values[1:]]),)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("use", USES)
def test_repr_is_pythons(use, kind):
  agrees(writing(USES[use]), lambda: nodes(KINDS[kind]), CONVERTED)


@pytest.mark.parametrize("value", ESCAPED)
@pytest.mark.parametrize("use", ["repr", "!r"])
def test_a_run_fails_where_something_is_escaped(use, value):
  agrees(writing(USES[use]), lambda: nodes([value]), Reason.CHECK_FAILED)


def test_prints_show_all_strings():
  def build(recursive):
    @recursive
    def show(n):
      print(f"{n.v!r}", end=";")
      return [show(kid) for kid in n.kids]

    return show

  agrees(build, lambda: nodes([*KINDS["strings"], *ESCAPED]), CONVERTED)
