"""What a run makes is read again: by what it is, and objects of before by what they are."""

import pytest

from tests.convert.agreement import CONVERTED, agrees, of_text
from tests.convert.made.trees import Tree, deep, leaf, small
from tests.convert.matrix.covering import all_pairs, covering_rows, pairs_of


class New:
  """What programs make beside trees."""

  def __init__(self, v, kids):
    self.v, self.kids, self.left = v, kids, None


# What `f` gives of a node, of what it has made of the children, `made`.
MADE = {
  "old or new": "n if n.v % 2 else New(n.v, made)",
  "new": "New(n.v, made)",
  "old, new or None": "None if n.flag else n if n.v % 2 else New(n.v, made)",
  "nested list": "[n.v, *made]",
  "number or list": "[n.v, made] if made else n.v",
  "list of lists": "[[n.name] + p for m in made for p in m] if made else [[n.name]]",
  "tuple": "(n.v, made)",
  "chain": "(n.v, made[0] if made else None)",
  "dict": '{"v": n.v, "kids": made}',
  "dict or list": '{"v": made} if n.v % 2 else [n, made]',
  "text or new": "n.name if not made else New(n.name, made)",
}
# What is read of `m`, one of what was made, or the result of a call.
READ = {
  "attribute": "m.v",
  "attribute of a part": "[k.v for k in m.kids]",
  "method": "len(m.kids)",
  "class": "isinstance(m, New)",
  "classes": "(isinstance(m, (Tree, int)), isinstance(m, list))",
  "None": "m is None",
  "truth": "1 if m else 2",
  "length": "len(m)",
  "item": "m[0]",
  "last item": "m[-1]",
  "key": 'm["v"]',
  "slice": "m[1:]",
  "loop": "[x for x in m]",
  "nested loop": "[y for x in m for y in x]",
  "unpacking": "[*m, 3]",
  "sum": "[n.v] + m",
  "of numbers": "m + 1",
  "equal": "m == n.v",
  "less": "m < 3",
  "list": "list(m)",
  "longest": "max(made, key=len) if made else m",
  "by class": "m.v if isinstance(m, New) else 7 if isinstance(m, Tree) else m",
}
# How `f` reads: of each child's, of the last one's, and what becomes of it.
WHERE = {
  "kept on the node": "for m in made:\n    n.made = {read}\n  return {made}",
  "returned beside": "return {made}, [{read} for m in made]",
  "of a call": "n.made = [{read} for m in [f(k) for k in n.kids]]\n  return {made}",
  "instead": "for m in made:\n    if n.v > 3:\n      return {read}\n  return {made}",
}
DIMENSIONS = {"made": MADE, "read": READ, "where": WHERE}
ROWS = covering_rows(DIMENSIONS)


def _source(made, read, where):
  body = WHERE[where].format(made=MADE[made], read=READ[read])
  get = "f(k)[0]" if where == "returned beside" else "f(k)"
  return f"def f(n):\n  made = [{get} for k in n.kids]\n  {body}\n"


def _check(text, expect=None):
  build = of_text(text, New=New, Tree=Tree)
  return agrees(build, lambda: [(t,) for t in (small(), leaf(), small(), deep(6))], expect)


def test_every_pair_of_levels_occurs():
  assert set().union(*(pairs_of(row) for row in ROWS)) == all_pairs(DIMENSIONS)


@pytest.mark.parametrize("number", range(len(ROWS)))
def test_reads_what_python_reads(number):
  _check(_source(*ROWS[number]))


_CONVERTED = {
  "longest path": """def f(n):
  if not n.kids:
    return [n.v]
  return [n.v] + max((f(k) for k in n.kids), key=len)
""",
  "paths": """def f(n):
  if not n.kids:
    return [[n.name]]
  return [[n.name] + p for k in n.kids for p in f(k)]
""",
  "folded": """def f(n):
  if not n.kids:
    return n if n.flag else New(n.v, [])
  ms = [f(k) for k in n.kids]
  if isinstance(ms[0], New) and len(ms) > 1:
    return New(n.v + ms[0].v, ms)
  return n
""",
  "inserted": """def f(n, x=4):
  if n is None:
    return New(x, [])
  if x < n.v:
    n.left = f(n.left, x)
  elif n.v < 0:
    n.v = x
  return n
""",
  "filtered": """def f(n):
  n.kids = [f(k) for k in n.kids if k.v != 2]
  return n
""",
  "ints and bools": """def f(n):
  found = n.flag and n.v
  for k in n.kids:
    found = found or f(k)
  return found
""",
  "found or None": """def f(n):
  if n.v == 7:
    return n.name
  for k in n.kids:
    found = f(k)
    if found:
      return [found]
  return None
""",
  "tuples in tuples that are kept": """def f(n):
  if not n.kids:
    return (n.v,) if n.v > 2 else None
  r = (f(n.kids[0]), f(n.kids[-1]))
  n.made = r
  return r
""",
}


@pytest.mark.parametrize("name", _CONVERTED)
def test_is_converted(name):
  _check(_CONVERTED[name], CONVERTED)


def test_what_is_read_and_put_elsewhere_is_the_same_object():
  _check("""def f(n):
  ms = [f(k) for k in n.kids]
  if not ms:
    return n if n.flag else New(n.v, [])
  parts = [m.kids for m in ms]
  return New(parts[0], [ms[0], ms[0].kids, *parts])
""")


def test_what_is_kept_on_a_node_and_returned_is_one_list():
  _check("""def f(n):
  n.made = [f(k) for k in n.kids]
  return n.made if n.made else [n]
""")
