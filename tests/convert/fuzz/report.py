"""What came of running a program."""

import dataclasses

# What a program can come to, from the best to the worst.
CONVERTED, MIXED, REFUSED, INVALID = "converted", "mixed", "refused", "invalid"
CAUGHT, OUR_ERROR, DIFFERENT = "verification-failed", "internal-error", "DIFFERENT"
CRASH, TIMEOUT = "crash", "timeout"
REFERENCE = "reference-differs"  # The reference interpreter does not do what Python does.
BAD = (CAUGHT, OUR_ERROR, DIFFERENT, CRASH, TIMEOUT, REFERENCE)


@dataclasses.dataclass
class Report:
  """How the converter did on one program.

  Attributes:
    status: one of the names above.
    reasons: of what ran as plain Python, by code, how many runs.
    detail: the difference, or what the converter says of itself.
    num_converted: runs as a graph.
    seconds: what all of it took.
    calls: for each call what Python raised, or "", and the reasons why it was plain, by code.
  """

  status: str
  reasons: dict
  detail: str = ""
  num_converted: int = 0
  seconds: float = 0.0
  calls: list = dataclasses.field(default_factory=list)
