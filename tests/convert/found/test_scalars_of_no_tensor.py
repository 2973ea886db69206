"""Scalars of NumPy's of which TensorFlow has none, and variables where Python takes no tensor."""

import collections

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf


class Node:
  """A node."""

  def __init__(self, value, *kids):
    self.value, self.kids = value, list(kids)


def tree():
  return Node(1, Node(2))


def below(f, n):
  return [x for k in n.kids for x in f(k)]


SCALARS = [
  np.str_("a"),
  np.bytes_(b"a"),
  np.longdouble(1.5),
  np.datetime64("2020-01-01"),
  np.timedelta64(1, "D"),
]


def outside(recursive, scalar):
  @recursive
  def f(n):
    return [scalar] + below(f, n)

  return lambda: f(tree()), f


def in_a_table(recursive, scalar):
  table = {"k": (scalar, 1)}

  @recursive
  def f(n):
    return [table["k"]] + below(f, n)

  return lambda: f(tree()), f


def kept(recursive, scalar):
  log = []

  @recursive
  def f(n):
    log.append(scalar)
    return below(f, n)

  return lambda: (f(tree()), list(log)), f


def written(recursive, scalar):
  @recursive
  def f(n):
    n.mark = scalar
    return [n.value] + below(f, n)

  def call():
    node = tree()
    return f(node), node.mark

  return call, f


def given(recursive, scalar):
  @recursive
  def f(n, mark):
    return [mark] + [x for k in n.kids for x in f(k, mark)]

  return lambda: f(tree(), scalar), f


def of_nodes(recursive, scalar):
  @recursive
  def f(n):
    return [n.value] + below(f, n)

  return lambda: f(Node(scalar, Node(scalar))), f


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("make", [outside, in_a_table, kept, written, given, of_nodes])
def test_a_scalar_stays_what_it_is(make, scalar):
  graph, function = make(rtf.recursive, scalar)
  plain, _ = make(lambda f: f, scalar)
  for _ in range(2):
    assert repr(graph()) == repr(plain())
  if make in (outside, kept, written):
    assert "internal-error" not in {reason.code for reason in function.stats.fallbacks}


@pytest.mark.parametrize("ask", [lambda t, n: n.value in t, lambda t, n: t.get(n.value, 0)])
def test_a_dict_of_such_keys_is_only_read(ask):
  table = {np.str_("ab"): 1}

  @rtf.recursive
  def f(n):
    return [ask(table, n)] + below(f, n)

  for _ in range(3):
    assert f(Node("ab", Node("c"))) == [1, 0]
    assert [type(key) for key in table] == [np.str_]


VARIABLE, INDEX = tf.Variable([2.0, 3.0]), tf.Variable(1)


@pytest.mark.parametrize(
  "ask",
  [
    lambda n: len(VARIABLE),
    lambda n: VARIABLE == None,  # noqa: E711 - it is what is tested
    lambda n: [5, 6, 7][INDEX:],
    lambda n: "abc"[: INDEX + 1],
  ],
)
def test_what_variables_do_not_take(ask):
  found = []
  for recursive in (rtf.recursive, lambda f: f):

    @recursive
    def f(n):
      return [ask(n)] + below(f, n)

    try:
      found.append(f(tree()))
    except (TypeError, ValueError) as error:
      found.append(type(error))
  assert found[0] == found[1]


class Sized(collections.namedtuple("Sized", "x y")):
  """Says itself how long it is, of which `_replace` asks what it has made."""

  __slots__ = ()

  def __len__(self):
    return 7


def test_a_named_tuple_with_a_length_of_its_own():
  @rtf.recursive
  def f(n):
    return [Sized(1, 2)._replace(x=n.value)] + below(f, n)

  with pytest.raises(TypeError):
    f(tree())


def test_a_known_tensor_is_looked_for():
  known = tf.constant(2.0)

  @rtf.recursive
  def f(n):
    return [known in [1.0, 2.0]] + below(f, n)

  assert f(tree()) == [True, True]
  assert "internal-error" not in {reason.code for reason in f.stats.fallbacks}
