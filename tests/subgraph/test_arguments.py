"""`@rtf.subgraph` takes arguments as the Python function does, and is a method where it is one."""

import copy
import functools
import gc
import weakref

import pytest
import tensorflow as tf

import recursive_tf as rtf


def test_keywords_of_the_outermost_call_count(mode):
  @rtf.subgraph
  def k(n, *, scale=2.0):
    return 1.0 if n <= 0 else scale * k(n - 1, scale=scale)

  assert mode(lambda: k(3, scale=5.0))().numpy() == 125.0
  assert mode(lambda: k(3))().numpy() == 8.0
  scales = tf.constant([5.0, 3.0])
  assert mode(lambda: k.map(tf.range(1, 3), scale=scales))().numpy().tolist() == [5.0, 9.0]


def test_a_recursive_call_may_leave_keywords_out(mode):
  @rtf.subgraph
  def k(n, *, scale=2.0):
    return 1.0 if n <= 0 else scale * k(n - 1)

  assert mode(lambda: k(3, scale=5.0))().numpy() == 20.0


def test_defaults_of_positional_arguments_are_passed_by_either_way(mode):
  @rtf.subgraph
  def k(n, scale=2.0, shift=0.0):
    return shift if n <= 0 else scale * k(n - 1, scale, shift=shift)

  assert mode(lambda: k(2, shift=1.0))().numpy() == 4.0
  assert mode(lambda: k(shift=1.0, n=2, scale=3.0))().numpy() == 9.0
  assert mode(lambda: k(2, 3.0, 1.0))().numpy() == 9.0


def test_open_keywords(mode):
  @rtf.subgraph
  def k(n, **weights):
    if n <= 0:
      return weights["a"]
    return weights["b"] * k(n - 1, **weights)

  assert mode(lambda: k(2, b=3.0, a=2.0))().numpy() == 18.0
  assert mode(lambda: k(2, a=3.0, b=2.0))().numpy() == 12.0


def test_open_positional_arguments(mode):
  @rtf.subgraph
  def k(n, *weights, base=1.0):
    return base if n <= 0 else sum(weights) * k(n - 1, *weights, base=base)

  assert mode(lambda: k(2, 1.0, 2.0))().numpy() == 9.0
  assert mode(lambda: k(2, 1.0, base=5.0))().numpy() == 5.0
  assert mode(lambda: k(2, 1.0, 1.0, 1.0, base=2.0))().numpy() == 18.0


def test_functions_with_keywords_call_each_other(mode):
  @rtf.subgraph
  def even(n, *, step):
    return 0.0 if n <= 0 else step + odd(n - 1, twice=step)

  @rtf.subgraph
  def odd(n, *, twice):
    return 0.0 if n <= 0 else 2.0 * twice + even(n - 1, step=twice)

  assert mode(lambda: even(3, step=5.0))().numpy() == 20.0


def test_keywords_have_gradients(mode):
  @rtf.subgraph
  def k(n, *, scale):
    return 1.0 if n <= 0 else scale * k(n - 1, scale=scale)

  def gradient(scale):
    with tf.GradientTape() as tape:
      tape.watch(scale)
      y = k(3, scale=scale)
    return tape.gradient(y, scale)

  assert mode(gradient)(tf.constant(5.0)).numpy() == 75.0


def test_defaults_are_the_same_in_each_row(mode):
  @rtf.subgraph
  def k(n, scale=2.0, *, shift=(1.0, 2.0)):
    return shift[0] + shift[1] if n <= 0 else scale * k(n - 1, scale, shift=shift)

  assert mode(lambda: k.map(tf.range(3)))().numpy().tolist() == [3.0, 6.0, 12.0]
  assert mode(lambda: k.map(tf.zeros([0], tf.int32)))().shape == [0]


def test_none_is_refused_by_name():
  @rtf.subgraph
  def k(n, mask=None):
    return n if mask is None else n * mask

  with pytest.raises(rtf.SignatureError, match="argument 'mask' is None"):
    k(3)


def test_an_input_signature_has_keywords_last(mode):
  @rtf.subgraph(inputs=[tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32)])
  def k(n, *, scale):
    return 1.0 if n <= 0 else scale * k(n - 1, scale=scale)

  assert mode(lambda: k(2, scale=3.0))().numpy() == 9.0


