"""What random programs do with their collections: lists of lines; a list in it is a block."""

from tests.convert.fuzz import gather


class Uses:
  """Makes the lines that compute `u`, a number, from the collection."""

  def __init__(self, spec, values, kind, collection):
    self.spec, self.values, self.kind, self.collection = spec, values, kind, collection

  def lines(self):
    """Returns the lines that compute `u` from the collection."""
    xs, lines = self.collection.name, []
    container = self.collection.container
    level = self._level()
    if container in (gather.DICT, gather.COUNT) and level == "views":
      return self._views(xs)
    if container in (gather.DICT, gather.COUNT):
      xs = f"{xs}.values()" if level in ("loop", "sum", "any") else f"list({xs}.values())"
    elif container == gather.GROUPS:
      xs = f"[x for group in {xs}.values() for x in group]"
    elif container == gather.SLOT:
      xs = f"([] if {xs}.x is None else [{xs}.x])"
    if not xs.isidentifier() and level not in ("loop", "sum", "any", "len"):
      lines, xs = [f"items = {xs}"], "items"
    return lines + self._use(xs, level)

  def _views(self, xs):
    """Returns uses of the views of a dict."""
    number, zero = self.kind.number, self.values.own("node")
    begin = f"u = {zero}"
    several = f"u = u + len({xs}.keys()) - len({xs}.items()) * 2"
    ways = [
      [begin, f"for key, x in {xs}.items():", [f"u = u + {number('x')}"], several],
      [begin, f"for key in {xs}.keys():", [f"u = u + {number(f'{xs}[key]')}"]],
      [begin, f"if {self.values.get('node', 'name')} in {xs}:", ["u = u + 1"], several],
      [begin, f"both = {{**{xs}}}", "for x in both.values():", [f"u = u + {number('x')}"]],
      [begin, f"for i, (key, x) in enumerate({xs}.copy().items()):", [f"u = u + {number('x')}"]],
    ]
    return self.spec.random("views").choice(ways)

  def _use(self, xs, level):
    rng, of_kind = self.spec.random("use"), self.kind.number
    is_tensor = self.values.is_tensor
    zero, x = self.values.own("node"), of_kind("x")
    add = rng.choice([f"u += {x}", f"u = u + {x}"])
    pairs = [f"for p, q in {xs}:", ["count += 1"]] if self.kind.num_parts == 2 else []
    above = f"tf.reduce_sum({x}) > 1." if is_tensor else f"{x} > 1"
    begin, each = f"u = {zero}", f"for x in {xs}:"
    part = rng.choice(["1:", "::-1", "-2:", ":1", "::2"])
    counted = ["count = 0", *pairs, "u = u + count"] if pairs else []
    folded = f"u = u * 2 + {x}" if self.values.base == "int" else f"u = u * 0.5 + {x}"
    summed = [f"u = sum(({x} for x in {xs}), {zero})", f"u = {zero} + sum([{x} for x in {xs}])"]
    stacked = f"tf.reduce_sum(tf.stack([{zero}] + [{x} for x in {xs}]), axis=0)"
    chosen = [f"u = {zero} if {xs} else {zero} + 1", f"u = {zero} + (0 if not {xs} else 2)"]
    best = [f"best = max({xs}, key=lambda x: {x})", f"u = {of_kind('best')}"]
    largest = [[f"u = max([{x} for x in {xs}], default={zero})"], [begin, f"if {xs}:", best]]
    in_order = f"for i, x in enumerate(sorted({xs}, key=lambda x: {x})):"
    shown = xs if self.kind.is_simple else f"len({xs})"
    unzip = [f"ps, qs = zip(*{xs})", "u = u + len(ps) + len(qs) + count_of(ps, qs)"]
    ends = [f"a, b, *rest = {xs}", f"u = u + {of_kind('a')} - {of_kind('b')} + len(rest)"]
    return {
      "loop": [begin, each, [add], *counted],
      "index": [f"u = {of_kind(f'{xs}[0]')} if {xs} else {zero}"],
      "last": [begin, f"if len({xs}) > 0:", [f"u = u - {of_kind(f'{xs}[-1]')}"]],
      "unpack": [begin, f"if len({xs}) > 1:", ends],
      "zip_star": [begin, f"if {xs}:", unzip],
      "stack": [f"u = {stacked}" if is_tensor else f"u = sum([{zero}] + [{x} for x in {xs}])"],
      "sum": [rng.choice(summed)],
      "len": [f"u = {zero} + len({xs})"],
      "truth": [rng.choice(chosen)],
      "membership": [begin, f"if {xs} and {xs}[0] in {xs}[1:]:", ["u = u + 1"]],
      "slice": [begin, f"for x in {xs}[{part}]:", [add]],
      "max": rng.choice(largest),
      "sorted": [begin, in_order, [f"u = u + {x} * i"]],
      "print": [f"print({self.values.get('node', 'name')}, {shown})", begin],
      "helper": [f"u = {zero} + measure({xs})"],
      "reversed": [begin, f"for x in reversed({xs}):", [folded]],
      "enumerate": [begin, f"for i, x in enumerate({xs}):", [f"u = u + {x} * i"]],
      "any": [f"u = {zero} + (1 if {rng.choice(['any', 'all'])}({above} for x in {xs}) else 0)"],
      "equal": [begin, f"if {xs} and {xs}[0] == {xs}[-1]:", ["u = u + 1"]],
    }.get(level) or self._further(xs, level, begin, above)  # fmt: skip

  def _further(self, xs, level, begin, above):
    pick, of_kind = self.spec.random("further").choice, self.kind.number
    zero, x, get = self.values.own("node"), self.kind.number("x"), self.values.get
    folded = "a * 2 + {x}" if self.values.base == "int" else "a * 0.5 + {x}"
    folded = folded.format(x=x)
    name, v = get("node", "name"), get("node", "v")
    text = f'"{pick([",", "", "/"])}".join'
    shown = pick([f'"y" if {above} else "n"', get("node", "name"), f'f"{{len({xs})}}"'])
    own_key = f'("y" if {above} else "n")'
    sums = [f"both = sum(([{x}, {x}] for x in {xs}), [])", "for y in both:", ["u = u + y"]]
    match = [
      f"match list({xs}):",
      [
        "case []:", ["u = u + 1"],
        "case [x]:", [f"u = u + {x}"],
        "case [first, *rest] if len(rest) < 3:", [f"u = {of_kind('first')} + len(rest)"],
        "case _:", ["u = u + 4"],
      ],
    ]  # fmt: skip
    return {
      "reduce": pick([
        [f"u = functools.reduce(lambda a, x: {folded}, {xs}, {zero})"],
        [begin, f"if {xs}:", [f"u = u + functools.reduce(operator.add, [{x} for x in {xs}])"]],
        [f"u = functools.reduce(pair, [{x} for x in {xs}], {zero})"],
      ]),
      "prod": [f"u = {zero} + math.prod([{x} % 5 for x in {xs}])"],
      "filter_of": pick([
        [begin, f"for x in filter(lambda x: {above}, {xs}):", [f"u = u + {x}"]],
        [f"some = list(filter(lambda x: {above}, {xs}))", f"u = {zero} + len(some)"],
        [begin, f"for x in itertools.takewhile(lambda x: {above}, {xs}):", [f"u = u + {x}"]],
      ]),
      "chain": pick([
        [begin, f"for x in itertools.chain({xs}, {xs}[:1]):", [f"u = u + {x}"]],
        [begin, f"for x, y in itertools.pairwise({xs}):", [f"u = u + {x} - {of_kind('y')}"]],
        [begin, f"for y in itertools.accumulate({x} for x in {xs}):", ["u = u + y"]],
        [begin, f"for x in itertools.islice({xs}, 1, 3):", [f"u = u + {x}"]],
      ]),
      "join": pick([
        [f"text = {text}([{shown} for x in {xs}])", f"u = {zero} + len(text)"],
        ['text = ""', f"for x in {xs}:", [f"text += {shown}"],
         begin, f"if text[:1] == {name} or text == \"yn\":", ["u = u + 2"]],
        [f"text = {text}([{shown} for x in {xs}]) + {name}", f"print(text, {v})", begin],
      ]),
      "match": [begin, *match],
      "together": [begin, *sums],
      "tally": pick([
        ["tally = collections.Counter()", f"for x in {xs}:", [f"tally[{own_key}] += 1"],
         f'u = {zero} + tally["y"] * 2 + tally["n"]'],
        ["tally = {}", f"for x in {xs}:",
         [f"tally[{own_key}] = tally.get({own_key}, 0) + 1"], f"u = {zero} + len(tally)"],
        ["tally = collections.defaultdict(int)", f"for x in {xs}:", [f"tally[{own_key}] += 1"],
         f'u = {zero} + tally["y"]'],
      ]),
      "views": pick([
        [begin, f"for i, x in dict(enumerate({xs})).items():", [f"u = u + {x} + i"]],
        [f"table = {{i: x for i, x in enumerate({xs})}}", begin, "for x in table.values():",
         [f"u = u + {x}"], "u = u + len(table.keys())"],
      ]),
      "in": [begin, f"if {zero if not self.values.is_tensor else '1'} in [{x} for x in {xs}]:",
             ["u = u + 1"]],
      "in_names": pick([
        [begin, f"if {name} in [{get('k', 'name')} for k in {get('node', 'kids')}]:",
         ["u = u + 1"]],
        [begin, f"if {v} - 1 in {get('node', 'nums')}:", [f"u = u + len({xs})"]],
        [begin, f"if {name} in (\"a\", \"r\", \"z\") and {xs}:", ["u = u + 1"]],
      ]),
    }[level]  # fmt: skip

  def _level(self):
    """Returns the level, or another one where it is an error in Python."""
    level = self.spec["use"]
    if self.values.is_tensor and level in ("max", "sorted"):
      return "reversed"
    if level == "in" and self.values.is_tensor:
      return "in_names"
    if level == "prod" and self.values.base != "int":
      return "reduce"
    if level in ("equal", "membership") and not self.kind.is_simple:
      return "slice"
    if level == "zip_star" and (not self.kind.num_parts or self.spec["what"] == "array"):
      return "unpack"
    return level
