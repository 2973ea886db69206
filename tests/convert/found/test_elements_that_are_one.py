"""A list, dict or object that is put into a list more than once is one object there, or refused."""

import pytest

from tests.convert.agreement import agrees
from tests.convert.syntax.lowering import defined


class Tree:
  def __init__(self, v, *kids):
    self.v, self.kids, self.box = v, list(kids), None


class Box:
  def __init__(self, v):
    self.v = v


# What is made once, and what becomes of it.
MADE = ("x = [n.v]", "x = Box(n.v)", "x = {'v': n.v}", "x = (n.v, [n.v])")
PUT = (
  "return [x if k.v > 2 else [0] for k in n.kids]",
  "return [(k, x) for k in n.kids]",
  "return [x for k in n.kids]",
  "return [{'s': x, 'n': k.v} for k in n.kids]",
  """out = []
for k in n.kids:
  out.append(x)
return out""",
  """out = []
for k in n.kids:
  out.append((k.v, x))
return out""",
  """out = []
for k in n.kids:
  if k.v > 2:
    out.append(x)
return out""",
  "return [x] * len(n.kids)",
  "return [x, x] + [x for k in n.kids]",
  "return [x, x] + [[k.v] for k in n.kids]",
  "return [x] + [[k.v] for k in n.kids] + [x]",
  """out = [x]
for k in n.kids:
  out.append(x)
return out""",
  "return [[x] for k in n.kids]",
  "return [[x, k.v] for k in n.kids]",
  "return [(lambda: (k.v, x))() for k in n.kids]",
  """for k in n.kids:
  k.box = x
return [k.box for k in n.kids]""",
  """for k in n.kids:
  k.box = x
return n""",
  """n.box = [x for k in n.kids]
return n""",
  """n.box = [(k.v, x) for k in n.kids]
return n""",
  """out = []
i = 0
while i < n.v:
  out.append(x)
  i += 1
return out""",
  """y = [x for k in n.kids]
return y, x""",
  """y = [k.v for k in n.kids]
return [y for k in n.kids]""",
  """y = [[k.v] for k in n.kids]
return [z for z in y] + [z for z in y]""",
  """y = [[k.v] for k in n.kids]
return y + y""",
  """y = [[k.v] for k in n.kids]
return [y[0] for k in n.kids]""",
  """y = [[k.v] for k in n.kids]
return [(a, b) for a in y for b in y]""",
  "return [x for k in n.kids for j in k.kids]",
  "return list(map(lambda k: x, n.kids))",
  "return dict((k.v, x) for k in n.kids)",
  "return {k.v: x for k in n.kids}",
  "return [(lambda: x)() for k in n.kids]",
  "return [x for k in n.kids if k.v > 2]",
  "return tuple(x for k in n.kids)",
  """z = x
return [x if k.v > 2 else z for k in n.kids]""",
  "return list(zip(n.kids, [x for k in n.kids]))",
  "return [None if k.v > 3 else x for k in n.kids]",
  """out = []
for k in n.kids:
  x = x
  out += [x]
return out""",
  """out = []
out.extend(x for k in n.kids)
return out""",
  """out = [[0]]
for k in n.kids:
  out.append(out[0])
return out""",
  """out = []
last = x
for k in n.kids:
  out.append(last)
  last = [k.v]
return out""",
  """out = []
last = x
for k in n.kids:
  if k.v > 3:
    last = [k.v]
  out.append(last)
return out""",
  """if not n.kids:
  return x
return [f(n.kids[0]) for k in n.kids]""",
  """if not n.kids:
  return [x]
y = f(n.kids[0])
return y + y""",
  """if not n.kids:
  return [x]
y = f(n.kids[0])
return [y[0] for k in n.kids]""",
  """if not n.kids:
  return [x, x]
return [x] + [f(k)[0] for k in n.kids]""",
  """y = [f(k) for k in n.kids]
return [y, y]""",
  """y = [f(k) for k in n.kids]
return [(y, k.v) for k in n.kids]""",
)


def _trees():
  return [
    Tree(1, Tree(3)),
    Tree(3, Tree(3), Tree(4), Tree(5, Tree(1))),
    Tree(2),
    Tree(1, Tree(1, Tree(2)), Tree(6)),
  ]


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("put", PUT)
def test_what_is_one_object_stays_one(made, put):
  body = "\n".join("    " + line for line in (made, *put.splitlines()))
  text = f"def f(decorate):\n  @decorate\n  def f(n):\n{body}\n  return f\n"
  agrees(defined(text, Box=Box), lambda: [(tree,) for tree in _trees()])
