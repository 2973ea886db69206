"""Dicts whose keys only the run knows."""

import collections

import tensorflow as tf

from tests.convert.in_place.named_nodes import W, trees


def calls():
  for tree in trees():
    yield (tree,)


def build_hist_m(decorate):
  def f(v):
    d={v.name:1}
    for w in v.adj:
      for k,c in f(w).items(): d[k]=d.get(k,0)+c
    return d
  f = decorate(f)
  return f


def build_hist_e(decorate):
  def f(v):
    d={}
    for w in v.adj: d.update(f(w))
    d[v.name]=v.val
    return d
  f = decorate(f)
  return f


def build_hist_star(decorate):
  def f(v):
    d={}
    for w in v.adj: d={**d,**f(w)}
    return {**d, v.name:v.val}
  f = decorate(f)
  return f


def build_hist_or(decorate):
  def f(v):
    d={v.name:v.val}
    for w in v.adj: d=d|f(w)
    return d
  f = decorate(f)
  return f


def build_dcomp(decorate):
  def f(v):
    d={w.name:w.val for w in v.adj}
    return (len(d), list(d), [f(w) for w in v.adj])
  f = decorate(f)
  return f


def build_dcomp2(decorate):
  def f(v):
    d={w.name:i for i,w in enumerate(v.adj)}
    return sum(d[w.name] for w in v.adj)*10+sum(f(w) for w in v.adj)
  f = decorate(f)
  return f


