"""Lists, tuples and dicts of several kinds in one call: what they hold is told apart by where."""

import random

import pytest

from tests.convert.agreement import CONVERTED, agrees

ROADS = {"a": ["b", "c"], "b": ["d"], "c": ["d", "e"], "d": [], "e": []}
MILES = {"a": 1.5, "b": 2.25, "c": 0.5, "d": 4.0, "e": 8.0}
NAMES = {"a": "Ash", "b": "Bow", "c": "Cor", "d": "Dun", "e": "Ely"}
PARTS = {"bike": [("frame", 1), ("wheel", 2)], "wheel": [("spoke", 3), ("rim", 1)]}
PRICES = {"frame": 120.0, "spoke": 0.25, "rim": 15.5}
FAMILY = ("a", [("b", [], 5), ("c", [("d", [], 6)], 7)], 8)
MASS = {"C": 12, "O": 16, "H": 1}


def grids():
  return [["#" if (i * j) % 4 == 3 else "." for j in range(4)] for i in range(3)]


def fill(recursive):
  @recursive
  def f(grid, r, c, old, new):
    if r < 0 or c < 0 or r >= len(grid) or c >= len(grid[0]):
      return 0
    if grid[r][c] != old:
      return 0
    grid[r][c] = new
    return 1 + sum(
      f(grid, r + dr, c + dc, old, new) for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0))
    )

  return f


def words(recursive):
  @recursive
  def f(grid, r, c, word):
    if not word:
      return True
    if r < 0 or c < 0 or r >= len(grid) or c >= len(grid[r]) or grid[r][c] != word[0]:
      return False
    return f(grid, r, c + 1, word[1:]) or f(grid, r + 1, c, word[1:])

  return f


def roads(recursive):
  @recursive
  def f(town, roads, miles, names):
    best, way = 0.0, ""
    for other in roads[town]:
      length, name = f(other, roads, miles, names)
      if length > best:
        best, way = length, name
    return best + miles[town], names[town] + " " + way

  return f


def costs(recursive):
  @recursive
  def f(part, parts, prices):
    lines = parts.get(part)
    if lines is None:
      result = prices[part]
    else:
      result = sum(count * f(sub, parts, prices) for sub, count in lines)
      result *= 1.05
    return round(result, 4)

  return f


def tuples(recursive):
  @recursive
  def f(atom):
    element, branches = atom
    total = {element: 1}
    for order, child in branches:
      for key, count in f(child).items():
        total[key] = total.get(key, 0) + count * order
    return total

  return f


def mutual(recursive):
  @recursive
  def even(node, values, kids):
    return values[node] + sum(odd(kid, kids, values) for kid in kids[node])

  @recursive
  def odd(node, kids, values):
    return values[node] * 2 + sum(even(kid, values, kids) for kid in kids[node])

  return even


def inside(recursive):
  @recursive
  def f(town, tables):
    roads, miles = tables["roads"], tables["miles"]

    def longest(towns):
      return max((f(one, tables) for one in towns), default=0.0)

    return miles[town] + longest(roads[town])

  return f


def outside(recursive):
  @recursive
  def f(formula, mass=MASS):
    return sum(mass[element] if len(rest) == 0 else f(rest, mass) for element, rest in formula)

  return f


def rows(recursive):
  @recursive
  def f(table, key, level):
    groups = {}
    for row in table:
      groups[row[key]] = groups.get(row[key], 0) + row["n"]
    if level == 0:
      return sorted(groups.items())
    return f(table[1:], key, level - 1) + sorted(groups.items())

  return f


def chains(recursive):
  def root(name, parents):
    while parents[name] != name:
      name = parents[name]
    return name

  @recursive
  def f(tree, parents):
    name, kids, tag = tree
    found = [root(name, parents), tag]
    for kid in kids:
      found += f(kid, parents)
    return found

  return f


def many_roads():
  return [(town, ROADS, MILES, NAMES) for town in "dbac"]


def numbers():
  kids = {1: [2, 3], 2: [4], 3: [], 4: []}
  return [(n, {1: 1.5, 2: 2.5, 3: 0.5, 4: 1.0}, kids) for n in (4, 1, 2)]


