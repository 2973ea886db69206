"""What the matrix's programs hand down, and what has effects in them: lists of lines."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Carried:
  """What is handed down from call to call.

  Attributes:
    first: the expression that the first call is given.
    passed: what a recursive call is given.
    read: a number of it.
    lines: what changes it.
  """

  first: str
  passed: str
  read: str
  lines: tuple = ()


def carried(row):
  """Returns what a row's program hands down; None for nothing."""
  flipped = "(Op.NEG if down is Op.ADD else Op.ADD)"
  count = "down[node.name] = down.get(node.name, 0) + 1"
  missing = ("if node.name not in down:", ["down[node.name] = node.v"])
  ways = {
    "none": [None],
    "environment": [
      Carried("ENVIRONMENT", "down", "down.get(node.name, 1)"),
      Carried("ENVIRONMENT", "down", "(down[node.name] if node.name in down else 2)"),
      Carried("ENVIRONMENT", "{**down, node.name: node.v}", "down.get(node.name, 1)"),
    ],
    "kind": [
      Carried("Op.ADD", flipped, "CODES_OF[down]"),
      Carried("Op.NEG", "node.op", "(1 if down == Op.ADD else 2)"),
      Carried("Op.ADD", "(down if node.v > 2 else Op.MUL)", "(3 if down in (Op.MUL,) else 0)"),
    ],
    "memo": [
      Carried("MEMO", "down", "down[node.name]", (count,)),
      Carried("MEMO", "down", "down[node.name]", missing),
    ],
    "text": [
      Carried('""', 'f"{down}/{node.name}"', "len(down)"),
      Carried('""', "node.name + down", "(2 if down[:1] == node.name else 1)"),
      Carried('"r"', '"/".join([down, node.name])', '(2 if down == "r/" + node.name else 1)'),
    ],
    "grown": [
      Carried("()", "(*down, node.v)", "(1 if node.v in down else 2)"),
      Carried("[]", "[*down, node.v]", "(len(down) + (1 if node.v in down else 2))"),
      Carried("()", "down + (node,)", "(len(down) + (1 if node in down else 0))"),
    ],
  }  # fmt: skip
  return row.pick("carried", ways[row["carry"]])


def inside(row):
  """Returns lines with an effect in one kind of expression or statement."""
  ways = {
    "none": [[]],
    "match": [
      ["match node.v:", [
        "case 1 | 3:", ["u = u + note(1)"],
        "case n if n > 4 and note(n) > 5:", ["u = u + n"],
        "case _:", ["note(2)"]]],
      ["match note(node.v), node.flag:", [
        "case 1, is_first:", ["u = u + (5 if is_first else 6)"],
        "case (n, _):", ["u = u + n"]]],
    ],
    "table": [
      ["u = u + TABLE[node.v % 3](note(node.v)) if node.v % 3 < 3 else u"],
      ["u = u + {True: 1, False: 3}.get(node.flag, 2) + note(node.v)"],
      ["if node.name in ENVIRONMENT:", ["u = u + ENVIRONMENT[node.name] + note(1)"]],
    ],
    "kind": [
      ["u = u + (note(1) if node.op is Op.ADD else 2)"],
      ["if node.op in (Op.NEG, Op.MUL):", ["u = u + note(3)"]],
      ["match node.op:", ["case Op.ADD:", ["note(1)"], "case Op.NEG | Op.MUL:", ["u = u + 2"]]],
      ["u = u + CODES_OF[node.op] + note(2)"],
    ],
    "any": [
      ["if any(note(k.v) > 2 for k in node.kids):", ["u = u + 1"]],
      ["if all(k.flag or note(k.v) > 1 for k in node.kids):", ["u = u + 1"]],
    ],
  }  # fmt: skip
  return row.pick("inside", ways[row["inside"]])
