"""Random programs whose branches leave dicts, lists and objects in forms of their own."""

import random
import textwrap

_HEADER = """
LOG = []

class Node:
  def __init__(self, v, flag, name, *kids):
    self.v, self.flag, self.name, self.kids = v, flag, name, list(kids)

class Box:
  def __init__(self, a):
    self.a = a

def leaf(v=1, flag=True):
  return Node(v, flag, f"n{v}")

def tree():
  left, right = Node(5, False, "l", leaf(2), leaf(3, False)), Node(2, True, "r", leaf(7))
  return Node(1, True, "t", left, leaf(4, False), right)

def put(d, key, value):
  d[key] = value

def put_if(d, n):
  if n.flag:
    d["put"] = n.v
  return d
"""

_KEYS = ("k", "one", "two", "three")
_RESULTS = (
  "d", "d", "d", "e", "(d, e)", "[d, x]", "x", "o", "l", "{'d': d, 'l': l}", "d if n.v > 2 else e",
  "dict(d)", "sorted(d)", "list(d.items())", "(x, d)", "{**d, 'x': x}", "(d, d is e)",
  "[*l, len(d)]", "(o, o.a)", "d if n.flag else None", "put_if(d, n)", "{'v': x, **e}",
)  # fmt: skip


class _Program:
  """One program."""

  def __init__(self, seed):
    self._rng = random.Random(seed)

  def text(self):
    """Returns the source of a module for `fuzz.runner`."""
    rng = self._rng
    call = rng.choice(["sub = [visit(k) for k in n.kids]", "sub = len([visit(k) for k in n.kids])"])
    lines = [
      "x = n.v",
      call,
      "d = {'k': x}" if rng.random() < 0.7 else "d = {'k': x, 'sub': sub}",
      rng.choice(["e = d", "e = {'z': n.name}", "e = {}", "e = {'d': d}"]),
      "o = Box(x)",
      rng.choice(["l = []", "l = [x]", "l = [d]"]),
      *self._block(rng.randint(2, 5), 2),
      f"return {rng.choice(_RESULTS)}",
    ]
    body = textwrap.indent("\n".join(lines), "    ")
    return f"""{_HEADER}
def build(recursive):
  del LOG[:]

  @recursive
  def visit(n):
{body}

  return visit, [LOG]

def calls():
  t = tree()
  yield (t,)
  yield (leaf(2),)
  yield (leaf(4, False),)
  t.kids[0].flag, t.kids[1].v = True, 0
  yield (t,)
"""

  def _block(self, size, depth):
    return [line for _ in range(size) for line in self._statement(depth)]

  def _inner(self, depth):
    return [f"  {line}" for line in self._block(self._rng.randint(1, 2), depth - 1)]

  def _statement(self, depth):
    rng = self._rng
    if depth and rng.random() < 0.5:
      test = rng.choice(["n.flag", "n.v > 2", "n.kids", "x % 2", "'one' in d", "len(n.kids) > 1"])
      lines = [f"if {test}:", *self._inner(depth)]
      if rng.random() < 0.4:
        lines += ["else:", *self._inner(depth)]
      elif rng.random() < 0.15:
        lines += [f"  return {rng.choice(_RESULTS)}"]
      return lines
    if depth and rng.random() < 0.1:
      return ["for c in n.kids:", *self._inner(depth)]
    return [rng.choice(self._simple())]

  def _simple(self):
    rng = self._rng
    key, other = rng.choice(_KEYS), rng.choice(_KEYS)
    value = rng.choice(["x", "n.name", "n.v + 0.5", "[x]", "n.flag", "sub", "None"])
    name = rng.choice(["d", "d", "d", "e"])
    return [
      f"{name}['{key}'] = {value}",
      f"{name}['{key}'] = {value}",
      f"{name}['{key}'] = {value}",
      f"put({name}, '{key}', {value})",
      f"{name}.update({key}={value})",
      f"x += {name}.get('{key}') is not None",
      f"x += len({name})",
      f"x += '{other}' in {name}",
      f"x += {name}['k'] == x",
      f"{name}.pop('{other}', None)",
      "e = d",
      "e = {'z': x}",
      f"o.a = {value}",
      f"o.b = {value}",
      "x += o.a == x",
      f"l.append({value})",
      "l.append(d)",
      "x += len(l)",
      "l = [x]",
      f"LOG.append(sorted({name}))",
      f"LOG.append(len({name}))",
    ]


def generate(seed):
  """Returns the source of a module for `fuzz.runner`."""
  return _Program(seed).text()
