"""Lists that what goes over them changes, and lists under several names."""
class Node:
  def __init__(self, v, *kids): self.v, self.kids = v, list(kids); self.attrs = {"xs": []}; self.t = (1, 2)
def tree(): return Node(3, Node(1, Node(7), Node(-2)), Node(5), Node(-4, Node(2, Node(9)), Node(6), Node(8)))
def calls(state):
  yield (tree(),); yield (Node(1),); yield (Node(2, Node(4), Node(5), Node(6)),)
def build_sum_gen(recursive):
  def g(k, n):
    if len(n.kids) > 2: n.kids.pop()
    return k.v
  @recursive
  def f(n): return sum(g(k, n) for k in n.kids) + sum([f(k) for k in list(n.kids)])
  return f
def build_comp_pop(recursive):
  def g(k, n):
    if len(n.kids) > 2: n.kids.pop()
    return k.v
  @recursive
  def f(n): return sum([g(k, n) for k in n.kids]) + sum([f(k) for k in list(n.kids)])
  return f
def build_map_pop(recursive):
  @recursive
  def f(n):
    def g(k):
      if len(n.kids) > 2: n.kids.pop()
      return k.v
    return sum(map(g, n.kids)) + sum([f(k) for k in list(n.kids)])
  return f
def build_sorted_pop(recursive):
  @recursive
  def f(n):
    def g(k):
      if len(n.kids) > 2: n.kids.pop()
      return k.v
    return [k.v for k in sorted(n.kids, key=g)] + [x for k in list(n.kids) for x in f(k)]
  return f
def build_sort_self(recursive):
  @recursive
  def f(n):
    n.kids.sort(key=lambda k: len(n.kids) * 100 + k.v)
    return [n.v] + [x for k in n.kids for x in f(k)]
  return f
def build_max_pop(recursive):
  @recursive
  def f(n):
    def g(k):
      if len(n.kids) > 2: n.kids.pop()
      return k.v
    return (max(n.kids, key=g).v if n.kids else 0) + sum([f(k) for k in list(n.kids)])
  return f
def build_any_pop(recursive):
  @recursive
  def f(n):
    def g(k):
      if len(n.kids) > 2: n.kids.pop()
      return k.v > 100
    return any(g(k) for k in n.kids) or any([f(k) for k in list(n.kids)])
  return f
def build_zip_pop(recursive):
  @recursive
  def f(n):
    s = 0
    for a, b in zip(n.kids, n.kids[1:]):
      s += a.v * b.v
      if len(n.kids) > 2: n.kids.pop()
    return s + sum([f(k) for k in list(n.kids)])
  return f
def build_reversed_pop(recursive):
  @recursive
  def f(n):
    s = 0
    for a in reversed(n.kids):
      s = s * 2 + a.v
      if len(n.kids) > 2: n.kids.pop(0)
    return s + sum([f(k) for k in list(n.kids)])
  return f
def build_helper(recursive):
  def drop(ks):
    if ks: ks.pop()
    return len(ks)
  @recursive
  def f(n): return drop(n.kids) * 10 + len(n.kids) + sum([f(k) for k in n.kids])
  return f
def build_param(recursive):
  @recursive
  def f(ks, d=0):
    if not ks or d > 3: return 0
    k = ks.pop()
    return k.v + f(k.kids, d + 1) + f(ks, d + 1)
  return lambda n: (f(n.kids), len(n.kids)), []
def build_two_params(recursive):
  @recursive
  def f(a, b, d=0):
    if not a or d > 2: return len(a) * 10 + len(b)
    a.append(a[0])
    r = len(b)
    return r + f(a[0].kids, b, d + 1) + f(a, a, d + 1)
  return lambda n: f(n.kids, n.kids), []
def build_two_nodes(recursive):
  @recursive
  def f(a, b, d=0):
    for k in a.kids:
      if d < 2 and len(b.kids) < 5: b.kids.append(k)
    return len(a.kids) * 10 + len(b.kids) + sum([f(k, a, d + 1) for k in list(a.kids) if d < 2])
  return f
def calls_two_nodes(state):
  t = tree(); yield (t, Node(1)); yield (t, t.kids[0]); yield (t, t)
  a, b = Node(1, Node(2), Node(3)), Node(4); b.kids = a.kids; yield (a, b)
def build_swap_attr(recursive):
  @recursive
  def f(n):
    ks = n.kids
    n.kids = []
    if ks: ks.append(ks[0])
    r = len(ks) * 10 + len(n.kids)
    for k in ks[:2]: r += f(k)
    n.kids = ks
    return r
  return f
def build_in_dict(recursive):
  @recursive
  def f(n):
    n.attrs["xs"].append(n.v)
    for k in n.kids: f(k)
    return len(n.attrs["xs"])
  return f
def build_in_dict_shared(recursive):
  @recursive
  def f(n):
    n.attrs["xs"].append(n.v)
    for k in n.kids: f(k)
    return len(n.attrs["xs"])
  return f
def calls_in_dict_shared(state):
  t = tree(); t.kids[0].attrs = t.attrs; t.kids[1].attrs["xs"] = t.attrs["xs"]; yield (t,); yield (t,)
