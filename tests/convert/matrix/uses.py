"""What the matrix's programs do with their collections: lists of lines; a list is a block."""

from tests.convert.matrix.places import COUNT, DICT, GROUPS, LIST, TUPLE


class Use:
  """The lines that compute `u` from the collection.

  Attributes:
    extras: what else the function returns.
  """

  def __init__(self, row, kinds, place):
    self.row, self.kinds, self.place = row, kinds, place
    self.extras = {"return": [place.items], "stack": ["stacked"]}.get(row["use"], [])

  def lines(self):
    """Returns the lines, which begin with `u` of the node alone."""
    level = self.row["use"]
    begin = [f"u = {self.kinds.own('node')}"]
    if level in ("len", "truth"):
      return begin + getattr(self, f"_{level}")(self.place.items)
    if level == "views":
      return begin + self._views(self.place.items)
    before = self._mutate(self.place.items) if level == "mutate" else []
    named, xs = self._values()
    ways = self._loop(xs) if level in ("return", "mutate") else getattr(self, f"_{level}")(xs)
    return before + named + begin + ways

  def _values(self):
    """Returns lines, and the name of a list or tuple of what was collected."""
    xs, container = self.place.items, self.place.container
    if container in (DICT, COUNT):
      return [f"found = list({xs}.values())"], "found"
    if container == GROUPS:
      return [f"found = [x for group in {xs}.values() for x in group]"], "found"
    return [], xs

  def _add(self, value):
    number = self.kinds.kind.number(value)
    return self.row.pick("add", (f"u = u + {number}", f"u = u - {number}", f"u += {number}"))

  def _index(self, xs):
    ways = (
      [f"if {xs}:", [self._add(f"{xs}[0]")]],
      [f"if len({xs}) > 0:", [self._add(f"{xs}[-1]")]],
      [f"for i in range(len({xs})):", [self._add(f"{xs}[i]")]],
      [f"if len({xs}) > 1:", [f"first, last = {xs}[0], {xs}[1]", self._add("last")]],
    )
    return self.row.pick("index", ways)

  def _unpack(self, xs):
    ways = [
      [f"if len({xs}) > 1:", [f"a, b, *rest = {xs}", self._add("b"), "u = u + len(rest)"]],
      [f"if len({xs}) == 2:", [f"a, b = {xs}", self._add("a")]],
      [f"if {xs}:", [f"*rest, b = {xs}", self._add("b")]],
    ]
    if self.kinds.kind.num_parts == 2:
      ways += 2 * [[f"for p, q in {xs}:", [f"u = u + {self.kinds.number_of_parts()}"]]]
    return self.row.pick("unpack", ways)

  def _loop(self, xs):
    ways = (
      [f"for x in {xs}:", [self._add("x")]],
      [f"for i, x in enumerate({xs}):", [self._add("x")]],
    )
    return self.row.pick("loop over", ways)

  def _zip_star(self, xs):
    number = self.kinds.kind.number("x")
    if self.kinds.kind.num_parts == 2 and self.row["what"] != "array":
      return [f"if {xs}:", [f"ps, qs = zip(*{xs})", "u = u + len(ps) + len(qs[1:])"]]
    pairs = f"[({number}, i) for i, x in enumerate({xs})]"
    return [f"if {xs}:", [f"ps, ns = zip(*{pairs})", "u = u + ps[-1] + len(ns)"]]

  def _stack(self, xs):
    number, own = self.kinds.kind.number("x"), self.kinds.own("node")
    stacked = [f"stacked = tf.stack([{own}] + [{number} for x in {xs}])"]
    if self.kinds.base == "tensor":
      return [*stacked, "u = tf.reduce_sum(stacked, axis=0)"]
    return [*stacked, f"u = u + len({xs})"]

  def _sum(self, xs):
    number, own = self.kinds.kind.number("x"), self.kinds.own("node")
    ways = [f"u = sum([{number} for x in {xs}], {own})", f"u = u + sum({number} for x in {xs})"]
    ways += [f"u = u + sum({xs})"] if number == "x" else []
    return [self.row.pick("sum", ways)]

  def _len(self, xs):
    return self.row.pick(
      "len", ([f"u = u + len({xs})"], [f"if len({xs}) > 2:", [f"u = u * 2 - len({xs})"]])
    )

  def _truth(self, xs):
    ways = (
      [f"if {xs}:", ["u = u + 1"], "else:", ["u = u - 1"]],
      [f"u = u + (0 if not {xs} else 2)"],
      [f"u = u + (3 if {xs} and node.flag else 1)"],
    )
    return self.row.pick("truth", ways)

  def _membership(self, xs):
    ways = [[f"if {xs} and {xs}[0] in {xs}:", ["u = u + 1"]]]
    if self.kinds.is_simple:
      ways = [[f"if {xs} and {xs}[-1] in {xs}[:-1]:", ["u = u + 1"]]]
      ways += [[f"if {self.kinds.result('1', 'node')} in {xs}:", ["u = u + 2"]]]
      ways += [[f"u = u + len([x for x in {xs} if x not in {xs}[1:]])"]]
    if self.place.container in (DICT, GROUPS, COUNT):
      keys = self.place.items
      ways += 2 * [[f"if node.name in {keys} or node.v in {keys}:", ["u = u + 1"]]]
    return self.row.pick("membership", ways)

  def _slice(self, xs):
    part = self.row.pick("part", ("1:", ":-1", "::-1", "-2:", ":1", "::2"))
    ways = (
      [f"for x in {xs}[{part}]:", [self._add("x")]],
      [f"some = {xs}[{part}]", "if some:", [self._add("some[0]")], "u = u + len(some)"],
    )
    return self.row.pick("slice", ways)

  def _reduce(self, xs):
    number = self.kinds.kind.number("x")
    damped = "a * 0.5" if self.kinds.base in ("float", "tensor", "array") else "a % 7"
    ways = (
      [f"u = functools.reduce(lambda a, x: {damped} + {number}, {xs}, u)"],
      [f"if {xs}:", [f"u = u - functools.reduce(operator.add, [{number} for x in {xs}])"]],
    )
    return self.row.pick("reduce", ways)

  def _above(self):
    number = self.kinds.kind.number("x")
    is_scalar = self.kinds.base in ("int", "float")
    return f"{number} > 1" if is_scalar else f"tf.reduce_sum({number}) > 1.0"

  def _filter_of(self, xs):
    ways = (
      [f"for x in filter(lambda x: {self._above()}, {xs}):", [self._add("x")]],
      [f"some = list(filter(lambda x: {self._above()}, {xs}))", "u = u + len(some)"],
      [f"for x in itertools.takewhile(lambda x: {self._above()}, {xs}):", [self._add("x")]],
    )
    return self.row.pick("filter", ways)

  def _chain(self, xs):
    ways = (
      [f"for x in itertools.chain({xs}, {xs}[:1]):", [self._add("x")]],
      [f"for x, y in itertools.pairwise({xs}):", [self._add("x"), self._add("y")]],
      [f"for y in itertools.accumulate({self.kinds.kind.number('x')} for x in {xs}):",
       ["u = u + y"]],
      [f"for x in itertools.islice({xs}, 1, 3):", [self._add("x")]],
    )  # fmt: skip
    return self.row.pick("chain", ways)

  def _join(self, xs):
    shown = f'"y" if {self._above()} else node.name'
    ways = (
      [f'text = "/".join([{shown} for x in {xs}])', "u = u + len(text)"],
      ['text = ""', f"for x in {xs}:", [f"text += {shown}"], 'if text == "yy":', ["u = u + 1"]],
      [f'print(", ".join([node.name, *[{shown} for x in {xs}]]))'],
    )
    return self.row.pick("join", ways)

  def _match(self, xs):
    cases = [
      "case []:", ["u = u + 1"], "case [x]:", [self._add("x")],
      "case [first, *rest] if len(rest) < 3:", [self._add("first"), "u = u + len(rest)"],
      "case _:", ["u = u - 1"],
    ]  # fmt: skip
    return [f"match list({xs}):", cases]

  def _tally(self, xs):
    key = f'("y" if {self._above()} else node.name)'
    ways = (
      ["tally = {}", f"for x in {xs}:", [f"tally[{key}] = tally.get({key}, 0) + 1"],
       "u = u + len(tally)"],
      ["tally = collections.Counter()", f"for x in {xs}:", [f"tally[{key}] += 1"],
       'u = u + tally["y"]'],
      [f"tally = collections.Counter({key} for x in {xs})", 'u = u + tally["y"]'],
    )  # fmt: skip
    return self.row.pick("tally", ways)

  def _views(self, xs):
    ways = [
      [f"table = {{i: x for i, x in enumerate({xs})}}", "for x in table.values():", ["u = u + 1"]],
      [f"for i, x in dict(enumerate({xs})).items():", ["u = u + i"]],
    ]
    if self.place.container in (DICT, COUNT):
      ways = [
        [f"for key, x in {xs}.items():", [self._add("x")]],
        [f"for key in {xs}.keys():", [self._add(f"{xs}[key]")]],
        [f"for x in {{**{xs}}}.values():", [self._add("x")]],
        [f"some = {xs}.copy()", "for x in some.values():", [self._add("x")]],
      ]
    return self.row.pick("views", ways)

  def _in(self, xs):
    ways = [[f"if node.name in [k.name for k in node.kids] and {xs}:", ["u = u + 1"]]]
    ways += [["if node.v + 1 in node.nums:", [f"u = u + len({xs})"]]]
    if self.kinds.base in ("int", "float"):
      number = self.kinds.kind.number("x")
      ways += 2 * [[f"if {self.kinds.own('node')} in [{number} for x in {xs}]:", ["u = u + 1"]]]
    return self.row.pick("in", ways)

  def _mutate(self, xs):
    container, element = self.place.container, self.kinds.kind.change
    if container == LIST:
      ways = [
        [f"{xs}[0] = {xs}[-1]"], [f"{xs}.pop()"], [f"{xs}.append({xs}[0])"], [f"{xs}.reverse()"],
        [f"{xs}.insert(0, {xs}[-1])"], [f"{xs}.clear()"], [f"{xs}[:] = {xs}[:1]"],
        [f"{xs}.extend({xs}[:2])"],
      ]  # fmt: skip
      ways += 4 * [[element(f"{xs}[-1]")]] if element else []
    elif container == TUPLE:
      ways = [[f"{xs} = {xs}[1:]"], [f"{xs} = {xs} + {xs}[:1]"]]
      ways += 2 * [[element(f"{xs}[0]")]] if element else []
    elif container in (DICT, COUNT):
      ways = [
        [f"{xs}[node.name] = next(iter({xs}.values()))"], [f"{xs}.pop(next(iter({xs})))"],
        [f"for key in list({xs}):", [f"{xs}[key] = {xs}[key]"]], [f"{xs}.clear()"],
      ]  # fmt: skip
      ways += 2 * [[f"for x in {xs}.values():", [element("x")]]] if element else []
    elif container == GROUPS:
      ways = [
        [f"for group in {xs}.values():", ["group.append(group[0])"]],
        [f"for group in {xs}.values():", ["group.pop()"]], [f"{xs}[node.name] = []"],
      ]  # fmt: skip
    return [f"if {xs}:", self.row.pick("mutate", ways)]
