"""Lists of lists, dicts of lists and objects that are changed after they were put somewhere."""
import collections
class Node:
  def __init__(self, v, *kids): self.v, self.kids = v, list(kids)
def tree(): return Node(3, Node(1, Node(7), Node(-2)), Node(5), Node(-4, Node(2, Node(9))))
def calls(state):
  yield (tree(),); yield (Node(1),); yield (tree(),); yield (Node(5, Node(5), Node(5, Node(5))),)
def calls_out(state):
  yield (tree(), 0, []); out = []; yield (Node(1, Node(2)), 0, out); yield (tree(), 0, out)
  yield (tree(), 0, [[99]]); shared = [7]; yield (tree(), 0, [shared, shared])
  yield (Node(1), 3, [])
def build_levels(recursive):
  @recursive
  def f(n, d, out):
    if len(out) <= d: out.append([])
    out[d].append(n.v)
    for k in n.kids: f(k, d + 1, out)
    return out
  return f
calls_levels = calls_out
def build_levels_read(recursive):
  @recursive
  def f(n, d, out):
    if len(out) <= d: out.append([])
    out[d].append(n.v)
    for k in n.kids: f(k, d + 1, out)
    return len(out[d])
  return f
calls_levels_read = calls_out
def build_alias_row(recursive):
  @recursive
  def f(n, d, out):
    if len(out) <= d: out.append([])
    row = out[d]
    row.append(n.v)
    for k in n.kids: f(k, d + 1, out)
    return (len(row), len(out[d]), row is out[d] if False else 0)
  return f
calls_alias_row = calls_out
def build_named_row(recursive):
  @recursive
  def f(n, d, out):
    row = [n.v]
    out.append(row)
    out[0].append(d)
    for k in n.kids: f(k, d + 1, out)
    return len(row)
  return f
def calls_named_row(state):
  yield (tree(), 0, []); yield (Node(1), 0, [])
def build_two_names(recursive):
  @recursive
  def f(n, d, out):
    row = [n.v]
    out.append(row); out.append(row)
    out[0].append(d)
    for k in n.kids: f(k, d + 1, out)
    return out
  return f
calls_two_names = calls_named_row
def build_same_twice(recursive):
  @recursive
  def f(n):
    a = []
    out = [a, a]
    for k in n.kids: out[0].append(f(k))
    return out
  return f
def build_local_groups(recursive):
  def go(n, out, d):
    while len(out) <= d: out.append([])
    out[d].append(n.v)
    for k in n.kids: go(k, out, d + 1)
  @recursive
  def f(n):
    out = []
    go(n, out, 0)
    return out
  return f
def build_none_default(recursive):
  @recursive
  def f(n, d=0, out=None):
    if out is None: out = []
    if d == len(out): out.append([])
    out[d].append(n.v)
    for k in n.kids: f(k, d + 1, out)
    return out
  return f
def build_sum_rows(recursive):
  @recursive
  def f(n, d=0, out=None):
    if out is None: out = []
    if d == len(out): out.append([])
    out[d].append(n.v)
    for k in n.kids: f(k, d + 1, out)
    return sum([sum(r) for r in out]) if d == 0 else 0
  return f
def build_setdefault(recursive):
  @recursive
  def f(n, g):
    g.setdefault(n.v % 3, []).append(n.v)
    for k in n.kids: f(k, g)
    return g
  return f
def calls_setdefault(state):
  yield (tree(), {}); g = {1: [5]}; yield (tree(), g); yield (tree(), g); yield (Node(2), {0: []})
def build_defaultdict(recursive):
  g = collections.defaultdict(list)
  @recursive
  def f(n, d=0):
    g[d].append(n.v)
    for k in n.kids: f(k, d + 1)
  return f, [g]
def build_closure_dict(recursive):
  g = {}
  @recursive
  def f(n, d=0):
    if d not in g: g[d] = []
    g[d].append((n.v, d))
    for k in n.kids: f(k, d + 1)
    return len(g)
  return f, [g]
def build_state_mix(recursive):
  s = {"n": 0, "names": [], "x": 0.5}
  @recursive
  def f(n):
    s["n"] += 1; s["x"] += 0.25
    s["names"].append(n.v)
    for k in n.kids: f(k)
    return s["n"]
  return f, [s]
def build_state_alias(recursive):
  names = []
  s = {"n": 0, "names": names}
  @recursive
  def f(n):
    s["n"] += 1
    s["names"].append(n.v)
    if n.v == 5: names.append("five")
    for k in n.kids: f(k)
    return len(names)
  return f, [s, names]
