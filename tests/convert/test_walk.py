"""What a walk gives, and what it reports; for the C++ walk and for its oracle in Python."""

import ast
import collections
import inspect
import itertools
import re
from fractions import Fraction

import numpy as np
import pytest

from recursive_tf import _walk
from recursive_tf.convert.heap._reference_walk import (
  MISSING,
  ReferenceWalker,
  UnsupportedReadError,
  evaluate,
)


class Node:
  """Holds the attributes it is made with."""

  def __init__(self, **attributes):
    self.__dict__.update(attributes)


class Other(Node):
  """A type of its own."""


LEFT, RIGHT, WORD = (("attr", "left"),), (("attr", "right"),), (("attr", "word"),)
EDGES = [("handle", 0, LEFT), ("handle", 1, RIGHT)]


@pytest.fixture(params=[_walk.Walker, ReferenceWalker], ids=["c++", "reference"])
def walk(request):
  """Walks with columns of `Node`: `walk(columns, roots, ints=2)`."""

  def call(columns, roots, ints=2, floats=0, strings=0, tensors=0, more_types=()):
    types = [(Node, columns), *more_types]
    return request.param(types, ints, floats, strings, tensors).walk(roots)

  return call


def ints_of(rows, num_columns=2):
  return np.frombuffer(rows.ints, np.int32).reshape(-1, num_columns).tolist()


def read(rows):
  """Returns int32 `items` and `roots` as lists."""
  return [np.frombuffer(part, np.int32).tolist() for part in (rows.items, rows.roots)]


def test_shared_objects_have_one_row_and_cycles_end(walk):
  leaf = Node(left=None)
  root = Node(left=leaf, right=leaf)
  leaf.right = root
  rows = walk(EDGES, [root, None, leaf, root])
  assert [id(x) for x in rows.objects] == [id(root), id(leaf)]
  assert ints_of(rows) == [[1, 1], [-1, 0]]
  assert read(rows) == [[], [0, -1, 1, 0]]


def test_none_missing_and_not_listed_differ(walk):
  other = Other()
  rows = walk(EDGES, [Node(left=None), Node(left=other, right=None)], more_types=[(Other, [])])
  assert ints_of(rows) == [[-1, -2], [2, -1], [-2, -2]]


def test_items_are_ranges_of_handles(walk):
  a, b = Node(), Node(kids=())
  roots = [Node(kids=[a, None, a, b]), Node(kids=None), a]
  rows = walk([("items", 0, (("attr", "kids"),))], roots)
  assert ints_of(rows) == [[0, 4], [0, -2], [4, 0], [0, -1]]
  assert read(rows) == [[1, -1, 1, 2], [0, 3, 1]]


def test_objects_that_reads_make_without_end_are_a_surprise():
  rows = [(str, [("handle", 0, (("call", "swapcase"),))])]
  surprise = _walk.Walker(rows, 1, 0, 0, 0).walk(["ab"])
  assert surprise.reason == "fresh" and surprise.path == (("call", "swapcase"),)
  assert surprise.value in ("ab", "AB")


def test_values_go_to_matrices_and_lists(walk):
  shared = object()
  columns = [
    ("int", 0, (("attr", "i"),)),
    ("bool", 1, (("attr", "b"),)),
    ("float", 0, (("attr", "f"),)),
    ("str", 0, (("attr", "s"),)),
    ("tensor", 0, (("attr", "t"),), 2),
  ]
  roots = [
    Node(i=-(2**31), b=True, f=0.5, s="one", t=shared),
    Other(),
    Node(i=2**31 - 1, b=False, f=-2.0, s="", t="x"),
    Node(i=0, b=False, f=1e300, s="two", t=shared),
  ]
  rows = walk(columns, roots, 3, 1, 1, 1, [(Other, [])])
  assert ints_of(rows, 3) == [[-(2**31), 1, 0], [0, 0, -1], [2**31 - 1, 0, 1], [0, 0, 0]]
  assert np.frombuffer(rows.floats).tolist() == [0.5, 0.0, -2.0, 1e300]
  assert rows.strings == [["one", "", "", "two"]]
  assert [[id(t) for t in ts] for ts in rows.tensors] == [[id(shared), id(roots[2].t)]]


