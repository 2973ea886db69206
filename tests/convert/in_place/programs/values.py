"""Strings of floats, order, arrays of several ranks, and values of several types."""
import math, tensorflow as tf
class Node:
  def __init__(self, v, *kids): self.v, self.kids = v, list(kids); self.attrs = {"d": 0}; self.word = "w"
def ft(): return Node(2.5, Node(-0.0, Node(1e16), Node(0.1)), Node(1e-7), Node(1/3, Node(123456.789, Node(5e-324))))
def st(): return Node("pear", Node("apple", Node("Zoo"), Node("é")), Node(""), Node("apple", Node("app", Node("\U0001f600"))))
def calls(state):
  yield (ft(),); yield (Node(float("nan")),); yield (Node(float("-inf"), Node(3.0)),)
def scalls(state):
  yield (st(),); yield (Node("x"),); yield (Node("b", Node("a"), Node("c")),)
def build_text(recursive):
  @recursive
  def f(n): return str(n.v) + "(" + ",".join([f(k) for k in n.kids]) + ")"
  return f
def build_text_fmt(recursive):
  @recursive
  def f(n): return f"{n.v:.3f}|{n.v}|{n.v!r}" + "".join([f(k) for k in n.kids])
  return f
def build_text_eq(recursive):
  @recursive
  def f(n): return (1 if str(n.v) == "0.1" else 0) + sum([f(k) for k in n.kids])
  return f
def build_text_mixed(recursive):
  @recursive
  def f(n):
    x = n.v if n.v > 1 else 0
    return str(x) + ";" + "".join([f(k) for k in n.kids])
  return f
def build_text_print(recursive):
  @recursive
  def f(n):
    s = str(n.v)
    print(s, f"{n.v:.1f}", n.v)
    for k in n.kids: f(k)
    return s
  return f
def build_text_key(recursive):
  d = {}
  @recursive
  def f(n):
    d[str(n.v)] = n.v
    for k in n.kids: f(k)
  return f, [d]
def build_round(recursive):
  @recursive
  def f(n): return round(n.v, 2) + sum([round(f(k), 3) for k in n.kids])
  return f
def build_round_neg(recursive):
  @recursive
  def f(n): return round(n.v, -1) if not n.kids else f(n.kids[0])
  return f
def build_round_int(recursive):
  @recursive
  def f(n): return round(len(n.kids), 2) + sum([f(k) for k in n.kids])
  return f
def build_round_mixed(recursive):
  @recursive
  def f(n):
    x = n.v if n.v > 1 else 7
    return [round(x, 1)] + [y for k in n.kids for y in f(k)]
  return f
def build_atan(recursive):
  @recursive
  def f(n): return [math.atan2(n.v, -1.0), math.hypot(n.v, 2), math.copysign(3, n.v), math.degrees(n.v), math.radians(n.v)] + [y for k in n.kids for y in f(k)]
  return f
def build_sort_f(recursive):
  @recursive
  def f(n): return sorted([n.v] + [x for k in n.kids for x in f(k)])
  return f
def build_sort_f_rev(recursive):
  @recursive
  def f(n): return sorted([n.v] + [x for k in n.kids for x in f(k)], reverse=True)
  return f
def build_sort_s(recursive):
  @recursive
  def f(n): return sorted([n.v] + [x for k in n.kids for x in f(k)])
  return f
calls_sort_s = scalls
def build_sort_key(recursive):
  @recursive
  def f(n): return n.v + "".join([f(k) for k in sorted(n.kids, key=lambda k: k.v)])
  return f
calls_sort_key = scalls
def build_sort_key_rev(recursive):
  @recursive
  def f(n): return n.v + "".join([f(k) for k in sorted(n.kids, key=lambda k: (len(k.kids), k.v), reverse=True)])
  return f
calls_sort_key_rev = scalls
def build_sort_pairs(recursive):
  @recursive
  def f(n): return [n.v] + [x for _, k in sorted([(k.v, k) for k in n.kids]) for x in f(k)]
  return f
