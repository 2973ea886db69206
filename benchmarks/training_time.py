"""The wall time of training a TreeLSTM on SST, from the command to the test accuracy.

`recursive-tf train treelstm --data sst` under the scheduler that `auto` chooses and under
`concurrent`, and a PyTorch program that does the same (`peers/torch_training.py`): processes, one
after the other. The lines that they print tell when training starts and when an epoch is over;
their files tell the rest.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence

import tqdm

from benchmarks.harness import Timing
from benchmarks.options import Options
from benchmarks.report import Report, print_table

OURS, CONCURRENT, TORCH = "recursive_tf", "concurrent", "torch_level_batched"
GOAL_ROOT = 0.82  # Tai et al. without pretrained vectors; JANUS after 4 epochs.
_REPOSITORY = pathlib.Path(__file__).parent.parent
_TRIAL_TREES = 500  # Of the choice of threads: a few seconds, if others leave the cores alone.
_SPLITS = ("train", "dev", "test")


@dataclasses.dataclass(frozen=True)
class Run:
  """One training run of one arm; times in seconds.

  Attributes:
    arm, seed: which run it is.
    whole: from the start of the process to its end.
    start_up: of that, until training starts: imports, reading the treebank, making the weights.
    training: of that, from there to the end of the last epoch, dev and checkpoints included.
    epochs: of that, the training steps of each epoch.
    processor: processor time of the whole, all threads together.
    root: share of the test sentences whose root is right, with the best epoch on dev.
    best_epoch: that epoch.
  """

  arm: str
  seed: int
  whole: float
  start_up: float
  training: float
  epochs: list[float]
  processor: float
  root: float
  best_epoch: int

  @property
  def later_epoch(self) -> float:
    """Steps of an epoch, the median without the first one, which traces."""
    return statistics.median(self.epochs[1:] or self.epochs)


# What is compared between arms: name, figure of a run.
_RATIOS = {
  "whole": lambda run: run.whole,
  "training": lambda run: run.training,
  "later epochs": lambda run: run.later_epoch,
  "processor": lambda run: run.processor,
}


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report; the last of `options.threads` counts."""
  report = Report("training_time", options)
  seeds = options.seeds or (options.seed,)
  arms = [OURS, TORCH, *([CONCURRENT] if options.size == "full" else [])]
  if importlib.util.find_spec("torch") is None:
    arms.remove(TORCH)
    report.notes.append(f"arm {TORCH} left out: torch is not installed")
  report.figures["load average before"] = os.getloadavg()
  torch_threads = _torch_threads(options) if TORCH in arms else 1
  report.figures[f"threads of {TORCH}"] = torch_threads
  runs = []
  with tqdm.tqdm(total=len(seeds) * len(arms), unit="run", disable=None, leave=False) as bar:
    for turn, seed in enumerate(seeds):
      first = turn % len(arms)
      for arm in arms[first:] + arms[:first]:
        bar.set_postfix_str(f"{arm} seed={seed}")
        threads = torch_threads if arm == TORCH else options.threads[-1]
        runs.append(_train(arm, seed, options, threads, _sizes(options)))
        bar.update()
  report.figures["load average after"] = os.getloadavg()
  report.figures["runs"] = [dataclasses.asdict(each) for each in runs]
  by_arm = {arm: [each for each in runs if each.arm == arm] for arm in arms}
  for arm, found in by_arm.items():
    seconds = {"whole": [r.whole for r in found], "training": [r.training for r in found]}
    seconds["epoch"] = [epoch for r in found for epoch in r.epochs[1:] or r.epochs]
    for part, values in seconds.items():
      report.timings.append(Timing({"arm": arm, "part": part}, 1.0, 1, tuple(values)))
  _print(runs, options)
  _compare(report, by_arm)
  if options.size == "full":
    for arm, found in by_arm.items():
      root = statistics.mean(r.root for r in found)
      claim = f"{arm}: test accuracy at the root at least {GOAL_ROOT}"
      report.goal(claim, root, root >= GOAL_ROOT)
  return report


def _print(runs: Sequence[Run], options: Options) -> None:
  header = ["arm", "seed", "whole", "start-up", "training", "first epoch", "later epochs"]
  rows = [
    [r.arm, r.seed, r.whole, r.start_up, r.training, r.epochs[0], r.later_epoch, r.processor]
    + [f"{r.root:.1%}"]
    for r in runs
  ]
  title = f"Training a TreeLSTM on {options.data}, {options.threads[-1]} threads, seconds"
  print_table([*header, "processor", "test root"], rows, title)


def _compare(report: Report, by_arm: Mapping[str, Sequence[Run]]) -> None:
  """Adds and prints how many times longer the other arms take than ours."""
  rows = []
  for arm, found in by_arm.items():
    if arm == OURS:
      continue
    row: list[object] = [arm]
    for name, figure in _RATIOS.items():
      ratios = [
        figure(other) / figure(ours) for other, ours in zip(found, by_arm[OURS], strict=True)
      ]
      row.append(statistics.median(ratios))
      report.figures[f"{arm} / {OURS}, {name}"] = ratios
    rows.append(row)
  if rows:
    print_table(["arm", *_RATIOS], rows, f"Times as long as {OURS} takes")


