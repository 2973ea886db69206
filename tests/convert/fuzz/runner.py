"""Runs one program in two worlds, plain and converted, and says how the converter did.

A program is a Python file:

    def build(recursive):         # makes the function with the decorator it is given
      log = []

      @recursive
      def visit(node): ...

      return visit, [log]         # and the further objects to compare, or lambdas that give them

    def calls(state):             # yields the argument tuples; changes the world between them
      tree = Node(1)
      yield (tree,)
      tree.v = 5
      yield (tree,)

The file is loaded once for each world: its globals and class attributes are each world's own.
"""

import collections
import dataclasses
import importlib.util
import inspect
import sys
import time
import traceback
import types

import tensorflow as tf

import recursive_tf as rtf
from tests.convert.compare import Comparison, attributes
from tests.convert.fuzz.report import (
  CAUGHT,
  CONVERTED,
  DIFFERENT,
  INVALID,
  MIXED,
  OUR_ERROR,
  REFERENCE,
  REFUSED,
  Report,
)
from tests.convert.harness import compare_outcomes, observe, weighted_sum
from tests.convert.programs.registry import Call
from tests.convert.reference.interpreter import reference

# Reasons that say: the converter was wrong, and a net noticed.
_NETS = {"verification-failed": CAUGHT, "internal-error": OUR_ERROR, "graph-error": OUR_ERROR}
_DEPTH = 12  # How deep tensors are looked for in objects.


def load(path):
  """Returns the program in a file as a new module."""
  name = f"fuzzed_{path.stem}"
  spec = importlib.util.spec_from_file_location(name, path)
  module = importlib.util.module_from_spec(spec)
  sys.modules[name] = module  # Dataclasses look there.
  spec.loader.exec_module(module)
  return module


def programs_of(module):
  """Returns the names of a module's programs: "" for `build`, "x" for `build_x`."""
  return [
    name.removeprefix("build").removeprefix("_")
    for name in vars(module)
    if name.startswith("build")
  ]


class World:
  """A program, built, with the calls to make."""

  def __init__(self, path, name, decorate):
    module = load(path)
    suffix = f"_{name}" if name else ""
    built = getattr(module, f"build{suffix}")(decorate)
    self.function, self.state = built if isinstance(built, tuple) else (built, [])
    self._make_calls = getattr(module, f"calls{suffix}", None) or module.calls
    self.calls = self.new_calls()
    self.variables = [v for item in self.state for v in _variables(item)] or None

  def new_calls(self):
    """Returns the calls, whose arguments are made anew."""
    has_state = inspect.signature(self._make_calls).parameters
    return self._make_calls(self.state) if has_state else self._make_calls()

  def call(self, args):
    """Returns the `Outcome` of one call."""
    outcome = observe(self.function, Call(args), self.variables, self._loss)
    frames = traceback.extract_tb(outcome.error.__traceback__) if outcome.error else []
    lines = [f"{frame.lineno} {frame.name}" for frame in frames if "fuzzed" in frame.filename]
    return dataclasses.replace(outcome, line=lines[-1] if lines else None)

  def visible(self):
    """Returns the further objects to compare, as they are now."""
    return [v() if isinstance(v, types.LambdaType) else v for v in self.state]

  def _loss(self, result, *args):
    return weighted_sum([*_tensors(result, {}), *_tensors([args, self.state], {})])


def _variables(item):
  if isinstance(item, tf.Variable):
    return [item]
  # Keras has variables of its own, which hold TensorFlow's.
  held = item.trainable_variables if _is_model(item) else []
  return [v if isinstance(v, tf.Variable) else v.value for v in held]


def _is_model(item):
  return isinstance(item, (tf.Module, tf.keras.layers.Layer))


def _tensors(value, seen, depth=0):
  """Returns the tensors that can be reached from a value, in a fixed order."""
  if tf.is_tensor(value):
    return [value] if value.dtype.is_floating else []
  if (
    id(value) in seen
    or depth > _DEPTH
    or isinstance(value, (str, int, type, tf.Variable))
    or _is_model(value)
  ):
    return []
  if not isinstance(value, tuple):  # Which tuples are one is not kept by graphs.
    seen[id(value)] = value
  if isinstance(value, dict):
    parts = list(value.values())
  else:
    parts = list(value) if isinstance(value, (tuple, list)) else []
    parts += attributes(value).values()
  return [tensor for part in parts for tensor in _tensors(part, seen, depth + 1)]


