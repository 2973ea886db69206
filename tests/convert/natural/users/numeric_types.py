"""Python's numbers."""
import math
import tensorflow as tf


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


def ti():
  return Node(2, Node(-3, Node(1)), Node(4, Node(6), Node(-1)), Node(1, Node(5)))


def tf_():
  return Node(2.5, Node(-3.25, Node(1.0)), Node(4.5, Node(0.5), Node(-1.5)), Node(0.25, Node(5.0)))


def calls(state):
  x = tf_()
  yield (x,)
  yield (Node(0.0),)
  x.kids[1].v = 800.0
  yield (x,)
  x.kids[0].v = -0.0
  yield (x,)
  x.kids[0].v = float("nan")
  yield (x,)
  x.kids[0].v = float("inf")
  yield (x,)


def icalls(state):
  x = ti()
  yield (x,)
  yield (Node(0),)
  x.kids[1].v = 40
  yield (x,)
  x.kids[0].v = -1
  yield (x,)
  x.kids[0].v = 2 ** 31 - 1
  yield (x,)
  x.kids[0].v = 2 ** 31
  yield (x,)


def mk(body, name, which="calls"):
  pass


def build_exp_sum(recursive):
  @recursive
  def f(n):
    return math.exp(n.v) + sum([f(k) for k in n.kids], 0.0)
  return f

def build_logsumexp(recursive):
  @recursive
  def f(n):
    vals = [n.v] + [f(k) for k in n.kids]
    m = max(vals)
    return m + math.log(sum(math.exp(v - m) for v in vals))
  return f

def build_log_prod(recursive):
  @recursive
  def f(n):
    s = math.log(abs(n.v) + 1)
    for k in n.kids:
      s += f(k)
    return s
  return f

def build_sqrt_norm(recursive):
  @recursive
  def f(n):
    s = n.v * n.v
    for k in n.kids:
      s += f(k) ** 2
    return math.sqrt(s)
  return f

def build_max_nan(recursive):
  @recursive
  def f(n):
    best = n.v
    for k in n.kids:
      best = max(best, f(k))
    return best
  return f

def build_min_list(recursive):
  @recursive
  def f(n):
    return min([n.v] + [f(k) for k in n.kids])
  return f

def build_pow_frac(recursive):
  @recursive
  def f(n):
    s = abs(n.v) ** 0.5
    for k in n.kids:
      s += f(k)
    return s
  return f

def build_pow_big(recursive):
  @recursive
  def f(n):
    s = 10.0 ** n.v
    for k in n.kids:
      s = s + f(k)
    return s
  return f

def build_reciprocal(recursive):
  @recursive
  def f(n):
    s = n.v
    for k in n.kids:
      s += 1.0 / f(k)
    return s
  return f

def build_fmod(recursive):
  @recursive
  def f(n):
    s = n.v % 1.5 + n.v // 0.75
    for k in n.kids:
      s += f(k)
    return s
  return f

def build_to_int(recursive):
  @recursive
  def f(n):
    s = int(n.v) + math.floor(n.v) + math.ceil(n.v)
    for k in n.kids:
      s += f(k)
    return s
  return f

def build_round(recursive):
  @recursive
  def f(n):
    s = round(n.v)
    for k in n.kids:
      s += f(k)
    return s
  return f

def build_tanh(recursive):
  @recursive
  def f(n):
    s = math.tanh(n.v) + math.atan2(n.v, 2.0) + math.hypot(n.v, 1.0)
    for k in n.kids:
      s += f(k)
    return s
  return f

def build_sigmoid(recursive):
  @recursive
  def f(n):
    s = 1 / (1 + math.exp(-n.v))
    for k in n.kids:
      s *= f(k)
    return s
  return f

def build_copysign(recursive):
  @recursive
  def f(n):
    s = n.v
    for k in n.kids:
      s = -s * f(k)
    return s, s == 0, s < 0
  def g(n):
    return f(n)
  @recursive
  def h(n):
    s = n.v
    for k in n.kids:
      s = -s * h(k)
    return s
  return h

def build_isnan(recursive):
  @recursive
  def f(n):
    return math.isnan(n.v) or math.isinf(n.v) or any(f(k) for k in n.kids)
  return f

