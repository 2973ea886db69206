"""What `match` must not do: change something where Python asks once, and it is asked again here.

`syntax/matches.py` says what is asked again (`Annotation.AGAIN`).
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._frame import Frame
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.syntax.annotations import Annotation, annotation
from recursive_tf.convert.values._abstract import MaybeUnbound, Scope, Undefined, has_changed


def is_bound(ip: Host, target: ast.expr, guard: str, scope: Scope) -> bool:
  """Tells whether a test which is true has bound a name, to what has a form where it is not."""
  assert isinstance(target, ast.Name)  # As in a pattern.
  value = scope.names.get(target.id, Undefined(target.id))
  if isinstance(value, MaybeUnbound):
    scope.names[target.id] = value.value
  if not isinstance(value, Undefined):
    return True
  if (id(scope), guard) in ip.changing_guards or target.id in scope.outer_names:
    raise ip.frame.refuse(
      Reason.EFFECT_ORDER, f"The guard of a pattern that binds {target.id!r} changes something."
    )
  return False


@contextlib.contextmanager
def changing_nothing(frame: Frame, node: ast.expr) -> Iterator[None]:
  """Refuses what changes something, if Python does it in another order, or once."""
  if annotation(node, Annotation.AGAIN) is None:
    yield
    return
  before = frame.snapshot()
  yield
  if has_changed(before, frame.snapshot()):
    raise frame.refuse(Reason.EFFECT_ORDER, "What a pattern asks of an object changes something.")
