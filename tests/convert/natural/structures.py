"""Recursions over lists, documents, parse trees and tables."""

import collections
import dataclasses
import enum
import heapq


class Huff:
  def __init__(self, weight, symbol=None, left=None, right=None):
    self.weight, self.symbol, self.left, self.right = weight, symbol, left, right


def huffman(text="abracadabra"):
  heap = [(n, i, Huff(n, s)) for i, (s, n) in enumerate(sorted(collections.Counter(text).items()))]
  heapq.heapify(heap)
  i = len(heap)
  while len(heap) > 1:
    a, b = heapq.heappop(heap), heapq.heappop(heap)
    heapq.heappush(heap, (a[0] + b[0], i, Huff(a[0] + b[0], None, a[2], b[2])))
    i += 1
  return heap[0][2]


class Quad:
  def __init__(self, x, y, size, points=(), kids=()):
    self.x, self.y, self.size, self.points, self.kids = x, y, size, list(points), list(kids)


class Cell:
  def __init__(self, head, tail=None):
    self.head, self.tail = head, tail


def chain(*values):
  out = None
  for x in reversed(values):
    out = Cell(x, out)
  return out


def document():
  return {"a": 1, "b": [1, 2, {"c": "x", "d": [3.5, None, True]}], "e": {"f": "text"}}


def nltk_tree(text="(S (NP (D the) (N cat)) (VP (V sat) (PP (P on) (NP (N mats)))))"):
  import nltk

  return nltk.Tree.fromstring(text)


class Entry:
  def __init__(self, name, size=0, *kids):
    self.name, self.size, self.kids = name, size, kids


def disk():
  return Entry(
    "/", 0, Entry("a.txt", 5), Entry("src", 0, Entry("m.py", 20), Entry("lib", 0, Entry("u.py", 7)))
  )


class Kind(enum.Enum):
  SUM = 1
  PRODUCT = 2
  LEAF = 3


@dataclasses.dataclass
class Circuit:
  kind: Kind
  value: float = 0.0
  kids: list = dataclasses.field(default_factory=list)


def circuit():
  leaf = lambda x: Circuit(Kind.LEAF, x)
  return Circuit(Kind.SUM, 0.0, [Circuit(Kind.PRODUCT, 0.0, [leaf(2.0), leaf(0.5)]), leaf(3.0)])


def calls_huffman():
  yield (huffman(),)
  yield (huffman("aab"),)
  yield (huffman("zz"),)


def calls_chain():
  yield (chain(1, 2, 3),)
  yield (chain(5),)
  yield (chain(*range(9)),)
  yield (None,)


def calls_json():
  yield (document(),)
  yield ([1, [2, 3]],)
  yield ("s",)
  yield ({},)


def calls_nltk():
  yield (nltk_tree(),)
  yield (nltk_tree("(X y)"),)
  yield (nltk_tree("(S (A a) (B b b b))"),)


def calls_disk():
  yield (disk(),)
  yield (Entry("x", 1),)


def calls_circuit():
  yield (circuit(),)
  yield (Circuit(Kind.LEAF, 1.5),)


def build_huffman_codes(recursive):
  @recursive
  def assign(node, prefix, codes):
    if node.symbol is not None:
      codes[node.symbol] = prefix or "0"
      return
    assign(node.left, prefix + "0", codes)
    assign(node.right, prefix + "1", codes)

  def codes(node):
    table = {}
    assign(node, "", table)
    return table

  return codes


calls_huffman_codes = calls_huffman


def build_quad_insert(recursive):
  @recursive
  def insert(q, p):
    if not q.kids:
      q.points.append(p)
      if len(q.points) > 2 and q.size > 1:
        h = q.size // 2
        q.kids = [Quad(q.x + dx, q.y + dy, h) for dx in (0, h) for dy in (0, h)]
        old, q.points = q.points, []
        for o in old:
          insert(q, o)
      return
    h = q.size // 2
    i = (2 if p[0] >= q.x + h else 0) + (1 if p[1] >= q.y + h else 0)
    insert(q.kids[i], p)

  return insert


def calls_quad_insert():
  q = Quad(0, 0, 8)
  for p in ((1, 1), (6, 2), (3, 3), (7, 7)):
    yield (q, p)


