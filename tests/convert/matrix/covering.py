"""A small set of rows in which each pair of levels of any two dimensions occurs.

Greedy, as in Cohen, Dalal, Fredman and Patton, "The AETG system: an approach to testing based on
combinatorial design", IEEE Transactions on Software Engineering 23 (7), 1997, section 3: each row
is the best of some candidates; a candidate begins with a pair that is missing, and the further
dimensions, in random order, get the level with which most missing pairs are there.
"""

import itertools
import random

_NUM_CANDIDATES = 40


def all_pairs(dimensions):
  """Returns all pairs ((dimension, level), (dimension, level)), dimensions by their number."""
  numbered = enumerate(dimensions.values())
  places = [[(d, level) for level in levels] for d, levels in numbered]
  return {pair for a, b in itertools.combinations(places, 2) for pair in itertools.product(a, b)}


def pairs_of(levels):
  """Returns the pairs that occur in a row of levels."""
  return set(itertools.combinations(enumerate(levels), 2))


def covering_rows(dimensions, seed=0):
  """Returns tuples of levels, one of each dimension, in which all pairs occur."""
  rng, missing, rows = random.Random(seed), all_pairs(dimensions), []
  while missing:
    in_order = sorted(missing)
    candidates = [_candidate(dimensions, missing, in_order, rng) for _ in range(_NUM_CANDIDATES)]
    rows.append(max(candidates, key=lambda levels: len(pairs_of(levels) & missing)))
    missing -= pairs_of(rows[-1])
  return rows


def _candidate(dimensions, missing, in_order, rng):
  chosen = dict(rng.choice(in_order))
  rest = [d for d in range(len(dimensions)) if d not in chosen]
  rng.shuffle(rest)
  for dimension in rest:
    levels = list(list(dimensions.values())[dimension])
    rng.shuffle(levels)
    num_new = {level: _num_new(missing, chosen, dimension, level) for level in levels}
    chosen[dimension] = max(levels, key=num_new.get)
  return tuple(chosen[d] for d in range(len(dimensions)))


def _num_new(missing, chosen, dimension, level):
  new = (tuple(sorted([(dimension, level), other])) for other in chosen.items())
  return sum(pair in missing for pair in new)
