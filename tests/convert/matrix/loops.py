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
  ways = {
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
  nested = f"for k, r in [(k, {call('k')}) for k in node.kids]"
  ways = {
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


def _sorted_by(row):
  return row.pick("by", ("lambda k: k.v", "lambda k: -k.v", "lambda k: k.name"))
