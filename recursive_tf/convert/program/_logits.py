"""Whether a program loses the logits that Keras leaves with tensors, and would show it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._frame import Frame
from recursive_tf.convert.program._learnt import Learnt
from recursive_tf.convert.values._logits import has_logits, may_have_lost


class Logits:
  """The tensors with logits of Keras' in one conversion.

  Attributes:
    are_lost: whether such a tensor goes on as another one, without them.
  """

  def __init__(self, learnt: Learnt):
    self.are_lost = False
    self._learnt = learnt
    self._is_leaving = False

  def note(self) -> None:
    """Notes that a tensor with logits goes on as another one, without them."""
    if self._learnt.is_trial and not self._is_leaving and not self.are_lost:
      self.are_lost = True
      self._learnt.note_news()

  @contextlib.contextmanager
  def leaving(self) -> Iterator[None]:
    """Lets what leaves the program as it is be brought into its form."""
    self._is_leaving = True
    try:
      yield
    finally:
      self._is_leaving = False

  def check(self, frame: Frame, outputs: Sequence[tf.Tensor], is_step: bool) -> None:
    """Refuses tensors that leave without the logits that they have in Python."""
    if not self.are_lost:
      return
    is_lost = any(may_have_lost(tensor, is_stored=True) for tensor in outputs)
    # A step's results are given their logits again.
    if is_lost or (not is_step and any(map(has_logits, outputs))):
      raise frame.refuse(
        Reason.OPAQUE_READ,
        "A result of Keras' softmax or sigmoid leaves a branch, loop, list or call, and then the"
        " program: a loss of Keras' would look for its logits.",
      )
