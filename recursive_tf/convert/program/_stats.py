"""Counters of one decorated function."""

from __future__ import annotations

import dataclasses

from recursive_tf.convert._refusal import Reason


@dataclasses.dataclass
class Stats:
  """Counters of one decorated function.

  Attributes:
    num_converted_runs: calls that ran as a graph.
    num_verified_runs: those of them that were compared with plain Python.
    num_fallback_runs: calls that ran as plain Python.
    num_conversions: conversions, successful or not.
    num_graphs: graphs made.
    walk_seconds: time that reading objects took.
    walked_objects: objects read.
    total_seconds: time in calls.
    verify_seconds: time of these that comparing took, plain Python included.
    fallbacks: plain runs by reason.
  """

  num_converted_runs: int = 0
  num_verified_runs: int = 0
  num_fallback_runs: int = 0
  num_conversions: int = 0
  num_graphs: int = 0
  walk_seconds: float = 0.0
  walked_objects: int = 0
  total_seconds: float = 0.0
  verify_seconds: float = 0.0
  fallbacks: dict[Reason, int] = dataclasses.field(default_factory=dict)
