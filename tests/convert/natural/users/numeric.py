"""Numeric recursion on tensors."""
import math
import numpy as np
import tensorflow as tf


def vec_calls(state):
  yield (tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]),)
  yield (tf.constant([3.0]),)
  yield (tf.constant([3.0, -1.0]),)
  yield (tf.constant(np.linspace(-1, 1, 16), tf.float32),)


calls = vec_calls


def build_fft(recursive):
  @recursive
  def fft(x):
    n = x.shape[0]
    if n == 1:
      return x
    even = fft(x[::2])
    odd = fft(x[1::2])
    k = tf.range(n // 2, dtype=tf.float32)
    ang = -2 * math.pi * k / n
    tw = tf.complex(tf.cos(ang), tf.sin(ang)) * odd
    return tf.concat([even + tw, even - tw], 0)
  return lambda x: fft(tf.cast(x, tf.complex64))


def build_casteljau(recursive):
  @recursive
  def de_casteljau(points, t):
    if len(points) == 1:
      return points[0]
    return de_casteljau([(1 - t) * a + t * b for a, b in zip(points, points[1:])], t)
  return de_casteljau
def calls_casteljau(state):
  pts = [tf.constant([0.0, 0.0]), tf.constant([1.0, 2.0]), tf.constant([3.0, 1.0])]
  yield (pts, 0.25)
  yield (pts[:1], 0.5)
  yield (pts + [tf.constant([4.0, 4.0])], 0.75)


def build_balanced_sum(recursive):
  @recursive
  def pairwise(x):
    if tf.shape(x)[0] <= 2:
      return tf.reduce_sum(x)
    h = tf.shape(x)[0] // 2
    return pairwise(x[:h]) + pairwise(x[h:])
  return pairwise


def build_merge_sort(recursive):
  @recursive
  def merge_sort(xs):
    if len(xs) <= 1:
      return xs
    mid = len(xs) // 2
    a, b = merge_sort(xs[:mid]), merge_sort(xs[mid:])
    out = []
    i = j = 0
    while i < len(a) and j < len(b):
      if a[i] <= b[j]:
        out.append(a[i])
        i += 1
      else:
        out.append(b[j])
        j += 1
    return out + a[i:] + b[j:]
  return merge_sort
def calls_merge_sort(state):
  yield ([3, 1, 2, 5, 4],)
  yield ([1],)
  yield ([],)
  yield ([2, 2, 1, 1],)


def build_quicksort(recursive):
  @recursive
  def qs(xs):
    if not xs:
      return []
    p = xs[0]
    return qs([x for x in xs[1:] if x < p]) + [p] + qs([x for x in xs[1:] if x >= p])
  return qs
calls_quicksort = calls_merge_sort


def build_haar(recursive):
  @recursive
  def haar(x):
    if x.shape[0] == 1:
      return [x]
    lo = (x[::2] + x[1::2]) / 2
    hi = (x[::2] - x[1::2]) / 2
    return haar(lo) + [hi]
  return haar


def build_power(recursive):
  @recursive
  def power(m, n):
    if n == 0:
      return tf.eye(2)
    if n % 2 == 0:
      half = power(m, n // 2)
      return half @ half
    return m @ power(m, n - 1)
  return power
def calls_power(state):
  m = tf.constant([[1.0, 1.0], [1.0, 0.0]])
  yield (m, 5)
  yield (m, 0)
  yield (m, 10)


class Quad:
  def __init__(self, color=None, kids=None):
    self.color, self.kids = color, kids


def build_quadtree_render(recursive):
  @recursive
  def render(q, size):
    if q.kids is None:
      return tf.fill([size, size], q.color)
    a, b, c, d = [render(k, size // 2) for k in q.kids]
    return tf.concat([tf.concat([a, b], 1), tf.concat([c, d], 1)], 0)
  return render
def calls_quadtree_render(state):
  q = Quad(None, [Quad(1.0), Quad(2.0), Quad(None, [Quad(3.0), Quad(4.0), Quad(5.0), Quad(6.0)]), Quad(7.0)])
  yield (q, 4)
  yield (Quad(1.0), 2)
  yield (q, 8)


def build_quadtree_mean(recursive):
  @recursive
  def area_color(q, weight=1.0):
    if q.kids is None:
      return q.color * weight
    return sum(area_color(k, weight / 4) for k in q.kids)
  return area_color
def calls_quadtree_mean(state):
  q = Quad(None, [Quad(1.0), Quad(2.0), Quad(None, [Quad(3.0), Quad(4.0), Quad(5.0), Quad(6.0)]), Quad(7.0)])
  yield (q,)
  yield (Quad(3.0),)
  q.kids[0] = Quad(None, [Quad(0.5), Quad(0.25), Quad(0.125), Quad(8.0)])
  yield (q,)


def build_newton_adaptive(recursive):
  @recursive
  def simpson(a, b, fa, fm, fb, whole, eps, depth):
    m = (a + b) / 2
    lm, rm = (a + m) / 2, (m + b) / 2
    flm, frm = math.exp(lm), math.exp(rm)
    left = (m - a) / 6 * (fa + 4 * flm + fm)
    right = (b - m) / 6 * (fm + 4 * frm + fb)
    if depth == 0 or abs(left + right - whole) <= 15 * eps:
      return left + right + (left + right - whole) / 15
    return simpson(a, m, fa, flm, fm, left, eps / 2, depth - 1) + simpson(m, b, fm, frm, fb, right, eps / 2, depth - 1)
  def integrate(a, b):
    m = (a + b) / 2
    fa, fm, fb = math.exp(a), math.exp(m), math.exp(b)
    return simpson(a, b, fa, fm, fb, (b - a) / 6 * (fa + 4 * fm + fb), 1e-6, 10)
  return integrate
def calls_newton_adaptive(state):
  yield (0.0, 2.0)
  yield (1.0, 1.0)
  yield (-3.0, 3.0)


def build_gcd_ackermann(recursive):
  @recursive
  def ack(m, n):
    if m == 0:
      return n + 1
    if n == 0:
      return ack(m - 1, 1)
    return ack(m - 1, ack(m, n - 1))
  return ack
def calls_gcd_ackermann(state):
  yield (1, 3)
  yield (0, 4)
  yield (2, 2)


def build_sqrt_newton(recursive):
  @recursive
  def newton(x, guess):
    if tf.abs(guess * guess - x) < 1e-4:
      return guess
    return newton(x, (guess + x / guess) / 2)
  return newton
def calls_sqrt_newton(state):
  yield (tf.constant(2.0), tf.constant(1.0))
  yield (tf.constant(9.0), tf.constant(3.0))
  yield (tf.constant(100.0), tf.constant(50.0))


def build_hanoi(recursive):
  @recursive
  def hanoi(n, a, b, c, moves):
    if n == 0:
      return 0
    k = hanoi(n - 1, a, c, b, moves)
    moves.append((a, c))
    return k + 1 + hanoi(n - 1, b, a, c, moves)
  return hanoi
def calls_hanoi(state):
  yield (3, "A", "B", "C", [])
  yield (0, "A", "B", "C", [])
  yield (4, "A", "B", "C", [])


def build_permutations(recursive):
  @recursive
  def perms(xs):
    if len(xs) <= 1:
      return [xs]
    return [[x] + p for i, x in enumerate(xs) for p in perms(xs[:i] + xs[i + 1:])]
  return perms
def calls_permutations(state):
  yield ([1, 2, 3],)
  yield ([1],)
  yield ([],)


def build_subset_sums(recursive):
  @recursive
  def subset_sum(nums, i, target):
    if target == 0:
      return True
    if i == len(nums) or target < 0:
      return False
    return subset_sum(nums, i + 1, target - nums[i]) or subset_sum(nums, i + 1, target)
  return subset_sum
def calls_subset_sums(state):
  yield ([3, 34, 4, 12, 5, 2], 0, 9)
  yield ([3, 34, 4], 0, 30)
  yield ([], 0, 0)
