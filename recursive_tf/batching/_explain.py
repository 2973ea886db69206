"""What `SubGraph.explain` returns: what runs for many frames at once, and why the rest does not."""

from __future__ import annotations

import dataclasses

from recursive_tf.batching._plan import Plan, SerialOp


@dataclasses.dataclass(frozen=True)
class BlockSummary:
  """One block.

  Attributes:
    name: its body and the branch it is in.
    is_serial: whether it runs frame by frame.
    ops: the types of its ops.
  """

  name: str
  is_serial: bool
  ops: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Explanation:
  """How calls of a SubGraph are run; `str` of it is for people.

  Attributes:
    scheduler: "batched" or "concurrent": what runs them.
    reason: why, if it is "concurrent"; else empty.
    blocks: what runs at once for many frames, or frame by frame.
    serial_ops: the ops that run frame by frame, with place and reason.
  """

  scheduler: str
  reason: str = ""
  blocks: tuple[BlockSummary, ...] = ()
  serial_ops: tuple[SerialOp, ...] = ()

  @classmethod
  def of_unbatchable(cls, scheduler: str, reason: str) -> Explanation:
    """Describes bodies that cannot be cut."""
    asked = "scheduler='concurrent' was asked for"
    return cls("concurrent", asked if scheduler == "concurrent" else reason)

  @classmethod
  def of_plan(cls, scheduler: str, plan: Plan, is_worthwhile: bool) -> Explanation:
    """Describes bodies that can be cut."""
    blocks = tuple(
      BlockSummary(name, block.is_serial, tuple(node.op.type for node in block.nodes if node.op))
      for name, block in zip(plan.block_names, plan.functions, strict=True)
    )
    serial = tuple(plan.serial_ops)
    if scheduler == "concurrent":
      return cls("concurrent", "scheduler='concurrent' was asked for", blocks, serial)
    if scheduler == "auto" and not is_worthwhile:
      return cls("concurrent", "no op can serve many frames at once", blocks, serial)
    return cls("batched", "", blocks, serial)

  def __str__(self) -> str:
    """Describes it in a few lines."""
    lines = [f"scheduler: {self.scheduler}" + (f" ({self.reason})" if self.reason else "")]
    for block in self.blocks:
      how = "frame by frame" if block.is_serial else "many frames at once"
      lines.append(f"  {block.name}: {how}: {', '.join(block.ops) or 'shared values'}")
    for op in self.serial_ops:
      lines.append(f"  {op.type} at {op.location} runs frame by frame: {op.reason}")
    return "\n".join(lines)