@pytest.mark.parametrize(
  "kind, value", [("int", 5), ("bool", True), ("float", 1.5), ("str", "a"), ("tensor", 7)]
)
def test_optional_columns_tell_none_from_missing(walk, kind, value):
  position = [0] if kind == "tensor" else []
  index = 0 if kind in ("float", "str", "tensor") else 1
  column = (f"{kind}?", index, (("attr", "x"),), *position, 2)
  roots = [Node(x=value), Node(x=None), Node(), Other()]
  rows = walk([column], roots, 3, 1, 1, 1, [(Other, [])])
  assert [status for _, _, status in ints_of(rows, 3)] == [0, 1, 2, 2]


def test_scalars_may_be_rows(walk):
  word, number = "word", 10**6
  string_type = (str, [("str", 0, (("call", "upper"),)), ("int", 1, (("len",),))])
  number_type = (int, [("int", 1, ())])
  roots = [Node(left=word, right=number)]
  rows = walk(
    [("handle", 0, LEFT), ("handle", 2, RIGHT)], roots, 3, 0, 1, 0, [string_type, number_type]
  )
  assert rows.objects[1:] == [word, number]
  assert rows.strings == [["", "WORD", ""]]
  assert ints_of(rows, 3) == [[1, 0, 2], [-2, 4, -2], [-2, 10**6, -2]]


@pytest.mark.parametrize(
  "column, value, reason",
  [
    (("handle", 0, LEFT), Other(), "type"),
    (("items", 0, LEFT), "ab", "kind"),
    (("items", 0, LEFT), {}, "kind"),
    (("int", 0, LEFT), True, "kind"),
    (("int", 0, LEFT), 1.0, "kind"),
    (("int", 0, LEFT), np.int32(1), "kind"),
    (("int", 0, LEFT), 2**31, "range"),
    (("int", 0, LEFT), -(2**31) - 1, "range"),
    (("int", 0, LEFT), 2**70, "range"),
    (("int?", 0, LEFT, 1), "1", "kind"),
    (("bool", 0, LEFT), 1, "kind"),
    (("float", 0, LEFT), 1, "kind"),
    (("float", 0, LEFT), np.float64(1), "kind"),
    (("str", 0, LEFT), b"a", "kind"),
    (("int", 0, LEFT), None, "none"),
    (("tensor", 0, LEFT, 0), None, "none"),
  ],
)
def test_a_surprise_says_where_and_what(walk, column, value, reason):
  node = Node(left=value)
  surprise = walk([("handle", 2, RIGHT), column], [Node(left=value), node][1:], 3, 1, 1, 1)
  assert isinstance(surprise, _walk.Surprise)
  assert (surprise.reason, surprise.column, surprise.path) == (reason, 1, LEFT)
  assert surprise.object is node and surprise.value is value


def test_a_missing_value_is_a_surprise(walk):
  assert tuple(walk([("int", 0, LEFT)], [root := Node()])) == ("missing", root, LEFT, 0, None)


def test_a_new_type_in_a_list_or_as_a_root_is_a_surprise(walk):
  other = Other()
  root = Node(left=[None, other])
  surprise = walk([("items", 0, LEFT)], [root])
  assert tuple(surprise) == ("type", root, (*LEFT, ("item", 1)), 0, other)
  assert tuple(walk([], [None, other])) == ("type", None, (), -1, other)


@pytest.mark.parametrize(
  "column, value, reason",
  [
    (("types", 0, LEFT, (int, Other)), "text", "kind"),
    (("types", 0, LEFT, (int, Node)), Other(), "kind"),
    (("types", 0, LEFT, (int,)), True, "kind"),
    (("types", 0, LEFT, (int,)), None, "none"),
    (("types?", 0, LEFT, ()), None, "none"),
  ],
)
def test_a_type_that_was_not_expected_is_a_surprise(walk, column, value, reason):
  root = Node(left=value)
  assert tuple(walk([column], [root])) == (reason, root, LEFT, 0, value)