def calls_sort_pairs(state):
  yield from scalls(state); yield (Node("a", Node("b"), Node("b")),)
def build_lt(recursive):
  @recursive
  def f(n):
    best = n.v
    for k in n.kids:
      s = f(k)
      if s > best: best = s
    return best
  return f
calls_lt = scalls
def build_lt_const(recursive):
  @recursive
  def f(n): return [n.v < "b", "b" <= n.v, n.v >= "app"] + [x for k in n.kids for x in f(k)]
  return f
calls_lt_const = scalls
def build_lt_none(recursive):
  @recursive
  def f(n): return 0 if not n.kids else (1 if n.v < n.kids[0].v else 2)
  return f
def calls_lt_none(state):
  yield (Node("a", Node(None)),); yield (Node("a", Node("b")),)
def build_lt_mixed(recursive):
  @recursive
  def f(n): return 0 if not n.kids else (1 if n.v < n.kids[0].v else 2) + f(n.kids[0])
  return f
def calls_lt_mixed(state):
  yield (Node("a", Node(3)),); yield (Node("a", Node("b")),); yield (Node(1, Node(2)),)
def build_chain(recursive):
  @recursive
  def f(n): return ("a" < n.v < "p") + sum([f(k) for k in n.kids])
  return f
calls_chain = scalls
def build_upper(recursive):
  @recursive
  def f(t):
    if isinstance(t, str): return t.upper() + t[0]
    return [f(x) for x in t]
  return f
def calls_upper(state):
  yield (["a", ["bc", ["d"]], "é"],); yield ("x",); yield ([],); yield ([["q"]],)
def build_first(recursive):
  @recursive
  def f(t):
    if isinstance(t, str): return t[0]
    return f(t[0])
  return f
calls_first = calls_upper
def build_strip_or(recursive):
  @recursive
  def f(t):
    if isinstance(t, str):
      s = t.strip()
      return s if s else "-"
    return [f(x) for x in t]
  return f
def calls_strip_or(state):
  yield ([" a ", "  ", ["b"]],); yield ("",)
def build_attrs_write(recursive):
  @recursive
  def f(n, d=0):
    n.attrs["d"] = d
    n.attrs["e"] = len(n.kids)
    for k in n.kids: f(k, d + 1)
    return n.attrs["d"]
  return f
calls_attrs_write = scalls
def build_attrs_shared(recursive):
  @recursive
  def f(n, d=0):
    n.attrs["d"] = d
    for k in n.kids: f(k, d + 1)
    return n.attrs["d"]
  return f
def calls_attrs_shared(state):
  t = st(); t.kids[0].attrs = t.attrs; yield (t,)
def build_list_item0(recursive):
  @recursive
  def f(n):
    n.pair[0] = len(n.kids)
    return n.pair[0] + len(n.pair) + sum([f(k) for k in n.kids])
  return f
def calls_list_item0(state):
  t = st()
  def go(n):
    n.pair = [9, 9]
    for k in n.kids: go(k)
  go(t); yield (t,); t.kids[0].pair = t.kids; yield (t,)
def build_stats(recursive):
  @recursive
  def f(n, stats):
    stats["n"] += 1
    if not n.kids: stats["leaves"] += 1
    return tf.add_n([f(k, stats) for k in n.kids]) if n.kids else tf.ones([2])
  return f
def calls_stats(state):
  s = {"n": 0, "leaves": 0}; yield (st(), s); yield (st(), s); yield (st(), {"n": 1.5, "leaves": 0})
def build_mix_len(recursive):
  @recursive
  def f(t): return len(t) + sum([f(x) for x in t if isinstance(x, list)])
  return f
def calls_mix_len(state):
  yield ([1, [2, [3]], "ab"],); yield ([],); yield ("abc",)
def build_mix_add(recursive):
  @recursive
  def f(t): return t + 1 if not isinstance(t, list) else sum([f(x) for x in t])
  return f
