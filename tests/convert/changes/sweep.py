"""Changes one thing around a converted program, and compares it with plain Python after that."""

import collections
import contextlib
import dataclasses
import random

import recursive_tf as rtf
from tests.convert.changes.facts import facts
from tests.convert.fuzz.runner import World, compare_call

_NO_LOSS = "the loss cannot be read"  # Says the harness of plain Python, which runs first.
_NO_ARGUMENTS = (AttributeError, TypeError, ValueError, LookupError)


@dataclasses.dataclass
class Finding:
  """What a change did.

  Attributes:
    program: file and name.
    fact: what was changed, and how.
    difference: the first difference from plain Python after it; None if there is none.
    ran: whether the program ran as a graph before the change.
  """

  program: str
  fact: str
  difference: str | None
  ran: bool


class _Pair:
  """A program in two worlds, after the calls that its file makes."""

  def __init__(self, path, name, decorator, options):
    self.converted = []

    def decorate(function):
      self.converted.append(decorator(function, **options))
      return self.converted[-1]

    self.sides = World(path, name, lambda f: f), World(path, name, decorate)
    self.seen = ([], [])
    self.last = None
    self.num_calls = 0
    self.call_all()

  def call_all(self):
    """Makes the calls of the program's file, on objects that are made anew."""
    for args in zip(*(side.new_calls() for side in self.sides), strict=True):
      self.call(args)

  def call(self, args):
    """Calls both; raises AssertionError where they differ."""
    self.last = args
    compare_call(self.sides, args, self.seen, f"call {self.num_calls}")
    self.num_calls += 1

  def facts(self):
    """Returns the changes that there are, each for both worlds."""
    sides = [
      facts([side.function, args, *side.state])
      for side, args in zip(self.sides, self.last, strict=True)
    ]
    assert [f.text for f in sides[0]] == [f.text for f in sides[1]], "the worlds differ"
    return list(zip(*sides, strict=True))

  @property
  def num_runs(self):
    """How many calls ran as a graph."""
    return sum(function.stats.num_converted_runs for function in self.converted)


def changes_of(path, name, decorator=rtf.recursive, **options):
  """Returns the texts of all changes around a program that runs as a graph; none of another."""
  pair = _Pair(path, name, decorator, options)
  return [fact.text for fact, _ in pair.facts()] if pair.num_runs else []


def run(path, name, number, decorator=rtf.recursive, **options):
  """Makes one of a program's changes and returns the `Finding`."""
  pair = _Pair(path, name, decorator, options)
  both = pair.facts()[number]
  ran, difference = pair.num_runs > 0, None
  try:
    for fact in both:
      with contextlib.suppress(AttributeError, TypeError, KeyError):  # Not every class allows it.
        fact.apply()
    try:
      pair.call(pair.last)
      pair.call_all()
    except AssertionError as wrong:
      # An object that has all attributes there are cannot be searched for tensors.
      difference = None if _NO_LOSS in str(wrong) else str(wrong)[:600]
    except _NO_ARGUMENTS:
      pass  # After the change the program's file cannot make its arguments any more.
  finally:
    for fact in both:
      if fact.undo:
        fact.undo()
  return Finding(f"{path.stem} {name}", both[0].text, difference, ran)


def sample(texts, most, seed):
  """Returns the numbers of at most so many changes, of as many kinds as can be."""
  rng = random.Random(seed)
  kinds = collections.defaultdict(list)
  for number, text in enumerate(texts):
    kinds[_kind_of(text)].append(number)
  picked = []
  while len(picked) < min(most, len(texts)):
    for kind in rng.sample(sorted(kinds), len(kinds)):
      if kinds[kind]:
        picked.append(kinds[kind].pop(rng.randrange(len(kinds[kind]))))
  return picked[:most]


def _kind_of(text):
  """Returns what kind of change a text tells of: its last words, or where it is."""
  for kind in ("hides", "deleted", "too", "of a subclass", "does more", "_value_", "default"):
    if kind in text:
      return kind
  if " gets " in text:
    return text.partition(" gets ")[2]
  return "argument" if text.startswith("root 1") else "other"
