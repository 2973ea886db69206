"""`collections.Counter` and `defaultdict` that the program makes, or finds in the tree."""

import collections

from tests.convert.in_place.named_nodes import trees


def calls():
  for tree in trees():
    yield (tree,)


class Cell:
  def __init__(self):
    self.total, self.names = 0, []


def none_yet():
  return -1


def build_words(recursive):
  @recursive
  def count(v):
    found = collections.Counter([v.name])
    for w in v.adj:
      found.update(count(w))
    return found

  return count


def build_most_common(recursive):
  @recursive
  def names(v):
    return [v.name] + [name for w in v.adj for name in names(w)]

  @recursive
  def common(v):
    found = collections.Counter(names(v))
    ranked = found.most_common(2), found.most_common(), found.most_common(0), found.total()
    return ranked, [common(w) for w in v.adj]

  return common


def build_sum(recursive):
  @recursive
  def walk(v):
    found = collections.Counter([v.name])
    found["b"] = -1
    for w in v.adj:
      found = found + walk(w)
    return found

  return walk


def build_difference(recursive):
  @recursive
  def walk(v):
    found = collections.Counter([v.name, "a", "b"]) - collections.Counter({"b": 2, v.name: v.val})
    return found, [walk(w) for w in v.adj]

  return walk


def build_union_and_intersection(recursive):
  @recursive
  def walk(v):
    found, other = collections.Counter([v.name, "b", "b"]), collections.Counter({"b": 1, "c": v.val})
    return found | other, found & other, [walk(w) for w in v.adj]

  return walk


def build_sum_in_place(recursive):
  @recursive
  def walk(v):
    found = collections.Counter({v.name: v.val - 2, "a": 1})
    for w in v.adj:
      found += walk(w)
    return found

  return walk


def build_difference_in_place(recursive):
  @recursive
  def walk(v):
    found = collections.Counter({v.name: v.val, "a": 1})
    found -= collections.Counter(w.name for w in v.adj)
    return found, [walk(w) for w in v.adj]

  return walk


def build_in_a_loop_over_it(recursive):
  @recursive
  def ways(v):
    found = collections.Counter({c: 1 for c in range(3) if c != v.val % 3})
    for w in v.adj:
      other = ways(w)
      total = sum(other.values())
      for c in found:
        found[c] *= total - other[c]
    return found

  return ways


def build_missing(recursive):
  @recursive
  def walk(v):
    found = collections.Counter(v.name)
    asked = found["zz"] + found[v.name]
    found.subtract({"a": 2})
    return asked, "zz" in found, found.get("zz"), len(found), dict(found), [walk(w) for w in v.adj]

  return walk


def build_equal(recursive):
  @recursive
  def walk(v):
    found = collections.Counter([v.name])
    found["b"] = 0
    return found == collections.Counter([v.name]), [walk(w) for w in v.adj]

  return walk


def build_compared_dicts(recursive):
  @recursive
  def walk(v):
    found, other = collections.defaultdict(int), {}
    found[v.name] = other[v.name] = v.val
    return found == other, [walk(w) for w in v.adj]

  return walk


def build_by_depth(recursive):
  @recursive
  def collect(v, levels, depth):
    levels[depth].append(v.val)
    for w in v.adj:
      collect(w, levels, depth + 1)

  def build(v):
    levels = collections.defaultdict(list)
    collect(v, levels, 0)
    return levels

  return build, [collect]


def build_levels_inside(recursive):
  @recursive
  def outer(v):
    found = collections.defaultdict(list)

    def walk(one, depth):
      found[depth].append(one.name)
      for w in one.adj:
        walk(w, depth + 1)

    walk(v, 0)
    return found

  return outer


def build_numbers(recursive):
  @recursive
  def walk(v):
    sums, shares, least = (
      collections.defaultdict(int),
      collections.defaultdict(float),
      collections.defaultdict(lambda: float("inf")),
    )
    for w in v.adj:
      sums[w.name] += w.val
      shares[w.name] += w.val / 4
      least[w.name] = min(least[w.name], w.val)
    return sums, shares, dict(least), sums["zz"], len(sums), [walk(w) for w in v.adj]

  return walk


def build_objects(recursive):
  @recursive
  def walk(v):
    cells = collections.defaultdict(Cell)
    for w in v.adj:
      cells[w.name].total += w.val
    return {name: cell.total for name, cell in cells.items()}, [walk(w) for w in v.adj]

  return walk


def build_function_of_the_module(recursive):
  @recursive
  def walk(v):
    negative = collections.defaultdict(none_yet)
    for w in v.adj:
      negative[w.name] += 1
    return negative, negative["zz"], [walk(w) for w in v.adj]

  return walk


def build_lambda_of_a_list(recursive):
  @recursive
  def walk(v):
    pairs = collections.defaultdict(lambda: [0, 0])
    for w in v.adj:
      pairs[w.name][w.val % 2] += 1
    return dict(pairs), [walk(w) for w in v.adj]

  return walk


def build_no_factory(recursive):
  @recursive
  def walk(v):
    found = collections.defaultdict()
    found[v.name] = 1
    return found, found[v.name], [walk(w) for w in v.adj]

  return walk


def build_lambda_leaves(recursive):
  @recursive
  def walk(v):
    found = collections.defaultdict(lambda: 0)
    found[v.name] += 1
    return found, [walk(w) for w in v.adj]

  return walk


def build_lambda_reads(recursive):
  @recursive
  def walk(v):
    start = v.val
    found = collections.defaultdict(lambda: start)
    start = start + 1
    return dict(found, a=found[v.name]), [walk(w) for w in v.adj]

  return walk


def build_shadowed_float(recursive):
  def float(text):
    return 7

  @recursive
  def walk(v):
    found = collections.defaultdict(lambda: float("inf"))
    return found[v.name], [walk(w) for w in v.adj]

  return walk


def build_classes(recursive):
  @recursive
  def walk(v):
    found, other = collections.Counter([v.name]), collections.defaultdict(int)
    kinds = type(found).__name__, isinstance(other, dict), isinstance(found, collections.Counter)
    return kinds, type(other) is dict, bool(other), [walk(w) for w in v.adj]

  return walk


def build_kept_in_a_node(recursive):
  @recursive
  def walk(v):
    v.tally = collections.Counter([v.name])
    for w in v.adj:
      walk(w)
      v.tally.update(w.tally)
    return v.tally[v.name], v.tally["zz"]

  return walk


def build_defaultdicts_kept(recursive):
  @recursive
  def walk(v, out):
    found = collections.defaultdict(int)
    out.append(found)
    out[-1][v.name] += v.val
    for w in v.adj:
      walk(w, out)
    return out[0][v.name]

  def call(v):
    out = []
    return walk(v, out), out

  return call, [walk]
