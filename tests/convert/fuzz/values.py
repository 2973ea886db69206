"""Values of random programs: what is collected, and what a call returns, as Python expressions."""

import dataclasses
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Kind:
  """A kind of value.

  Attributes:
    make: `make(number, kid)` is the expression that makes one of a number and a kid.
    number: `number(value)` is the number in it.
    change: `change(value)` is a statement that changes it in place; None for what cannot change.
    num_parts: into how many parts it unpacks; 0 for none.
    is_simple: whether it can be printed and compared with `==`.
  """

  make: Callable
  number: Callable
  change: Callable | None = None
  num_parts: int = 0
  is_simple: bool = True


class Values:
  """Expressions in terms of a spec's nodes and numbers."""

  def __init__(self, spec):
    self.spec = spec
    self.base = "tensor" if spec["what"] == "tensor" else spec["base"]
    self.is_tensor = self.base == "tensor"

  def get(self, node, name):
    """Returns the expression of a node's attribute."""
    return f'{node}["{name}"]' if self.spec["node"] == "dict" else f"{node}.{name}"

  def own(self, node):
    """Returns the number that a node has by itself."""
    return self.get(node, {"int": "v", "float": "w", "tensor": "x"}[self.base])

  def combined(self, number, kid, place):
    """Returns a number computed from a result's number and a kid."""
    own, rng = self.own(kid), self.spec.random(place)
    if self.spec["between"] == "global":
      return f"{number} * SCALE + {own}"
    choices = [f"{number} + {own}", f"{number} - {own}", number]
    if self.is_tensor:
      choices += [f"tf.tanh({number} * weight)", f"{number} * 0.5 + {own} * weight"]
    else:
      choices += [f"{number} * 2 - {own}", f"max({number}, {own})"]
      choices += [f"({number} if {self.get(kid, 'flag')} else {own})"]
    return rng.choice(choices)

  def what(self):
    """Returns the kind that is collected."""
    rng, get = self.spec.random("what"), self.get
    as_number = {"int": "int({})", "float": "float({})", "tensor": "tf.convert_to_tensor({})"}
    first = {"int": "int({}[0])", "float": "float({}[0])", "tensor": as_number["tensor"]}
    of_bool = "({own} if {} else {own} + 1)".replace("{own}", self.own("node"))
    held = self.own("{}").format

    def shown(kid):
      value = get(kid, "v").replace('"', "'")  # The quotes of an f-string cannot be used in it.
      return f'f"<{{{value}}}>"'

    kinds = {
      "scalar": Kind(lambda m, k: m, lambda x: x, is_simple=not self.is_tensor),
      "tensor": Kind(lambda m, k: m, lambda x: x, is_simple=False),
      "named": Kind(lambda m, k: f"Pair({m}, {get(k, 'name')})", lambda x: f"{x}.a", None, 2),
      "dict": Kind(
        lambda m, k: f'{{"a": {m}, "v": {get(k, "v")}}}',
        lambda x: f'{x}["a"]',
        lambda x: f'{x}["a"] = {x}["a"] + 1',
      ),
      "data": Kind(
        lambda m, k: f"Item({m}, {get(k, 'v')})", lambda x: f"{x}.a", lambda x: f"{x}.a = {x}.a + 1"
      ),
      "str": Kind(
        lambda m, k: rng.choice([get(k, "name"), f'{get(k, "name")} + "!"', shown(k)]),
        lambda x: f"({self.own('node')} + len({x}))",
      ),
      "bool": Kind(
        lambda m, k: rng.choice([get(k, "flag"), f"{get(k, 'v')} > 2", f"not {get(k, 'flag')}"]),
        of_bool.format,
      ),
      "none": Kind(
        lambda m, k: f"(None if {get(k, 'flag')} else {m})",
        lambda x: f"({self.own('node')} if {x} is None else {x})",
        is_simple=not self.is_tensor,
      ),
      "node": Kind(
        lambda m, k: k, held, None if self.is_tensor else lambda x: f"{held(x)} += 1", 0, False
      ),
      "object": Kind(
        lambda m, k: f"Box({m})", lambda x: f"{x}.x", lambda x: f"{x}.x = {x}.x + 1", 0, False
      ),
      "array": Kind(
        lambda m, k: f"{get(k, 'array')} * 2",
        first[self.base].format,
        lambda x: f"{x} += 1",
        2,
        False,
      ),
      "pair_of_pairs": Kind(
        lambda m, k: f"({m}, ({get(k, 'v')}, {get(k, 'name')}))", lambda x: f"{x}[0]", None, 2
      ),
      "shared_object": Kind(
        lambda m, k: get(k, "box"),
        lambda x: f"({self.own('node')} + {x}.x)",
        lambda x: f"{x}.x += 1",
        0,
        False,
      ),
      "numpy_number": Kind(
        lambda m, k: f"{get(k, 'array')}[0]", as_number[self.base].format, is_simple=False
      ),
    }
    op = f"(Op.ADD if {{0}} > {rng.choice(['1', '2'])} else Op.NEG)"
    kinds["enum"] = Kind(
      lambda m, k: rng.choice([get(k, "op"), op.format(get(k, "v"))]),
      rng.choice(["CODES_OF[{}]", "(2 if {} is Op.ADD else 1)", "({own} if {} == Op.NEG else 3)"])
      .replace("{own}", self.own("node")).format,
    )  # fmt: skip
    if self.spec["collect"] == "count":  # Whatever is counted, numbers are what is kept.
      return Kind(lambda m, k: m, lambda x: x, is_simple=not self.is_tensor)
    kinds["tuple"] = rng.choice(
      [
        Kind(lambda m, k: f"({m}, {get(k, 'name')})", lambda x: f"{x}[0]", None, 2),
        Kind(lambda m, k: f"({get(k, 'v')}, {m})", lambda x: f"{x}[1]", None, 2),
      ]
    )
    kinds["list"] = rng.choice(
      [
        Kind(
          lambda m, k: f"[{m}, {get(k, 'v')}]", lambda x: f"{x}[0]", lambda x: f"{x}.append(1)", 2
        ),
        Kind(
          lambda m, k: f"[{get(k, 'v')}, {m}]", lambda x: f"{x}[1]", lambda x: f"{x}[0] += 1", 2
        ),
      ]
    )
    kind = kinds[self.spec["what"]]
    return dataclasses.replace(kind, is_simple=kind.is_simple and not self.is_tensor)

  def carried(self):
    """Returns what is handed down: the default, what is passed, how it is read; or None."""
    name, v, x = self.get("node", "name"), self.get("node", "v"), self.get("node", "x")
    if self.is_tensor:
      number = ("tf.zeros([2])", f"down * 0.5 + {x}", "down")
    else:
      number = ("1.0", "down * 0.5", "(1 if down > 0.3 else 0)")
    pick = self.spec.random("carried").choice
    in_environment = f"(down[{name}] if {name} in down else 2)"
    return {
      "environment": pick(
        [
          ("ENVIRONMENT", "down", f"down.get({name}, 1)"),
          ("ENVIRONMENT", "down", in_environment),
          ("ENVIRONMENT", f"{{**down, {name}: {v}}}", f"down.get({name}, 1)"),
          ("ENVIRONMENT", "down", f'(down["a"] + (1 if {name} in down else 0))'),
        ]
      ),
      "kind": pick(
        [
          ("Op.ADD", "(Op.NEG if down is Op.ADD else Op.ADD)", "CODES_OF[down]"),
          ("Op.NEG", self.get("node", "op"), "(1 if down == Op.ADD else 2)"),
          ("Op.ADD", f"(down if {v} > 2 else Op.MUL)", "(3 if down in (Op.MUL, Op.NEG) else 0)"),
        ]
      ),
      "memo": ("MEMO", "down", f"down[{name}]"),
      "text": pick(
        [
          (
            '""',
            f'f"{{down}}/{{{name.replace(chr(34), chr(39))}}}"',
            "(len(down) + (1 if down else 0))",
          ),
          ('""', f"{name} + down", f"(2 if down[:1] == {name} else 1)"),
          ('"r"', f'"/".join([down, {name}])', f'(2 if down == "r/" + {name} else 1)'),
        ]
      ),
      "grown": pick(
        [
          ("()", f"(*down, {v})", f"(1 if {v} in down else 2)"),
          ("[]", f"[*down, {v}]", f"(len(down) + (1 if {v} in down else 2))"),
          ("()", "down + (node,)", "(len(down) + (1 if node in down else 0))"),
          ("()", f"(({v}, {name}), *down[:2])", "len([1 for a, b in down if a > 1])"),
        ]
      ),
      "depth": ("0", "down + 1", "down"),
      "string": ('""', f"down + {name}", "len(down)"),
      "tuple": ("()", f"down + ({v},)", "len(down)"),
      "list": ("[]", f"down + [{v}]", "sum(down)"),
      "parent": ("None", "node", f"(0 if down is None else {self.get('down', 'v')})"),
      "flag": ("True", "not down", "(1 if down else 0)"),
      "largest": ("0", f"max(down, {v})", "down"),
      "number": number,
      "path": ("()", f"(*down, {name})", "len(down)"),
    }.get(self.spec["carry"])

  def carried_lines(self):
    """Returns lines that change what is handed down."""
    if self.spec["carry"] != "memo":
      return []
    name, v = self.get("node", "name"), self.get("node", "v")
    ways = (
      [f"down[{name}] = down.get({name}, 0) + 1"],
      [f"if {name} not in down:", [f"down[{name}] = {v}"], f"down[{name}] += 1"],
      [f"down.setdefault({name}, {v})"],
    )
    return self.spec.random("memo").choice(ways)

  def result(self, number, extras=()):
    """Returns the expression of a result that holds a number, and further values if it can."""
    more, name, v = "".join(f", {extra}" for extra in extras), *(self.get("node", n) for n in "nv")
    name = self.get("node", "name")
    flag, pick = self.get("node", "flag"), self.spec.random("result").choice
    replaced = [f"b={name}", f"a={number}", f"b={v} + 1, a={number}"]
    more_keys = "".join(f', "e{i}": {extra}' for i, extra in enumerate(extras))
    return {
      "bare": number,
      "tuple": f"({number}, {v}{more})",
      "named": f"Pair({number}, {name})",
      "dict": f'{{"a": {number}, "name": {name}{more_keys}}}',
      "list": f"[{v}, {number}{more}]" if not self.is_tensor else f"[{number}, {number}{more}]",
      "data": f"Item({number}, {v})",
      "object": f"Box({number})",
      "optional": f"(None if {self.get('node', 'flag')} else {number})",
      "nested": f"({v}, ({number}, {name}){more})",
      "items": "{items}",
      "kind": f"(Op.ADD if {flag} else Op.NEG, {number})",
      "tree": f"Made({number}, {{made}})",
      "tree_or_node": f"(node if {flag} and not {{made}} else Made({number}, {{made}}))",
      "replaced": f"dataclasses.replace(Item({number}, {v}), {pick(replaced)})",
    }[self.spec["result"]]

  def number_of(self, result):
    """Returns the expression of the number in a result."""
    template = {
      "bare": "{}",
      "tuple": "{}[0]",
      "named": "{}.a",
      "dict": '{}["a"]',
      "list": "{}[1]",
      "data": "{}.a",
      "object": "{}.x",
      "optional": f"known({{}}, {self.own('node')})",
      "nested": "{}[1][0]",
      "items": f"({self.own('node')} + len({{}}))",
      "kind": "({0}[1] if {0}[0] is Op.ADD else {0}[1] * 2)",
      "tree": "{}.x",
      "tree_or_node": "weight_of({})",
      "replaced": "{}.a",
    }[self.spec["result"]]
    return template.format(result)
