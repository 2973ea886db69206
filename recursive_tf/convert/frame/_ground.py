"""What a body that is being made needs of the conversion that it is part of."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused
from recursive_tf.convert.frame._budget import Budget
from recursive_tf.convert.frame._inputs import Inputs
from recursive_tf.convert.frame._left_out import Branches
from recursive_tf.convert.frame._made_kinds import MadeKinds
from recursive_tf.convert.heap._columns import Columns
from recursive_tf.convert.heap._guards import Guards
from recursive_tf.convert.heap._origins import Origins
from recursive_tf.convert.heap._profile import Profile
from recursive_tf.convert.values._abstract import Base, Container, Path, Provenance


class Ground(Protocol):
  """A conversion, to its frames.

  Attributes:
    profile: what is known of the user's objects.
    root_types: the types of the objects that the entry function is called with.
    guards: what the program relies on.
    inputs: the tensors of the objects of a run.
    budget: what the conversion may still cost.
    branches: those that are left out.
    made_kinds: what the objects that a run makes may be.
    origins: where objects come from; None if nobody asks.
  """

  profile: Profile
  root_types: frozenset[type]
  guards: Guards
  inputs: Inputs
  budget: Budget
  branches: Branches
  made_kinds: MadeKinds
  origins: Origins | None

  @property
  def loses_logits(self) -> bool:
    """Whether a tensor with logits of Keras' goes on as another one, without them."""

  @property
  def is_step(self) -> bool:
    """Whether the entry function runs in the graph itself, where it may write variables."""

  @property
  def columns(self) -> Columns:
    """The columns of the program."""

  def constant_root(self, value: object) -> Base:
    """Returns an object of the program itself with its handle."""

  def origin_of(self, value: object) -> Provenance | None:
    """Returns where an object of the program itself comes from; None if nobody asks."""

  def note_read(self, path: Path, types: frozenset[type]) -> None:
    """Notes a read of what an object had before the run, whatever the run has written.

    Args:
      path: the read.
      types: of the objects that it begins with.
    """

  def trace_made(self, frame: object, handles: tf.Tensor, values: tf.Tensor) -> None:
    """Lets a run return the tensors in what it makes.

    Args:
      frame: the body.
      handles: the numbers of some objects, int32 [N].
      values: what their tensors of one type hold, of one object after the other, [M].
    """

  def volatile(self, value: object) -> tf.Tensor:
    """Returns an array of the program itself, whose content may change from run to run."""

  @property
  def has_unknown_results(self) -> bool:
    """Whether this attempt has gone on without what a call gives that nobody knows yet."""

  @property
  def num_postponed(self) -> int:
    """How many parts of this attempt are refused so far."""

  def postpone(self, refusal: ConversionRefused) -> None:
    """Lets an attempt go on without a part that is refused."""

  def leave_branch(self, refusal: ConversionRefused) -> None:
    """Lets an attempt go on without a branch that is refused, and the program if it may."""

  def leave_body(self, refusal: ConversionRefused) -> bool:
    """Lets an attempt go on without a body that is refused; tells whether the program may, too."""

  def note_copied(self, variable: object) -> None:
    """Notes that what a variable holds goes on in its place."""

  def note_logits(self) -> None:
    """Notes that a tensor with logits of Keras' goes on as another one, without them."""

  @property
  def tables(self) -> Collection[object]:
    """Where the program makes dicts whose keys only the run knows: expressions; None, anywhere."""

  def note_unordered(self) -> None:
    """Notes that the program makes sets otherwise than by adding one member after the other."""

  def note_table(self, site: object) -> bool:
    """Notes where such a dict is made; tells whether the next attempt will make it so."""

  @property
  def consumers(self) -> Collection[object]:
    """The loops that run in the generators that they go over."""

  def note_consumer(self, loop: object) -> bool:
    """Notes such a loop; tells whether that is new."""

  def note_generator(self, may_be_endless: bool = False, ends_early: bool = False) -> None:
    """Notes of generators whose elements are made at once what must not be true of both."""

  def want_number(self, key: object, slot: tuple[object, ...]) -> None:
    """Notes that a body could do with the number of an argument, or of a part of one.

    Args:
      key: of the body's instance.
      slot: where the container is among the arguments.
    """

  def want_early(self, key: object, name: object) -> None:
    """Notes that a body could do with the number of a variable's container before it branches."""

  def want_numbers_in(self, step: object) -> None:
    """Notes that a body could do with the numbers of what objects hold as an attribute or item."""

  def want_changes(self) -> None:
    """Notes that a body could do with changing by its number what it has under a name."""

  def early_names(self, key: object) -> Collection[object]:
    """Returns the variables of a body whose containers get numbers before branches and loops."""

  def note_doubled(self, container: Container | None) -> None:
    """Notes that a container, or what is in it, may be in two lists of unknown length."""
