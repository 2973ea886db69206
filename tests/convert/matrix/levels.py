"""The dimensions of the matrix, and its rows: one level of each dimension."""

import dataclasses
import random

DIMENSIONS = {
  # How the results of the recursive calls are collected.
  "collect": (
    *("append", "extend", "iadd", "insert", "comprehension", "key", "setdefault", "tuple"),
    *("attribute", "class_attribute", "default", "count", "union", "together"),
  ),
  # What they are.
  "what": (
    *("tensor", "tuple", "named", "dict", "data", "list", "number", "string", "bool", "none"),
    *("node", "object", "array", "enum"),
  ),
  # How one gets from child to child.
  "loop": (
    *("for", "while", "enumerate", "zip", "reversed", "range", "sorted", "comprehension"),
    *("genexp", "chain", "zip_longest", "accumulate", "pairwise", "islice", "product"),
    *("filter_of", "map", "groupby", "pop_first"),
  ),
  # What is done with the collection.
  "use": (
    *("index", "unpack", "loop", "zip_star", "stack", "sum", "len", "truth", "membership"),
    *("slice", "return", "mutate", "reduce", "filter_of", "chain", "join", "match", "tally"),
    *("views", "in"),
  ),
  # Which names and places share it.
  "alias": ("one_name", "two_names", "chosen", "stored", "passed_twice", "returned_and_kept"),
  # Where it comes from.
  "source": ("argument", "attribute", "closure", "call"),
  # What is handed down from call to call.
  "carry": ("none", "environment", "kind", "memo", "text", "grown"),
  # In what kind of expression or statement there is an effect.
  "inside": ("none", "match", "table", "kind", "any"),
  # What changes between the calls.
  "change": ("new_tree", "mutated_tree", "new_type", "new_global", "deeper"),
}

# The levels that convert best: what else a program has cannot hide what is wrong with a level.
SIMPLEST = {
  "collect": "append", "what": "number", "loop": "for", "use": "loop", "alias": "one_name",
  "source": "call", "carry": "none", "inside": "none", "change": "new_tree",
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Row:
  """A program of the matrix.

  Attributes:
    label: its short name.
    levels: a level of each dimension, in the order of `DIMENSIONS`.
  """

  label: str
  levels: tuple

  def __getitem__(self, dimension):
    return dict(zip(DIMENSIONS, self.levels, strict=True))[dimension]

  def __str__(self):
    return " ".join(f"{d}={v}" for d, v in self.named())

  def named(self):
    """Returns pairs of a dimension and its level."""
    return tuple(zip(DIMENSIONS, self.levels, strict=True))

  def pick(self, place, choices):
    """Returns one of several spellings: which depends on the levels and on the place alone."""
    return random.Random(f"{self}/{place}").choice(choices)
