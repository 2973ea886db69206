"""Lists of nodes that are changed in place, under one name or several."""
class Node:
  def __init__(self, v, *kids): self.v, self.kids = v, list(kids)
def tree(): return Node(3, Node(1, Node(7), Node(-2)), Node(5), Node(-4, Node(2, Node(9))))
def calls(state):
  t = tree(); yield (t,); yield (t,)
  yield (Node(1),); yield (Node(-1, Node(2), Node(-3)),)
  t = tree(); shared = Node(8, Node(0)); t.kids.append(shared); t.kids[0].kids.append(shared); yield (t,)
def build_append_new(recursive):
  @recursive
  def f(n):
    for k in n.kids: f(k)
    n.kids.append(n.kids[0] if n.kids else n)
  return f
def calls_append_new(state):
  yield (Node(1, Node(2), Node(3)),)
  t = tree(); yield (t,)
def build_shared_list(recursive):
  @recursive
  def f(n):
    n.kids.sort(key=lambda k: k.v)
    for k in n.kids: f(k)
  return f
def calls_shared_list(state):
  a = Node(1, Node(3), Node(2)); b = Node(4); b.kids = a.kids
  yield (Node(0, b, a),)
  yield (Node(0, a, b),)
def build_self_iter(recursive):
  @recursive
  def f(n, d=0):
    s = 0
    for k in n.kids:
      s += k.v
      if k.v > 4 and len(n.kids) < 6:
        n.kids.append(Node(0) if False else n.kids[0])
      s += f(k, d + 1) if d < 4 else 0
    return s
  return f
def build_remove_iter(recursive):
  @recursive
  def f(n):
    for k in n.kids:
      if k.v < 0: n.kids.remove(k)
      else: f(k)
  return f
def build_pop_last(recursive):
  @recursive
  def f(n):
    if not n.kids: return n.v
    k = n.kids.pop()
    return f(k) + f(n)
  return f
def build_pop_first_while(recursive):
  @recursive
  def f(n):
    total = n.v
    while n.kids:
      total += f(n.kids.pop(0))
    return total
  return f
def build_insert_front(recursive):
  @recursive
  def f(n):
    if n.kids:
      n.kids.insert(0, n.kids[-1]); 
    for k in list(n.kids): f(k) if k.v > 0 else None
    return len(n.kids)
  return f
def build_clear(recursive):
  @recursive
  def f(n):
    c = 0
    for k in list(n.kids): c += f(k)
    if c > 1: n.kids.clear()
    return c + 1
  return f
def build_reverse_result(recursive):
  @recursive
  def f(n):
    n.kids.reverse()
    return [n.v] + [x for k in n.kids for x in f(k)]
  return f
def build_swap(recursive):
  @recursive
  def f(n):
    if len(n.kids) >= 2:
      n.kids[0], n.kids[1] = n.kids[1], n.kids[0]
    for k in n.kids: f(k)
    return n
  return f
def build_swap_neg(recursive):
  @recursive
  def f(n, i=1):
    if len(n.kids) > i:
      n.kids[-1], n.kids[i] = n.kids[i], n.kids[-1]
    for k in n.kids: f(k, i)
    return n.kids[0].v if n.kids else None
  return f
def build_raise_mid(recursive):
  @recursive
  def f(n):
    n.kids.reverse()
    if n.v == 2: raise ValueError("two")
    for k in n.kids: f(k)
  return f
def build_len_after(recursive):
  @recursive
  def f(n):
    before = len(n.kids)
    if before: n.kids.pop(0)
    after = len(n.kids)
    return (before, after, sum([f(k)[0] for k in n.kids]))
  return f
def build_truth_after(recursive):
  @recursive
  def f(n):
    if n.kids: n.kids.pop()
    if not n.kids: return 1
    return sum([f(k) for k in n.kids]) + 1
  return f
def build_alias_local(recursive):
  @recursive
  def f(n):
    ks = n.kids
    if ks: ks.pop()
    r = len(n.kids) * 10 + len(ks)
    for k in ks: r += f(k)
    return r
  return f
def build_alias_attr(recursive):
  @recursive
  def f(n):
    n.other = n.kids
    if n.kids: n.kids.pop()
    r = len(n.kids)
    for k in n.kids: r += f(k)
    return r
  return f
def build_in_after(recursive):
  @recursive
  def f(n):
    if len(n.kids) > 1:
      k = n.kids.pop(0)
      if k in n.kids: return -1
      n.kids.append(k)
    return 1 + sum([f(k) for k in n.kids])
  return f
def build_extend_other(recursive):
  @recursive
  def f(n):
    for k in list(n.kids):
      f(k); n.kids.extend(k.kids)
    return len(n.kids)
  return f
def build_iadd(recursive):
  @recursive
  def f(n):
    for k in list(n.kids):
      f(k); n.kids += k.kids
    return len(n.kids)
  return f
def build_slice_after(recursive):
  @recursive
  def f(n):
    n.kids.sort(key=lambda k: k.v, reverse=True)
    return [n.v] + [f(k) for k in n.kids[:2]]
  return f
def build_unpack_after(recursive):
  @recursive
  def f(n):
    n.kids.reverse()
    if len(n.kids) == 2:
      a, b = n.kids
      return a.v * 10 + b.v
    return sum([f(k) for k in n.kids])
  return f
def build_new_nodes(recursive):
  @recursive
  def f(n):
    for k in list(n.kids): f(k)
    if n.v > 3: n.kids.append(Node(n.v - 1))
    return n
  return f
def build_numbers(recursive):
  @recursive
  def f(n, acc):
    n.vals.append(n.v)
    acc.append(len(n.vals))
    for k in n.kids: f(k, acc)
    return sum(n.vals)
  return f
def calls_numbers(state):
  def mk():
    t = tree()
    def go(n):
      n.vals = [1, 2]
      for k in n.kids: go(k)
    go(t); return t
  t = mk(); acc = []; yield (t, acc); yield (t, acc)
  t = mk(); t.kids[0].vals = t.vals; yield (t, [])
  t = mk(); t.vals = []; t.kids[1].vals = [2.5]; yield (t, [])
  t = mk(); yield (t, t.vals)
def build_genexp(recursive):
  @recursive
  def f(n):
    n.kids.sort(key=lambda k: k.v)
    return n.v + sum(f(k) for k in n.kids)
  return f
def build_comp(recursive):
  @recursive
  def f(n):
    n.kids.sort(key=lambda k: k.v)
    return [n.v, [f(k) for k in n.kids]]
  return f
def build_zip(recursive):
  @recursive
  def f(n):
    n.kids.reverse()
    return n.v + sum([a.v * b.v for a, b in zip(n.kids, n.kids[1:])]) + sum([f(k) for k in n.kids])
  return f
def build_enum(recursive):
  @recursive
  def f(n):
    n.kids.reverse()
    s = n.v
    for i, k in enumerate(n.kids): s += i * f(k)
    return s
  return f
def build_index_count(recursive):
  @recursive
  def f(n):
    if len(n.kids) > 1:
      k = n.kids[1]
      n.kids.insert(0, k)
      return n.kids.index(k) * 100 + n.kids.count(k) * 10 + sum([f(c) for c in n.kids[2:]])
    return 1
  return f
def build_attr_too(recursive):
  @recursive
  def f(n):
    n.kids.reverse()
    n.v += len(n.kids)
    if n.v > 6: n.kids = n.kids[:1]
    for k in n.kids: f(k)
    return n.v
  return f
