"""Why a program is not converted: reasons as data, and the one exception that carries them."""

from __future__ import annotations

import dataclasses
import enum
import re
from typing import Any

from recursive_tf._errors import RecursiveTFError

# How TensorFlow ends a message about types; in C++ it lists them in another order each time.
_TYPES = re.compile(r"(?<=not in list of allowed values: )\w+(, \w+)*")


def _in_order(types: re.Match[str]) -> str:
  return ", ".join(sorted(types[0].split(", ")))


class Reason(enum.Enum):
  """Reason codes, as `explain()` prints them and docs/recursive.md lists them; with what to do."""

  SOURCE_MISSING = ("source-missing", "Define the function in a file, not by exec or in C.")
  SYNTAX = ("syntax", "Write it with the statements that docs/recursive.md lists.")
  NO_BASE_CASE = (
    "no-base-case",
    "Give the recursion a branch that does not call itself: if not node.children: return ...",
  )
  OPAQUE_CALL = ("opaque-call", "Call TensorFlow, or a function whose Python source is there.")
  OPAQUE_READ = ("opaque-read", "Read a plain attribute, item or zero-argument method.")
  NEEDS_VALUE = ("needs-value", "Compute with TensorFlow ops: the value is known only in the run.")
  TENSORFLOW_ERROR = ("tensorflow-error", "TensorFlow refuses this op on values known in the run.")
  KINDS_DIFFER = ("kinds-differ", "Let both branches give the same kind of value.")
  MIXED_ATTRIBUTE = ("mixed-attribute", "Let the attribute have one type in all objects.")
  UNSUPPORTED_OPERATION = ("unsupported-operation", "See docs/recursive.md for what is converted.")
  DYNAMIC_LIST = ("dynamic-list", "Stack the list (tf.stack), or fold over it with a for loop.")
  EFFECT_ORDER = ("effect-order", "Return the value instead of writing it.")
  SHARED_CONTAINER = (
    "shared-container",
    "Copy the container (list(x), dict(x)) before one of the two is changed, or return a new one.",
  )
  MADE_OBJECT = (
    "made-object",
    "Return it, or put it into what is returned; make a second pass over the result to read it.",
  )
  UNSUPPORTED_WRITE = ("unsupported-write", "Return the value instead of writing it.")
  STATEFUL_OP = ("stateful-op", "See docs/function.md for what may have effects, and where.")
  TOO_MANY_VARIANTS = ("too-many-variants", "Pass fewer different functions or constants down.")
  TOO_LARGE = ("too-large", "Loop over objects and tensors, whose number only the run knows.")
  NOT_SETTLED = ("not-settled", "Let types and shapes settle, or wrap the calls by hand.")
  INSIDE_FUNCTION = ("inside-function", "Call it eagerly, or pass it `encode.pack(trees)`.")
  CHECK_FAILED = ("check-failed", "An assumption about values did not hold in this run.")
  GRAPH_ERROR = ("graph-error", "The run failed and plain Python did not: please report it.")
  VERIFICATION_FAILED = (
    "verification-failed",
    "Plain Python's outcome stands, and the program is not run as a graph again: please report it.",
  )
  INTERNAL_ERROR = ("internal-error", "Plain Python did it: please report it, with this text.")

  def __init__(self, code: str, hint: str):
    self.code = code
    self.hint = hint


LASTING = (Reason.TOO_LARGE, Reason.TOO_MANY_VARIANTS)  # What stays so at the next call.


@dataclasses.dataclass(frozen=True)
class Origin:
  """A place in the user's program.

  Attributes:
    file: the path of the source file.
    line: the line number, from 1.
    text: that line, stripped.
    function: the name of the function it is in.
  """

  file: str
  line: int
  text: str = ""
  function: str = ""

  def __str__(self) -> str:
    """Returns file:line."""
    return f"{self.file}:{self.line}"


class ConversionRefused(RecursiveTFError, NotImplementedError):  # noqa: N818 - STYLE's name for it
  """A program cannot be converted; with `strict=True` the user sees it, else it is counted."""

  reason: Reason
  explanation: str
  origin: Origin | None
  is_of_machine: bool
  without: Any = None  # The `Site` and the branch without which it would not be refused.
  unbuilt: object = None  # The layer of Keras that has no weights yet.
  mixed: tuple[frozenset[type], object] | None = None  # Of a read: its types, and its path.
  with_numbers: Reason | None = None  # Why it is refused, too, if callers hand numbers down.

  @classmethod
  def of(
    cls,
    reason: Reason,
    explanation: str,
    origin: Origin | None = None,
    is_of_machine: bool = False,
  ) -> ConversionRefused:
    """Makes the refusal; not a constructor, for `RecursiveTFError`'s reason.

    Args:
      reason: its code.
      explanation: what it is about.
      origin: where.
      is_of_machine: whether a faster or idler machine might not have refused.
    """
    explanation = _TYPES.sub(_in_order, explanation)
    where = f"{origin}: in {origin.function or 'module'}: {origin.text}\n" if origin else ""
    error = cls(f"{where}[{reason.code}] {explanation}\n{reason.hint}")
    error.reason, error.explanation, error.origin = reason, explanation, origin
    error.is_of_machine = is_of_machine
    return error

  def again(self) -> ConversionRefused:
    """Returns the same refusal without its traceback, whose frames hold a whole conversion."""
    same = ConversionRefused.of(self.reason, self.explanation, self.origin, self.is_of_machine)
    same.unbuilt, same.with_numbers = self.unbuilt, self.with_numbers
    return same