def build_cond(recursive):
  @recursive
  def f(n):
    if n.v > 2 and n.kids: n.kids.pop()
    elif n.kids: n.kids.insert(0, n.kids[-1])
    return [n.v, len(n.kids)] + [x for k in n.kids[:3] for x in f(k)]
  return f
def build_while(recursive):
  @recursive
  def f(n):
    while len(n.kids) > 1 and n.kids[0].v < n.kids[1].v: n.kids.append(n.kids.pop(0)); n.kids.pop(0)
    return len(n.kids) + sum([f(k) for k in n.kids])
  return f
def build_and_effect(recursive):
  @recursive
  def f(n): return (n.v > 2 and bool(n.kids) and n.kids.pop().v > 5) + len(n.kids) + sum([f(k) for k in n.kids])
  return f
def build_ret_list(recursive):
  @recursive
  def f(n):
    n.kids.reverse()
    for k in n.kids: f(k)
    return n.kids
  return f
def build_ret_copy(recursive):
  @recursive
  def f(n):
    n.kids.reverse()
    for k in n.kids: f(k)
    return list(n.kids)
  return f
def build_store_list(recursive):
  out = []
  @recursive
  def f(n):
    n.kids.reverse()
    out.append(n.kids)
    for k in n.kids: f(k)
  return f, [out]
def build_is_same(recursive):
  @recursive
  def f(n):
    ks = n.kids
    ks.reverse()
    return (ks is n.kids) + sum([f(k) for k in ks])
  return f
def build_class_list(recursive):
  class C(Node): pass
  @recursive
  def f(n):
    n.kids.append(n) if len(n.kids) == 1 else None
    return len(n.kids)
  return f
def build_exception_between(recursive):
  log = []
  @recursive
  def f(n):
    n.kids.reverse()
    log.append(n.v)
    if n.v == 5: n.kids[10]
    for k in n.kids: f(k)
  return f, [log]
def build_print(recursive):
  @recursive
  def f(n):
    print(len(n.kids))
    if n.kids: n.kids.pop()
    print(len(n.kids), [k.v for k in n.kids])
    for k in n.kids: f(k)
  return f
def build_slots(recursive):
  class S:
    __slots__ = ("v", "kids")
    def __init__(self, v, kids): self.v, self.kids = v, kids
  state = [S]
  @recursive
  def f(n):
    n.kids.sort(key=lambda k: k.v)
    return [n.v] + [x for k in n.kids for x in f(k)]
  return f, state
def calls_slots(state):
  S = state[0]; yield (S(1, [S(3, []), S(2, [S(0, [])])]),)
def build_float_list(recursive):
  @recursive
  def f(n):
    n.xs.append(n.v / 2); n.xs.sort(); n.xs[0] += 1.5
    return sum(n.xs) + sum([f(k) for k in n.kids])
  return f
def calls_float_list(state):
  t = tree()
  def go(n):
    n.xs = [0.5, 9.0]
    for k in n.kids: go(k)
  go(t); yield (t,); yield (t,)
def build_str_list(recursive):
  @recursive
  def f(n):
    n.xs.append("k" + str(n.v)); n.xs.sort()
    return "".join(n.xs) + "".join([f(k) for k in n.kids])
  return f
def calls_str_list(state):
  t = tree()
  def go(n):
    n.xs = ["b", "a"]
    for k in n.kids: go(k)
  go(t); yield (t,); yield (t,)
def build_reduce_pop(recursive):
  import functools
  @recursive
  def f(n):
    def g(a, k):
      if len(n.kids) > 2: n.kids.pop()
      return a + k.v
    return functools.reduce(g, n.kids, 0) + sum([f(k) for k in list(n.kids)])
  return f
def build_filter_pop(recursive):
  @recursive
  def f(n):
    def g(k):
      if len(n.kids) > 2: n.kids.pop()
      return k.v > 0
    return len(list(filter(g, n.kids))) + sum([f(k) for k in list(n.kids)])
  return f
def build_made_map(recursive):
  @recursive
  def f(n, out):
    out.append([n.v, 1, 2])
    def g(x):
      if len(out[0]) > 1: out[0].pop()
      return x
    r = sum(map(g, out[0]))
    for k in n.kids: r += f(k, out)
    return r
  return f
def calls_made_map(state):
  yield (tree(), []); yield (Node(1), [])
def build_made_for(recursive):
  @recursive
  def f(n, out):
    out.append([n.v, 1, 2])
    r = 0
    for x in out[0]:
      r += x
      if len(out[0]) > 1: out[0].pop()
    for k in n.kids: r += f(k, out)
    return r
  return f
calls_made_for = calls_made_map
def build_made_gen(recursive):
  @recursive
  def f(n, out):
    out.append([n.v, 1, 2])
    def g(x):
      if len(out[0]) > 1: out[0].pop()
      return x
    r = sum(g(x) for x in out[0])
    for k in n.kids: r += f(k, out)
    return r
  return f
calls_made_gen = calls_made_map
def build_made_out_iter(recursive):
  @recursive
  def f(n, out):
    out.append([n.v])
    r = 0
    for row in out:
      r += len(row)
      if len(out) < 6: out.append([r])
    for k in n.kids: r += f(k, out)
    return r
  return f
calls_made_out_iter = calls_made_map