def build_union_find(recursive):
  parent = {1: 1, 2: 1, 3: 2, 4: 3, 5: 5}

  @recursive
  def find(x):
    if parent[x] != x:
      parent[x] = find(parent[x])
    return parent[x]

  return find, [parent]


def calls_union_find():
  yield (4,)
  yield (5,)
  yield (3,)


def build_list_reverse(recursive):
  @recursive
  def reverse(c, done=None):
    if c is None:
      return done
    rest = c.tail
    c.tail = done
    return reverse(rest, c)

  return reverse


calls_list_reverse = calls_chain


def build_list_merge(recursive):
  @recursive
  def merge(a, b):
    if a is None:
      return b
    if b is None:
      return a
    if a.head <= b.head:
      a.tail = merge(a.tail, b)
      return a
    b.tail = merge(a, b.tail)
    return b

  return merge


def calls_list_merge():
  yield (chain(1, 4, 6), chain(2, 3, 9))
  yield (None, chain(1))
  yield (chain(1), chain(1))


def build_json_flatten(recursive):
  @recursive
  def flatten(x, path=""):
    if isinstance(x, dict):
      return [i for k, v in x.items() for i in flatten(v, path + "." + k)]
    if isinstance(x, list):
      return [i for n, v in enumerate(x) for i in flatten(v, f"{path}[{n}]")]
    return [(path, x)]

  return flatten


calls_json_flatten = calls_json


def build_nested_upper(recursive):
  @recursive
  def shout(t):
    if isinstance(t, str):
      return t.upper()
    return [shout(x) for x in t]

  return shout


def calls_nested_upper():
  yield (["a", ["b", "cd"]],)
  yield ("x",)


def build_nltk_spans(recursive):
  @recursive
  def spans(t, start, out):
    if isinstance(t, str):
      return start + 1
    end = start
    for c in t:
      end = spans(c, end, out)
    out.append((t.label(), start, end))
    return end

  def run(t):
    out = []
    spans(t, 0, out)
    return out

  return run


calls_nltk_spans = calls_nltk


def build_nltk_head_words(recursive):
  @recursive
  def head(t):
    if isinstance(t[0], str):
      return t[0]
    heads = {c.label(): head(c) for c in t}
    return heads.get("N", heads.get("V", heads.get("VP", heads[t[0].label()])))

  return head


calls_nltk_head_words = calls_nltk


def build_backprop_by_hand(recursive):
  @recursive
  def forward(c):
    if c.kids:
      vs = [forward(k) for k in c.kids]
      c.value = sum(vs) if c.kind is Kind.SUM else vs[0] * vs[1]
    return c.value

  def backward(c, g):
    c.grad = g
    if c.kind is Kind.SUM:
      for k in c.kids:
        backward(k, g)
    elif c.kids:
      a, b = c.kids
      backward(a, g * b.value)
      backward(b, g * a.value)

  @recursive
  def run(c):
    out = forward(c)
    backward(c, 1.0)
    return out

  return run


calls_backprop_by_hand = calls_circuit


def build_bill_of_materials(recursive):
  class Part:
    def __init__(self, name, cost, *parts):
      self.name, self.cost, self.parts = name, cost, parts

  @recursive
  def price(p, quantities):
    total = p.cost
    for n, part in p.parts:
      quantities[part.name] = quantities.get(part.name, 0) + n
      total += n * price(part, quantities)
    return total

  def start(k):
    bolt = Part("bolt", 0.25)
    q = {}
    return price(Part("car", 10.0, (4, Part("wheel", 2.5, (k, bolt))), (2, bolt)), q), q

  return start


def calls_bill_of_materials():
  yield (5,)
  yield (3,)


def build_tree_command(recursive):
  @recursive
  def show(e, prefix="", last=True):
    print(prefix + ("`-- " if last else "|-- ") + e.name)
    for i, k in enumerate(e.kids):
      show(k, prefix + ("    " if last else "|   "), i == len(e.kids) - 1)

  return show


calls_tree_command = calls_disk


def build_du(recursive):
  @recursive
  def du(e, report):
    total = e.size + sum(du(k, report) for k in e.kids)
    report.append((total, e.name))
    return total

  def start(e):
    report = []
    du(e, report)
    return report

  return start


calls_du = calls_disk