@pytest.mark.parametrize(
  ("before", "kind", "types", "value", "reason"),
  [
    (EDGES[0], "types", (Node, type(None)), Node(left=None, right=None), None),
    (EDGES[0], "types", (Node, type(None)), None, None),
    (EDGES[0], "types?", (Node, type(None)), MISSING, None),
    (EDGES[0], "types", (Node, type(None)), MISSING, "missing"),
    (EDGES[0], "types", (Node, type(None)), Other(), "type"),
    (EDGES[0], "types", (Node,), None, "none"),
    (EDGES[0], "types?", (Node,), None, "none"),
    (EDGES[0], "types?", (type(None),), Node(left=None, right=None), "kind"),
    (("int?", 0, LEFT, 1), "types", (int, type(None)), 3, None),
    (("int?", 0, LEFT, 1), "types", (int, type(None)), MISSING, "missing"),
    (("int?", 0, LEFT, 1), "types?", (int, type(None)), True, "kind"),
    (("int?", 0, LEFT, 1), "types", (int,), None, "none"),
    (("bool", 0, LEFT), "types", (int,), True, "kind"),
    (("str?", 0, LEFT, 1), "types", (str, type(None)), "text", None),
    (("float?", 0, LEFT, 1), "types?", (int, type(None)), 1.5, "kind"),
    (("tensor", 0, LEFT, 1), "types", (int,), 1.5, "kind"),
  ],
)
def test_expected_types_of_what_a_column_takes(walk, before, kind, types, value, reason):
  root = Node(right=None) if value is MISSING else Node(left=value, right=None)
  columns = [before, (kind, 0, LEFT, types)]
  found = walk(columns, [root], floats=1, strings=1, tensors=1)
  assert getattr(found, "reason", None) == reason
  if reason is not None:
    alone = walk([before], [root], floats=1, strings=1, tensors=1)
    assert found.path == LEFT
    assert found.column == (0 if hasattr(alone, "reason") else 1)


def test_expected_types_fill_nothing(walk):
  columns = [("types?", 0, LEFT, (int, type(None))), ("item types", 0, RIGHT, (str,))]
  roots = [Node(left=1, right=["a", "b"]), Node(left=None, right=None), Node(right=())]
  assert ints_of(walk(columns, roots, ints=1), 1) == [[0], [0], [0]]
  assert walk([("types", 0, LEFT, (int,))], [Node()]).reason == "missing"


def test_an_element_of_another_type_is_a_surprise(walk):
  root = Node(left=("a", 1))
  surprise = walk([("item types", 0, LEFT, (str,))], [root])
  assert tuple(surprise) == ("kind", root, (*LEFT, ("item", 1)), 0, 1)


class Sized:
  """Defines its own length and items."""

  def __len__(self):
    raise AssertionError("The walk runs no such method.")

  __getitem__ = __bool__ = __len__


class Branch(list):
  """A list with items and length of its own, as `nltk.Tree` has them."""

  __getitem__ = __len__ = Sized.__len__


class Truthful(list):
  """A list that says itself whether it is true."""

  __bool__ = Sized.__bool__


class Plain(list):
  """A list."""


PLAIN = Plain([3])
COUNTS = collections.Counter(a=2)
UNSUPPORTED = object()


class Callee:
  """Has methods."""

  def call(self):
    """Is not called by a walk."""

  @classmethod
  def make(cls):
    """Neither is this."""

  @staticmethod
  def fix():
    """Nor this."""


def _hiding(name, attribute):
  """Returns an object with an attribute of its own."""
  found = Callee()
  setattr(found, name, attribute)
  return found


MAKE, FIX = (inspect.getattr_static(Callee, name) for name in ("make", "fix"))


def _label(value):
  """Returns an id that is the same in each process."""
  return re.sub(" at 0x[0-9a-f]+", "", repr(value))[:30]