PROGRAMS = {
  "fill": (
    fill,
    lambda: [([["."]], 0, 0, ".", "x"), (grids(), 0, 0, ".", "~"), (grids(), 1, 1, ".", "o")],
  ),
  "words": (
    words,
    lambda: [([list("cat"), list("axo"), list("rty")], 0, 0, w) for w in ("cat", "car", "cot", "")],
  ),
  "roads": (roads, many_roads),
  "costs": (costs, lambda: [(part, PARTS, PRICES) for part in ("rim", "wheel", "bike")]),
  "tuples": (
    tuples,
    lambda: [(("O", []),), (("C", [(2, ("O", [])), (1, ("H", [(3, ("C", []))]))]),)],
  ),
  "mutual": (mutual, numbers),
  "inside": (
    inside,
    lambda: [(town, {"roads": ROADS, "miles": MILES}) for town in "dba"],
  ),
  "outside": (
    outside,
    lambda: [([("C", []), ("O", [("H", []), ("H", [])])],), ([("O", [])],)],
  ),
  "rows": (
    rows,
    lambda: [
      ([{"by": i % 3, "n": i, "tag": "xy"[i % 2]} for i in range(5)], "by", n) for n in (0, 2)
    ],
  ),
  "chains": (
    chains,
    lambda: [
      (FAMILY, {**dict(zip("abcd", "aabc", strict=True)), **more}) for more in ({}, {"b": "b"})
    ],
  ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_containers_of_several_kinds_are_told_apart(name):
  build, calls = PROGRAMS[name]
  agrees(build, calls, CONVERTED)


# What holds other kinds in a later call, or is the same object by two names.

LATER = {
  "other kinds": lambda: [
    (("a", ROADS, MILES, NAMES)),
    (("a", ROADS, {k: int(v) for k, v in MILES.items()}, NAMES)),
    (("b", {**ROADS, "b": ("d", "e")}, MILES, NAMES)),
    (("a", ROADS, MILES, NAMES)),
  ],
  "raises": lambda: [
    (("a", ROADS, MILES, NAMES)),
    (("a", ROADS, NAMES, MILES)),
    (("a", ROADS, {**MILES, "d": None}, NAMES)),
    (("a", ROADS, {**MILES, "d": [1]}, NAMES)),
    (("e", ROADS, MILES, NAMES)),
  ],
  "nothing in it": lambda: [
    (("d", {"d": []}, {"d": 1.0}, {"d": "D"})),
    (("a", ROADS, MILES, NAMES)),
  ],
  "none": lambda: [
    (("a", ROADS, MILES, NAMES)),
    (("d", {"d": [], "e": None}, {"d": 2.0, "e": None}, {"d": "D", "e": None})),
  ],
}


@pytest.mark.parametrize("name", LATER)
def test_later_calls_may_have_other_kinds(name):
  agrees(roads, LATER[name])


def test_other_kinds_later_make_another_program():
  function = agrees(
    roads,
    lambda: [
      ("a", ROADS, MILES, NAMES),
      ("a", ROADS, MILES, {**NAMES, "b": "Bury"}),
      ("a", {k: tuple(v) for k, v in ROADS.items()}, MILES, NAMES),
    ],
    CONVERTED,
  )
  assert function.stats.num_converted_runs == 6


def test_one_dict_by_two_names():
  def build(recursive):
    @recursive
    def f(key, first, second, depth):
      if depth == 0:
        return [first[key], second[key]]
      return [first[key], *f(key, second, first, depth - 1)]

    return f

  lists, texts = {"k": ["a"]}, {"k": "b"}
  agrees(
    build,
    lambda: [("k", lists, texts, 0), ("k", lists, texts, 3), ("k", texts, texts, 2)],
  )


def test_cells_that_are_none():
  def build(recursive):
    @recursive
    def f(board, r, c):
      if r >= len(board):
        return 0
      if c >= len(board[r]):
        return f(board, r + 1, 0)
      piece = board[r][c]
      return f(board, r, c + 1) + (0 if piece is None else len(piece))

    return f

  boards = [[None, "king"], ["rook", None]], [[None]], [["pawn"]], []
  agrees(build, lambda: [(board, 0, 0) for board in boards], CONVERTED)


def test_what_a_call_changes_is_seen():
  def build(recursive):
    @recursive
    def f(grid, marks, r, c):
      if r >= len(grid) or c >= len(grid[0]):
        return ""
      marks[r][c] = marks[r][c] + 1
      seen = grid[r][c]
      grid[r][c] = "*"
      return seen + f(grid, marks, r + 1, c) + f(grid, marks, r, c + 1) + grid[r][c]

    return f

  agrees(
    build,
    lambda: [
      ([["a", "b"], ["c", "d"]], [[0, 0], [0, 1]], 0, 0),
      ([["x"]], [[5]], 0, 0),
      ([["a", "b", "c"], ["d", "e", "f"]], [[0] * 3, [1] * 3], 0, 1),
    ],
    CONVERTED,
  )


# Random programs over three dicts of several kinds, handed on in any order.

USES = {
  "add": "total += {d}[key]",
  "text": "texts.append({d}[key])",
  "loop": "for other in {d}.get(key, []): total += len(other)",
  "first": "texts += {d}[key][:1]",
  "walk": "for other in {d}[key]: total += f(other, {order}, depth - 1)[0]",
  "ask": "total += 1 if key in {d} and isinstance({d}[key], str) else 0",
  "none": "total += 2 if {d}.get(key) is None else 0",
  "pair": "a, b = {d}[key]; total += b; texts.append(a)",
}
TABLES = {
  "numbers": lambda r: {k: r.randrange(9) for k in "abc"},
  "floats": lambda r: {k: r.randrange(9) / 4 for k in "abc"},
  "texts": lambda r: {k: r.choice(["x", "yy", ""]) for k in "abc"},
  "lists": lambda r: {k: [r.choice("abc") for _ in range(r.randrange(3))] for k in "abc"},
  "tuples": lambda r: {k: (r.choice("abc"), r.randrange(5)) for k in "abc"},
  "some": lambda r: {k: r.choice([None, "x", 3]) for k in "abc"},
}


def random_program(seed):
  """Returns the source of a program, and what makes its calls."""
  r = random.Random(seed)
  names = ["p", "q", "s"]
  lines = []
  for _ in range(r.randrange(1, 4)):
    order = r.sample(names, 3) if r.random() < 0.3 else names
    use = r.choice(list(USES.values()))
    lines.append("    " + use.format(d=r.choice(names), order=", ".join(order)))
  source = "\n".join(
    [
      "def f(key, p, q, s, depth):",
      "  total, texts = 0, []",
      "  if depth > 0:",
      *lines,
      f"    more = f(key, {', '.join(r.sample(names, 3))}, depth - 1)",
      "    return total + more[0], texts + more[1]",
      "  return total, texts",
    ]
  )
  kinds = [r.choice(list(TABLES)) for _ in names]

  def calls():
    inner = random.Random(seed + 1)
    for number in range(4):
      tables = [TABLES[kind](inner) for kind in (kinds if number < 3 else kinds[::-1])]
      if number == 2:
        tables[0] = tables[1]
      yield (inner.choice("abc"), *tables, number % 3)

  return source, calls


@pytest.mark.parametrize("seed", range(96))
def test_random_programs_over_several_dicts(seed, tmp_path):
  source, calls = random_program(seed)
  path = tmp_path / "program.py"
  path.write_text(source)

  def build(recursive):
    names = {}
    exec(compile(source, str(path), "exec"), names)
    names["f"] = recursive(names["f"])
    return names["f"]

  agrees(build, lambda: list(calls()))


def _route(base, more):
  def build(recursive):
    @recursive
    def route(t, graph, names):
      best = None
      for u in graph[t]:
        m, label = route(u, graph, names)
        if best is None or m < best[0]:
          best = (m, label)
      if best is None:
        return base, names[t]
      return best[0], best[1] + (names[t] if more is None else more)

    return route

  return build


@pytest.mark.parametrize("base, names, more", [(1.0, "AB", "x"), (1.0, "AB", None), (2, [3, 4], 1)])
def test_a_tuple_that_is_none_at_first_is_no_object(base, names, more):
  def calls():
    table = dict(zip("ab", names, strict=True))
    yield "a", {"a": ["b"], "b": []}, dict(table)
    yield "b", {"a": ["b"], "b": []}, dict(table)
    yield "a", {"a": ["b", "b"], "b": []}, dict(table)

  agrees(_route(base, more), calls)


def test_a_list_that_is_changed_holds_other_tuples_in_a_later_call():
  def build(recursive):
    @recursive
    def moved(n, k, order, p, q):
      if n == 0:
        return (p[0], k)
      q[k] = p[order[k]]
      return moved(n - 1, order[k], order, p, q)

    return moved

  def calls():
    order = [1, 2, 0]
    yield 2, 0, order, [1, 5, 2], [("p", ["x"]), ("p", ["y"]), ("p", ["x"])]
    yield 0, 0, order, [3, -1, 0], [("p", ["y"]), ("p", ["y"]), ("p", ["y"])]
    yield 4, 0, order, [("p", ["x"]), ("q", ["y"]), ("p", ["y"])], ["", "p", ""]
    yield 1, 0, order, [1, 3, 1], ["", "p", ""]
    yield 2, 0, order, [4, 5, 0], [("q", ["x"]), ("p", ["y"]), ("p", ["y"])]

  agrees(build, calls)
