"""Arguments by whatever name: `self`, and names that the library's own code has."""

import dataclasses
import functools

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import ConversionRefused
from recursive_tf.subgraph._no_copies import NotCopied

ONE, TWO = tf.constant(1.0), tf.constant(2.0)


@pytest.mark.parametrize("verify", [None, False])
def test_an_argument_named_self_is_given_by_name(verify):
  @rtf.function(verify=verify)
  def scaled(self, function=2.0):
    return self * function

  class Model:
    @rtf.function(verify=verify)
    def scaled(this, self):  # noqa: N805
      return self * 3.0

    @rtf.recursive(verify=verify)
    def descend(this, node, self):  # noqa: N805
      return node * self if node < 2 else this.descend(node - 1, self=self)

  @rtf.recursive(verify=verify)
  def descend(node, self):
    return node * self if node < 2 else descend(node - 1, self=self)

  assert scaled(self=TWO).numpy() == 4.0 and scaled(self=TWO, function=1.0).numpy() == 2.0
  assert scaled.python(self=TWO).numpy() == 4.0
  assert Model().scaled(self=TWO).numpy() == 6.0
  assert Model().scaled.python(self=TWO).numpy() == 6.0
  assert descend(3, self=TWO).numpy() == 2.0
  assert descend.map([3, 1], self=TWO).numpy().tolist() == [2.0, 2.0]
  assert Model().descend(3, self=TWO).numpy() == 2.0
  assert Model().descend.map([3], self=TWO).numpy().tolist() == [2.0]
  packed = descend.pack([3, 1], self=TWO)
  assert descend.map(packed).numpy().tolist() == [2.0, 2.0]
  for given in (scaled, Model.scaled, descend):
    assert given.stats.num_fallback_runs == 0


def test_a_program_by_itself_says_that_tensorflow_has_no_such_name():
  @rtf.function
  def scaled(self):
    return self * 2.0

  with pytest.raises(ConversionRefused, match="Rename the argument"):
    scaled.concrete(self=TWO)


def test_subgraphs_take_it():
  @rtf.subgraph
  def count(n, self):
    return tf.cond(n < 2, lambda: self, lambda: count(n - 1, self=self) + 1)

  class Counter:
    @rtf.subgraph
    def count(this, n, self):  # noqa: N805
      return tf.cond(n < 2, lambda: self, lambda: this.count(n - 1, self=self) + 1)

  assert count(3, self=1).numpy() == Counter().count(3, self=1).numpy() == 3
  assert count.map(tf.constant([3, 2]), self=tf.constant([1, 1])).numpy().tolist() == [3, 2]
  prepared = rtf.prepare(lambda self: self + 1, tf.TensorSpec([], tf.int32))
  assert isinstance(prepared, NotCopied)
  with pytest.raises(rtf.SignatureError, match="self by name"):
    prepared(self=1)


@dataclasses.dataclass
class Pair:
  value: tf.Tensor
  ip: float


@pytest.mark.parametrize(
  "make",
  [
    lambda x: dict(value=x)["value"],  # noqa: C408
    lambda x: dict(ip=x, kwargs=1)["ip"],  # noqa: C408
    lambda x: dict(value=[("a", x)])["value"][0][1],  # noqa: C408
    lambda x: dataclasses.replace(Pair(x, 1.0), value=x + 1).value,
    lambda x: dataclasses.replace(Pair(x, 1.0), ip=2.0).ip * x,
    lambda x: functools.partial(lambda function, ip: function + ip, x)(ip=x),
    lambda x: functools.partial(lambda a, function: a + function, x, function=x)(),
    lambda x: sum([x, x], start=x),
  ],
)
def test_names_of_the_librarys_own_are_the_users(make):
  function = rtf.function(make, verify=False)
  for value in (ONE, TWO):
    np.testing.assert_array_equal(function(value), make(value))


@pytest.mark.parametrize(
  "call",
  [
    lambda x: len(value=[x]),
    lambda x: abs(value=x),
    lambda x: list(value=(x, x)),
    lambda x: isinstance(x, classes=float),
    lambda x: int(value=3) * x,
    lambda x: max(values=[x]),
    lambda x: sorted(value=[2, 1])[0] * x,
    lambda x: enumerate(value=[x]),
    lambda x: divmod(a=3, b=2)[0] * x,
  ],
)
def test_a_name_that_python_does_not_know_is_its_type_error(call):
  function = rtf.function(call, verify=False)
  for plain in (call, function):
    with pytest.raises(TypeError):
      plain(ONE)


@pytest.mark.parametrize("decorator", [rtf.function, rtf.recursive])
def test_a_method_of_one_object_is_equal_to_itself(decorator):
  class Model:
    @decorator
    def call(self, x):
      return x

    @decorator
    def other(self, x):
      return x

    def __eq__(self, other):
      return True

    __hash__ = None

  one, two = Model(), Model()
  assert one.call == one.call and hash(one.call) == hash(one.call)
  assert one.call != two.call and one.call != one.other and one.call != Model.call
  assert {one.call: 1}[one.call] == 1
