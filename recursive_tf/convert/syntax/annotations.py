"""What passes write on nodes for those that come later: one key for each, and its value's type."""

from __future__ import annotations

import ast
import dataclasses
import enum
from typing import Any, Literal


class Annotation(enum.Enum):
  """The keys; the value of a member is the attribute of the node that holds the annotation."""

  LOCALS = "_rtf_locals"
  """On `FunctionDef`: frozenset of its local names, the user's and those that passes made. It is
  what counts: the only binding of a local may be in code that is never run, and dropped. Made by
  bindings; `scopes.local_names` knows it."""

  GENERATOR = "_rtf_generator"
  """On `FunctionDef`: (str, str), the parameter that takes the consumer of its elements, and the
  local that holds the list of them if there is none. By generators."""

  MANAGER = "_rtf_manager"
  """On `FunctionDef` with GENERATOR: str, what keeps it from being one of a context manager
  (`contextlib.contextmanager`), "" if nothing does: it yields once, whatever happens. Made by
  generators."""

  ENTERED = "_rtf_entered"
  """On `FunctionDef` with GENERATOR: True if it yields inside of `try` or `with`, which only
  context managers may. By generators."""

  DELEGATED = "_rtf_delegated"
  """On `Call` of a consumer: True if the argument is an iterable, all elements of which it is given
  one by one. By generators."""

  UNTIL = "_rtf_until"
  """On `For`, `While`: str, a local that is False before the loop. The loop ends after the pass
  that sets it: no further test, no further element. Made by loop_exits."""

  RETURN_SLOT = "_rtf_return_slot"
  """On the `Assign` of None to the local that will hold a returned value: str, the local bool that
  says whether it does. While that is False the slot is never read. By loop_exits, single_exit."""

  LIVE_AFTER = "_rtf_live_after"
  """On `If`, `For`, `While`, `With`: frozenset of the local names that may be read after it. By
  liveness."""

  ASSIGNED = "_rtf_assigned"
  """On `If`, `For`, `While`, `With`: frozenset of the local names that it may bind: its own
  statements, its loop variables, and whatever functions inside the function declare `nonlocal`. By
  liveness."""

  CARRIED = "_rtf_carried"
  """On `For`, `While`: frozenset of the names in ASSIGNED that may be read in a later pass through
  the loop, by its test, or after it; on `With`, in its block or after it. Liveness."""

  AGAIN = "_rtf_again"
  """By matches. On `Attribute`, `Compare` and `Call`: str, it must change nothing, since Python
  does it in another order, or once where it is done twice. On a `BoolOp` of what binds names and a
  guard that reads them: the guard's name. On `Assign`: that name; the target has that value
  already, or none that is known, and then the guard must change nothing."""

  MAP_LOOP = "_rtf_map_loop"
  """On `For`: `MapLoop`, what the loop is if its passes do not depend on each other. append_loops.
  """


@dataclasses.dataclass(frozen=True)
class LoopOutput:
  """What one pass through a map loop hands out.

  Attributes:
    name: the local that takes it: a list, or a running sum.
    kind: "append" for `name.append(value)`, "+" for `name += value` or `name = name + value`.
    value: the expression, a part of the loop's body.
    node: the statement in the loop's body.
  """

  name: str
  kind: Literal["append", "+"]
  value: ast.expr
  node: ast.stmt


@dataclasses.dataclass(frozen=True)
class MapLoop:
  """A `for` whose passes may be computed in any order; the loop itself is still in place.

  Attributes:
    assignments: the first statements of the body. They bind names that no other pass and nothing
      after the loop reads, and do not mention the outputs' names.
    outputs: the rest of the body in order, each name once. A list is a new empty one that nothing
      else has seen. A running sum has any value before; `node` says whether it is `+=`, which
      changes a list or an array in place.
  """

  assignments: tuple[ast.stmt, ...]
  outputs: tuple[LoopOutput, ...]


def annotate(node: ast.AST, key: Annotation, value: object) -> None:
  """Writes an annotation, over an older one."""
  setattr(node, key.value, value)


def annotation(node: ast.AST, key: Annotation, default: object = None) -> Any:
  """Returns an annotation, `default` where there is none."""
  return getattr(node, key.value, default)
