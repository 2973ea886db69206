"""Sets that the program makes, or is given, or that are there before."""


import tensorflow as tf

from tests.convert.in_place.named_nodes import trees


def calls():
  for tree in trees():
    yield (tree,)


def build_sets1(decorate):
  def f(v):
    s={v.name}
    for w in v.adj: s|=f(w)
    return s
  f = decorate(f)
  return f


def build_sets2(decorate):
  def f(v):
    s=set()
    for w in v.adj: s=s|f(w)
    s.add(v.val)
    return s
  f = decorate(f)
  return f


def build_sets3(decorate):
  def f(v): return {w.name for w in v.adj} | {v.name}
  f = decorate(f)
  return f


def build_sets4(decorate):
  def f(v):
    seen=set(); out=[]
    for w in v.adj:
      if w.name in seen: continue
      seen.add(w.name); out.append(w.val)
    return out,len(seen),[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_sets5(decorate):
  def f(v,path=()):
    s=set(w.val for w in v.adj)
    if not s: return 0
    return len(s)+(3 in s)+sum(f(w) for w in v.adj)
  f = decorate(f)
  return f


def build_sets6(decorate):
  def f(v):
    s=set([w.name for w in v.adj])
    s.discard("b"); 
    t=s.copy(); t.add("zz")
    return len(s),len(t),"zz" in s,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_sets7(decorate):
  def f(v):
    s={1,2,3}
    s.remove(v.val) if v.val in s else s.add(v.val)
    return s,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_dup(decorate):
  def f(v):
    names=[w.name for w in v.adj]
    return len(names)!=len(set(names)) or any(f(w) for w in v.adj)
  f = decorate(f)
  return f


def build_cycle(decorate):
  def f(v,onpath=None):
    onpath=set() if onpath is None else onpath
    if v in onpath: return True
    onpath.add(v)
    r=any(f(w,onpath) for w in v.adj)
    onpath.remove(v)
    return r
  f = decorate(f)
  return f


def build_ret_set_kept(decorate):
  def f(v,acc):
    acc.append(v.name)
    s={v.val}
    for w in v.adj:
      t=f(w,acc)
      s.update(t)
    return s
  f = decorate(f)
  return f


def calls_ret_set_kept():
  for tree in trees():
    yield tree, []


def build_eq(decorate):
  def f(v):
    a={w.name for w in v.adj}; b={"b","c"}
    return a==b,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_iter_set(decorate):
  def f(v):
    a={w.name for w in v.adj}
    return [x for x in a],[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_sorted_set(decorate):
  def f(v):
    a={w.name for w in v.adj}
    return sorted(a),[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_isdisj(decorate):
  def f(v):
    a={w.name for w in v.adj}
    return a.isdisjoint({"b"}), a & {"b"}, a - {"b"}, a <= {"b","c"},[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_frozen(decorate):
  def f(v):
    return frozenset(w.name for w in v.adj),[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_min(decorate):
  def f(v):
    a={w.val for w in v.adj}
    return (min(a),max(a),sum(a)) if a else None,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_plus(decorate):
  def f(v):
    a=set()
    for w in v.adj: a.add(w.name)
    return list(a)+[1] if len(a)>9 else a
  f = decorate(f)
  return f


def build_global(decorate):
  SEEN=set()
  def f(v):
    if v.name in SEEN: return 0
    SEEN.add(v.name)
    return 1+sum(f(w) for w in v.adj)
  f = decorate(f)
  return f


def build_setarg(decorate):
  def f(v,s=set()):
    s.add(v.name)
    for w in v.adj: f(w)
    return len(s)
  f = decorate(f)
  return f


def build_set_in_list(decorate):
  def g(v):
    s={v.name}
    return [s]+[x for w in v.adj for x in g(w)]
  def f(v):
    ds=g(v)
    ds[0].add("q")
    return ds, "q" in ds[0], len(ds[0])
  f = decorate(f)
  return f


def build_nested_function(decorate):
  def f(v):
    s=set()
    def visit(n):
      if n.name in s: return 0
      s.add(n.name)
      return 1+sum(visit(w) for w in n.adj)
    return visit(v), s
  f = decorate(f)
  return f


def build_frozen_path(decorate):
  def f(v,seen=frozenset()):
    if v.name in seen: return 1
    return sum(f(w,seen|{v.name}) for w in v.adj)
  f = decorate(f)
  return f


def build_set_of_tuple(decorate):
  def f(v,seen=()):
    seen=set(seen); seen.add(v.name)
    return len(seen)+sum(f(w,seen) for w in v.adj)
  f = decorate(f)
  return f


def build_equal_sets(decorate):
  def f(v):
    return {w.name for w in v.adj if w.val>1} == {w.name for w in v.adj}
  f = decorate(f)
  return f


def build_length_grows(decorate):
  def f(v):
    s=set()
    for w in v.adj:
      n=len(s); s.add(w.val%3)
      if len(s)==n: return "dup"
    return "ok" if f else ""
  f = decorate(f)
  return f


def build_tensor_in_set(decorate):
  def f(v):
    s={tf.constant(1.)} if v.val>5 else set()
    return len(s)
  f = decorate(f)
  return f


def build_bool_in_ints(decorate):
  def f(v):
    s={1,2}
    return (v.val==1) in s, 1.0 in s, v.val in s
  f = decorate(f)
  return f


def build_float_in_ints(decorate):
  def f(v):
    s={v.val,v.val+1}
    return (v.val*1.0) in s
  f = decorate(f)
  return f