def calls_mix_add(state):
  yield ([1, [2, [3]], 4],); yield ([1, "a"],); yield ([1.5, [2]],); yield ([True, None],)
def build_mix_eq(recursive):
  @recursive
  def f(t, w): return sum([1 if x == w else f(x, w) if isinstance(x, list) else 0 for x in t])
  return f
def calls_mix_eq(state):
  yield ([1, [2, [1]], 1.0, "1", None, True], 1); yield ([[], [1]], 2); yield ([float("nan"), 2.0], 2.0)
def build_ranks(recursive):
  @recursive
  def f(n): return tf.reduce_sum(n.v) + sum([f(k) for k in n.kids])
  return f
def calls_ranks(state):
  yield (Node(tf.ones([2]), Node(tf.ones([2, 3]))),); yield (Node(tf.ones([])),); yield (Node(tf.ones([1, 2]), Node(tf.zeros([0]))),)
def build_ranks_shape(recursive):
  @recursive
  def f(n): return [len(n.v.shape), int(tf.rank(n.v)), int(n.v.shape[0])] + [x for k in n.kids for x in f(k)]
  return f
def calls_ranks_shape(state):
  yield (Node(tf.ones([2]), Node(tf.ones([2, 3]))),); yield (Node(tf.ones([4])),)
def build_ranks_index(recursive):
  @recursive
  def f(n): return tf.reduce_sum(n.v[0]) + (f(n.kids[0]) if n.kids else 0.0)
  return f
calls_ranks_index = calls_ranks_shape
def build_ranks_return(recursive):
  @recursive
  def f(n): return n.v * 2.0 if not n.kids else f(n.kids[0]) + n.v
  return f
calls_ranks_return = calls_ranks_shape
def build_ranks_len(recursive):
  @recursive
  def f(n): return len(n.v) + (f(n.kids[0]) if n.kids else 0)
  return f
calls_ranks_len = calls_ranks_shape
def build_ranks_if(recursive):
  @recursive
  def f(n):
    if n.v.shape.rank == 2: return tf.reduce_sum(n.v, 1)[0]
    return tf.reduce_max(n.v) + (f(n.kids[0]) if n.kids else 0.0)
  return f
calls_ranks_if = calls_ranks_shape
def build_ranks_iter(recursive):
  @recursive
  def f(n):
    s = 0.0
    for row in n.v: s += tf.reduce_sum(row)
    return s + (f(n.kids[0]) if n.kids else 0.0)
  return f
calls_ranks_iter = calls_ranks_shape
def build_ragged_list(recursive):
  @recursive
  def f(x):
    if x.shape[0] <= 1: return [x]
    return f(x[1:]) + [x]
  return f
def calls_ragged_list(state):
  yield (tf.range(4.0),); yield (tf.ones([1]),); yield (tf.ones([3, 2]),)
def build_ragged_log(recursive):
  log = []
  @recursive
  def f(n):
    log.append(tf.ones([1]) if not n.kids else tf.stack([float(len(k.kids)) for k in n.kids]))
    for k in n.kids: f(k)
  return f, [log]
calls_ragged_log = scalls
def build_paths(recursive):
  @recursive
  def f(n, path=()):
    path = path + (n.v,)
    if not n.kids: return [path]
    return [p for k in n.kids for p in f(k, path)]
  return f
calls_paths = scalls
def build_sum_maybe(recursive):
  @recursive
  def f(n):
    if n.v == "": return None
    return 1 + sum([f(k) for k in n.kids])
  return f
def calls_sum_maybe(state):
  yield (Node("a", Node("b")),); yield (st(),); yield (Node(""),)
def build_concat_empty(recursive):
  @recursive
  def f(n):
    parts = []
    for k in n.kids: parts.append(f(k))
    if not parts: return tf.ones([1, 2])
    return tf.concat(parts, 1)
  return f
calls_concat_empty = scalls
