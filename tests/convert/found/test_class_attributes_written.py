"""Numbers that a program keeps on classes, written and read by every name that they have.

Each pair of levels occurs: through what is written, where, which number, what else has that name,
through what is read, and what becomes of the class between two calls.
"""

import itertools

import pytest

from tests.convert.agreement import agrees
from tests.convert.matrix.covering import all_pairs, covering_rows, pairs_of
from tests.convert.syntax.lowering import defined

# The class that is written, and the expression for it.
WRITTEN = {
  "by name": "Base",
  "type": "type(n)",
  "own class": "n.__class__",
  "subclass": "Sub",
  "class of an argument": "kind",
  "method": None,
  "class method": None,
}
HOW = {
  "add": "{c}.count += {by}",
  "assign": "{c}.count = {c}.count * 2 + {by}",
  "largest": "{c}.count = max({c}.count, n.v + {by})",
  "two": "{c}.count, {c}.total = {c}.total, {c}.count + {by}",
  "set": "setattr({c}, 'count', {c}.count + {by})",
}
WHERE = {
  "before": "  {write}\n  out = [{read}] + [x for k in n.kids for x in f(k)]\n",
  "after": "  out = [x for k in n.kids for x in f(k)]\n  {write}\n  out.append({read})\n",
  "leaf": "  out = [x for k in n.kids for x in f(k)]\n"
  "  if not n.kids:\n    {write}\n  out += [{read}]\n",
  "in turns": "  out = []\n"
  "  for k in n.kids:\n    {write}\n    out += f(k)\n    out.append({read})\n",
  "by condition": "  out = []\n  if n.v % 2:\n    {write}\n  elif {read} > 3:\n    out = [7]\n"
  "  for k in n.kids:\n    out += f(k)\n  out.append({read})\n",
}
NUMBER = {"int": ("0", "1"), "float": ("0.5", "0.25"), "int and float": ("0", "0.5")}
ALSO = {
  "nothing else": "",
  "on an instance": "n.kids[0].count = 50",
  "on the subclass": "Sub.count = 20",
  "on both": "Sub.count = 20\nn.count = 50",
}
READ = {
  "by name": "Base.count",
  "instance": "n.count",
  "type": "type(n).count",
  "subclass": "Sub.count",
  "method": "n.read()",
  "getattr": "getattr(n, 'count')",
  "global instance": "other.count",
}
BETWEEN = {
  "nothing": "",
  "another number": "Base.count = 4",
  "another type": "Base.count = Base.count + 0.5",
  "deleted": "if 'count' in vars(Sub): del Sub.count",
  "on an instance": "n.count = 9",
  "a property": "Sub.total = property(lambda self: 3)",
}
DIMENSIONS = {
  "written": WRITTEN,
  "how": HOW,
  "where": WHERE,
  "number": NUMBER,
  "also": ALSO,
  "read": READ,
  "between": BETWEEN,
}
ROWS = covering_rows(DIMENSIONS)

_CLASSES = """class Base:
  count, total = {start}, {start}

  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)

  def read(self):
    return self.count

  def write(self, n):
    {of_method}

  @classmethod
  def write_all(cls, n):
    {of_class}

class Sub(Base):
  pass

def tree():
  n = Base(1, Sub(2, Base(4), Base(5)), Base(3, Sub(6)), Sub(7))
  {also}
  return n

other = Sub(8)
kind = Sub
"""


def _source(written, how, where, number, also, read, between):
  start, by = NUMBER[number]
  write = {"method": "n.write(n)", "class method": "n.write_all(n)"}.get(written)
  text = _CLASSES.format(
    start=start,
    of_method=HOW[how].format(c="type(self)", by=by),
    of_class=HOW[how].format(c="cls", by=by),
    also=ALSO[also].replace("\n", "\n  ") or "pass",
  )
  write = write or HOW[how].format(c=WRITTEN[written], by=by)
  change = BETWEEN[between] or "pass"
  body = WHERE[where].format(write=write, read=READ[read])
  return (
    f"{text}\ndef change(n):\n  {change}\n\n"
    f"def made(recursive):\n  @recursive\n  def f(n):\n{_indented(body)}    return out\n"
    "  return f\n\n"
    "def f():\n  return made, tree, change, (Base, Sub)\n"
  )


def _indented(body):
  return "".join(f"  {line}\n" for line in body.splitlines())


class _World:
  """The program of one side: the trees of its calls, and what its classes have before each."""

  def __init__(self, text):
    self.made, self.tree, self.change, self.classes = defined(text)()
    self.numbers, self.kept, self.num_calls = [], [], 0

  def calls(self):
    """Returns the arguments of all calls of a round: new trees, and one that comes again."""
    kept = self.tree()
    self.kept.append(kept)
    return [(kept,), (self.tree(),), (kept,), (self.tree(),), (kept.kids[1],)]

  def before(self):
    """Notes what the classes have themselves, and changes one in the middle of each round."""
    self.num_calls += 1
    if self.num_calls % 5 == 3:
      self.change(self.kept[self.num_calls // 5])
    for found in (vars(c).get("count", "none") for c in self.classes):
      self.numbers.append(found if isinstance(found, (int, float)) else type(found).__name__)


def _check(text):
  worlds, turns = [], itertools.count()

  def build(recursive):
    worlds.append(_World(text))
    return worlds[-1].made(recursive), [worlds[-1].numbers]

  def note(numbers):
    next(world for world in worlds if world.numbers is numbers).before()

  return agrees(build, lambda: worlds[next(turns) % 2].calls(), before=note)


def test_every_pair_of_levels_occurs():
  assert set().union(*(pairs_of(row) for row in ROWS)) == all_pairs(DIMENSIONS)


@pytest.mark.parametrize("number", range(len(ROWS)))
def test_classes_have_the_numbers_that_python_gives_them(number):
  _check(_source(*ROWS[number]))
