"""Strings that are numbers, or not."""
class N:
  def __init__(self, s, *k): self.s, self.k = s, list(k)
def calls(state):
  yield (N("1", N("x"), N("2.5", N(" 7 "))),); yield (N("q"),); yield (N("12", N("13")),); yield (N("1_0", N("")),); yield (N("99999999999999999999"),); yield (N("nan", N("inf")),)
def build_ret(recursive):
  @recursive
  def f(n):
    s = n.s
    try:
      return int(s)
    except ValueError:
      return -1
  return f
def build_assign(recursive):
  @recursive
  def f(n):
    s = n.s
    try:
      v = float(s)
    except ValueError:
      v = 0.5
    return v + sum([f(k) for k in n.k])
  return f
def build_effect(recursive):
  log = []
  @recursive
  def f(n):
    s = n.s
    try:
      v = int(s)
    except ValueError:
      log.append(s)
      v = 0
    for k in n.k: f(k)
    return v
  return f, [log]
def build_none(recursive):
  @recursive
  def f(n):
    s = n.s
    try:
      v = int(s)
    except ValueError:
      v = None
    return [v] + [x for k in n.k for x in f(k)]
  return f
def build_raise(recursive):
  @recursive
  def f(n):
    s = n.s
    try:
      v = int(s)
    except ValueError:
      raise KeyError(1)
    return v + sum([f(k) for k in n.k])
  return f
def build_shadow(recursive):
  def int(x): return len(x)
  @recursive
  def f(n):
    s = n.s
    try:
      v = int(s)
    except ValueError:
      v = -1
    return v + sum([f(k) for k in n.k])
  return f
def build_two(recursive):
  @recursive
  def f(n):
    s = n.s
    for k in n.k:
      try:
        v = int(s)
      except ValueError:
        continue
      return v
    return -2
  return f
def build_num(recursive):
  @recursive
  def f(n):
    s = n.s
    try:
      v = int(s)
    except ValueError:
      v = -1
    return v + sum([f(k) for k in n.k])
  return f
def calls_num(state):
  yield (N(1.5, N(2)),); yield (N("4", N(3)),); yield (N(None),); yield (N("x", N("3")),)
