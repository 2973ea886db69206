"""More of them, with other names for what is changed."""
import tensorflow as tf
class Node:
  def __init__(self, v, *kids): self.v, self.kids = v, list(kids)
class Acc:
  def __init__(self, v): self.v = v; self.items = []
def tree(): return Node(3, Node(1, Node(7), Node(-2)), Node(5), Node(-4, Node(2, Node(9))))
def calls(state):
  yield (tree(),); yield (Node(1),); yield (Node(5, Node(5), Node(5, Node(5))),)
def build_pass_row(recursive):
  @recursive
  def f(n, row, out):
    out.append([n.v])
    out[-1].append(len(out))
    for k in n.kids: f(k, out[0], out)
    return len(row)
  return f
def calls_pass_row(state):
  yield (tree(), [], []); yield (Node(1, Node(2)), [1], [])
def build_pass_row2(recursive):
  @recursive
  def f(n, row, out):
    row.append(n.v)
    if not out: out.append([0])
    out[0].append(len(row))
    for k in n.kids: f(k, out[0], out)
    return out
  return f
calls_pass_row2 = calls_pass_row
def build_pass_row3(recursive):
  @recursive
  def f(n, row, out):
    out.append(row)
    out[0].append(n.v)
    for k in n.kids: f(k, [n.v], out)
    return len(row)
  return f
calls_pass_row3 = calls_pass_row
def build_chosen(recursive):
  @recursive
  def f(n, out):
    out.append([]); out.append([])
    row = out[0] if n.v > 2 else out[1]
    row.append(n.v)
    for k in n.kids: f(k, out)
    return out
  return f
def calls_chosen(state):
  yield (tree(), []); yield (Node(1), [])
def build_row_into_other(recursive):
  @recursive
  def f(n, out):
    out.append([n.v])
    out[0].append(out[-1] if len(out) > 1 else 0)
    out[-1].append(5)
    for k in n.kids: f(k, out)
    return out
  return f
calls_row_into_other = calls_chosen
def build_self_cycle(recursive):
  @recursive
  def f(n, out):
    out.append([])
    out[-1].append(out[-1] if n.v > 100 else n.v)
    for k in n.kids: f(k, out)
    return out
  return f
calls_self_cycle = calls_chosen
def build_objs(recursive):
  @recursive
  def f(n, out):
    out.append(Acc(n.v))
    out[0].v += 1
    out[-1].items.append(n.v)
    out[0].items.append(len(out))
    for k in n.kids: f(k, out)
    return out
  return f
calls_objs = calls_chosen
def build_objs_named(recursive):
  @recursive
  def f(n, out):
    a = Acc(n.v)
    out.append(a)
    out[0].v += 1
    for k in n.kids: f(k, out)
    return a.v
  return f
calls_objs_named = calls_chosen
def build_objs_dict(recursive):
  @recursive
  def f(n, d):
    if n.v not in d: d[n.v] = Acc(n.v)
    d[n.v].items.append(len(d))
    d[n.v].v += 1
    for k in n.kids: f(k, d)
    return d
  return f
def calls_objs_dict(state):
  yield (tree(), {}); a = Acc(3); yield (tree(), {3: a, 4: a}); yield (Node(5, Node(5), Node(5, Node(5))), {})
def build_dict_replace(recursive):
  @recursive
  def f(n, d):
    row = d.setdefault(n.v, [])
    row.append(1)
    if len(row) > 1: d[n.v] = [100]
    row.append(2)
    for k in n.kids: f(k, d)
    return d
  return f
def calls_dict_replace(state):
  yield (tree(), {}); yield (Node(5, Node(5), Node(5, Node(5))), {}); yield (Node(5, Node(5)), {5: [], 6: [1]})
def build_dict_two_keys(recursive):
  @recursive
  def f(n, d):
    row = d.setdefault(n.v, [])
    d[n.v + 100] = row
    d[n.v + 100].append(n.v)
    row.append(0)
    for k in n.kids: f(k, d)
    return d
  return f
calls_dict_two_keys = calls_dict_replace
def build_dict_get(recursive):
  @recursive
  def f(n, d):
    row = d.get(n.v)
    if row is None:
      row = []
      d[n.v] = row
    row.append(n.v)
    for k in n.kids: f(k, d)
    return d
  return f