METHOD = Callee().call
CALL = ast.Call(func=ast.Name("f"), args=[3, ast.Name("x")])
READS = [
  (("attr", "real"), 5, 5),
  (("attr", "real"), None, MISSING),
  (("attr", "nothing"), 5, MISSING),
  (("item", 0), [3, 4], 3),
  (("item", -1), (3, 4), 4),
  (("item", 2), [3, 4], MISSING),
  (("item", -3), (3, 4), MISSING),
  (("item", 2**80), [3], MISSING),
  (("item", True), [3, 4], 4),
  (("item", "a"), [3], MISSING),
  (("item", slice(1)), [3], UNSUPPORTED),
  (("item", 1), Branch([3, 4]), 4),
  (("item", "a"), {"a": 7}, 7),
  (("item", 1), {"a": 7}, MISSING),
  (("item", (0,)), {(0,): 7}, 7),
  (("item", []), {"a": 7}, MISSING),
  (("item", "a"), COUNTS, 2),
  (("item", "b"), COUNTS, UNSUPPORTED),
  (("item", 0), 5, MISSING),
  (("item", 0), None, MISSING),
  (("item", 0), Sized(), UNSUPPORTED),
  (("item", -1), "text", "t"),
  (("item", 4), "text", MISSING),
  (("item", "a"), "text", MISSING),
  (("item", slice(1)), "text", UNSUPPORTED),
  (("item", 0), list, UNSUPPORTED),
  (("int",), "-12", -12),
  (("int",), "1.5", MISSING),
  (("int",), float("inf"), MISSING),
  (("int",), [1], UNSUPPORTED),
  (("int",), None, MISSING),
  (("float",), "0.5", 0.5),
  (("float",), "half", MISSING),
  (("call", "startswith", "te"), "text", True),
  (("call", "find", "x", 3), "text", -1),
  (("call", "index", "z"), "text", MISSING),
  (("keys",), {"a": 7}, ["a"]),
  (("values",), COUNTS, [2]),
  (("keys",), [1], MISSING),
  (("keys",), {7}, [7]),
  (("keys",), frozenset(), []),
  (("values",), None, MISSING),
  (("children", ast.AST), CALL, [CALL.func, CALL.args[1]]),
  (("children", ast.AST), ast.Load(), []),
  (("children", ast.AST), None, MISSING),
  (("children", ast.AST), "text", UNSUPPORTED),
  (("children", ast.AST), ast.Call(args=Branch([ast.Load()])), UNSUPPORTED),
  (("method", "append", list.append), PLAIN, True),
  (("method", "call", METHOD.__func__), METHOD.__self__, True),
  (("method", "gone", METHOD.__func__), METHOD.__self__, MISSING),
  (("method", "call", METHOD.__func__), _hiding("call", METHOD), MISSING),
  (("method", "call", METHOD.__func__), _hiding("call", METHOD.__func__), MISSING),
  (("method", "make", MAKE), Callee(), True),
  (("method", "make", MAKE), _hiding("make", Callee.make), True),
  (("method", "make", MAKE), _hiding("make", MAKE.__func__), MISSING),
  (("method", "fix", FIX), Callee(), True),
  (("method", "fix", FIX), _hiding("fix", Callee.fix), True),
  (("method", "fix", FIX), _hiding("fix", METHOD), MISSING),
  (("method", "count", list.count), Branch([3, 4]), True),
  (("method", "count", list.count), (3, 4), MISSING),
  (("method", "__len__", list.__len__), PLAIN, True),
  (("method", "__len__", list.__len__), Branch([3, 4]), MISSING),
  (("len",), "text", 4),
  (("len",), {1, 2}, 2),
  (("len",), Branch([3, 4]), 2),
  (("len",), None, MISSING),
  (("len",), 5, MISSING),
  (("len",), Sized(), UNSUPPORTED),
  (("len",), range(3), UNSUPPORTED),
  (("isinstance", (int, str)), True, True),
  (("isinstance", (int, str)), 1.0, False),
  (("isinstance", (int,)), None, False),
  (("isinstance", (type(None),)), None, True),
  (("isinstance", (list,)), PLAIN, True),
  (("truth",), None, False),
  (("truth",), 0.0, False),
  (("truth",), 2**80, True),
  (("truth",), [], False),
  (("truth",), frozenset([1]), True),
  (("truth",), Branch([3]), True),
  (("truth",), Node(), True),
  (("truth",), Truthful(), UNSUPPORTED),
  (("truth",), Sized(), UNSUPPORTED),
  (("truth",), range(3), UNSUPPORTED),
  (("eq", "a"), "a", True),
  (("eq", "a"), None, False),
  (("eq", None), None, True),
  (("eq", 1), True, True),
  (("eq", 1), 1.0, True),
  (("eq", "1"), 1, False),
  (("eq", float("nan")), float("nan"), False),
  (("eq", 1), [1], False),
  (("eq", "a"), ("a",), False),
  (("eq", "a"), b"a", UNSUPPORTED),
  (("eq", "a"), Node(), False),
  (("eq", None), Node(), False),
  (("eq", 1), Fraction(1), UNSUPPORTED),
  (("lookup", {"a": 1}), "a", 1),
  (("lookup", {"a": 1}), "b", MISSING),
  (("lookup", {"a": 1}), [], MISSING),
  (("lookup", {None: 1}), None, 1),
  (("lookup", {"a": 1}, 9), "b", 9),
  (("lookup", {"a": 1}, None), "b", None),
  (("in", {"a": 1}), "a", True),
  (("in", frozenset([1])), 2, False),
  (("in", (None, 1)), None, True),
  (("in", {1, 2}), [], MISSING),
  (("call", "lower"), "Ab", "ab"),
  (("call", "lower"), None, MISSING),
  (("call", "lower"), 5, MISSING),  # Programs call where they have found a string.
  (("call", "lower"), ["Ab"], MISSING),
]


