"""Decides which runs are batched, and registers the batched scheduler."""

from __future__ import annotations

import tensorflow as tf

from recursive_tf._errors import DefinitionError
from recursive_tf.batching._explain import Explanation
from recursive_tf.batching._ir import UnbatchableError
from recursive_tf.batching._launch import emit_launch
from recursive_tf.batching._plan import Plan, plan_for
from recursive_tf.subgraph._body import Body, name_of
from recursive_tf.subgraph._signature import Signature


class Scheduler:
  """The batched scheduler, as SubGraph uses it."""

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
    """Emits a call, or returns None where the concurrent scheduler is to run it.

    Raises:
      DefinitionError: If the batched scheduler is required and cannot run it.
    """
    try:
      plan = plan_for(bodies)
    except UnbatchableError as error:
      if not is_required:
        return None
      name = name_of(bodies[0].key)
      raise DefinitionError(
        f"SubGraph '{name}': scheduler='batched' cannot run it, because of {error}."
        " Use scheduler='auto' or 'concurrent'."
      ) from error
    if not is_required and not is_worthwhile(plan):
      return None
    return emit_launch(plan, args, results, mapped, max_depth, policy)

  def explain(self, bodies: list[Body], scheduler: str) -> Explanation:
    """Tells how a run of the bodies under `scheduler` is done."""
    try:
      plan = plan_for(bodies)
    except UnbatchableError as error:
      return Explanation.of_unbatchable(scheduler, str(error))
    return Explanation.of_plan(scheduler, plan, is_worthwhile(plan))


def is_worthwhile(plan: Plan) -> bool:
  """Tells whether "auto" runs a plan batched: some block serves many frames at once."""
  return plan.num_vectorised() > 0
