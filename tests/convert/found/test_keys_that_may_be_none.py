"""Keys that are None in some objects: an environment of names, of which other nodes have none."""

import pytest

from tests.convert.agreement import CONVERTED, agrees


class Formula:
  def __init__(self, op, *subs, name=None):
    self.op, self.subs, self.name = op, subs, name


def var(name):
  return Formula("var", name=name)


def formula():
  return Formula("and", var("p"), Formula("not", var("q")), Formula("and", var("r"), var("p")))


ASKED = {
  "item": lambda f, model: model[f.name],
  "get": lambda f, model: model.get(f.name, 5),
  "in": lambda f, model: 1 if f.name in model else 0,
  "get_or_none": lambda f, model: 0 if model.get(f.name) is None else 1,
}
LOOKS = {
  "of_vars": lambda f: f.op == "var",
  "of_all": lambda f: True,
}
MODELS = [
  {"p": 1, "q": 2, "r": 3},
  {"p": 1, None: 7, "q": 2, "r": 0},
  {"q": 1},
  {},
  {1: 2, "p": 1},
]


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("writes", [False, True])
def test_dicts_that_are_passed_in(asked, look, writes):
  def build(recursive):
    ask, looks = ASKED[asked], LOOKS[look]

    @recursive
    def total(f, model):
      found = ask(f, model) if looks(f) else 0
      if writes and f.op == "and":
        model["and"] = 1
      return found + sum([total(sub, model) for sub in f.subs])

    return total

  def calls():
    return [(formula(), dict(model)) for model in MODELS]

  agrees(build, calls)
  if (look, asked, writes) == ("of_vars", "item", False):
    agrees(build, lambda: calls()[:1] * 2, expect=CONVERTED)


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("look", LOOKS)
def test_dicts_of_nodes(asked, look):
  def build(recursive):
    ask, looks = ASKED[asked], LOOKS[look]

    @recursive
    def total(f, holder):
      found = ask(f, holder.model) if looks(f) else 0
      return found + sum([total(sub, holder) for sub in f.subs])

    return total

  def calls():
    found = []
    for model in MODELS:
      holder = Formula("holder")
      holder.model = dict(model)
      found.append((formula(), holder))
    return found

  agrees(build, calls)


class Leaf:
  def __init__(self, v, is_there, *kids):
    self.v, self.is_there, self.kids = v, is_there, kids


def known_or_none(n):
  return n.v if n.is_there else None


def written_or_none(n):
  n.v = n.v if n.is_there else None
  return n.v


def last_or_none(n):
  last = None
  for kid in n.kids:
    last = kid.v
  return last


MADE = {"call": known_or_none, "written": written_or_none, "loop": last_or_none}
VALUES = {
  "ints": (1, None, 3),
  "strings": ("a", None, "z"),
  "numbers": (1, 2.5, None, True),
  "any": ("a", 1, None, 2.5),
}
TABLES = {
  "of_any": {1: "one", "a": 2, 2.5: None, None: 1.5},
  "of_ints": {1: 10, 3: 30},
  "of_strings": {"a": 1, None: 3},
}


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("table", TABLES)
def test_tables_that_are_known(made, values, table):
  def build(recursive):
    key_of, known, names = MADE[made], TABLES[table], frozenset(TABLES[table])

    @recursive
    def look(n):
      key = key_of(n)
      found = [known.get(key), known.get(key, 5), known[key] if key in known else "no"]
      return [found, key in names, [look(kid) for kid in n.kids]]

    return look

  def calls():
    keys = VALUES[values]
    leaves = [Leaf(key, i != 1) for i, key in enumerate(keys)]
    return [(Leaf(key, True, *leaves),) for key in keys[:2]]

  agrees(build, calls, expect=CONVERTED)
