"""What a program of the suite is: its text, its inputs, and what conversion should make of it."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from tests.convert import trees

D = 3  # The width of all vectors.
CONVERTED = "converted"


@dataclasses.dataclass(frozen=True)
class Call:
  """The arguments of one call."""

  args: tuple
  kwargs: dict = dataclasses.field(default_factory=dict)


def call(*args, **kwargs):
  """Returns the arguments of one call."""
  return Call(args, kwargs)


@dataclasses.dataclass(frozen=True)
class Case:
  """One program, built with its weights and its inputs.

  Attributes:
    function: what is called; decorated with `world.recursive`, or plain: then it is wrapped.
    inputs: per call its argument, the tuple of them, or a `Call`.
    raising: further calls that end in an exception.
    variables: what gradients are taken of; the world's weights unless given.
    state: objects that are compared after each call, besides the inputs; a lambda is called.
    map: whether `function.map(inputs)` is `[function(x) for x in inputs]`, stacked; unless given,
      where each call has one argument.
    mutate: `mutate(rng, *args)` changes a call's arguments in place between two calls.
    prepare: `prepare(*args)` runs before each call, under the same tape.
    loss: `loss(result, *args)`, what gradients are taken of; else the result's tensors.
    max_conversions: how often it may be converted for all its inputs.
    may_fall_back: whether single runs may be repeated in plain Python, and counted so.
  """

  function: Callable
  inputs: Sequence
  raising: Sequence = ()
  variables: Sequence[tf.Variable | tf.Tensor] | None = None
  state: Sequence[Any] = ()
  map: bool | None = None
  mutate: Callable = trees.mutate
  prepare: Callable | None = None
  loss: Callable | None = None
  max_conversions: int = 3
  may_fall_back: bool = False

  def calls(self):
    """Returns the inputs as `Call`s."""
    return [_as_call(value) for value in self.inputs]

  def raising_calls(self):
    """Returns the calls that raise."""
    return [_as_call(value) for value in self.raising]

  def is_mapped(self):
    """Returns whether `map` is compared as well."""
    if self.map is not None:
      return self.map
    return all(len(c.args) == 1 and not c.kwargs for c in self.calls())


def _as_call(value):
  if isinstance(value, Call):
    return value
  return Call(value if type(value) is tuple else (value,))


class World:
  """What a program is built from: random numbers, weights, and the decorator under test.

  Attributes:
    rng: a NumPy generator; two worlds of one seed are equal.
    recursive: the decorator: `rtf.recursive`, or the identity in the plain world.
    variables: the weights made so far.
  """

  def __init__(self, seed, recursive):
    self.rng, self.recursive, self.variables = np.random.default_rng(seed), recursive, []

  def weight(self, *shape, dtype=tf.float32):
    """Returns a new variable."""
    variable = tf.Variable(self.rng.normal(scale=0.6, size=shape), dtype=dtype)
    self.variables.append(variable)
    return variable

  def embedding(self, width=D, **options):
    """Returns a new table of word vectors."""
    return self.weight(trees.VOCABULARY, width, **options)

  def tensor(self, *shape, dtype=tf.float32):
    """Returns a random tensor."""
    return tf.constant(self.rng.normal(size=shape), dtype)

  def dense(self, num_inputs, num_outputs=D, **options):
    """Returns a Keras layer, built."""
    layer = tf.keras.layers.Dense(num_outputs, **options)
    layer.build((None, num_inputs))
    layer.set_weights([self.rng.normal(scale=0.6, size=v.shape) for v in layer.weights])
    self.variables.extend(v.value for v in layer.trainable_weights)
    return layer


@dataclasses.dataclass(frozen=True)
class Program:
  """An entry of the suite.

  Attributes:
    name: the factory's name.
    factory: builds the case in a world.
    tags: what it shows.
    expect: `CONVERTED`, or the reason it falls back for.
    gradients: whether its result has gradients with respect to the weights.
  """

  name: str
  factory: Callable[[World], Case]
  tags: tuple[str, ...]
  expect: str | Reason
  gradients: bool

  @property
  def is_converted(self):
    """Whether it should be converted."""
    return self.expect == CONVERTED


def program(*tags, expect=CONVERTED, gradients=True):
  """Makes a `Program` of a factory `def name(w: World) -> Case`, whose docstring explains it."""

  def entry(factory):
    return Program(factory.__name__, factory, tags, expect, gradients)

  return entry
