"""Effects in random programs, and the kinds of expression and statement that they stand in."""


class Steps:
  """Makes lists of lines; a list in a list is an indented block."""

  def __init__(self, spec, values):
    self.spec, self.values = spec, values

  def effect(self):
    """Returns the lines that compute `e`, an int, with effects on the way."""
    get = self.values.get
    flag, v, kids = get("node", "flag"), get("node", "v"), get("node", "kids")
    op, name = get("node", "op"), get("node", "name")
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
      "any": rng.choice([
        [f"e = 1 if any(note(k, {kid}) > 1 for k in {kids}) else 0"],
        [f"e = 1 if any({kid_flag} and note(k, {kid}) > 2 for k in {kids}) else 0"],
        [f"e = 1 if any([note(k, {kid}) > 1 for k in {kids}]) else 0"],
      ]),
      "all": rng.choice([
        [f"e = 1 if all(note(k, {kid}) > 1 for k in {kids}) else 0"],
        [f"e = 0 if all(note(k, {kid}) > 1 for k in {kids} if not {kid_flag}) else 2"],
      ]),
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
      "match": rng.choice([
        [f"match {v}:", [
          "case 1 | 3:", ["e = note(node, 1)"],
          f"case n if n > 4 and note(node, n) > {v} - 1:", ["e = n"],
          "case _:", ["e = note(node, 2)"]]],
        [f"match {flag}:", [
          "case True:", [f"e = note(node, {v}) + 1"],
          "case None:", ["e = 3"],
          "case other:", ["e = 1 if other else note(node, 4)"]]],
        [f"match note(node, {v}), {flag}:", [
          "case 1, is_first:", ["e = 5 if is_first else 6"],
          "case n, True:", ["e = n"],
          "case (n, _):", ["e = n + 1"]]],
      ]),
      "table": rng.choice([
        [f"e = {{True: 1, False: 3}}.get({flag}, 2) + note(node, {v})"],
        [f"e = TABLE[{v} % 3](note(node, {v}))"],
        [f"e = TABLE[0 if {flag} else 1](note(node, {v})) if {v} > 1 else 0"],
        ["e = 0", f"if {v} % 5 in CODES:", [f"e = CODES[note(node, {v} % 5)]"]],
        [f'e = {{"a": 1, "r": note(node, 2)}}.get({name}, note(node, 5))'],
      ]),
      "kind": rng.choice([
        [f"e = note(node, 1) if {op} is Op.ADD else 2"],
        [f"e = OPS[{op}] if {op} in OPS and note(node, {v}) > 1 else 7"],
        ["e = 0", f"if {op} in (Op.NEG, Op.MUL):", [f"e = note(node, {v})"]],
        [f"match {op}:", [
          "case Op.ADD:", ["e = note(node, 1)"],
          "case Op.NEG | Op.MUL:", ["e = 2"]]],
        [f"e = len([k for k in {kids} if {get('k', 'op')} == {op} and note(k, {kid}) > 1])"],
      ]),
      "argument": [f"e = pair(note(node, 1), note(node, {v}) if {flag} else 0)"],
    }[level]  # fmt: skip
