"""Random programs that change dicts of nodes, and dicts of their own, by keys of the run."""

import random

_HEADER = '''
"""A random program."""

import collections
import random


class Node:
  def __init__(self, name, value, kids, rng):
    self.name, self.value, self.kids = name, value, kids
    self.counts = {rng.choice("abc"): rng.randint(0, 5) for _ in range(rng.randint(0, 3))}
    self.other = {rng.choice("abc"): rng.randint(0, 5) for _ in range(rng.randint(0, 2))}
    self.memo = {rng.randint(0, 4): rng.randint(0, 9) for _ in range(rng.randint(0, 2))}
    self.tally = collections.Counter(rng.choice("abc") for _ in range(rng.randint(0, 3)))
    self.pairs, self.groups = {}, {}
    self.words = [rng.choice("ab") for _ in range(2)]
    if kids and rng.random() < 0.3:
      self.counts = kids[0].counts
    if rng.random() < 0.15:
      self.other = self.counts


def tree(seed):
  rng = random.Random(seed)

  def make(depth):
    count = rng.randint(0, 2 if depth > 1 else 1) if depth else 0
    kids = [make(depth - 1) for _ in range(count)]
    return Node(rng.choice("abc"), rng.randint(0, 9), kids, rng)

  return make(seed % 4)


def calls():
  for seed in range(8):
    root = tree(seed)
    yield root, root, 0, []
    if seed % 3 == 0:
      yield root, root, 0, []


def bumped(counts, key):
  counts[key] = counts.get(key, 0) + 1
  return counts[key]


def hundred():
  return 100

'''
_KEYS = ("n.name", "'a'", "n.name + 'x'", "str(n.value % 3)")
_INTS = ("n.value", "depth", "n.value % 3", "len(n.kids)", "2")
_VALUES = ("1", "n.value", "depth + 1", "n.counts.get('a', 7)", "len(n.counts)")
_DICTS = (*["n.counts"] * 5, "n.other", "d", "root.counts", "own")
_MAKERS = ("{}", "collections.defaultdict(int)", "collections.Counter(n.words)")
_ENDS = ("total", "total % 1000", "total, own", "own")
# D: a dict by strings; K, V: a key and a value; M, I: a dict by ints, and a key.
_STATEMENTS = (
  "D[K] = V",
  "D[K] = D.get(K, 0) + V",
  "if K in D:\n  D[K] += V\nelse:\n  D[K] = 0",
  "total += D.setdefault(K, V)",
  "total += D.pop(K, 3)",
  "if K in D:\n  del D[K]",
  "D.update(n.other)",
  "n.other.update(D)",
  "if n.value > 7:\n  D.clear()",
  "for k in D:\n  total += len(k)",
  "for k, v in D.items():\n  total = total * 2 + v",
  "for k in D:\n  D[k] = D[k] + 1",
  "for k, v in D.items():\n  n.other[k] = n.other.get(k, 0) + v",
  "for k in list(D):\n  if D[k] > 3:\n    del D[k]",
  "for i, (k, v) in enumerate(D.items()):\n  total += i * v\n  root.counts['a'] = total % 100",
  "total += sum(D.values()) + len(D)",
  "total += max(D.values(), default=0)",
  "out.append(sorted(D.items()))",
  "out.append(dict(D))",
  "out.append(list(D))",
  "if not D:\n  D[K] = 5",
  "d = n.other",
  "n.counts = n.other",
  "n.counts = {}",
  "items = D.items()\nD[K] = V\ntotal += len(list(items))",
  "keys = list(D)\nD[K] = V\ntotal += len(keys)",
  "M[I] = V",
  "M[I] = M.get(I, 0) + 1",
  "if I in M:\n  total += M[I]",
  "total += M.setdefault(I, V) + M.get(I, 1)",
  "total += sum(v for k, v in D.items() if v > 1)",
  "total += bumped(D, K)",
  "pairs = [(D.setdefault(c.name, 0), c.value) for c in n.kids]\ntotal += len(pairs)",
  "total += n.tally[K]\nn.tally[K] += 1",
  "n.tally.update(n.words)",
  "out.append(n.tally.most_common(2))",
  "n.pairs[n.name, depth] = total",
  "total += n.pairs.get((n.name, depth), 0)",
  "n.groups.setdefault(K, []).append(V)",
  "if K in n.groups:\n  total += len(n.groups[K])",
  "best = max(D, key=D.get, default=None)\nout.append(best)",
  "a = D.get(K)\nif a is None:\n  a = 2\ntotal += a",
  "c = collections.Counter(n.words) + collections.Counter([n.name])\nout.append(c)",
  "c = collections.Counter(n.words)\nc.subtract(n.tally)\nc -= collections.Counter(a=1)",
  "c = collections.Counter(n.words)\nc.subtract([n.name, n.name])\nout.append(c)",
  "c = collections.Counter(n.words) - n.tally\nout.append(c)",
  "c = collections.Counter(n.words) | collections.Counter(n.name)\nout.append(c & own)",
  "g = collections.defaultdict(list)\nfor c in n.kids:\n  g[c.name].append(c.value)\nout.append(g)",
  "g = collections.defaultdict(lambda: 9)\ng[K] += V\nout.append(dict(g))\ntotal += g['zz']",
  "g = collections.defaultdict(hundred)\ntotal += g[K]\nout.append(g)",
  "own.update(n.counts)",
  "for k, v in own.items():\n  out.append((k, v))",
)


def program(seed):
  """Returns the text of a program."""
  rng = random.Random(seed)
  lines = ["total = 0", "d = n.counts", f"own = {rng.choice(_MAKERS)}"]
  count = rng.randint(1, 5)
  place = rng.randint(0, count)
  for i in range(count + 1):
    if i == place:
      lines += ["for c in n.kids:", "  found = visit(c, root, depth + 1, out)"]
    if i < count:
      lines += _statement(rng).split("\n")
  lines.append(f"return {rng.choice(_ENDS)}")
  body = "".join(f"    {line}\n" for line in lines)
  head = "def build(recursive):\n  @recursive\n  def visit(n, root, depth, out):\n"
  return f"{_HEADER}\n{head}{body}\n  return visit\n"


def _statement(rng):
  text = rng.choice(_STATEMENTS)
  names = {
    "D": rng.choice(_DICTS),
    "K": rng.choice(_KEYS),
    "V": rng.choice(_VALUES),
    "M": rng.choice(["n.memo", "n.memo", "root.memo"]),
    "I": rng.choice(_INTS),
  }
  for letter, name in names.items():
    text = _replaced(text, letter, name)
  return text


def _replaced(text, letter, name):
  """Returns a text in which a capital that stands by itself is something else."""
  found = ""
  for i, char in enumerate(text):
    beside = text[i - 1 : i] + text[i + 1 : i + 2]
    is_alone = char == letter and not any(one.isalnum() or one == "_" for one in beside)
    found += name if is_alone else char
  return found
