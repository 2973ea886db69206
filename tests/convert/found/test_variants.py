"""Lists and strings that grow from call to call are no variants of a function."""

import time

import pytest

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.program._bodies import Bodies
from tests.convert.agreement import CONVERTED, Node, agrees, root
from tests.convert.found.collected import collector

lists, a_list = collector()
strings, a_string = collector()


def deep():
  """Returns a tree of several levels."""
  inner = Node(2, True, "a", Node(4, False, "c", Node(5, True, "d")), Node(6, True, "e"))
  return Node(1, True, "r", inner, Node(3, False, "b"))


def deep_calls():
  return [(root(),), (deep(),), (Node(7, True, "x"),)]


# --- Lists that are made in a call and passed down


@a_list(CONVERTED, deep_calls)
def list_made_where_none_is_given(recursive):
  @recursive
  def walk(node, out=None):
    if out is None:
      out = []
    out.append(node.name)
    for kid in node.kids:
      walk(kid, out)
    return out

  return walk


@a_list(CONVERTED, deep_calls)
def numbers_before_and_after_the_calls(recursive):
  @recursive
  def walk(node, out=None):
    if out is None:
      out = [0]
    out.append(node.v)
    for kid in node.kids:
      walk(kid, out)
    out.append(-node.v)
    return out

  return walk


@a_list(CONVERTED, deep_calls)
def two_lists(recursive):
  @recursive
  def walk(node, names=None, values=None):
    if names is None:
      names, values = [], []
    if node.flag:
      names.append(node.name)
    values.append(node.v * 1.5)
    for kid in node.kids:
      walk(kid, names, values)
    return names, values

  return walk


@a_list(CONVERTED, deep_calls)
def list_in_a_dict(recursive):
  @recursive
  def walk(node, state=None):
    if state is None:
      state = {"names": [], "count": 0}
    state["names"].append(node.name)
    state["count"] += 1
    for kid in node.kids:
      walk(kid, state)
    return state["names"], state["count"]

  return walk


@a_list(CONVERTED, deep_calls)
def new_list_for_each_call(recursive):
  @recursive
  def depth(node, path=None):
    path = [] if path is None else path
    path = path + [node.v]
    found = sum(path)
    for kid in node.kids:
      found += depth(kid, path)
    return found

  return depth


@a_list(CONVERTED, deep_calls)
def new_tuple_for_each_call(recursive):
  @recursive
  def depth(node, path=None):
    path = (node.v,) if path is None else (*path, node.v)
    found = sum(path) + len(path)
    for kid in node.kids:
      found += depth(kid, path)
    return found

  return depth


@a_list(CONVERTED, lambda: [(root(),), (Node(4, True, "x"),)])
def list_of_a_function_inside(recursive):
  @recursive
  def collect(node):
    out = []

    def walk(inner, rest):
      rest.append(inner.v)
      for kid in inner.kids:
        walk(kid, rest)

    walk(node, out)
    return out

  return collect


@a_list(CONVERTED, deep_calls)
def list_of_several_kinds(recursive):
  @recursive
  def walk(node, out=None):
    if out is None:
      out = []
    out.append(node.name)
    out.append(node.v)
    for kid in node.kids:
      walk(kid, out)
    return out

  return walk


@pytest.mark.parametrize(("build", "expect", "calls"), lists)
def test_lists_that_grow_are_of_any_length(build, expect, calls):
  begin = time.thread_time()
  function = agrees(build, calls, expect)
  assert function.stats.num_conversions <= 4
  assert time.thread_time() - begin < 20


# --- Strings and tuples that the program makes


def branch():
  return [(root(),), (deep(),), (deep(),)]


@a_string(CONVERTED, branch)
def key_of_a_table(recursive):
  table = {}

  @recursive
  def encode(node, path="r"):
    total = node.v
    for kid in node.kids:
      total += encode(kid, path + "l")
    table[path] = total
    return total

  return encode, [table]


