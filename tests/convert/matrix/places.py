"""Where the collection of a program is, who shares it, and how a result gets into it."""

LIST, DICT, GROUPS, TUPLE, COUNT = "list", "dict", "groups", "tuple", "count"
EMPTY = {LIST: "[]", DICT: "{}", GROUPS: "{}", TUPLE: "()"}
_CONTAINER = {"key": DICT, "setdefault": GROUPS, "tuple": TUPLE, "union": DICT, "count": COUNT}
_COUNTERS = "{}", "collections.Counter()", "collections.defaultdict(int)"


class Place:
  """The parts of a program that concern its collection.

  Attributes:
    container: what the collection is.
    parameter: the further parameter of the function, or "".
    passed: the further argument of the recursive calls, or "".
    given: the further argument of the calls from outside, or "".
    owner: the expression that names share: the collection, or the object that has it.
    target: the expression through which results are collected.
    extras: what else the function returns.
  """

  def __init__(self, row, kinds):
    self.row, self.kinds = row, kinds
    self.container = _CONTAINER.get(row["collect"], LIST)
    is_count = self.container == COUNT
    self.empty = row.pick("counter", _COUNTERS) if is_count else EMPTY[self.container]
    self.parameter = self.passed = self.given = ""
    self._begin, self.extras, self.field = [], [], ""
    self._is_chosen_by_kid = False
    families = {
      "attribute": self._of_object, "class_attribute": self._of_class, "default": self._of_default,
    }  # fmt: skip
    self.owner = families.get(row["collect"], self._of_collection)(row["source"])
    self.target = self.owner
    self._share(row["alias"])

  @property
  def items(self):
    """The expression of the collection."""
    seen = self.row.pick("seen", ("ys", self.owner)) if self._is("two_names") else self.owner
    return f"{seen}{self.field}"

  def begin(self):
    """Returns the lines that get the collection and share it."""
    return self._begin

  def _is(self, alias):
    return self.row["alias"] == alias

  def _of_collection(self, source):
    if source == "argument":
      self.parameter, self.given = "acc", self.empty
      self.passed = self.row.pick("passed", ("acc", self.empty))
      return "acc"
    if source == "attribute":
      where = self.row.pick("where", ("node.items", "holder.items"))
      if where == "node.items":
        self._begin = self.row.pick("anew", ([], [f"node.items = {self.empty}"]))
      return where
    if source == "call":
      self._begin = [self.row.pick("begin", ("xs = fresh(node)", f"xs = {self._made()}"))]
    return "store" if source == "closure" else "xs"

  def _of_object(self, source):
    self.field = ".items"
    if source == "argument":
      self.parameter, self.given = "box", "Bag([])"
      self.passed = self.row.pick("passed", ("box", "Bag([])"))
    if source == "call":
      self._begin = ["box = new_box(node)"]
    where = self.row.pick("where", ("node.box", "holder.box"))
    return {"attribute": where, "closure": "holder"}.get(source, "box")

  def _of_class(self, source):
    self.field = ".items"
    if source == "argument":
      self.parameter, self.given, self.passed = "cls", "Holder", "cls"
    if source == "call":
      self._begin = [self.row.pick("class", ("cls = type(node)", "cls = class_of(node)"))]
    return {"attribute": "node.owner", "closure": "Holder"}.get(source, "cls")

  def _of_default(self, source):
    if source == "argument":
      self.parameter, self.passed = "acc=[]", "acc"
    elif source == "attribute":
      self.parameter, self.field = "box=Bag([])", ".items"
      return "box"
    elif source == "call":
      self.parameter = "acc=fresh(None)"
    else:
      self._begin = ["acc = kept()"]
    return "acc"

  def _made(self):
    if self.container == COUNT:
      return self.empty
    return f"{'dict' if self.container == GROUPS else self.container}()"

  def _another(self):
    if self.row["collect"] == "class_attribute":
      return "Other"
    return "Bag([])" if self.field else self.empty

  def _share(self, alias):
    owner, pick = self.owner, self.row.pick
    if alias == "two_names":
      self._begin = [*self._begin, f"ys = {owner}"]
      self.target = pick("target", ("ys", owner))
    elif alias == "chosen":
      self.target, self.extras = "target", [f"other{self.field}"]
      statement = ["if node.flag:", [f"target = {owner}"], "else:", ["target = other"]]
      by_truth = [f"target = {owner}{self.field} and {owner} or other"]
      ways = ([f"target = {owner} if node.flag else other"], statement, by_truth, [])
      self._begin = [*self._begin, f"other = {self._another()}", *pick("chosen", ways)]
      self._is_chosen_by_kid = pick("chosen", ways) == []
    elif alias == "stored":
      ways = [(f"[{owner}, {owner}]", "[0]"), (f'{{"a": {owner}, "b": {owner}}}', '["b"]'),
              (f"Box({owner})", ".x")]  # fmt: skip
      ways += [(f"({owner}, 1)", "[0]")] if self.row["collect"] not in ("tuple", "iadd") else []
      shelf, item = pick("shelf", ways)
      self._begin = [*self._begin, f"shelf = {shelf}"]
      self.target = pick("target", (f"shelf{item}", f"shelf{item}", owner))
    elif alias == "returned_and_kept":
      self.extras = [f"{owner}{self.field}"]

  def end(self):
    """Returns the lines after the loop that keep the collection."""
    kept = f"{self.owner}{self.field}"
    ways = (f'KEPT["last"] = {kept}', f'KEPT.setdefault("all", []).append({kept})')
    ways += (f"node.kept = {kept}", f"keeper.kept = {kept}")
    return [self.row.pick("kept", ways)] if self._is("returned_and_kept") else []

  def turn(self, kid):
    """Returns the lines at the begin of each turn."""
    if not self._is_chosen_by_kid:
      return []
    test = self.row.pick("test", (f"{kid}.flag", f"{kid}.v % 2 == 0"))
    return [f"target = {self.owner} if {test} else other"]

  def collect(self, item, kid):
    """Returns the lines that collect one item."""
    if self._is("passed_twice"):
      key = f", {kid}" if self.container in (DICT, GROUPS, COUNT) else ""
      call = f"both({self.owner}, {self.owner}, {item}{key})"
      return [f"{self.owner} = {call}" if self.container == TUPLE else call]
    return [self._line(self.target, item, kid)]

  def _line(self, target, item, kid):
    pick, target = self.row.pick, f"{target}{self.field}"
    key = f"{kid}.{pick('key', ('name', 'v'))}"
    group = f"{kid}.{pick('key', ('flag', 'name', 'v'))}"
    grow = (f"{target} = {target} + [{item}]", f"{target} = [*{target}, {item}]")
    grow_tuple = (f"{target} += ({item},)", f"{target} = (*{target}, {item})")
    several = (f"{target}.extend([{item}])", f"{target}.extend(({item}, {item}))")
    added = (f"{target}.append({item})", f"{target} += [{item}]")
    return {
      "append": f"{target}.append({item})",
      "extend": pick("extend", several),
      "iadd": f"{target} += [{item}]",
      "insert": pick("insert", (f"{target}.insert(0, {item})", f"{target}.insert(1, {item})")),
      "comprehension": f"{target} += [{item} for _ in (0,)]",
      "key": f"{target}[{key}] = {item}",
      "union": f"{target} |= {{{key}: {item}}}",
      "together": pick("together", (f"{target} += sum(([x] for x in [{item}]), [])", *grow[:1])),
      "count": self._counted(target, key, self.kinds.kind.number(item)),
      "setdefault": f"{target}.setdefault({group}, []).append({item})",
      "tuple": pick("grow", grow_tuple),
      "attribute": pick("grow", (*grow, added[0])),
      "class_attribute": pick("grow", (*grow, *added)),
      "default": pick("added", (*added, f"{target}.extend([{item}])")),
    }[self.row["collect"]]

  def _counted(self, target, key, number):
    if self.empty == "{}":
      return f"{target}[{key}] = {target}.get({key}, 0) + {number}"
    return f"{target}[{key}] += {number}"

  def put(self, item, kid):
    """Returns an expression that collects one item, or None if there is none."""
    if self.container == TUPLE or self._is_chosen_by_kid:
      return None
    is_twice = self._is("passed_twice")
    return self.collect(item, kid)[0] if is_twice else f"put({self.target}, {item}, {kid})"

  def put_helper(self):
    """Returns the source of the function `put`, which collects one item."""
    return f"def put(a, item, kid):\n  {self._line('a', 'item', 'kid')}\n"

  def helper(self):
    """Returns the source of the function `both`, which is given the owner twice."""
    keyed = self.container in (DICT, GROUPS, COUNT)
    if self.container == TUPLE:
      return "def both(a, b, item):\n  return (*a, *b[-1:], item)\n"
    lines = [self._line(name, "item", "kid").strip() for name in "ab"]
    return f"def both(a, b, item{', kid' if keyed else ''}):\n  {lines[0]}\n  {lines[1]}\n"

  def collect_all(self, comprehension):
    """Returns the lines that collect what a comprehension, without its brackets, makes."""
    target, made = f"{self.target}{self.field}", f"[{comprehension}]"
    if self.row["collect"] == "together":
      made = f"sum(([x] for x in ({comprehension})), [])"
    if self._is("passed_twice"):
      return [f"both_all({self.owner}, {self.owner}, {made})"]
    ways = [f"{target} += {made}", f"{target}.extend({made})", f"{target}[:] = {made}"]
    # Another list: names that share the old one go on with it.
    ways += [f"{target} = {made}"] if self._is("one_name") or self._is("two_names") else []
    return [self.row.pick("all", ways)]
