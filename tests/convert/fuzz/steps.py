"""Statements of random programs: loops over children, uses of a collection, and effects."""

from tests.convert.fuzz import gather


class Steps:
  """Makes lists of lines; a list in a list is an indented block."""

  def __init__(self, spec, values, kind, collection):
    self.spec, self.values, self.kind, self.collection = spec, values, kind, collection

  def loop(self, body):
    """Returns a loop over the children; `body(kid, extra)` gives the lines of a turn."""
    get = self.values.get
    kids, level = get("node", "kids"), self.spec["loop"]
    start = self.spec.random("loop").choice(["", ", 1"])
    simple, counted = body("k", ""), body("k", "i")
    return {
      "for": [f"for k in {kids}:", simple],
      "enumerate": [f"for i, k in enumerate({kids}{start}):", counted],
      "zip": [f"for k, i in zip({kids}, {get('node', 'nums')}):", counted],
      "zip_next": [f"for k, after in zip({kids}, {kids}[1:]):", body("k", get("after", "v"))],
      "reversed": [f"for k in reversed({kids}):", simple],
      "range": [f"for i in range(len({kids})):", [f"k = {kids}[i]", *counted]],
      "sorted": [f"for k in sorted({kids}, key=lambda k: {get('k', 'v')}):", simple],
      "while": ["i = 0", f"while i < len({kids}):", [f"k = {kids}[i]", *counted, "i += 1"]],
      "pop": [f"todo = list({kids})", "while todo:", ["k = todo.pop()", *simple]],
      "filter": [f"for k in {kids}:", [f"if {get('k', 'flag')}:", ["continue"], *simple]],
      "break": [f"for k in {kids}:", [*simple, f"if {get('k', 'v')} > 2:", ["break"]]],
      "named_kids": [f"for label, k in {get('node', 'named')}.items():", simple],
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
    }[level]  # fmt: skip

  def clauses(self):
    """Returns the `for` clauses of a comprehension over the children, and what `extra` is."""
    get = self.values.get
    kids, level = get("node", "kids"), self.spec["loop"]
    return {
      "enumerate": (f"for i, k in enumerate({kids})", "i"),
      "zip": (f"for k, i in zip({kids}, {get('node', 'nums')})", "i"),
      "zip_next": (f"for k, after in zip({kids}, {kids}[1:])", get("after", "v")),
      "reversed": (f"for k in reversed({kids})", ""),
      "range": (f"for k in [{kids}[i] for i in range(len({kids}))]", ""),
      "sorted": (f"for k in sorted({kids}, key=lambda k: {get('k', 'v')})", ""),
      "filter": (f"for k in {kids} if {get('k', 'flag')}", ""),
      "named_kids": (f"for label, k in {get('node', 'named')}.items()", ""),
      "sides": (f"for k in ({get('node', 'left')}, {get('node', 'right')}) if k is not None", ""),
      "nested": (f"for k in {kids} for i in (1, 2)", "i"),
    }.get(level, (f"for k in {kids}", ""))

  def use(self):
    """Returns the lines that compute `u` from the collection."""
    xs, lines = self.collection.name, []
    container = self.collection.container
    if container == gather.DICT:
      xs = (
        f"{xs}.values()" if self.spec["use"] in ("loop", "sum", "any") else f"list({xs}.values())"
      )
    elif container == gather.GROUPS:
      xs = f"[x for group in {xs}.values() for x in group]"
    elif container == gather.SLOT:
      xs = f"([] if {xs}.x is None else [{xs}.x])"
    if not xs.isidentifier() and self.spec["use"] not in ("loop", "sum", "any", "len"):
      lines, xs = [f"items = {xs}"], "items"
    return lines + self._use(xs)

  def _use(self, xs):
    number, rng, is_tensor = self.kind.number, self.spec.random("use"), self.values.is_tensor
    zero, x = self.values.own("node"), self.kind.number("x")
    level = self._use_level()
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
    best = [f"best = max({xs}, key=lambda x: {x})", f"u = {number('best')}"]
    largest = [[f"u = max([{x} for x in {xs}], default={zero})"], [begin, f"if {xs}:", best]]
    in_order = f"for i, x in enumerate(sorted({xs}, key=lambda x: {x})):"
    shown = xs if self.kind.is_simple else f"len({xs})"
    unzip = [f"ps, qs = zip(*{xs})", "u = u + len(ps) + len(qs) + count_of(ps, qs)"]
    ends = [f"a, b, *rest = {xs}", f"u = u + {number('a')} - {number('b')} + len(rest)"]
    return {
      "loop": [begin, each, [add], *counted],
      "index": [f"u = {number(f'{xs}[0]')} if {xs} else {zero}"],
      "last": [begin, f"if len({xs}) > 0:", [f"u = u - {number(f'{xs}[-1]')}"]],
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
    }[level]

  def _use_level(self):
    """Returns the level, or another one where it is an error in Python."""
    level = self.spec["use"]
    if self.values.is_tensor and level in ("max", "sorted"):
      return "reversed"
    if level in ("equal", "membership") and not self.kind.is_simple:
      return "slice"
    if level == "zip_star" and (not self.kind.num_parts or self.spec["what"] == "array"):
      return "unpack"
    return level

  def effect(self):
    """Returns the lines that compute `e`, an int, with effects on the way."""
    get = self.values.get
    flag, v, kids = get("node", "flag"), get("node", "v"), get("node", "kids")
    kid, kid_flag = get("k", "v"), get("k", "flag")
    rng = self.spec.random("effect")
    level = self.spec["inside"]
    if level == "statement" and self.spec["effect"] == "none":
      return []
    return {
      "statement": [f"e = note(node, {v})"],
      "and": rng.choice([
        [f"e = 1 if {flag} and note(node, {v}) > 1 else 0"],
        ["e = 0", f"if {flag} and note(node, {v}) > 1:", ["e = 2"]],
        [f"e = {flag} and note(node, {v})"],
      ]),
      "or": rng.choice([
        [f"e = 1 if {flag} or note(node, {v}) > 1 else 0"],
        ["e = 0", f"if {flag} or note(node, {v}) > 1:", ["e = 2"]],
        [f"e = {v} or note(node, 3)"],
      ]),
      "any": [f"e = 1 if any(note(k, {kid}) > 1 for k in {kids}) else 0"],
      "all": [f"e = 1 if all(note(k, {kid}) > 1 for k in {kids}) else 0"],
      "conditional": [f"e = note(node, 1) if {flag} else note(node, {v}) + 1"],
      "filter": [f"e = len([k for k in {kids} if {kid_flag} and note(k, {kid}) > 1])"],
      "walrus": rng.choice([
        ["e = 0", f"if (seen := note(node, {v})) > 1:", ["e = seen"]],
        ["last = 0", f"taken = [last := note(k, {kid}) for k in {kids}]", "e = last + len(taken)"],
        ["last = 0", f"e = 1 if any((last := {kid}) > 1 for k in {kids}) else 0", "e += last"],
      ]),
      "while": ["e = 0", f"while e < 3 and note(node, e) < {v}:", ["e += 1"]],
      "chain": [f"e = 1 if 0 < note(node, {v}) < note(node, 3) else 0"],
      "nested": [f"e = 1 if {flag} and note(node, 1) > 2 or {v} > 1 and note(node, 2) > 1 else 0"],
      "comparison": [f"e = [note(node, 1), note(node, {v})].index(1)"],
      "argument": [f"e = pair(note(node, 1), note(node, {v}) if {flag} else 0)"],
    }[level]  # fmt: skip
