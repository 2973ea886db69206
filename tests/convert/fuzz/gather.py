"""Collecting in random programs: where a collection comes from, who shares it, how it grows."""

LIST, DICT, GROUPS, TUPLE, SLOT, COUNT = "list", "dict", "groups", "tuple", "slot", "count"
_EMPTY = {LIST: "[]", DICT: "{}", GROUPS: "{}", TUPLE: "()", SLOT: "Box(None)"}
_CONTAINER = {
  "key": DICT, "update": DICT, "dict_comprehension": DICT, "setdefault": GROUPS, "grow": TUPLE,
  "attribute": SLOT, "count": COUNT, "union": DICT,
}  # fmt: skip
_AT_ONCE = ("comprehension", "genexp", "dict_comprehension", "together")
_COUNTERS = "{}", "collections.Counter()", "collections.defaultdict(int)"


class Gather:
  """The parts of a program that concern its collection.

  Attributes:
    container: what the collection is.
    empty: the expression of an empty one.
    name: the expression that the program knows it by.
    other: the second collection's name, or None.
    extras: what else shall be in the result.
  """

  def __init__(self, spec, values, kind):
    self.spec, self.values, self.kind = spec, values, kind
    self.container = _CONTAINER.get(spec["collect"], LIST)
    counter = spec.random("counter").choice(_COUNTERS)
    self.empty = counter if self.container == COUNT else _EMPTY[self.container]
    self.name = self._name()
    self.other, self.extras = None, []
    self.is_at_once = spec["collect"] in _AT_ONCE

  def _name(self):
    return {
      "argument": "acc", "default": "acc", "none_default": "acc", "closure": "store",
      "global": "STORE", "class_attribute": "Holder.items", "object_attribute": "holder.items",
      "node_attribute": self.values.get("node", "items"),
    }.get(self.spec["source"], "xs")  # fmt: skip

  def parameter(self):
    """Returns the further parameter of the function, or ""."""
    return {
      "argument": "acc", "default": f"acc={self.empty}", "none_default": "acc=None",
    }.get(self.spec["source"], "")  # fmt: skip

  def passed(self):
    """Returns the further argument of calls in the function, or ""."""
    source = self.spec["source"]
    is_passed = source == "argument" or (
      source == "none_default" and self.spec.random("passed").random() < 0.5
    )
    return "acc" if is_passed else ""

  def declarations(self):
    """Returns the lines that must come first."""
    rebinds = self.spec["collect"] in (
      "grow",
      "iadd",
      "comprehension",
      "rebuild",
      "union",
      "together",
    )
    if not (rebinds or self.spec["alias"] == "swapped" or self.spec["change"] == "double"):
      return []
    return {"closure": ["nonlocal store"], "global": ["global STORE"]}.get(self.spec["source"], [])

  def begin(self):
    """Returns the lines that get the collection and share it."""
    empty, source = self.empty, self.spec["source"]
    lines = {
      "local": [f"xs = {empty}"],
      "call": ["xs = fresh(node)"],
      "none_default": ["if acc is None:", [f"acc = {empty}"]],
    }.get(source, [])
    if source == "node_attribute" and self.spec.random("begin").random() < 0.5:
      lines = [f"{self.name} = {empty}"]
    return lines + self._shared()

  def _shared(self):
    alias, flag, name = self.spec["alias"], self.values.get("node", "flag"), self.name
    rng, empty = self.spec.random("shared"), self.empty
    if alias in ("chosen", "chosen_statement", "chosen_kid", "swapped"):
      self.other = "other"
    if alias == "two_names":
      return [f"ys = {name}"]
    if alias == "chosen":
      return [f"other = {empty}", f"target = {name} if {flag} else other"]
    if alias == "chosen_statement":
      lines = [f"if {flag}:", [f"target = {name}"], "else:", ["target = other"]]
      return [f"other = {empty}", *lines]
    if alias == "chosen_kid":
      return [f"other = {empty}"]
    if alias == "stored":
      return [rng.choice([f'shelf = {{"a": {name}, "b": {name}}}', f"shelf = [{name}, {name}]"])]
    if alias == "on_node":
      return [f"{self.values.get('node', 'kept')} = {name}"]
    if alias == "swapped":
      swap = f"{name}, other = other, {name}"
      return [f"other = {empty}", f"if {flag}:", [swap]]
    if alias == "reused":
      return [f"one = {self.kind.make(self.values.own('node'), 'node')}"]
    return []

  def target(self, kid):
    """Returns lines to run at each kid, and the name of what is collected into."""
    alias, rng = self.spec["alias"], self.spec.random("target")
    if alias == "two_names":
      return [], rng.choice(["ys", self.name])
    if alias in ("chosen", "chosen_statement"):
      return [], "target"
    if alias == "chosen_kid":
      test = rng.choice([f"{self.values.get(kid, 'v')} % 2 == 0", self.values.get(kid, "flag")])
      return [f"target = {self.name} if {test} else other"], "target"
    if alias == "stored":
      shelf = self._shared()[0]
      return [], rng.choice(['shelf["a"]' if "{" in shelf else "shelf[0]", self.name])
    return [], self.name

  def collect(self, item, kid):
    """Returns the lines that collect one item."""
    lines, target = self.target(kid)
    if self.spec["alias"] == "reused" and self.kind.change:
      lines, item = [*lines, self.kind.change("one")], "one"
    if self.spec["alias"] == "passed_twice" and self.container == LIST:
      return [*lines, f"both({target}, {target}, {item})"]
    key = self.values.get(kid, self.spec.random("key").choice(["name", "v"]))
    group = self.values.get(kid, self.spec.random("key").choice(["flag", "name"]))
    rebuilt = [f"{target} = {target} + [{item}]", f"{target} = [*{target}, {item}]"]
    counted = [f"{target}[{key}] = {target}.get({key}, 0) + {item}"]
    counted += 2 * [f"{target}[{key}] += {item}"] if self.empty != "{}" else []
    several = [f"[{item}]", f"({item},)", f"[{item}, {item}]"]
    line = {
      "append": f"{target}.append({item})",
      "extend": f"{target}.extend({self.spec.random('extend').choice(several)})",
      "iadd": f"{target} += [{item}]",
      "insert": f"{target}.insert(0, {item})",
      "item": f"{target}.append({item}); {target}[0] = {target}[-1]",
      "helper": f"put({target}, {item})",
      "key": f"{target}[{key}] = {item}",
      "update": f"{target}.update({{{key}: {item}}})",
      "setdefault": f"{target}.setdefault({group}, []).append({item})",
      "grow": f"{target} += ({item},)",
      "attribute": f"{target}.x = {item}",
      "count": self.spec.random("count").choice(counted),
      "union": f"{target} |= {{{key}: {item}}}",
      "insert_at": f"{target}.insert({self.spec.random('at').choice(['1', '-1', '2'])}, {item})",
      "rebuild": self.spec.random("rebuild").choice(rebuilt),
    }[self.spec["collect"]]
    return [*lines, *line.split("; ")]

  def collect_at_once(self, make, clauses, kid):
    """Returns the lines that collect by a comprehension."""
    collect, (lines, target) = self.spec["collect"], self.target(kid)
    target = self.name if lines else target  # There is no turn of its own to choose in.
    if collect == "dict_comprehension":
      key = self.values.get(kid, "name")
      return [f"{target}.update({{{key}: {make} {clauses}}})"]
    if collect == "together":
      one = self.spec.random("together").choice([f"[{make}]", f"[{make}, {make}]"])
      both = f"sum(({one} {clauses}), [])"
      return [self.spec.random("once").choice([f"{target} += {both}", f"{target}.extend({both})"])]
    if collect == "genexp":
      return [f"{target}.extend({make} {clauses})"]
    return [
      self.spec.random("once").choice(
        [f"{target} += [{make} {clauses}]", f"{target}.extend([{make} {clauses}])"]
      )
    ]

  def end(self):
    """Returns the lines after the loop: more sharing, then changes."""
    alias, name, lines = self.spec["alias"], self.name, []
    if alias == "kept":
      lines = [f'KEPT["last"] = {name}', f'KEPT.setdefault("all", []).append({name})']
    elif alias == "copy":
      copy = {LIST: f"list({name})", TUPLE: f"tuple({name})", SLOT: f"Box({name}.x)"}
      lines = [f"ys = {copy.get(self.container, f'{name}.copy()')}"]
      self.extras = ["ys"]
    elif alias == "element" and self.kind.change and self.container in (LIST, TUPLE):
      lines = [f"if {name}:", [f"first = {name}[0]", self.kind.change("first")]]
    elif alias == "in_result":
      self.extras = [name, name]
    elif self.other:
      self.extras = ["other"]
    return lines + self._change()

  def _change(self):
    change, name, element = self.spec["change"], self.name, self.kind.change
    if self.container == LIST:
      lines = {
        "set_item": [f"{name}[0] = {name}[-1]"],
        "pop": [f"{name}.pop()"],
        "pop_first": [f"{name}.pop(0)"],
        "insert": [f"{name}.insert({self.spec.random('at').choice('012')}, {name}[-1])"],
        "element": [element(f"{name}[-1]")] if element else [],
        "clear": [f"{name}.clear()"],
        "extra": [f"{name}.append({name}[0])"],
        "sort": [f"{name}.reverse()"],
        "double": [f"{name} += {name}[:2]"],
        "none_out": [f"{name}[:] = {name}[:1]"],
      }.get(change, [])
    elif self.container in (DICT, COUNT):
      lines = {
        "set_item": [f"for key in list({name}):", [f"{name}[key] = {name}[key]"]],
        "pop": [f"{name}.pop(next(iter({name})))"],
        "element": [f"for x in {name}.values():", [element("x")]] if element else [],
        "clear": [f"{name}.clear()"],
        "extra": [f'{name}["extra"] = next(iter({name}.values()))'],
        "double": [f'{name}["again"] = {name}[next(iter({name}))]'],
      }.get(change, [])
    elif self.container == TUPLE and change != "none":
      lines = [f"{name} = {name}[1:]"] if change in ("pop", "clear") else [f"{name} += {name}[:1]"]
    else:
      lines = []
    if self.container == SLOT:
      return (
        [f"if {name}.x is not None:", [element(f"{name}.x")]]
        if change == "element" and element
        else []
      )
    return [f"if {name}:", lines] if lines else []