@pytest.mark.parametrize("step, value, expected", READS, ids=_label)
def test_a_step_gives_what_python_does(walk, step, value, expected):
  path = (("attr", "x"), step)
  result = walk([("tensor?", 0, path, 0, 1)], [root := Node(x=value)], tensors=1)
  if expected is UNSUPPORTED:
    assert result[:4] == ("unsupported", root, path, 0) and result.value is value
    with pytest.raises(UnsupportedReadError):
      evaluate(root, path)
    return
  status = 2 if expected is MISSING else 1 if expected is None else 0
  assert ints_of(result) == [[-1 if status else 0, status]]
  assert [(type(v), v) for v in result.tensors[0]] == [(type(expected), expected)][: not status]
  assert evaluate(root, path) == expected


@pytest.mark.parametrize("step", [step for step, _, _ in READS], ids=_label)
def test_every_step_on_missing_gives_missing(walk, step):
  rows = walk([("tensor?", 0, (("attr", "x"), step), 0, 1)], [Node()], tensors=1)
  assert ints_of(rows) == [[-1, 2]]


class Failing:
  """Has an attribute that raises."""

  @property
  def left(self):
    raise KeyError("left")


def test_exceptions_of_the_objects_come_out(walk):
  with pytest.raises(KeyError, match="left"):
    walk([], [Failing()], more_types=[(Failing, [("handle", 0, LEFT)])])


def test_roots_must_be_a_sequence():
  with pytest.raises(TypeError, match="roots must be a sequence"):
    _walk.Walker([], 0, 0, 0, 0).walk(5)


@pytest.mark.parametrize(
  "columns, message",
  [
    ([("hand", 0, LEFT)], "no such kind"),
    ([("handle?", 0, LEFT, 1)], "without a '\\?'"),
    ([("handle", 2, LEFT)], "out of range"),
    ([("items", 1, LEFT)], "out of range"),
    ([("float", 0, LEFT)], "out of range"),
    ([("int", 0, LEFT, 1)], "wrong number of indices"),
    ([("int?", 0, LEFT)], "wrong number of indices"),
    ([("tensor", 0, LEFT)], "wrong number of indices"),
    ([("int", 0, LEFT), ("handle", 0, LEFT)], "already holds something else"),
    ([("int", 0, LEFT), ("int", 0, RIGHT)], "fills the same cells"),
    ([("int", 0, "left")], r"expected \(kind, index, path"),
    ([("int", 0, ("left",))], r"expected a tuple such as"),
    ([("int", 0, (("get", "left"),))], "no such kind of step"),
    ([("int", 0, (("attr",),))], "wrong number of constants"),
    ([("int", 0, (("attr", 5),))], "name must be a str"),
    ([("int", 0, (("eq", []),))], "compare with"),
    ([("int", 0, (("isinstance", int),))], "must be a tuple"),
    ([("int", 0, (("lookup", collections.Counter()),))], "no __missing__"),
    ([("int", 0, (("in", "abc"),))], "builtin one"),
    ([("int", 0, (("call", "lowest"),))], "no such method"),
  ],
)
def test_wrong_columns_are_refused(columns, message):
  with pytest.raises(ValueError, match=message):
    _walk.Walker([(Node, columns)], 2, 0, 0, 0)


def test_other_wrong_arguments_are_refused():
  with pytest.raises(TypeError, match="expected \\(type, columns\\)"):
    _walk.Walker([Node], 0, 0, 0, 0)
  with pytest.raises(ValueError, match="listed twice"):
    _walk.Walker([(Node, []), (Node, [])], 0, 0, 0, 0)
  with pytest.raises(ValueError, match="negative"):
    _walk.Walker([], 0, -1, 0, 0)


class Loaded:
  """Makes what it lacks."""

  def __getattr__(self, name):
    if name == "word":
      return 7
    raise AttributeError(name)


class Lazy:
  """Is of another class once it is read."""

  @property
  def left(self):
    self.__class__ = Loaded
    return 1


def test_an_object_that_is_of_another_class_by_now_is_read_as_that_class_says(walk):
  columns = [("int", 0, LEFT), ("int?", 1, WORD, 2)]
  rows = walk([], [Lazy()], ints=3, more_types=[(Lazy, columns), (Loaded, [])])
  assert ints_of(rows, 3) == [[1, 7, 0]]


def test_an_object_itself_is_none_that_reads_make(walk):
  class Endless:
    @property
    def left(self):
      return Endless() if next(count) < 2**18 + 10 else None

  count = itertools.count()
  columns = [("handle", 0, ()), ("handle", 1, LEFT)]
  rows = walk([], [Endless()], more_types=[(Endless, columns)])
  assert len(rows.objects) == 2**18 + 11
