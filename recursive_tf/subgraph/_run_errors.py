"""Errors of a run, what went wrong first: TensorFlow puts Python's stack before it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tensorflow as tf

from recursive_tf.subgraph._signature import is_the_users

_HEADER = "Graph execution error:"
_PREFIX = re.compile(r"\s*(\{\{function_node [^}]*\}\}\s*)*")
_NODE = re.compile(r"Detected at node .* defined at \(most recent call last\):$")
_FRAME = re.compile(r'  File "(.*)", line \d+, in ')
_NO_FRAMES = "<stack traces unavailable>"


def told_first(error: tf.errors.OpError) -> tf.errors.OpError:
  """Returns an error of the same type whose message begins with what went wrong.

  Below it come the lines of the user's that made the op, without those of this library.
  """
  lines = _PREFIX.sub("", error.message, count=1).split("\n")
  stack: list[str] = []
  if lines[0] == _HEADER:
    end = next((i for i, line in enumerate(lines) if not _is_of_stack(line)), None)
    if end is None:
      return error
    stack, lines = list(_users_lines(lines[1:end])), lines[end:]
    lines[0] = _PREFIX.sub("", lines[0], count=1)
  message = "\n".join([*lines, "", *stack] if stack else lines)
  try:
    return type(error)(error.node_def, error.op, message)
  except TypeError:  # A type of error that takes something else.
    return error


def _is_of_stack(line: str) -> bool:
  is_source = line.startswith("    ")
  return not line or line in (_HEADER, _NO_FRAMES) or is_source or _is_place(line)


def _is_place(line: str) -> bool:
  return bool(_NODE.match(line) or _FRAME.match(line))


def _users_lines(stack: list[str]) -> Iterator[str]:
  """Yields the nodes, and of the frames with their sources those in code of the user's."""
  is_kept = False
  for line in stack:
    frame = _FRAME.match(line)
    if frame:
      is_kept = is_the_users(frame.group(1))
    elif _NODE.match(line):
      is_kept = True
    if line and line != _NO_FRAMES and is_kept:
      yield line
