"""Loops over children, in the matrix's programs: lists of lines; a list in it is a block."""


def statements(row, turn, call, put):
  """Returns a loop over the children as statements.

  Args:
    row: the `Row`.
    turn: `turn(kid, result, extra)` gives the lines of a turn; `extra` is an int or "".
    call: `call(kid)` is the expression of a kid's result.
    put: `put(kid, result)` is an expression that collects a result, or gives None.
  """
  begin = [f"r = {call('k')}"]
  plain, counted = begin + turn("k", "r", ""), begin + turn("k", "r", "i")
  by, start = _sorted_by(row), row.pick("start", ("", ", 1"))
  numbers = {"i": counted, "after.v": begin + turn("k", "r", "after.v")}
  grouped = ["i = 2 if flag else 1", "for k in some:", counted]
  ways = {
    **{
      level: [
        [f"for {target} in {iterable}:", numbers.get(extra, plain)]
        for target, iterable, extra in found
      ]
      for level, found in _of_library(row, by).items()
    },
    "groupby": [["for flag, some in itertools.groupby(node.kids, key=lambda k: k.flag):", grouped]],
    "pop_first": [
      ["todo = list(node.kids)", "while todo:", ["k = todo.pop(0)", *plain]],
      [
        "todo = []",
        "for k in node.kids:",
        ["todo.insert(0, k)"],
        "while todo:",
        ["k = todo.pop(0)", *plain],
      ],
    ],
    "for": [["for k in node.kids:", plain]],
    "while": [
      ["i = 0", "while i < len(node.kids):", ["k = node.kids[i]", *counted, "i += 1"]],
      ["todo = list(node.kids)", "while todo:", ["k = todo.pop()", *plain]],
    ],
    "enumerate": [[f"for i, k in enumerate(node.kids{start}):", counted]],
    "zip": [
      ["for k, i in zip(node.kids, node.nums):", counted],
      ["for k, after in zip(node.kids, node.kids[1:]):", begin + turn("k", "r", "after.v")],
    ],
    "reversed": [["for k in reversed(node.kids):", plain]],
    "range": [["for i in range(len(node.kids)):", ["k = node.kids[i]", *counted]]],
    "sorted": [[f"for k in sorted(node.kids, key={by}):", plain]],
  }.get(row["loop"])
  return row.pick("loop", ways or _of_results(row["loop"], turn, call, put))


def _of_results(level, turn, call, put):
  """Returns loops over the results, which a comprehension or a generator expression makes."""
  pairs = f"(k, {call('k')}) for k in node.kids"
  collects = put("k", "r")
  one_by_one = f"for k in node.kids for r in [{call('k')}]"
  if level == "genexp":
    ways = [[f"for k, r in ({pairs}):", turn("k", "r", "")]]
    return ways + ([[f"done = list({collects} {one_by_one})"]] if collects else [])
  results = [f"results = [{call('k')} for k in node.kids]"]
  ways = [
    [f"for k, r in [{pairs}]:", turn("k", "r", "")],
    [*results, "for k, r in zip(node.kids, results):", turn("k", "r", "")],
  ]
  return ways + ([[f"[{collects} {one_by_one}]"]] if collects else [])


def at_once(row, make, call, collect_all):
  """Returns lines that collect by a comprehension.

  Args:
    row: the `Row`.
    make: `make(kid, result, extra)` is the expression of what is collected.
    call: as for `statements`.
    collect_all: `collect_all(comprehension)` gives the lines that take it.
  """
  result = row.pick("result", ("called", "bound"))
  bound = f" for r in [{call('k')}]" if result == "bound" else ""
  name = "r" if bound else call("k")
  plain, counted = make("k", name, ""), make("k", name, "i")
  by, start = _sorted_by(row), row.pick("start", ("", ", 1"))
  once = {
    level: [
      f"{make('k', name, extra)} for {target} in {iterable}{bound}"
      for target, iterable, extra in found
    ]
    for level, found in _of_library(row, by).items()
  }
  groups = "itertools.groupby(node.kids, key=lambda k: k.flag)"
  nested = f"for k, r in [(k, {call('k')}) for k in node.kids]"
  ways = {
    **once,
    "groupby": [f"{plain} for flag, some in {groups} for k in some{bound}"],
    "pop_first": [f"{plain} for k in [*node.kids[1:], *node.kids[:1]]{bound}"],
    "for": [f"{plain} for k in node.kids{bound}", f"{plain} for k in node.kids if k.flag{bound}"],
    "enumerate": [f"{counted} for i, k in enumerate(node.kids{start}){bound}"],
    "zip": [
      f"{counted} for k, i in zip(node.kids, node.nums){bound}",
      f"{make('k', name, 'after.v')} for k, after in zip(node.kids, node.kids[1:]){bound}",
    ],
    "reversed": [f"{plain} for k in reversed(node.kids){bound}"],
    "range": [f"{counted} for i in range(len(node.kids)) for k in [node.kids[i]]{bound}"],
    "sorted": [f"{plain} for k in sorted(node.kids, key={by}){bound}"],
    "comprehension": [f"{make('k', 'r', '')} {nested}"],
    "genexp": [f"{star}({plain} for k in node.kids{bound})" for star in ("*", "x for x in ")],
  }  # fmt: skip
  if row["loop"] == "while":
    some = f"{plain} for k in node.kids[i : i + 2]{bound}"
    return ["i = 0", "while i < len(node.kids):", [*collect_all(some), "i += 2"]]
  return collect_all(row.pick("loop", ways[row["loop"]]))


def _of_library(row, by):
  """Returns what is bound, what it is of and what further number there is, by level."""
  is_large, is_twice = "lambda k: k.v > 2", row["change"] != "deeper"
  first = "node.kids" if is_twice else "node.kids[:0]"  # Or the run would take forever.
  return {
    "chain": [
      ("k", f"itertools.chain({first}, reversed(node.kids))", ""),
      ("k", f"itertools.chain.from_iterable([node.kids[1:], {first}[:1]])", ""),
    ],
    "zip_longest": [
      ("k, i", "itertools.zip_longest(node.kids, node.nums[: len(node.kids)], fillvalue=3)", "i"),
      ("k, after", "itertools.zip_longest(node.kids, node.kids[1:], fillvalue=node)", "after.v"),
    ],
    "accumulate": [
      ("k, i", "zip(node.kids, itertools.accumulate(k.v for k in node.kids))", "i"),
      ("i, k", "zip(itertools.accumulate(node.nums, max), node.kids)", "i"),
    ],
    "pairwise": [("k, after", "itertools.pairwise(node.kids)", "after.v")],
    "islice": [
      ("k", "itertools.islice(node.kids, 2)", ""),
      ("k", "itertools.islice(node.kids, 1, None)", ""),
    ],
    "product": [
      ("k, i", f"itertools.product(node.kids, ({'1, 2' if is_twice else '1,'}))", "i"),
      ("k, after", "itertools.combinations(node.kids, 2)", "after.v"),
    ],
    "filter_of": [
      ("k", f"filter({is_large}, node.kids)", ""),
      ("k", f"itertools.takewhile({is_large}, node.kids)", ""),
      ("k", f"filter(lambda k: not k.flag, sorted(node.kids, key={by}))", ""),
    ],
    "map": [
      ("k, i", "map(lambda k: (k, k.v * 2), node.kids)", "i"),
      ("k, i", "itertools.starmap(lambda i, k: (k, i + 1), enumerate(node.kids))", "i"),
    ],
  }  # fmt: skip


def _sorted_by(row):
  return row.pick("by", ("lambda k: k.v", "lambda k: -k.v", "lambda k: k.name"))
