"""What is known of the calls of a function with one kind of arguments, and when it is given up."""

from __future__ import annotations

import dataclasses
from collections import Counter

from recursive_tf.convert._refusal import LASTING, ConversionRefused, Reason
from recursive_tf.convert.frame._budget import Limits
from recursive_tf.convert.heap._origins import Place
from recursive_tf.convert.program._arguments import CONTAINER, Argument
from recursive_tf.convert.program._findings import Findings
from recursive_tf.convert.program._program import Program
from recursive_tf.convert.values import _encode, _forms

MAX_REFUSALS = 3  # Then it is not tried again: layers that make weights at first have made them.
PATIENCE = 3  # Times the seconds, for what was refused because it took too long.
# Where values of several forms meet.
OF_FORMS = (
  Reason.KINDS_DIFFER,
  Reason.DYNAMIC_LIST,
  Reason.UNSUPPORTED_OPERATION,
  Reason.SHARED_CONTAINER,
  Reason.UNSUPPORTED_WRITE,
)
MAX_SECONDS_REFUSED = 4.0  # Of processor time that such refusals take: then they are final, too.
_MAX_STRIKES = 16  # Runs that fail in all, before they are given up if no more of them count.
# Runs that fail one after the other although plain Python does not, before it is given up.
_MAX_FAILURES = {
  Reason.GRAPH_ERROR: 2,
  Reason.INTERNAL_ERROR: 2,
  Reason.DYNAMIC_LIST: 2,
  Reason.CHECK_FAILED: 8,
}


@dataclasses.dataclass
class Entry:
  """What is known for one kind of arguments."""

  programs: list[Program] = dataclasses.field(default_factory=list)
  num_conversions: int = 0
  num_refusals: int = 0
  num_failures: int = 0  # One after the other.
  num_strikes: int = 0  # In all.
  num_runs: int = 0  # That counted.
  seconds_refused: float = 0.0  # That refusals have taken.
  refusal: ConversionRefused | None = None
  is_failed: bool = False  # Whether runs failed that plain Python did, or came to other results.
  retry_seconds: float | None = None  # Time in calls after which it is tried once more.
  has_retried: bool = False
  root_types: dict[str, frozenset[type]] = dataclasses.field(default_factory=dict)
  changed: dict[tuple[int, object], object] = dataclasses.field(default_factory=dict)
  containers: dict[str, _forms.BaseForm] = dataclasses.field(default_factory=dict)
  hopeless: Counter[object] = dataclasses.field(default_factory=Counter)  # Refusals, by branches.
  is_gone: bool = False  # Not kept any more.
  is_wide: bool = False  # Lists had elements of several shapes: values of any forms may meet.
  has_widened: bool = False  # Whether that has been tried.
  num_traced: int = 0  # Conversions for what tapes see of the objects that runs make.
  traced_refusal: ConversionRefused | None = None  # Why there is none of them.
  has_origins: bool = False  # Kinds of objects are told apart by where these come from.
  learnt: dict[Place, frozenset[type]] = dataclasses.field(default_factory=dict)  # So.
  findings: Findings = dataclasses.field(default_factory=Findings)  # Of runs.
  calls: dict[object, object] = dataclasses.field(default_factory=dict)  # What `KnownCalls` finds.

  @property
  def may_insist(self) -> bool:
    """Whether other objects than those that were refused may have a program."""
    return not self.is_failed and self.refusal is not None and self.refusal.reason not in LASTING

  @property
  def is_given_up(self) -> bool:
    """Whether calls are not converted any more."""
    return self.num_refusals >= MAX_REFUSALS and self.refusal is not None

  @property
  def may_leave_branches(self) -> bool:
    """Whether a program may do without refused branches: not at once, more may be known soon."""
    return self.num_refusals > 0

  def refused(self, refusal: ConversionRefused, now: float, limits: Limits) -> ConversionRefused:
    """Notes that it was not converted, by the time that calls have taken; returns what to tell.

    What the machine was too slow for is tried once more, when that cannot double the time.
    """
    is_slow = refusal.reason in OF_FORMS and self.seconds_refused >= MAX_SECONDS_REFUSED
    self.num_refusals += MAX_REFUSALS if refusal.reason in LASTING or is_slow else 1
    if refusal.is_of_machine and not self.has_retried:
      seconds = PATIENCE * limits.seconds
      self.retry_seconds = now + seconds
      text = f"{refusal.explanation} It is tried once more, when calls have taken {seconds:g} s."
      refusal = ConversionRefused.of(refusal.reason, text, refusal.origin, True)
    self.refusal = refusal.again()
    return refusal

  def retries(self, now: float) -> bool:
    """Tells whether it is to be tried once more, since calls took as long as that may take."""
    if self.retry_seconds is None or now < self.retry_seconds:
      return False
    self.num_refusals, self.retry_seconds, self.has_retried = MAX_REFUSALS - 1, None, True
    return True

  def give_up(self, refusal: ConversionRefused) -> None:
    """Runs all calls as plain Python from now on, for this reason."""
    self.num_refusals, self.refusal, self.is_failed = MAX_REFUSALS, refusal, True
    self.programs.clear()

  def note_failure(self, refusal: ConversionRefused, is_left_out: bool = False) -> None:
    """Notes that a run failed and Python did not: what fails too often is given up for good.

    That is several times one after the other, or in all, if it has failed more often than not.

    Args:
      refusal: why, and what calls are told from then on.
      is_left_out: whether the run took a branch that is left out.
    """
    self.num_failures += 1
    self.num_strikes += 1
    reason = Reason.CHECK_FAILED if is_left_out else refusal.reason
    most = _MAX_FAILURES.get(reason, _MAX_FAILURES[Reason.CHECK_FAILED])
    if reason == Reason.DYNAMIC_LIST and not self.num_runs:
      most = 1  # What lists of several shapes fail, they fail each time.
    is_often = self.num_strikes >= _MAX_STRIKES and self.num_strikes > self.num_runs
    if self.num_failures >= most or is_often:
      self.give_up(refusal)

  def note_run(self) -> None:
    """Notes that a run counted."""
    self.num_failures = 0
    self.num_runs += 1

  def container(self, name: str, values: list[object]) -> Argument:
    """Returns a list argument with the form that covers all lists seen."""
    try:
      form: _forms.BaseForm = _encode.joined_rows(values)
      form = _forms.join(self.containers.get(name, form), form)
    except _forms.Mismatch as error:
      raise ConversionRefused.of(
        Reason.KINDS_DIFFER, f"The elements of the list {name!r} are {error}."
      ) from None
    self.containers[name] = form
    return Argument(CONTAINER, form)
