"""Operators of objects of the tree."""
class V:
  def __init__(self, x): self.x = x
  def __add__(self, o): return V(self.x + (o.x if isinstance(o, V) else o))
  def __radd__(self, o): return V(self.x + o)
  def __mul__(self, s): return V(self.x * s)
  def __sub__(self, o): return self.x - o.x
class W(V):
  def __mul__(self, s): return V(self.x * s + 100)
class P:
  def __init__(self, x): self.x = x
  def __add__(self, o): return P(self.x + o.x)
  def __mul__(self, s): return P(self.x * s)
  def __rmul__(self, s): return P(s * self.x + 0.5)
class Q:
  def __init__(self, x): self.x = x
  def __add__(self, o): return NotImplemented if o.x > 2 else Q(self.x + o.x)
class N:
  def __init__(self, v, *k): self.v, self.k = v, list(k)
def mk(C): return N(C(1.5), N(C(2.0)), N(C(-1.0), N(C(0.5))))
def build_mul(recursive):
  @recursive
  def f(n):
    v = n.v
    for k in n.k: v = v + f(k) * 0.5
    return v
  return lambda n: f(n).x, []
def calls_mul(state):
  yield (mk(P),); yield (N(P(1.0)),); yield (mk(V),)
def build_mul_sub(recursive):
  @recursive
  def f(n): return (n.v * 2).x + sum([f(k) for k in n.k])
  return f
def calls_mul_sub(state):
  yield (mk(V),); t = mk(V); t.k[0].v = W(3.0); yield (t,); yield (mk(W),)
def build_rmul(recursive):
  @recursive
  def f(n): return (2 * n.v).x + sum([f(k) for k in n.k])
  return f
def calls_rmul(state):
  yield (mk(P),); yield (mk(V),)
def build_sub(recursive):
  @recursive
  def f(n): return n.v - n.k[0].v + f(n.k[0]) if n.k else 0.0
  return f
def calls_sub(state): yield (mk(V),); t = mk(V); t.k[0].v = None; yield (t,)
def build_notimpl(recursive):
  @recursive
  def f(n): return (n.v + n.k[0].v).x + f(n.k[0]) if n.k else 0.0
  return f
def calls_notimpl(state): yield (N(Q(1.0), N(Q(1.0))),); yield (N(Q(1.0), N(Q(3.0))),)
def build_shadow(recursive):
  @recursive
  def f(n): return (n.v * 2).x + sum([f(k) for k in n.k])
  return f
def calls_shadow(state):
  t = mk(P); t.v.__mul__ = lambda s: P(1000.0); t.k[0].v.__add__ = 3; yield (t,)
def build_aug(recursive):
  @recursive
  def f(n):
    v = n.v
    for k in n.k: v += f(k)
    return v
  return lambda n: f(n).x, []
calls_aug = calls_mul
def build_identity(recursive):
  @recursive
  def f(n):
    v = n.v
    if n.k: v = v * 2
    return v
  return f
calls_identity = calls_mul