def run_text(text, path, **options):
  """Writes a program to a path, and runs it there by `run`."""
  path.write_text(text)
  return run(path, **options)


def run(path, name="", **options):
  """Runs a program in both worlds, call by call, and returns the `Report`.

  Args:
    path: the program's file.
    name: which program of the file.
    **options: of `rtf.recursive`.
  """
  begin = time.perf_counter()
  options = {k: v for k, v in options.items() if k in inspect.signature(rtf.recursive).parameters}
  converted, seen = [], []  # All decorated functions of the program; what came of its calls.

  def decorate(function):
    converted.append(rtf.recursive(function, **options))
    return converted[-1]

  def reasons():
    return _reasons(converted)

  try:
    plain, other = World(path, name, lambda function: function), World(path, name, decorate)
    num_sound = _compare(plain, other, on_call=lambda found: seen.append((found, reasons())))
    status, detail = (None, "") if num_sound else (INVALID, "plain Python always raises")
  except AssertionError as wrong:
    status, detail = DIFFERENT, str(wrong)[:2000]
  except Exception as raised:  # A campaign goes on; the program is looked at by hand.
    status, detail = INVALID, f"{type(raised).__name__}: {raised}"[:2000]
    detail += "".join(traceback.format_tb(raised.__traceback__)[-3:])
  report = _report(status, detail, converted)
  report.calls = _calls(seen)
  report.seconds = round(time.perf_counter() - begin, 2)
  return report


def run_reference(path, name=""):
  """Runs a program plainly and by the reference interpreter, and returns the `Report`."""
  try:
    plain, other = (World(path, name, d) for d in (lambda function: function, reference))
    has_run = _compare(plain, other, has_lines=False)
  except AssertionError as wrong:
    return Report(REFERENCE, {}, str(wrong)[:2000])
  except Exception as raised:
    return Report(INVALID, {}, "".join(traceback.format_exception(raised))[-2000:])
  return Report(CONVERTED if has_run else INVALID, {})


def _compare(plain, other, has_lines=True, on_call=lambda expected: None):
  seen, num_sound = ([], []), 0  # All arguments and results so far.
  # The generators go on, and so change their worlds, only after both sides have run.
  for number, (a, b) in enumerate(zip(plain.calls, other.calls, strict=True)):
    expected = compare_call((plain, other), (a, b), seen, f"call {number}", has_lines)
    num_sound += expected.error is None
    on_call(expected)
  return num_sound


def compare_call(sides, args, seen, where, has_lines=True):
  """Makes one call in both worlds, and returns the plain one's `Outcome`.

  Args:
    sides: the plain world and the other one.
    args: of each side.
    seen: for each side a list of all arguments and results so far, which becomes longer.
    where: the call, for messages.
    has_lines: whether both have to raise in the same line.

  Raises:
    AssertionError: If they differ.
  """
  plain, other = sides
  expected, got = plain.call(args[0]), other.call(args[1])
  if not has_lines:  # Lines of an interpreter say nothing.
    expected, got = (dataclasses.replace(found, line=None) for found in (expected, got))
  compare_outcomes(expected, got, where)
  for side, given, outcome in zip(seen, args, (expected, got), strict=True):
    side.append((given, outcome.result))
  # A new comparison looks at each object again: it may have changed since the last call.
  Comparison().check(
    [plain.state, *seen[0]], [other.state, *seen[1]], f"{where}: state and results"
  )
  return expected


def _reasons(converted):
  """Returns how many runs were plain Python, by code."""
  reasons = collections.Counter()
  for function in converted:
    reasons.update({reason.code: n for reason, n in function.stats.fallbacks.items() if n})
  return reasons


def _calls(seen):
  """Returns what Python raised in each call, and the reasons that the call added."""
  counts = [collections.Counter(), *(after for _, after in seen)]
  return [
    (type(outcome.error).__name__ if outcome.error else "", dict(after - before))
    for (outcome, after), before in zip(seen, counts[:-1], strict=True)
  ]


def _report(status, detail, converted):
  reasons = dict(_reasons(converted))
  num_converted = sum(function.stats.num_converted_runs for function in converted)
  nets = [status for code, status in _NETS.items() if code in reasons]
  if status is None:
    status = nets[0] if nets else (MIXED if num_converted else REFUSED) if reasons else CONVERTED
  if status not in (CONVERTED, INVALID):
    detail += "\n" + "\n".join(str(function.explain())[:1500] for function in converted)
  return Report(status, reasons, detail.strip(), num_converted)
