"""What random programs vary in: dimensions, each with levels; and how levels are chosen.

A `Spec` names a level for each dimension. Specs are drawn so that all pairs of levels occur soon
and equally often. All that is not a level (constants, spellings) depends on the spec's seed and on
the place alone, so that a spec with one level changed gives a program that differs there only.
"""

import dataclasses
import itertools
import random

# The first level of each dimension is the simplest.
DIMENSIONS = {
  # What a node is.
  "node": ("class", "slots", "dataclass", "dict"),
  # How the recursion is written.
  "form": ("closure", "method", "node_method", "inner", "mutual", "keyword"),
  # What numbers are.
  "base": ("int", "float", "tensor"),
  # In what a call returns its number.
  "result": (
    *("bare", "tuple", "named", "dict", "list", "data", "object", "items", "optional", "nested"),
    *("kind", "tree", "tree_or_node", "replaced"),
  ),
  # What is collected.
  "what": (
    *("scalar", "tuple", "named", "dict", "data", "list", "str", "bool", "none", "node", "object"),
    *("array", "tensor", "pair_of_pairs", "shared_object", "numpy_number", "enum"),
  ),
  # How it is collected.
  "collect": (
    *("append", "extend", "iadd", "insert", "comprehension", "key", "setdefault", "grow"),
    *("attribute", "genexp", "dict_comprehension", "item", "update", "helper", "rebuild"),
    *("count", "union", "together", "insert_at"),
  ),
  # Where the collection comes from.
  "source": (
    *("local", "argument", "default", "node_attribute", "closure", "global", "class_attribute"),
    *("call", "object_attribute", "none_default"),
  ),
  # How one gets from child to child.
  "loop": (
    *("for", "enumerate", "zip", "reversed", "range", "sorted", "while", "pop", "filter", "break"),
    *("zip_next", "named_kids", "sides", "nested", "else", "comprehension", "genexp"),
    *("chain", "zip_longest", "accumulate", "pairwise", "islice", "product", "filter_of", "map"),
    *("groupby", "count", "pop_first"),
  ),
  # What is done with the collection.
  "use": (
    *("loop", "index", "last", "unpack", "zip_star", "stack", "sum", "len", "truth", "membership"),
    *("slice", "max", "sorted", "print", "helper", "reversed", "enumerate", "any", "equal"),
    *("reduce", "prod", "filter_of", "chain", "join", "match", "together", "tally", "views"),
    *("in", "in_names"),
  ),
  # Which names and places share it.
  "alias": (
    *("none", "two_names", "chosen", "chosen_statement", "stored", "passed_twice", "kept"),
    *("on_node", "copy", "element", "reused", "swapped", "chosen_kid", "in_result"),
  ),
  # What is handed down from call to call.
  "carry": (
    *("none", "depth", "string", "tuple", "list", "parent", "flag", "largest", "number", "path"),
    *("environment", "kind", "memo", "text", "grown"),
  ),
  # How it is changed after the loop.
  "change": (
    *("none", "set_item", "pop", "element", "clear", "extra", "sort", "double", "none_out"),
    *("pop_first", "insert"),
  ),
  # What has an effect, and in what kind of expression it stands.
  "effect": ("none", "print", "append", "nonlocal", "attribute", "class_attribute", "node"),
  "inside": (
    *("statement", "and", "or", "any", "all", "conditional", "filter", "walrus", "while", "chain"),
    *("nested", "comparison", "argument", "match", "table", "kind"),
  ),
  # What changes between the calls.
  "between": (
    *("same", "new", "value", "shape", "type", "global", "shared", "missing", "wider", "subclass"),
    *("replaced", "equal_names", "deeper", "kind", "environment"),
  ),
}
# What was learnt last: programs can be asked for that have some of it.
NEW = tuple(
  (dimension, level)
  for dimension, levels in {
    "result": ("kind", "tree", "tree_or_node", "replaced"),
    "what": ("enum", "str"),
    "collect": ("count", "union", "together", "insert_at"),
    "source": ("argument",),
    "loop": (
      *("chain", "zip_longest", "accumulate", "pairwise", "islice", "product", "filter_of", "map"),
      *("groupby", "count", "pop_first"),
    ),
    "use": (
      *("reduce", "prod", "filter_of", "chain", "join", "match", "together", "tally", "views"),
      *("in", "in_names"),
    ),
    "carry": ("environment", "kind", "memo", "text", "grown"),
    "change": ("pop_first", "insert"),
    "inside": ("match", "table", "kind"),
    "between": ("kind", "environment"),
  }.items()
  for level in levels
)


@dataclasses.dataclass(frozen=True)
class Spec:
  """A seed, and a level for each dimension."""

  seed: str
  levels: tuple

  def __getitem__(self, dimension):
    return dict(self.levels)[dimension]

  def __str__(self):
    chosen = [f"{d}={v}" for d, v in self.levels if v != DIMENSIONS[d][0]]
    return f"{self.seed}: {' '.join(chosen)}"

  def random(self, place):
    """Returns the source of randomness of one place."""
    return random.Random(f"{self.seed}/{place}")

  def simpler(self):
    """Yields specs with one level replaced by its dimension's simplest."""
    for i, (dimension, level) in enumerate(self.levels):
      simplest = DIMENSIONS[dimension][0]
      if level != simplest:
        yield Spec(self.seed, (*self.levels[:i], (dimension, simplest), *self.levels[i + 1 :]))


def draw(seed, count, num_new=0):
  """Yields specs that vary in a few dimensions each, with equally frequent pairs of levels.

  Args:
    seed: of what is random.
    count: how many.
    num_new: how many levels of each must be among `NEW`, at least.
  """
  rng, seen = random.Random(seed), {}
  for number in range(count):
    # A program with one construct that is refused shows nothing of its other constructs.
    num_varied = rng.choice((2, 3, 3, 4, 4, 5, 5, 6, 8))
    candidates = [_levels(rng, num_varied, num_new) for _ in range(16)]
    best = max(candidates, key=lambda levels: sum(1 / (1 + seen.get(p, 0)) for p in _pairs(levels)))
    for pair in _pairs(best):
      seen[pair] = seen.get(pair, 0) + 1
    yield Spec(f"{seed}.{number}", best)


def _levels(rng, num_varied, num_new):
  fixed = {}
  while len(fixed) < num_new:
    dimension, level = rng.choice(NEW)
    fixed.setdefault(dimension, level)
  others = [name for name in DIMENSIONS if name not in fixed]
  varied = rng.sample(others, max(num_varied - num_new, 0))
  return tuple(
    (name, fixed.get(name) or (rng.choice(levels) if name in varied else levels[0]))
    for name, levels in DIMENSIONS.items()
  )


def _pairs(levels):
  varied = [(name, level) for name, level in levels if level != DIMENSIONS[name][0]]
  return list(itertools.combinations(varied, 2))