class Model:
  """Methods of all kinds."""

  factor = 7.0

  def __init__(self, scale):
    self.scale = scale

  @rtf.subgraph
  def power(self, n, *, base=1.0):
    if n <= 0:
      return base
    return self.scale * self.power(n - 1, base=base)

  @staticmethod
  @rtf.subgraph
  def static(n):
    return 1.0 if n <= 0 else 2.0 * Model.static(n - 1)

  @rtf.subgraph
  @staticmethod
  def static_inside(n):
    return 1.0 if n <= 0 else 2.0 * Model.static_inside(n - 1)

  @classmethod
  @rtf.subgraph
  def of_class(cls, n):
    return 1.0 if n <= 0 else cls.factor * cls.of_class(n - 1)

  @rtf.subgraph
  @classmethod
  def of_class_inside(cls, n):
    return 1.0 if n <= 0 else cls.factor * cls.of_class_inside(n - 1)

  __hash__ = None

  def __eq__(self, other):
    return True


class Heir(Model):
  """A class with a factor of its own."""

  factor = 3.0

  @rtf.subgraph(outputs=tf.TensorSpec([]))
  def power(self, n, *, base=1.0):
    return 10.0 * super().power(n, base=base)


def test_a_method_is_each_objects_own(mode):
  two, three = Model(2.0), Model(3.0)
  run = mode(lambda: (two.power(3), three.power(3), two.power(2, base=5.0)))
  assert [value.numpy() for value in run()] == [8.0, 27.0, 20.0]
  assert mode(lambda: two.power.map(tf.range(1, 3)))().numpy().tolist() == [2.0, 4.0]
  assert mode(lambda: Model.power(three, 2))().numpy() == 9.0


@pytest.mark.parametrize("name", ["static", "static_inside"])
def test_static_methods(mode, name):
  assert mode(lambda: getattr(Model, name)(3))().numpy() == 8.0
  assert mode(lambda: getattr(Model(1.0), name)(3))().numpy() == 8.0


@pytest.mark.parametrize("name", ["of_class", "of_class_inside"])
def test_class_methods(mode, name):
  assert mode(lambda: getattr(Model, name)(2))().numpy() == 49.0
  assert mode(lambda: getattr(Heir(1.0), name)(2))().numpy() == 9.0


def test_a_method_calls_that_of_the_class_above(mode):
  assert mode(lambda: Heir(2.0).power(1))().numpy() == 200.0


def test_methods_of_modules_have_gradients_of_their_weights(mode):
  class Cell(tf.Module):
    def __init__(self):
      super().__init__()
      self.w = tf.Variable(3.0)

    @rtf.subgraph
    def power(self, n):
      return 1.0 if n <= 0 else self.w * self.power(n - 1)

  cell = Cell()

  def gradient():
    with tf.GradientTape() as tape:
      y = cell.power(2)
    return tape.gradient(y, cell.w)

  assert mode(gradient)().numpy() == 6.0
  assert copy.deepcopy(Model(4.0)).power(1).numpy() == 4.0


def test_objects_with_methods_do_not_live_on():
  model = Model(2.0)
  model.power(1)
  reference = weakref.ref(model)
  del model
  gc.collect()
  assert reference() is None


def test_objects_without_weak_references_have_methods(mode):
  class Slim:
    __slots__ = ("scale",)

    @rtf.subgraph
    def power(self, n):
      return 1.0 if n <= 0 else self.scale * self.power(n - 1)

  slim = Slim()
  slim.scale = 3.0
  assert mode(lambda: slim.power(2))().numpy() == 9.0


def test_partials_and_callable_objects(mode):
  def power(scale, n, *, base):
    return tf.cond(n <= 0, lambda: base, lambda: scale * base)

  class Callable:
    def __call__(self, n):
      return n + 1

  partial = rtf.subgraph(functools.partial(power, 3.0, base=2.0))
  assert mode(lambda: partial(1))().numpy() == 6.0
  assert mode(lambda: partial(1, base=5.0))().numpy() == 15.0
  assert mode(lambda: rtf.subgraph(Callable())(1))().numpy() == 2
