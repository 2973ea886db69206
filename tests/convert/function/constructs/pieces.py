"""Programs of rows: each alone, and some together so that every pair occurs."""

import importlib.util
import itertools
import pathlib
import random
import tempfile

from tests.convert.function import harness
from tests.convert.function.constructs import ROWS
from tests.convert.matrix.covering import Partners

HEAD = (pathlib.Path(__file__).parent / "around.txt").read_text()
TAIL = """
    return y

  return step, calls(box), state
"""
_FLOAT32 = 1e-5  # Many floats are read from tensors.
_NUM_CANDIDATES = 20
WHOLE, PART, NONE, DIFFERENT = "wholly", "in part", "refused", "DIFFERENT"


def source(names, seed=0):
  """Returns the text of a program of some rows, one after the other or in one another."""
  rng = random.Random(f"{seed} {names}")
  lines = _written(list(enumerate(names)), rng)
  return HEAD + "\n".join(f"    {line}" if line else "" for line in lines) + TAIL


def _written(numbered, rng):
  """Returns the lines of rows; those with a place for it may have some later ones inside."""
  lines = []
  while numbered:
    (number, name), *numbered = numbered
    text = ROWS[name].replace("$", str(number))
    inner = []
    if "<body>" in text and numbered:
      count = rng.randint(0, len(numbered))
      inner, numbered = _written(numbered[:count], rng), numbered[count:]
    for line in text.splitlines():
      indent = line[: len(line) - len(line.lstrip())]
      lines += [f"{indent}{i}" for i in inner] if line.strip() == "<body>" else [line]
  return lines


def compared(names, seed=0):
  """Runs a program plainly and by `rtf.function`; returns the text and the `Report`."""
  text = source(names, seed)
  with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "constructs_program.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("constructs_program", path)

    def make(decorate):
      module = importlib.util.module_from_spec(spec)  # Each side has globals of its own.
      spec.loader.exec_module(module)
      return module.make(decorate)

    return text, harness.run(" + ".join(names), make, _FLOAT32)


def outcome(report):
  """Returns how a program went: WHOLE, PART, NONE or DIFFERENT."""
  if report.difference is not None:
    return DIFFERENT
  # Where Python raises, plain Python is what raises.
  is_raised = {reason.code for reason in report.reasons} <= {"check-failed"}
  if is_raised and report.num_plain_runs <= report.num_raised:
    return WHOLE
  return PART if report.num_graph_runs else NONE


def covering(names, size, partners=(), seed=0):
  """Returns tuples of names in which each pair of names occurs; greedy.

  With `partners` the pairs are those of a name and a partner, and a program has one name.
  """
  rng = random.Random(seed)
  if partners:
    chunks = [partners[i : i + size - 1] for i in range(0, len(partners), size - 1)]
    return [_shuffled([name, *chunk], rng) for name in names for chunk in chunks]
  waiting = list(itertools.combinations(names, 2))
  rng.shuffle(waiting)
  missing, found = set(map(frozenset, waiting)), []
  beside = Partners(waiting)
  while missing:
    while frozenset(waiting[-1]) not in missing:
      waiting.pop()
    candidates = [_candidate(names, size, beside, waiting[-1], rng)
                  for _ in range(_NUM_CANDIDATES)]  # fmt: skip
    best = max(candidates, key=lambda chosen: len(_pairs(chosen) & missing))
    new = _pairs(best) & missing
    missing -= new
    beside.remove(new)
    found.append(_shuffled(best, rng))
  return found


def _candidate(names, size, beside, pair, rng):
  chosen, group = list(pair), beside.group(pair)
  while len(chosen) < size:
    some = [name for name in rng.sample(names, min(len(names), 12)) if name not in chosen]
    chosen.append(max(some, key=lambda name: beside.num_in(group, name)))
    group |= beside.group(chosen[-1:])
  return chosen


def _pairs(chosen):
  return {frozenset(pair) for pair in itertools.combinations(chosen, 2)}


def _shuffled(names, rng):
  return tuple(rng.sample(list(names), len(names)))
