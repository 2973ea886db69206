"""What the matrix's programs do with their collections: lists of lines; a list is a block."""

from tests.convert.matrix.places import DICT, GROUPS, LIST, TUPLE


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
    before = self._mutate(self.place.items) if level == "mutate" else []
    named, xs = self._values()
    ways = self._loop(xs) if level in ("return", "mutate") else getattr(self, f"_{level}")(xs)
    return before + named + begin + ways

  def _values(self):
    """Returns lines, and the name of a list or tuple of what was collected."""
    xs, container = self.place.items, self.place.container
    if container == DICT:
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
    if self.place.container in (DICT, GROUPS):
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
    elif container == DICT:
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