def _torch_threads(options: Options) -> int:
  """Returns how many threads PyTorch is fastest with; this is not part of any time.

  As for the other benchmarks (`TorchPeer.add`): two threads cost more than they give where rows are
  few, and several times as much where other processes have the cores.
  """
  sizes = {**_sizes(options), "epochs": 1, "limit": _TRIAL_TREES}
  candidates = sorted({1, options.threads[-1]})
  if len(candidates) == 1:
    return candidates[0]
  seconds: dict[int, float] = {}
  for number in candidates * 2:  # In turn, and the better of two: the first reads cold files.
    found = _train(TORCH, options.seed, options, number, sizes).epochs[0]
    seconds[number] = min(found, seconds.get(number, found))
  return min(candidates, key=lambda number: seconds[number])


def _train(arm: str, seed: int, options: Options, threads: int, sizes: Mapping[str, int]) -> Run:
  """Runs one arm to its end, with so many threads, on as many cores as all arms have."""
  shared: dict[str, object] = {"seed": seed, "threads": threads, **sizes}
  with tempfile.TemporaryDirectory(prefix="training_time_") as directory:
    out = pathlib.Path(directory) / "run"
    if arm == TORCH:
      command = [sys.executable, "-m", "benchmarks.peers.torch_training"]
      shared |= _files(options.data)
    else:
      command = [sys.executable, str(_REPOSITORY / "bin" / "recursive-tf"), "train", "treelstm"]
      shared["data"] = options.data
    shared["out"] = out
    for name, value in shared.items():
      command += [f"--{name.replace('_', '-')}", str(value)]
    times = _run(command, _environ(arm, threads), options.threads[-1])
    with open(out / "history.csv", newline="") as file:
      epochs = [float(row["seconds"]) for row in csv.DictReader(file)]
    test = json.loads((out / "test.json").read_text())
  return Run(arm, seed, **times, epochs=epochs, root=test["root"], best_epoch=test["epoch"])


def _sizes(options: Options) -> dict[str, int]:
  """Returns options of both programs; in a full run they say what is the default on SST."""
  small = {"state_size": 4, "embedding_size": 6}
  return {
    "batch_size": options.pick(25, 25, 5),
    "epochs": options.pick(4, 2, 1),
    **options.pick({}, {"limit": 500}, {"limit": 20, **small}),
  }


def _run(command: Sequence[str], environ: Mapping[str, str], cores: int) -> dict[str, float]:
  """Runs a program on so many cores; returns the times of a `Run` that its lines tell."""
  with tempfile.TemporaryFile("w+") as errors, _cores(cores):
    started = time.perf_counter()
    process = subprocess.Popen(
      command, env=environ, cwd=_REPOSITORY, stdout=subprocess.PIPE, stderr=errors, text=True
    )
    begun = ended = started
    for line in process.stdout:
      if line.startswith("Training "):
        begun = time.perf_counter()
      elif line.startswith("epoch "):
        ended = time.perf_counter()
    _, status, usage = os.wait4(process.pid, 0)  # For the processor time of this child alone.
    whole = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
      errors.seek(0)
      raise RuntimeError(f"{' '.join(command)}: exit {process.returncode}\n{errors.read()[-2000:]}")
  return {
    "whole": whole,
    "start_up": begun - started,
    "training": ended - begun,
    "processor": usage.ru_utime + usage.ru_stime,
  }


@contextlib.contextmanager
def _cores(number: int) -> Iterator[None]:
  """Holds what is started meanwhile to so many cores."""
  before = os.sched_getaffinity(0)
  os.sched_setaffinity(0, sorted(before)[:number])
  try:
    yield
  finally:
    os.sched_setaffinity(0, before)


def _environ(arm: str, threads: int) -> dict[str, str]:
  """Returns the environment of an arm's process."""
  environ = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": str(_REPOSITORY)}
  environ.pop("RECURSIVE_TF_SCHEDULER", None)
  if arm == CONCURRENT:
    environ["RECURSIVE_TF_SCHEDULER"] = CONCURRENT
  for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    environ[variable] = str(threads)
  return environ


def _files(data: str) -> dict[str, pathlib.Path]:
  """Returns the files of the treebank, for a program that does not know where they lie."""
  # In a function, because this imports TensorFlow, which `--list` and `--help` do not need.
  from recursive_tf.datasets import _locations, load_sst, sample
  from recursive_tf.datasets.treebank import find_splits

  if data == "sample":
    return {split: sample.sample_path(split) for split in _SPLITS}
  if data != "sst":
    return find_splits(data)
  load_sst()  # Downloads it if it is not there.
  named = _locations.data_directory()
  found = find_splits(named / "sst") if named else {}
  if len(found) < len(_SPLITS):
    found = find_splits(_locations.cache_directory() / "sst")
  return found