def build_state_replace(recursive):
  s = {"n": 0, "names": []}
  @recursive
  def f(n):
    s["n"] += 1
    if n.v == 5: s["names"] = []
    s["names"].append(n.v)
    for k in n.kids: f(k)
    return s["n"]
  return f, [s]
def build_matrix(recursive):
  m = [[0] * 3 for _ in range(3)]
  @recursive
  def f(n):
    m[n.v % 3][len(n.kids) % 3] += 1
    for k in n.kids: f(k)
  return f, [m]
def build_matrix_shared(recursive):
  row = [0] * 3
  m = [row, row, [0, 0, 0]]
  @recursive
  def f(n):
    m[n.v % 3][len(n.kids) % 3] += 1
    for k in n.kids: f(k)
    return m[0][0]
  return f, [m]
def build_raise(recursive):
  @recursive
  def f(n, d, out):
    if len(out) <= d: out.append([])
    out[d].append(n.v)
    if n.v == 9: raise KeyError("nine")
    for k in n.kids: f(k, d + 1, out)
    return out
  return f
calls_raise = calls_out
def build_backtrack(recursive):
  found = []
  @recursive
  def f(n, path):
    path.append(n.v)
    if not n.kids: found.append(list(path))
    for k in n.kids: f(k, path)
    path.pop()
  return f, [found]
def calls_backtrack(state):
  yield (tree(), []); yield (Node(1), [0]); yield (tree(), [1, 2])
def build_backtrack_noalias(recursive):
  found = []
  @recursive
  def f(n, path):
    path.append(n.v)
    if not n.kids: found.append(path)
    for k in n.kids: f(k, path)
    path.pop()
  return f, [found]
calls_backtrack_noalias = calls_backtrack
def build_obj_attr(recursive):
  class Acc:
    def __init__(self): self.rows = []; self.n = 0
  @recursive
  def f(n, acc=None):
    if acc is None: acc = Acc()
    acc.rows.append(n.v); acc.n += 1
    for k in n.kids: f(k, acc)
    return acc.n
  return f
def build_node_grow(recursive):
  @recursive
  def f(n):
    m = Node(n.v)
    for k in n.kids: m.kids.append(f(k))
    m.v = m.v + len(m.kids)
    return m
  return f
def build_node_grow_after(recursive):
  @recursive
  def f(n, made):
    m = Node(n.v)
    made.append(m)
    m.v = 77
    made[0].v = made[0].v + 1
    for k in n.kids: f(k, made)
    return made
  return f
def calls_node_grow_after(state):
  yield (tree(), []); yield (Node(1, Node(2)), [])
def build_rows_sorted(recursive):
  @recursive
  def f(n, d=0, out=None):
    if out is None: out = []
    if d == len(out): out.append([])
    out[d].append(n.v)
    for k in n.kids: f(k, d + 1, out)
    out[d].sort()
    return out
  return f
def build_pop_row(recursive):
  @recursive
  def f(n, d=0, out=None):
    if out is None: out = []
    if d == len(out): out.append([])
    out[d].append(n.v)
    for k in n.kids: f(k, d + 1, out)
    if len(out[d]) > 2: return out[d].pop(0)
    return out[d][-1]
  return f
def build_iterate_change(recursive):
  @recursive
  def f(n, out):
    out.append([n.v])
    for row in out:
      row.append(len(row))
    for k in n.kids: f(k, out)
    return out
  return f
def calls_iterate_change(state):
  yield (Node(1, Node(2), Node(3)), []); yield (Node(1), [[4]])
def build_row_iter(recursive):
  @recursive
  def f(n, out):
    out.append([n.v])
    for x in out[0]:
      if x < 3: out[0].append(x + 1)
    for k in n.kids: f(k, out)
    return out
  return f
calls_row_iter = calls_iterate_change
def build_mixed_values(recursive):
  @recursive
  def f(n, d, out):
    if len(out) <= d: out.append([])
    out[d].append(n.v if n.v > 2 else str(n.v))
    for k in n.kids: f(k, d + 1, out)
    return out
  return f
calls_mixed_values = calls_out
def build_nested3(recursive):
  @recursive
  def f(n, d, out):
    if len(out) <= d: out.append([[], []])
    out[d][n.v % 2].append(n.v)
    for k in n.kids: f(k, d + 1, out)
    return out
  return f
def calls_nested3(state):
  yield (tree(), 0, []); yield (Node(1), 0, [])
def build_return_row(recursive):
  @recursive
  def f(n, d, out):
    if len(out) <= d: out.append([])
    out[d].append(n.v)
    for k in n.kids: f(k, d + 1, out)
    return out[d]
  return f
calls_return_row = calls_out
