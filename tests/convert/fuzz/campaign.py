"""Runs many programs in child processes, a chunk each: crashes, hangs and memory are contained."""

import collections
import dataclasses
import json
import os
import pathlib
import selectors
import subprocess
import sys
import time

from tests.convert.fuzz import report as outcome

_REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
_CHUNK = 200  # TensorFlow's import takes as long as some ten programs.
_START_SECONDS = 30  # More for TensorFlow's import.
_IDLE_FACTOR = 10  # How much longer than its limit of processor time a program may take at all.


@dataclasses.dataclass
class Job:
  """One program to run: its file, which program of the file, and further what the child needs."""

  path: str
  name: str = ""
  levels: list | None = None
  seed: str = ""

  def label(self):
    """Returns what to call it in messages."""
    return f"{pathlib.Path(self.path).stem}{':' if self.name else ''}{self.name}"


@dataclasses.dataclass(frozen=True)
class Limits:
  """What one program may use; the seconds are of processor time, since machines are shared."""

  seconds: float = 60.0
  megabytes: int = 4096


def run_all(jobs, verify, limits, shrink=False, num_processes=1, on_report=None):
  """Runs all jobs.

  Args:
    jobs: the `Job`s.
    verify: the option of `rtf.recursive`; None for its default.
    limits: of each program.
    shrink: whether specs of bad programs are made simpler.
    num_processes: how many run side by side.
    on_report: called with the job and its report, a dict, as soon as it is there.

  Returns:
    The reports, in the order of the jobs.
  """
  waiting, reports, children = collections.deque(range(len(jobs))), [None] * len(jobs), []
  chunk = min(_CHUNK, -(-len(jobs) // num_processes))

  def keep(number, report):
    reports[number] = report
    if on_report:
      on_report(jobs[number], report)

  while waiting or children:
    while waiting and len(children) < num_processes:
      numbers = [waiting.popleft() for _ in range(min(chunk, len(waiting)))]
      children.append(_Child(jobs, numbers, verify, limits, shrink))
    for child in list(children):
      for number, report in child.poll():
        keep(number, report)
      if child.is_over:
        children.remove(child)
        waiting.extendleft(reversed(child.numbers))
    time.sleep(0.02)
  return reports


class _Child:
  """A process that runs some of the jobs, one after the other."""

  def __init__(self, jobs, numbers, verify, limits, shrink):
    self.numbers, self.limits = list(numbers), limits
    self.has_begun = self.is_over = False
    work = [dataclasses.asdict(jobs[number]) for number in numbers]
    environment = {
      **os.environ,
      "TF_CPP_MIN_LOG_LEVEL": "3",
      "CUDA_VISIBLE_DEVICES": "",
      "PYTHONHASHSEED": "0",
    }
    self.process = subprocess.Popen(
      [sys.executable, "-m", "tests.convert.fuzz.child"], cwd=_REPOSITORY, env=environment,
      stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    self.process.stdin.write(
      json.dumps({"jobs": work, "verify": verify, "shrink": shrink}).encode()
    )
    self.process.stdin.close()
    self.lines = {self.process.stdout: b"", self.process.stderr: b""}
    self.selector = selectors.DefaultSelector()
    for pipe in self.lines:
      os.set_blocking(pipe.fileno(), False)
      self.selector.register(pipe, selectors.EVENT_READ)
    self._restart_clock()

  def poll(self):
    """Yields the numbers and reports of the programs that came to an end."""
    status = None
    is_dead = self.process.poll() is not None  # Before the pipes are read to their end.
    for key, _ in self.selector.select(0.05):
      data = key.fileobj.read() or b""
      self.lines[key.fileobj] += data
      if not data:
        self.selector.unregister(key.fileobj)
    *complete, rest = self.lines[self.process.stdout].split(b"\n")
    self.lines[self.process.stdout] = rest
    for line in complete:
      self._restart_clock()
      self.has_begun = True
      report = json.loads(line)
      if report:  # An empty one says that a program begins.
        yield self.numbers.pop(0), report
    if not self.numbers:
      status = "done"
    elif is_dead:
      status = outcome.CRASH
    elif self._is_late():
      status = outcome.TIMEOUT
    elif _megabytes(self.process.pid) > self.limits.megabytes:
      status = "memory"
    if status:
      yield from self._end(status)

  def _restart_clock(self):
    self.begin = time.monotonic(), _processor_seconds(self.process.pid)

  def _is_late(self):
    seconds = self.limits.seconds + (0 if self.has_begun else _START_SECONDS)
    if time.monotonic() - self.begin[0] < seconds:
      return False
    used = _processor_seconds(self.process.pid) - self.begin[1]
    return used > seconds or time.monotonic() - self.begin[0] > _IDLE_FACTOR * seconds

  def _end(self, status):
    self.is_over = True
    if status in (outcome.TIMEOUT, "memory"):
      self.process.kill()
    self.process.wait()
    if self.numbers:
      said = self.lines[self.process.stderr][-1500:].decode(errors="replace")
      detail = f"{status}, exit status {self.process.returncode}: {said}"
      status = outcome.CRASH if status == "memory" else status
      yield self.numbers.pop(0), dataclasses.asdict(outcome.Report(status, {}, detail))
    for pipe in self.lines:
      pipe.close()
    self.selector.close()


def _processor_seconds(pid):
  try:
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
  except OSError:
    return 0.0
  return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _megabytes(pid):
  try:
    pages = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1])
  except OSError:
    return 0
  return pages * os.sysconf("SC_PAGE_SIZE") >> 20


def summary(jobs, reports):
  """Returns a table of what came out, and of the levels of bad programs, as text."""
  statuses = collections.Counter(report["status"] for report in reports)
  reasons = collections.Counter(code for report in reports for code in report["reasons"])
  lines = [f"{len(reports)} programs, {sum(r['seconds'] for r in reports):.0f} s"]
  lines += [f"  {count:6d} {status}" for status, count in statuses.most_common()]
  lines += ["ran as plain Python (programs):"]
  lines += [f"  {count:6d} {code}" for code, count in reasons.most_common()]
  by_level = collections.defaultdict(collections.Counter)
  for job, report in zip(jobs, reports, strict=True):
    for dimension, level in job.levels or ():
      by_level[f"{dimension}={level}"][report["status"]] += 1
  names = [outcome.CONVERTED, outcome.MIXED, outcome.REFUSED, *outcome.BAD]
  if by_level:
    lines += ["", f"{'level':28}" + "".join(f"{name[:11]:>12}" for name in names)]
    lines += [
      f"{level:28}" + "".join(f"{by_level[level][name]:12d}" for name in names)
      for level in sorted(by_level)
    ]
  return "\n".join(lines)
