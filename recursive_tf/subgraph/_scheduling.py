"""Which scheduler runs a call: the concurrent one of this package, or one that has registered."""

from __future__ import annotations

from typing import Any, Protocol

import tensorflow as tf

from recursive_tf._config import BATCHED_POLICIES, READY_POLICIES, SCHEDULERS, config
from recursive_tf._errors import DefinitionError
from recursive_tf.subgraph._body import Body
from recursive_tf.subgraph._signature import Signature


class BatchedScheduler(Protocol):
  """What recursive_tf.batching registers here, which it is above of."""

  def launch(
    self,
    bodies: list[Body],
    args: list[tf.Tensor],
    results: Signature,
    mapped: bool,
    max_depth: int,
    policy: str,
    is_required: bool,
  ) -> list[tf.Tensor] | None:
    """Emits a call, or returns None where the concurrent scheduler is to run it."""

  def explain(self, bodies: list[Body], scheduler: str) -> Any:
    """Tells how a run of the bodies under `scheduler` is done."""


batched: list[BatchedScheduler] = []  # None or one.


def check_options(name: str, scheduler: str | None, policy: str | None) -> tuple[str, str, str]:
  """Returns (scheduler, policy of the concurrent one, policy of the batched one).

  Args:
    name: the SubGraph, for messages.
    scheduler: one of SCHEDULERS, None for the configured one.
    policy: a policy of either scheduler, None for the configured ones.

  Raises:
    DefinitionError: If one is not known, or the policy is not one of the scheduler's.
  """
  scheduler = config().scheduler if scheduler is None else scheduler
  if scheduler not in SCHEDULERS:
    raise DefinitionError(
      f"SubGraph '{name}': scheduler='{scheduler}', expected one of {', '.join(SCHEDULERS)}."
    )
  allowed = {
    "concurrent": READY_POLICIES,
    "batched": BATCHED_POLICIES,
    "auto": READY_POLICIES + BATCHED_POLICIES,
  }[scheduler]
  if policy is not None and policy not in allowed:
    raise DefinitionError(
      f"SubGraph '{name}': policy='{policy}', expected one of {', '.join(allowed)} for"
      f" scheduler='{scheduler}'."
    )
  ready = policy if policy in READY_POLICIES else config().ready_policy
  blocks = policy if policy in BATCHED_POLICIES else config().batched_policy
  assert ready is not None and blocks is not None
  return scheduler, ready, blocks


def register_batched_scheduler(scheduler: BatchedScheduler) -> None:
  """Makes `scheduler` the one behind scheduler="batched" and "auto"."""
  batched[:] = [scheduler]