@a_string(CONVERTED, branch)
def indentation(recursive):
  @recursive
  def show(node, indent=""):
    print(indent + node.name)
    for kid in node.kids:
      show(kid, indent + "  ")

  return show


@a_string(CONVERTED, branch)
def text_before_and_behind(recursive):
  @recursive
  def show(node, name="x"):
    print(name, node.v)
    return node.v + sum(show(kid, f"({name})") for kid in node.kids)

  return show


@a_string(CONVERTED, branch)
def text_of_a_function_inside(recursive):
  @recursive
  def entry(node):
    def show(inner, name):
      print(name, inner.v)
      return inner.v + sum(show(kid, "." + name) for kid in inner.kids)

    return show(node, "")

  return entry


@a_string(CONVERTED, lambda: [(root(), n) for n in ("", "a", "b")])
def text_given_from_outside(recursive):
  @recursive
  def show(node, name):
    print(name, node.v)
    return node.v + sum(show(kid, name + ".") for kid in node.kids)

  return show


@a_string(Reason.TOO_MANY_VARIANTS, branch)
def bytes_that_grow(recursive):
  @recursive
  def show(node, name=b"x"):
    return len(name) + sum(show(kid, name + b".") for kid in node.kids)

  return show


@pytest.mark.parametrize(("build", "expect", "calls"), strings)
def test_strings_that_grow_are_settled_soon(build, expect, calls, monkeypatch):
  made, make = [], Bodies._trace
  monkeypatch.setattr(Bodies, "_trace", lambda *args: made.append(1) or make(*args))
  function = agrees(build, calls, expect)
  num_conversions = function.stats.num_conversions
  assert num_conversions <= len({call[1:] for call in calls()})
  assert 0 < len(made) < 100 * num_conversions  # Bodies, in all attempts.


def test_bytes_that_grow_are_refused_with_what_they_grow_to():
  show = bytes_that_grow(rtf.recursive)
  show(deep())
  assert "grows" in str(show.explain())


def test_strings_of_the_source_may_be_passed_on():
  def build(recursive):
    @recursive
    def role(node, name="root"):
      if name == "root":
        return node.v + sum(role(kid, "root.inner") for kid in node.kids)
      if name == "root.inner":
        return 2 * node.v + sum(role(kid, "root.inner.leaf") for kid in node.kids)
      return 3 * node.v

    return role

  agrees(build, deep_calls, CONVERTED)


def test_constants_that_are_ever_others_are_named():
  modes = [f"{i}" for i in range(40)]
  following = dict(zip(modes, modes[1:] + modes[:1], strict=True))

  @rtf.recursive
  def f(node, mode="0"):
    return node.v + sum(f(kid, following[mode]) for kid in node.kids)

  assert f(deep()) == 21
  assert f.stats.fallbacks == {Reason.TOO_MANY_VARIANTS: 1}
  assert "'mode'" in str(f.explain())


class _Tree:
  def __init__(self, value, left=None, right=None):
    self.value, self.left, self.right = value, left, right


def _tuples(node, tail=None):
  return tail if node is None else _tuples(node.left, (node.value, _tuples(node.right, tail)))


def _dicts(node, tail=None):
  return tail if node is None else _dicts(node.left, {"a": _dicts(node.right, {"b": tail})})


def _for_one_side(node, tail=None):
  return (
    tail if node is None else (_for_one_side(node.left), _for_one_side(node.right, (1.0, tail)))
  )


@pytest.mark.parametrize("function", [_tuples, _dicts, _for_one_side])
def test_an_argument_that_gets_ever_deeper_is_refused_soon(function):
  tree = _Tree(0.0, _Tree(1.0, _Tree(3.0)), _Tree(2.0))
  ours = rtf.recursive(function)
  begin = time.process_time()
  assert ours(tree) == function(tree)
  seconds = time.process_time() - begin
  assert "made-object" in str(ours.explain()), ours.explain()
  assert seconds < 3.0, seconds  # It took all of the 8 seconds that a conversion may.
