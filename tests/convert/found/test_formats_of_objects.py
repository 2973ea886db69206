"""Fields of f-strings with a conversion or a width: of objects of all kinds, used and not."""

import dataclasses
import enum

import pytest

from tests.convert.agreement import agrees, of_text


class Colour(enum.Enum):
  RED = 1


@dataclasses.dataclass
class Point:
  x: int = 3


class Shown:
  def __repr__(self):
    return "shown"


class Formatted:
  def __format__(self, spec):
    return f"<{spec}>"


class Node:
  def __init__(self, x, *kids):
    self.x, self.kids = x, list(kids)


KINDS = {
  "int": 7,
  "float": 0.25,
  "bool": True,
  "string": "a'b",
  "none": None,
  "list": [1, 2],
  "tuple": (1, "a"),
  "dict": {"k": 1},
  "bytes": b"ab",
  "complex": 1j,
  "enum": Colour.RED,
  "dataclass": Point(),
  "shown": Shown(),
  "formatted": Formatted(),
  "class": int,
}
FIELDS = ("{n.x!r:>8}", "{n.x!s:>8}", "{n.x!a:<9}", "{n.x!r}", "{n.x:>8}", "{n.x:d}", "{n.x:.2f}")
USES = {
  "returned": "return [f'{field}'] + [f(k) for k in n.kids]",
  "printed": "print(f'{field}')\n  return [f(k) for k in n.kids]",
  "not_used": "f'{field}'\n  return [f(k) for k in n.kids]",
  "caught": """
  try:
    return f'{field}'
  except (TypeError, ValueError):
    return 'none'""",
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_field_is_pythons(kind, field, use):
  body = USES[use].replace("{field}", field)
  build = of_text(f"def f(n):\n  {body.lstrip()}")
  value = KINDS[kind]
  agrees(build, lambda: [(Node(value, Node(value)),), (Node(value),)])


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("other", [name for name in KINDS if name != "int"])
def test_a_field_of_what_may_be_something_else_is_pythons(other, field):
  build = of_text(f"def f(n):\n  if n.x == 1:\n    f'{field}'\n  return [f(k) for k in n.kids]")
  agrees(
    build, lambda: [(Node(1, Node(2)),), (Node(2, Node(KINDS[other])),), (Node(KINDS[other]),)]
  )


@pytest.mark.parametrize("field", ["{n.x:{n.kind}}", "{n.x:>{n.kind}}", "{str(n.x):{n.kind}}"])
@pytest.mark.parametrize("use", ["not_used", "caught"])
def test_a_format_that_only_the_run_knows_is_pythons(field, use):
  body = USES[use].replace("{field}", field)

  def calls():
    made = [(Node(7), "z"), (Node(8), "4")]
    for node, kind in made:
      node.kind = kind
    return [(node,) for node, _ in made]

  agrees(of_text(f"def f(n):\n  {body.lstrip()}"), calls)


@pytest.mark.parametrize("use", USES)
def test_the_character_of_a_number_is_pythons(use):
  body = USES[use].replace("{field}", "{n.x:c}").replace("TypeError", "OverflowError")
  build = of_text(f"def f(n):\n  {body.lstrip()}")
  agrees(build, lambda: [(Node(97),), (Node(-1),), (Node(2000000, Node(98)),)])
