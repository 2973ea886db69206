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
  partners = Partners(missing)
  while missing:
    in_order = sorted(missing)
    candidates = [_candidate(dimensions, partners, in_order, rng) for _ in range(_NUM_CANDIDATES)]
    rows.append(max(candidates, key=lambda levels: len(pairs_of(levels) & missing)))
    found = pairs_of(rows[-1]) & missing
    missing -= found
    partners.remove(found)
  return rows


def _candidate(dimensions, partners, in_order, rng):
  chosen = dict(rng.choice(in_order))
  group = partners.group(chosen.items())
  rest = [d for d in range(len(dimensions)) if d not in chosen]
  rng.shuffle(rest)
  for dimension in rest:
    levels = list(list(dimensions.values())[dimension])
    rng.shuffle(levels)
    chosen[dimension] = max(levels, key=lambda level: partners.num_in(group, (dimension, level)))
    group |= partners.group([(dimension, chosen[dimension])])
  return tuple(chosen[d] for d in range(len(dimensions)))


class Partners:
  """Which places are missing beside each: sets of them as ints, a bit for each place."""

  def __init__(self, pairs):
    places = dict.fromkeys(place for pair in pairs for place in pair)
    self._bits = {place: 1 << number for number, place in enumerate(places)}
    self._missing = dict.fromkeys(places, 0)
    for a, b in pairs:
      self._missing[a] |= self._bits[b]
      self._missing[b] |= self._bits[a]

  def group(self, places):
    """Returns some places as a group."""
    return sum(self._bits.get(place, 0) for place in places)

  def num_in(self, group, place):
    """Returns how many places of a group are missing beside a place."""
    return (self._missing.get(place, 0) & group).bit_count()

  def remove(self, pairs):
    """Removes pairs that are there."""
    for a, b in pairs:
      self._missing[a] ^= self._bits[b]
      self._missing[b] ^= self._bits[a]
