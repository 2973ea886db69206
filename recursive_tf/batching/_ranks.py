"""Which results of a body others wait for, and which can wait themselves.

A state is computed from the states of the children; a loss from theirs and from the losses of the
children. So states can go up a tree before any loss is computed, and what a node's own loss takes
of its state, say a softmax layer, can be done for all nodes at once in the end, even where the
program computes it right beside the state. *Rank* 0 is what goes first. Ranks are only told apart
where there is such work that can wait.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recursive_tf.batching._ir import BodyIR, Node, Region, Value, walk

_Result = tuple[str, int]  # Key of a body, position of a result.
_NOTHING: frozenset[_Result] = frozenset()

# Ops that only hand on what they are given.
_LAYOUT = frozenset(
  """Identity Reshape ExpandDims Squeeze Cast StopGradient Const Pack Unpack StridedSlice
  RecursiveTf>Check""".split()
)


class Ranks:
  """The ranks of results and ops.

  Attributes:
    results: the rank of each result, by key of the body.
  """

  def __init__(self, bodies: Sequence[BodyIR]):
    self._bodies = bodies
    self._needs: dict[int, frozenset[_Result]] = {}  # By id of value: results of calls.
    for ir in bodies:
      self._visit(ir.root)
    self.results = self._rank_results()
    self._of_value: dict[int, int] = {}
    self._rank_ops()
    self._merge_ranks_without_work()

  def of(self, node: Node) -> int:
    """Returns the lowest rank of what needs the op."""
    return self._of_node.get(id(node), 0)

  # --- What results are computed from

  def _need(self, values: Iterable[Value]) -> frozenset[_Result]:
    return _NOTHING.union(*(self._needs.get(id(value), _NOTHING) for value in values))

  def _visit(self, region: Region) -> None:
    for node in region.nodes:
      needs = self._need(node.inputs)
      for value in node.variables:
        self._needs[id(value)] = needs
      for inner in node.regions:
        self._visit(inner)
      if node.kind == "loop":
        inside = [value for r in node.regions for n in walk(r) for value in n.outputs]
        needs |= self._need(inside)
      for position, value in enumerate(node.outputs):
        more = _NOTHING
        if node.kind == "call":
          more = frozenset([(node.callee, value.index)])
        elif node.kind == "map":  # Its results come all at once.
          more = frozenset((node.callee, i) for i in range(self._num_results(node.callee)))
        elif node.kind == "switch":
          more = self._need(inner.results[position] for inner in node.regions)
        self._needs[id(value)] = needs | more

  def _num_results(self, key: str) -> int:
    return next(len(ir.root.results) for ir in self._bodies if ir.key == key)

  def _rank_results(self) -> dict[str, list[int]]:
    closure: dict[_Result, frozenset[_Result]] = {
      (ir.key, i): self._need([value]) | {(ir.key, i)}
      for ir in self._bodies
      for i, value in enumerate(ir.root.results)
    }
    while True:
      wider = {r: found.union(*(closure[other] for other in found)) for r, found in closure.items()}
      if wider == closure:
        break
      closure = wider
    ranks: dict[_Result, int] = {}
    for result in sorted(closure, key=lambda r: len(closure[r])):
      before = [other for other in closure[result] if closure[other] < closure[result]]
      ranks[result] = max((ranks[other] + 1 for other in before), default=0)
    return {ir.key: [ranks[ir.key, i] for i in range(len(ir.root.results))] for ir in self._bodies}

  # --- What ops are needed for

  def _rank_ops(self) -> None:
    self._of_node: dict[int, int] = {}
    self._users: dict[int, int] = {}
    for ir in self._bodies:
      for value, rank in zip(ir.root.results, self.results[ir.key], strict=True):
        self._use([value], rank)
      self._rank_region(ir.root)

  def _use(self, values: Iterable[Value], rank: int) -> None:
    for value in values:
      self._of_value[id(value)] = min(rank, self._of_value.get(id(value), rank))

  def _rank_region(self, region: Region) -> None:
    for node in reversed(region.nodes):
      own = (
        self._of_value.get(id(node.outputs[0]), 0)
        if len(node.outputs) == 1
        else min(
          (self._of_value[id(v)] for v in node.outputs if id(v) in self._of_value), default=0
        )
      )
      if node.kind not in ("op", "reshape") or node.has_effect:
        own = 0  # Calls and decisions go first, and what has an effect stays where it is.
      own = min(own, self._users.get(id(node), own))
      self._of_node[id(node)] = own
      self._use(node.inputs, own)
      for control in node.controls:
        self._users[id(control)] = min(own, self._users.get(id(control), own))
      for inner in node.regions:
        for position, value in enumerate(inner.results):
          outer = node.outputs[position] if node.kind == "switch" else None
          self._use([value], 0 if outer is None else self._of_value.get(id(outer), 0))
        self._rank_region(inner)

  # --- Whether it is worth it

  def _merge_ranks_without_work(self) -> None:
    """Gives what can wait, but without any work of its own, the rank of what it waits for."""
    highest = max((rank for ranks in self.results.values() for rank in ranks), default=0)
    kept, merged = 0, [0]
    for rank in range(1, highest + 1):
      kept += any(self._can_wait(node, rank) for ir in self._bodies for node in walk(ir.root))
      merged.append(kept)
    self.results = {key: [merged[r] for r in ranks] for key, ranks in self.results.items()}
    self._of_node = {key: merged[rank] for key, rank in self._of_node.items()}

  def _can_wait(self, node: Node, rank: int) -> bool:
    """Tells whether an op is work of a rank that takes of calls only results of lower ranks."""
    if node.kind != "op" or node.is_invariant or self.of(node) < rank or node.op.type in _LAYOUT:
      return False
    needed = self._need(node.inputs)
    return bool(needed) and all(self.results[key][i] < rank for key, i in needed)
