"""Attributes that an object has from its class, and that a run may give it as its own."""

import pytest

from tests.convert.agreement import agrees, lopsided, root

WRITTEN = {
  "in_a_branch": "if n.v > 100:\n      x.step = 2",
  "in_a_branch_that_is_taken": "if n.v > 1:\n      x.step = 2",
  "added_in_a_branch": "if n.v > 100:\n      x.step += 1",
  "as_it_was": "x.step = 1",
  "as_it_was_in_a_branch": "if n.v > 2:\n      x.step = 1",
  "always": "x.step += 1",
  "in_a_loop": "for k in n.kids:\n      x.step = k.v",
  "to_and_fro": "x.step += 1\n    x.step -= 1",
  "text": "if n.v > 100:\n      x.name = 'new'",
  "none": "if n.v > 100:\n      x.best = n.v",
}
PROGRAM = """
class Base:
  name = "old"

class C(Base):
  step, best = 1, None

  @recursive
  def go(self, n):
    x = {owner}
    {written}
    found = [x.step, x.best, x.name]
    for k in n.kids:
      found += self.go(k)
    return found

X = C()
"""


@pytest.mark.parametrize("owner", ["self", "X", "C"])
@pytest.mark.parametrize("written", WRITTEN)
def test_they_are_its_own_only_where_they_are_written(written, owner, tmp_path):
  path = tmp_path / "attributes_of_classes.py"
  path.write_text(PROGRAM.format(owner=owner, written=WRITTEN[written]))

  def build(recursive):
    names = {"recursive": recursive}
    exec(compile(path.read_text(), str(path), "exec"), names)
    cls, kept = names["C"], names["C"]()
    seen = []

    def call(node):
      found = kept.go(node)
      seen.append([dict(vars(one)) for one in (kept, names["X"])])
      seen.append({name: vars(cls)[name] for name in ("step", "best", "name") if name in vars(cls)})
      return found

    for part in ("stats", "explain"):
      setattr(call, part, getattr(vars(cls)["go"], part, None))
    return call, [seen]

  agrees(build, lambda: [(tree,) for tree in (root(), lopsided(), root(), lopsided())])
