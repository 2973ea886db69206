"""Runs Python that stands for what a library does: the functions of `_written.py`."""

from __future__ import annotations

from collections.abc import Callable

from recursive_tf.convert._refusal import ConversionRefused
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.values._abstract import Scope


def run_written(ip: Host, function: Callable[..., object], /, **names: object) -> object:
  """Runs one of `_written` on abstract values; refusals name the user's line, not its.

  It is no call of the program's: two of them, one in the other, are no recursion.
  """
  frame = ip.frame
  origin, source = frame.origin, ip.conversion.source(function)
  try:
    return ip.run(source.node, frame.new(Scope(dict(names), None, source)))
  except ConversionRefused as refusal:
    if refusal.origin is None or refusal.origin.file != source.filename:
      raise
    frame.origin = origin
    raise frame.refuse(refusal.reason, refusal.explanation) from None
  finally:
    frame.origin = origin