def build_groups(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w.val%2]=d.get(w.val%2,0)+w.val
    return d, [f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_alias(decorate):
  def f(v):
    d={}; e=d
    for w in v.adj: e[w.name]=w.val
    d["x"]=1
    return d, e is d, len(e), sum(f(w)[2] for w in v.adj)
  f = decorate(f)
  return f


def build_alias2(decorate):
  def g(d,k): d[k]=1
  def f(v):
    d={}
    for w in v.adj: g(d,w.name)
    return list(d.keys()), [f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_passed(decorate):
  def f(v,d=None):
    if d is None: d={}
    d[v.name]=len(d)
    for w in v.adj: f(w,d)
    return d
  f = decorate(f)
  return f


def build_passed_ret(decorate):
  def f(v,d):
    d=dict(d)
    d[v.name]=v.val
    return [f(w,d) for w in v.adj] or [d]
  f = decorate(f)
  return f


def calls_passed_ret():
  for tree in trees():
    yield tree, {}


def build_env(decorate):
  def f(v,env=None):
    env=env or {}
    env={**env,v.name:v.val}
    return sum(env.values())+sum(f(w,env) for w in v.adj)
  f = decorate(f)
  return f


def build_memo(decorate):
  def fib(n,memo):
    if n in memo: return memo[n]
    if n<2: return n
    r=fib(n-1,memo)+fib(n-2,memo)
    memo[n]=r
    return r
  def f(v): return fib(v.val+5,{})+sum(f(w) for w in v.adj)
  f = decorate(f)
  return f


def build_memo2(decorate):
  def grid(i,j,memo):
    if (i,j) in memo: return memo[(i,j)]
    if i==0 or j==0: return 1
    r=grid(i-1,j,memo)+grid(i,j-1,memo)
    memo[i,j]=r
    return r
  def f(v): return grid(v.val,3,{})
  f = decorate(f)
  return f


def build_pop(decorate):
  def f(v):
    d={w.name:w.val for w in v.adj}
    d.pop("b",None)
    return d,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_pop2(decorate):
  def f(v):
    d={"z":0}
    for w in v.adj: d[w.name]=w.val
    x=d.pop("b",-1)
    d["b"]=x
    return d,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_setd(decorate):
  def f(v):
    d={}
    for w in v.adj: d.setdefault(w.name,w.val)
    return d,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_tens(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w.name]=f(w)*tf.constant([1.,2.])
    s=W*float(v.val)
    for k in d: s=s+d[k]
    return s
  f = decorate(f)
  return f


def build_tens2(decorate):
  def f(v):
    d={w.name:f(w) for w in v.adj}
    return W+(tf.add_n(list(d.values())) if d else 0.)
  f = decorate(f)
  return f


def build_items_max(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w.name]=d.get(w.name,0)+w.val
    best=max(d.items(),key=lambda kv: kv[1])[0] if d else ""
    return best,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_sorted_items(decorate):
  def f(v):
    d={w.name:w.val for w in v.adj}
    return sorted(d.items()),sorted(d),sorted(d.values()),[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_eq2(decorate):
  def f(v):
    a={w.name:1 for w in v.adj}
    return a=={"b":1,"c":1},[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_changed_in_loop(decorate):
  def f(v):
    d={v.name:1}
    for k in list(d): d[k+"x"]=1
    for k,c in d.items(): d[k]=c+1
    return d
  f = decorate(f)
  return f


def build_del(decorate):
  def f(v):
    d={w.name:w.val for w in v.adj}
    if "b" in d: del d["b"]
    return d,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_kinds(decorate):
  def f(v):
    d={}
    d[v.name]=1; d[v.val]=2
    return d
  f = decorate(f)
  return f


def build_kinds2(decorate):
  def f(v):
    d={1:2}
    for w in v.adj: d[w.val]=w.val*0.5
    return d.get(True), d.get(1.0), d.get("a"), d
  f = decorate(f)
  return f


def build_none(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w.name]=None if w.val==2 else w.val
    return d,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_nodes(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w]=w.val
    return sum(d[w] for w in v.adj),[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_nodev(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w.name]=w
    return [d[w.name] is w for w in v.adj], d,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_lists(decorate):
  def f(v):
    d={}
    for w in v.adj: d.setdefault(w.val%2,[]).append(w.name)
    return d,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_ddict(decorate):
  def f(v):
    d=collections.defaultdict(int)
    for w in v.adj: d[w.name]+=w.val
    return d,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_counter(decorate):
  def f(v):
    c=collections.Counter(w.name for w in v.adj)
    return c,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_counter2(decorate):
  def f(v):
    c=collections.Counter([v.name])
    for w in v.adj: c+=f(w)
    return c
  f = decorate(f)
  return f


def build_isinst(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w.name]=1
    return isinstance(d,dict),isinstance(d,list),type(d).__name__,bool(d),not d,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_str(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w.name]=1
    return str(d),[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_print(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w.name]=w.val; f(w)
    print(d)
  f = decorate(f)
  return f


def build_store(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w.name]=w.val; f(w)
    v.table=d
  f = decorate(f)
  return f


def build_two(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w.name]=w.val
    return d,d,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_cond(decorate):
  def f(v):
    d={"x":0} if v.val>2 else {}
    for w in v.adj: d[w.name]=w.val
    return d,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_cond2(decorate):
  def f(v):
    a={}; b={}
    for w in v.adj:
      (a if w.val>2 else b)[w.name]=w.val
    return a,b,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_swap(decorate):
  def f(v):
    a={}; b={}
    for w in v.adj:
      a[w.name]=w.val
      a,b=b,a
    return a,b,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_nested(decorate):
  def f(v):
    d={"n":{}}
    for w in v.adj: d["n"][w.name]=w.val
    return d,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_inlist(decorate):
  def f(v):
    ds=[{}]
    for w in v.adj:
      ds[0][w.name]=w.val
    return ds,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_attr(decorate):
  class B:
    def __init__(s): s.d={}
  def f(v,b=None):
    b=b or B()
    b.d[v.name]=v.val
    for w in v.adj: f(w,b)
    return b.d
  f = decorate(f)
  return f


def build_kw(decorate):
  def g(**k): return len(k)
  def f(v):
    d={}
    for w in v.adj: d[w.name]=1
    return g(**d),[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_zipd(decorate):
  def f(v):
    d=dict(zip([w.name for w in v.adj],[w.val for w in v.adj]))
    return d,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_fromkeys(decorate):
  def f(v):
    d=dict.fromkeys([w.name for w in v.adj],0)
    return d,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_inv(decorate):
  def f(v):
    d={w.name:w.val for w in v.adj}
    inv={x:k for k,x in d.items()}
    return inv,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_filt(decorate):
  def f(v):
    d={w.name:w.val for w in v.adj if w.val>1}
    return {k:x+1 for k,x in d.items() if x>2},d,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_while(decorate):
  def f(v):
    d={}; n=v.val
    while n>0:
      d[n]=n*n; n-=1
    return d,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_early(decorate):
  def f(v):
    d={}
    for w in v.adj:
      if w.name in d: return -1
      d[w.name]=w.val
      if len(d)>2: break
    return len(d)+sum(f(w) for w in v.adj)
  f = decorate(f)
  return f


def build_try(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w.name]=w.val
    try: x=d["b"]
    except KeyError: x=-1
    return x,[f(w) for w in v.adj]
  f = decorate(f)
  return f


def build_missing(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w.name]=w.val
    return d["b"] if v.adj else 0
  f = decorate(f)
  return f


def build_returned_arg(decorate):
  def f(v,d):
    for w in v.adj: d=f(w,d)
    d[v.name]=v.val
    return d
  def g(v): return f(v,{})

  f = decorate(f)
  return g


def build_id(decorate):
  def f(v,memo=None):
    memo={} if memo is None else memo
    if id(v) in memo: return memo[id(v)]
    r=v.val+sum(f(w,memo) for w in v.adj)
    memo[id(v)]=r
    return r
  f = decorate(f)
  return f


def build_const(decorate):
  def f(v):
    d={"a":1,"b":2}
    return d.get(v.name,0)+sum(f(w) for w in v.adj)
  f = decorate(f)
  return f


def build_const2(decorate):
  def f(v):
    d={"a":1,"b":2}
    d[v.name]=5
    return d,sum(f(w)[1] for w in v.adj)
  f = decorate(f)
  return f


def build_bool(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w.val>2]=w.val
    return d
  f = decorate(f)
  return f


def build_fl(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w.val*0.5]=w.val
    return d
  f = decorate(f)
  return f


def build_mut_arg_default(decorate):
  def f(v,acc={}):
    acc[v.name]=v.val
    for w in v.adj: f(w)
    return len(acc)
  f = decorate(f)
  return f


def build_changed_in_result(decorate):
  def g(v):
    d={}
    for w in v.adj: d[w.name]=w.val
    return (d,[g(w) for w in v.adj])
  def f(v):
    r=g(v)
    r[0]["new"]=1
    for q in r[1]: q[0]["deep"]=2
    return r
  f = decorate(f)
  return f


def build_changed_in_list(decorate):
  def g(v):
    d={}
    for w in v.adj: d[w.name]=w.val
    return [d]+[x for w in v.adj for x in g(w)]
  def f(v):
    ds=g(v)
    for d in ds: d["k"]=len(d)
    ds[0]["z"]=5
    return ds, len(ds[-1]), ds[0].get("z"), "z" in ds[0]
  f = decorate(f)
  return f


def build_one_in_list(decorate):
  def f(v):
    out=[]
    d={}
    for w in v.adj:
      d[w.name]=w.val
      out.append(d)
    return out
  f = decorate(f)
  return f


def build_each_in_list(decorate):
  def f(v):
    out=[]
    for w in v.adj:
      d={}
      d[w.name]=w.val
      out.append(d)
    for o in out: o["x"]=1
    return out
  f = decorate(f)
  return f


def build_in_objects(decorate):
  class B:
    def __init__(s): s.d={}
  def f(v):
    bs=[]
    for w in v.adj:
      b=B(); b.d[w.name]=1; bs.append(b)
    for b in bs: b.d["x"]=2
    return [b.d for b in bs], [len(b.d) for b in bs]
  f = decorate(f)
  return f


def build_rebound_to_result(decorate):
  def f(v):
    d={}
    for w in v.adj:
      e=f(w)
      e[w.name]=1
      d=e
    return d
  f = decorate(f)
  return f


def build_one_of_two(decorate):
  def pick(a,b,c): return a if c else b
  def f(v):
    a={}; b={}
    a[v.name]=1
    pick(a,b,v.val>2)["q"]=2
    return a,b
  f = decorate(f)
  return f


def build_best_or_none(decorate):
  def f(v):
    best=None
    for w in v.adj:
      d={w.name:w.val}
      if best is None or w.val>2: best=d
    if best is not None: best["s"]=1
    return best
  f = decorate(f)
  return f


def build_passed_and_read(decorate):
  def f(v,d=None):
    d=d if d is not None else {}
    d[v.name]=0
    for w in v.adj: d[w.name]=f(w,d)
    return len(d)
  f = decorate(f)
  return f


def build_division_in_loop(decorate):
  def f(v):
    d={}
    try:
      for w in v.adj: d[w.name]=10//(w.val-2)
    except ZeroDivisionError: d["err"]=1
    return d
  f = decorate(f)
  return f


def build_copies(decorate):
  def f(v):
    a={w.name:w.val for w in v.adj}
    b=a
    b["n"]=1
    c=dict(a); c["m"]=2
    d=a.copy(); d.clear()
    return a,b,c,d,a is b
  f = decorate(f)
  return f


def build_keys_before(decorate):
  def f(v):
    a={}
    ks=a.keys()
    for w in v.adj: a[w.name]=1
    return list(ks)
  f = decorate(f)
  return f


def build_nodes_as_values(decorate):
  def f(v):
    a={w.name:w for w in v.adj}
    for k,w in a.items(): w.val=9
    return [w.val for w in v.adj],[w.val for w in a.values()]
  f = decorate(f)
  return f


def build_lists_as_values(decorate):
  def f(v):
    a={w.name:[w.val] for w in v.adj}
    return a
  f = decorate(f)
  return f


def build_tuples_as_values(decorate):
  def f(v):
    a={w.name:(w.val,w.name) for w in v.adj}
    return a, a.get("b",(0,""))[0], [k+x[1] for k,x in a.items()]
  f = decorate(f)
  return f


def build_dicts_as_values(decorate):
  def f(v):
    a={w.name:{"v":w.val} for w in v.adj}
    return a
  f = decorate(f)
  return f


def build_taken_out_and_in(decorate):
  def f(v):
    d={}
    d[v.name]=1
    d[v.name]=2
    x=d.pop(v.name)
    d[v.name+"a"]=x
    d[v.name]=3
    return d,list(d.values())
  f = decorate(f)
  return f


def build_floats(decorate):
  def f(v):
    d={}
    for w in v.adj:
      d[w.name]=d.get(w.name,0.0)+w.val/2
    return d
  f = decorate(f)
  return f


def build_int_or_float(decorate):
  def f(v):
    d={}
    for w in v.adj:
      d[w.name]=d.get(w.name,0)+w.val/2
    return d
  f = decorate(f)
  return f


def build_flags(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w.name]=True
    return d, all(d.values()), sum(d.values()), len(d.keys())
  f = decorate(f)
  return f


def build_merged(decorate):
  def f(v):
    d={v.val:v.name}
    e={}
    for w in v.adj: e.update(f(w))
    d.update(e)
    return d
  f = decorate(f)
  return f


def build_keys_of_while(decorate):
  def f(v):
    d={}
    i=0
    while i<len(v.adj):
      d[i]=v.adj[i].name
      i+=1
    return d, d[len(d)-1] if d else None
  f = decorate(f)
  return f


def build_known_keys_changed(decorate):
  def f(v):
    d={"a":0,"b":0,"c":0}
    for w in v.adj:
      if w.name in d: d[w.name]+=w.val
    return d
  f = decorate(f)
  return f


def build_known_keys_counted(decorate):
  def f(v):
    d={"a":0,"b":0,"c":0}
    for w in v.adj:
      d[w.name]=d.get(w.name,-1)+1
    return list(d.items())
  f = decorate(f)
  return f


def build_tensors_by_key(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w.name]=tf.constant(float(w.val))*W
    return tf.reduce_sum(tf.stack([d[k] for k in d])) if d else tf.reduce_sum(W)
  f = decorate(f)
  return f


def build_float_finds_int(decorate):
  def f(v):
    d={1:"a"}
    d[v.val]="b"
    return d.get(v.val*1.0), d
  f = decorate(f)
  return f


def build_bool_finds_int(decorate):
  def f(v):
    d={1:"a",2:"b"}
    return d.get(v.val==1)
  f = decorate(f)
  return f


def build_tuple_keys(decorate):
  def f(v):
    d={(v.name,v.val):1}
    for w in v.adj: d[(w.name,w.val)]=2
    return d, ("b",2) in d, d.get(("b",5),0)
  f = decorate(f)
  return f


def build_changed_in_order(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w.name]=w.val
    for k in sorted(d): d[k]+=1
    return d
  f = decorate(f)
  return f


def build_changed_over_copy(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w.name]=w.val
    for k in d.copy(): d[k+"2"]=0
    return d
  f = decorate(f)
  return f


def build_taken_apart(decorate):
  def f(v):
    d={}
    for w in v.adj: d[w.name]=w.val
    a,*b=d.items() if d else [("x",1)]
    return a,b
  f = decorate(f)
  return f



class Num:
  def __init__(self, v):
    self.v = v


class Var:
  def __init__(self, name):
    self.name = name


class Add:
  def __init__(self, a, b):
    self.a, self.b = a, b


class Let:
  def __init__(self, name, value, body):
    self.name, self.value, self.body = name, value, body


def expression():
  inner = Let("y", Add(Var("x"), Num(1)), Add(Var("y"), Var("x")))
  return Let("x", Num(2), Add(inner, Add(Var("z"), Let("z", Num(5), Var("z")))))


def environments():
  for env in ({"z": 1}, {"z": 1, "x": 9}, {"q": 3, "z": 2}, {"z": 1.5}):
    yield expression(), env


calls_let_star = calls_let_dict = calls_names_bound = environments


def build_let_star(decorate):
  def f(e, env):
    if isinstance(e, Num):
      return e.v
    if isinstance(e, Var):
      return env[e.name]
    if isinstance(e, Add):
      return f(e.a, env) + f(e.b, env)
    return f(e.body, {**env, e.name: f(e.value, env)})

  f = decorate(f)
  return f


def build_let_dict(decorate):
  def f(e, env):
    if isinstance(e, Num):
      return e.v
    if isinstance(e, Var):
      return env[e.name] if e.name in env else -1
    if isinstance(e, Add):
      return f(e.a, env) + f(e.b, env)
    inner = dict(env)
    inner[e.name] = f(e.value, env)
    return f(e.body, inner)

  f = decorate(f)
  return f


def build_names_bound(decorate):
  def f(e, env):
    if isinstance(e, Num):
      return {**env}
    if isinstance(e, Var):
      return {**env, e.name: 1}
    if isinstance(e, Add):
      return {**f(e.a, env), **f(e.b, env)}
    return f(e.body, {e.name: 7, **env})

  f = decorate(f)
  return f