def build_nan_compare(recursive):
  @recursive
  def f(n):
    c = 0
    for k in n.kids:
      if k.v < n.v:
        c += 1
      elif not k.v >= n.v:
        c += 100
      if k.v != k.v:
        c += 1000
      c += f(k)
    return c
  return f

def build_sorted_vals(recursive):
  @recursive
  def f(n):
    vals = sorted([n.v] + [f(k) for k in n.kids])
    return vals[len(vals) // 2]
  return f

def build_bool_float(recursive):
  @recursive
  def f(n):
    s = 0
    if n.v:
      s = 1
    for k in n.kids:
      s += f(k)
    return s
  return f


# ints
def build_shift(recursive):
  @recursive
  def f(n):
    s = 1 << (n.v & 7)
    for k in n.kids:
      s |= f(k) << 1
    return s
  return f
calls_shift = icalls

def build_shift_var(recursive):
  @recursive
  def f(n):
    s = 1 << n.v
    for k in n.kids:
      s += f(k)
    return s
  return f
calls_shift_var = icalls

def build_int_pow(recursive):
  @recursive
  def f(n):
    s = 2 ** n.v
    for k in n.kids:
      s += f(k)
    return s
  return f
def calls_int_pow(state):
  yield (ti(),)
  yield (Node(70),)
  yield (Node(5, Node(0)),)

def build_square(recursive):
  @recursive
  def f(n):
    s = n.v ** 2
    for k in n.kids:
      s += f(k)
    return s
  return f
calls_square = icalls

def build_true_div(recursive):
  @recursive
  def f(n):
    if not n.kids:
      return float(n.v)
    s = 0.0
    for k in n.kids:
      s += f(k) / n.v
    return s
  return f
calls_true_div = icalls

def build_divmod(recursive):
  @recursive
  def f(n):
    q, r = divmod(n.v, 3)
    for k in n.kids:
      a, b = f(k)
      q += a
      r += b
    return q, r
  return f
calls_divmod = icalls

def build_xor(recursive):
  @recursive
  def f(n):
    s = ~n.v
    for k in n.kids:
      s ^= f(k)
    return s
  return f
calls_xor = icalls

def build_int_float_cmp(recursive):
  @recursive
  def f(n):
    c = 1 if n.v * 1.0 == n.v and n.v < 2.5 else 0
    for k in n.kids:
      c += f(k)
    return c
  return f
calls_int_float_cmp = icalls

def build_avg(recursive):
  @recursive
  def f(n):
    total, count = n.v, 1
    for k in n.kids:
      a, c = f(k)
      total += a * c
      count += c
    return total / count, count
  return f
calls_avg = icalls

def build_int_times_tensor(recursive):
  w = tf.Variable([0.1, 0.2])
  @recursive
  def f(n):
    h = n.v * w
    for k in n.kids:
      h = h - f(k) / (n.v + 0.5)
    return h
  return f, [w]
calls_int_times_tensor = icalls

def build_float_times_tensor(recursive):
  w = tf.Variable([0.1, 0.2])
  @recursive
  def f(n):
    h = tf.nn.softplus(w * n.v)
    for k in n.kids:
      h += tf.math.log1p(tf.abs(f(k)))
    return h
  return f, [w]

def build_argmax_tie(recursive):
  @recursive
  def f(n):
    vals = tf.stack([float(n.v)] + [f(k) * 0.5 for k in n.kids])
    return vals[tf.argmax(vals)] + tf.cast(tf.argmin(vals), tf.float32)
  return f
calls_argmax_tie = icalls

def build_int_tensor(recursive):
  @recursive
  def f(n):
    h = tf.constant(n.v) // 2
    for k in n.kids:
      h += f(k) % 5
    return h
  return f
calls_int_tensor = icalls

def build_f64(recursive):
  w = tf.Variable([0.1, 0.2], dtype=tf.float64)
  @recursive
  def f(n):
    h = w * n.v
    for k in n.kids:
      h += f(k) / 3
    return h
  return f, [w]

def build_bits_str(recursive):
  @recursive
  def f(n, depth):
    print(f"{depth}:{n.v}:{n.v / 7}:{n.v:e}:{n.v:g}:{n.v!r}")
    for k in n.kids:
      f(k, depth + 1)
  return f
def calls_bits_str(state):
  for (x,) in calls(state):
    yield (x, 0)