calls_dict_get = calls_dict_replace
def build_dict_len_rows(recursive):
  @recursive
  def f(n, d):
    d.setdefault(n.v % 2, []).append(n)
    r = len(d[n.v % 2])
    for k in n.kids: r = max(r, f(k, d))
    return r
  return f
calls_dict_len_rows = calls_dict_replace
def build_raise_after(recursive):
  @recursive
  def f(n, d):
    d.setdefault(n.v % 2, []).append(n.v)
    for k in n.kids: f(k, d)
    if n.v == 9: raise ValueError("x")
    return d
  return f
calls_raise_after = calls_dict_replace
def build_float_then_int(recursive):
  @recursive
  def f(n, d):
    d.setdefault(n.v % 2, []).append(n.v / 2 if n.v > 4 else n.v)
    for k in n.kids: f(k, d)
    return d
  return f
calls_float_then_int = calls_dict_replace
def build_tensor_rows(recursive):
  E = tf.Variable([[1., 2.], [3., 4.], [5., 6.]])
  @recursive
  def f(n, d, out):
    if len(out) <= d: out.append([])
    h = E[n.v % 3]
    for k in n.kids: h = h + f(k, d + 1, out)
    out[d].append(h)
    return h
  return f, [E]
def calls_tensor_rows(state):
  yield (tree(), 0, []); yield (Node(1), 0, [])
def build_tensor_rows_plain(recursive):
  @recursive
  def f(n, d, out):
    if len(out) <= d: out.append([])
    h = tf.constant([1., 2.]) * float(n.v)
    for k in n.kids: h = h + f(k, d + 1, out)
    out[d].append(h)
    return h
  return f
calls_tensor_rows_plain = calls_tensor_rows
def build_extend_rows(recursive):
  @recursive
  def f(n, d, out):
    if len(out) <= d: out.append([])
    out[d].extend([n.v, n.v + 1])
    out[d] += [d]
    out[d][0] = n.v * 10
    for k in n.kids: f(k, d + 1, out)
    return out
  return f
calls_extend_rows = calls_tensor_rows
def build_in_row(recursive):
  @recursive
  def f(n, d, out):
    if len(out) <= d: out.append([])
    if n.v not in out[d]: out[d].append(n.v)
    for k in n.kids: f(k, d + 1, out)
    return out
  return f
def calls_in_row(state):
  yield (tree(), 0, []); yield (Node(5, Node(5), Node(5, Node(5))), 0, [[5]])
def build_loop_append(recursive):
  @recursive
  def f(n, out):
    for i in range(2):
      out.append([i])
      out[i].append(n.v)
    for k in n.kids: f(k, out)
    return out
  return f
calls_loop_append = calls_chosen
def build_nested_fn(recursive):
  @recursive
  def f(n):
    rows = [[], []]
    def visit(m):
      rows[m.v % 2].append(m.v)
      for k in m.kids: visit(k)
    visit(n)
    return rows
  return f
def build_default_acc(recursive):
  @recursive
  def f(n, acc=[]):
    acc.append(n.v)
    for k in n.kids: f(k)
    return len(acc)
  return f
def calls_default_acc(state):
  yield (tree(),); yield (tree(),); mine = [0]; yield (tree(), mine); yield (Node(1), mine); yield (tree(),)
def build_default_pass(recursive):
  @recursive
  def f(n, acc=[]):
    acc.append(n.v)
    for k in n.kids: f(k, acc)
    return acc
  return f
calls_default_pass = calls_default_acc
def build_default_mixed(recursive):
  @recursive
  def f(n, acc=[], *, seen=[]):
    acc.append(n.v); seen.append(len(acc))
    for k in n.kids: f(k) if k.v > 2 else f(k, acc)
    return (len(acc), len(seen))
  return f
calls_default_mixed = calls_default_acc
def build_default_dict(recursive):
  @recursive
  def f(n, memo={}):
    if n in memo: return memo[n]
    r = n.v + sum([f(k) for k in n.kids])
    memo[n] = r
    return r
  return f
def calls_default_dict(state):
  t = tree(); yield (t,); yield (t,); t.v = 50; yield (t,); yield (Node(1), {}); yield (Node(2),)
def build_default_changed(recursive):
  @recursive
  def f(n, acc=[]):
    acc.append(n.v)
    for k in n.kids: f(k)
    return len(acc)
  return f
def calls_default_changed(state):
  yield (Node(1, Node(2)),)
  yield (Node(3),)
