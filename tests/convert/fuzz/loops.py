"""Loops over children in random programs, as statements and as clauses of comprehensions."""


class Loops:
  """Makes lists of lines; a list in a list is an indented block."""

  def __init__(self, spec, values):
    self.spec, self.get = spec, values.get

  def statement(self, body):
    """Returns a loop over the children; `body(kid, extra)` gives the lines of a turn."""
    get, level = self.get, self.spec["loop"]
    kids, start = get("node", "kids"), self.spec.random("loop").choice(["", ", 1"])
    simple, counted = body("k", ""), body("k", "i")
    lines = {
      "for": [f"for k in {kids}:", simple],
      "range": [f"for i in range(len({kids})):", [f"k = {kids}[i]", *counted]],
      "while": ["i = 0", f"while i < len({kids}):", [f"k = {kids}[i]", *counted, "i += 1"]],
      "pop": [f"todo = list({kids})", "while todo:", ["k = todo.pop()", *simple]],
      "pop_first": [
        f"todo = list({kids})", "while todo:",
        ["k = todo.pop(0)", f"if {get('k', 'v')} == 7:", [f"todo.insert(0, {kids}[0])"], *simple],
      ],
      "filter": [f"for k in {kids}:", [f"if {get('k', 'flag')}:", ["continue"], *simple]],
      "break": [f"for k in {kids}:", [*simple, f"if {get('k', 'v')} > 2:", ["break"]]],
      "sides": [
        f"for k in ({get('node', 'left')}, {get('node', 'right')}):",
        ["if k is None:", ["continue"], *simple],
      ],
      "nested": [f"for k in {kids}:", ["for i in (1, 2):", counted]],
      "else": [
        f"for k in {kids}:", [f"if {get('k', 'v')} > 5:", ["break"], *simple],
        "else:", ['print("all", ' + get("node", "name") + ")"],
      ],
      "comprehension": [f"for k in [k for k in {kids}]:", simple],
      "genexp": [f"for k in (k for k in {kids}):", simple],
      "groupby": [
        f"for flag, some in itertools.groupby({kids}, key=lambda k: {get('k', 'flag')}):",
        ["i = 2 if flag else 1", "for k in some:", counted],
      ],
    }.get(level)  # fmt: skip
    if lines:
      return lines
    target, iterable, extra = self._iterables(start)[level]
    return [f"for {target} in {iterable}:", body("k", extra)]

  def _iterables(self, start):
    """Returns what is bound, what it is of and what further number there is, by level."""
    get, pick = self.get, self.spec.random("iterables").choice
    kids, nums, by = get("node", "kids"), get("node", "nums"), get("k", "v")
    after = f"(0 if after is None else {get('after', 'v')})"
    is_large = f"lambda k: {by} > 1"
    return {
      "enumerate": ("i, k", f"enumerate({kids}{start})", "i"),
      "zip": ("k, i", f"zip({kids}, {nums})", "i"),
      "zip_next": ("k, after", f"zip({kids}, {kids}[1:])", get("after", "v")),
      "reversed": ("k", f"reversed({kids})", ""),
      "sorted": ("k", f"sorted({kids}, key=lambda k: {by})", ""),
      "named_kids": ("label, k", f"{get('node', 'named')}.items()", ""),
      "chain": pick([
        ("k", f"itertools.chain({kids}, reversed({kids}))", ""),
        ("k", f"itertools.chain({kids}[1:], {kids}[:1], {kids})", ""),
        ("k", f"itertools.chain.from_iterable([{kids}, {kids}[-1:]])", ""),
      ]),
      "zip_longest": pick([
        ("k, after", f"itertools.zip_longest({kids}, {kids}[1:])", after),
        ("k, i", f"itertools.zip_longest({kids}, {nums}[:1], fillvalue=3)", "i"),
      ]),
      "accumulate": pick([
        ("k, i", f"zip({kids}, itertools.accumulate({by} for k in {kids}))", "i"),
        ("k, i", f"zip({kids}, itertools.accumulate({nums}, max))", "i"),
        ("i, k", f"zip(itertools.accumulate({nums}, lambda a, b: a + 2 * b), {kids})", "i"),
      ]),
      "pairwise": ("k, after", f"itertools.pairwise({kids})", get("after", "v")),
      "islice": ("k", f"itertools.islice({kids}, {pick(['2', '1, None', '0, 3, 2'])})", ""),
      "product": pick([
        ("k, i", f"itertools.product({kids}, (1, 2))", "i"),
        ("k, after", f"itertools.product({kids}, {kids})", get("after", "v")),
        ("k, after", f"itertools.combinations({kids}, 2)", get("after", "v")),
      ]),
      "filter_of": pick([
        ("k", f"filter({is_large}, {kids})", ""),
        ("k", f"itertools.takewhile({is_large}, {kids})", ""),
        ("k", f"itertools.filterfalse({is_large}, {kids})", ""),
        ("k", f"itertools.dropwhile(lambda k: {get('k', 'flag')}, {kids})", ""),
      ]),
      "map": pick([
        ("k, i", f"map(lambda k: (k, {by} * 2), {kids})", "i"),
        ("k, i", f"itertools.starmap(lambda i, k: (k, i + 1), enumerate({kids}))", "i"),
        ("k, i", f"zip({kids}, map(lambda a, b: a - b, {nums}, {nums}[1:]))", "i"),
      ]),
      "count": ("k, i", f"zip({kids}, itertools.{pick(['count(2)', 'repeat(3)'])})", "i"),
    }  # fmt: skip

  def clauses(self):
    """Returns the `for` clauses of a comprehension over the children."""
    get, level = self.get, self.spec["loop"]
    kids = get("node", "kids")
    clauses = {
      "range": f"for k in [{kids}[i] for i in range(len({kids}))]",
      "filter": f"for k in {kids} if {get('k', 'flag')}",
      "sides": f"for k in ({get('node', 'left')}, {get('node', 'right')}) if k is not None",
      "nested": f"for k in {kids} for i in (1, 2)",
      "groupby": f"for _, some in itertools.groupby({kids}, key=lambda k: {get('k', 'flag')})"
      " for k in some",
    }.get(level)
    if clauses:
      return clauses
    target, iterable, _ = self._iterables("").get(level, ("k", kids, ""))
    return f"for {target} in {iterable}"
