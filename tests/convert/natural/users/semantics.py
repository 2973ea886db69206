"""Everyday Python in recursive functions."""
import fractions
import math

import numpy as np
import tensorflow as tf


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


def t(a=7):
  return Node(a, Node(-3, Node(2)), Node(5), Node(0, Node(-8), Node(4, Node(1))))


def calls(state):
  x = t()
  yield (x,)
  yield (Node(-1),)
  x.kids[1].kids.append(Node(-9, Node(6)))
  yield (x,)


def build_floor_div(recursive):
  @recursive
  def f(n):
    return n.v // 2 + n.v % 3 + sum(f(k) // -2 for k in n.kids)
  return f


def build_round_avg(recursive):
  @recursive
  def f(n):
    if not n.kids:
      return n.v / 4
    return round(sum([f(k) for k in n.kids]) / len(n.kids), 1)
  return f


def build_int_trunc(recursive):
  @recursive
  def f(n):
    return int(n.v / 2) + int(-0.5 * n.v) + sum(f(k) for k in n.kids)
  return f


def build_bigint_factorial(recursive):
  @recursive
  def fact(n):
    return 1 if n == 0 else n * fact(n - 1)
  return fact
def calls_bigint_factorial(state):
  yield (5,)
  yield (20,)
  yield (21,)
  yield (30,)


def build_hash_poly(recursive):
  @recursive
  def h(n):
    code = n.v
    for k in n.kids:
      code = code * 1000003 ^ h(k)
    return code & 0xFFFFFFFF
  return h


def build_binary_code(recursive):
  @recursive
  def bits(n):
    if n < 2:
      return str(n)
    return bits(n // 2) + str(n % 2)
  return bits
def calls_binary_code(state):
  yield (10,)
  yield (1,)
  yield (255,)


def build_to_bits_list(recursive):
  @recursive
  def bits(n):
    if n < 2:
      return [n]
    return bits(n >> 1) + [n & 1]
  return bits
calls_to_bits_list = calls_binary_code


def build_parity_bool(recursive):
  @recursive
  def even(n):
    return (n.v % 2 == 0) ^ any(even(k) for k in n.kids)
  return even


def build_count_true(recursive):
  @recursive
  def positives(n):
    return (n.v > 0) + sum(positives(k) for k in n.kids)
  return positives


def build_or_default(recursive):
  @recursive
  def first_positive(n):
    found = n.v > 0 and n.v
    for k in n.kids:
      found = found or first_positive(k)
    return found
  return first_positive


def build_or_value(recursive):
  @recursive
  def label(n):
    return n.v or max([label(k) for k in n.kids] or [0])
  return label


def build_max_tie(recursive):
  @recursive
  def heavy(n):
    if not n.kids:
      return [n.v]
    return [n.v] + max((heavy(k) for k in n.kids), key=len)
  return heavy


def build_sorted_kids(recursive):
  @recursive
  def visit(n):
    print(n.v)
    for k in sorted(n.kids, key=lambda k: abs(k.v), reverse=True):
      visit(k)
  return visit


def build_sort_inplace(recursive):
  @recursive
  def normalize(n):
    n.kids.sort(key=lambda k: k.v)
    for k in n.kids:
      normalize(k)
  return normalize


def build_two_largest(recursive):
  @recursive
  def depth(n):
    ds = sorted([depth(k) for k in n.kids], reverse=True)
    return 1 + (ds[0] if ds else 0) + (ds[1] if len(ds) > 1 else 0)
  return depth


def build_strahler(recursive):
  @recursive
  def strahler(n):
    if not n.kids:
      return 1
    s = [strahler(k) for k in n.kids]
    m = max(s)
    return m + 1 if s.count(m) > 1 else m
  return strahler


def build_print_floats(recursive):
  @recursive
  def show(n, scale=1.0):
    print(f"{n.v * scale:.3f} {n.v / 3:8.2f}|{n.v:>4}|{n.v:03d}")
    for k in n.kids:
      show(k, scale / 3)
  return show


def build_print_mixed(recursive):
  @recursive
  def show(n, prefix=""):
    print(prefix, n.v, n.v > 0, None, n.v / 2, len(n.kids), sep=",")
    for i, k in enumerate(n.kids):
      show(k, prefix + str(i) + ".")
  return show


def build_print_tree_lines(recursive):
  @recursive
  def show(n, indent="", last=True):
    print(indent + ("`-- " if last else "|-- ") + str(n.v))
    indent += "    " if last else "|   "
    for i, k in enumerate(n.kids):
      show(k, indent, i == len(n.kids) - 1)
  return show


def build_print_tensor(recursive):
  @recursive
  def show(n):
    h = tf.constant([1.0, 2.0]) * n.v
    for k in n.kids:
      h += show(k)
    print(n.v, h)
    return h
  return show


def build_mutable_default(recursive):
  @recursive
  def collect(n, acc=[]):
    acc.append(n.v)
    for k in n.kids:
      collect(k)
    return len(acc)
  return collect


def build_acc_none(recursive):
  @recursive
  def collect(n, acc=None):
    if acc is None:
      acc = []
    acc.append(n.v)
    for k in n.kids:
      collect(k, acc)
    return acc
  return collect


def build_next_id(recursive):
  next_id = 0

  @recursive
  def number(n):
    nonlocal next_id
    n.id = next_id
    next_id += 1
    for k in n.kids:
      number(k)
    n.end = next_id
  return number, [lambda: next_id]


def build_euler_tour(recursive):
  tour, first = [], {}

  @recursive
  def walk(n, depth):
    first.setdefault(n.v, len(tour))
    tour.append((n.v, depth))
    for k in n.kids:
      walk(k, depth + 1)
      tour.append((n.v, depth))
  return walk, [tour, first]
def calls_euler_tour(state):
  for (x,) in calls(state):
    yield (x, 0)


def build_for_else(recursive):
  @recursive
  def find(n, v):
    if n.v == v:
      return n
    for k in n.kids:
      r = find(k, v)
      if r is not None:
        break
    else:
      return None
    return r
  return find
def calls_for_else(state):
  x = t()
  for v in (4, 99, 7):
    yield (x, v)


def build_prune_while_iterating(recursive):
  @recursive
  def prune(n):
    for k in list(n.kids):
      if k.v < 0:
        n.kids.remove(k)
      else:
        prune(k)
  return prune


def build_reverse_kids(recursive):
  @recursive
  def mirror(n):
    n.kids.reverse()
    for k in n.kids:
      mirror(k)
    return n
  return mirror


def build_promote_first(recursive):
  @recursive
  def promote(n):
    if n.kids:
      first = n.kids.pop(0)
      promote(first)
      n.v += first.v
      n.kids.extend(first.kids)
  return promote


def build_swap_with_child(recursive):
  @recursive
  def sift(n):
    if not n.kids:
      return
    best = n.kids[0]
    for k in n.kids[1:]:
      if k.v > best.v:
        best = k
    if best.v > n.v:
      n.v, best.v = best.v, n.v
      sift(best)
  return sift


def build_heapify(recursive):
  @recursive
  def sift_down(heap, i, n):
    l, r, m = 2 * i + 1, 2 * i + 2, i
    if l < n and heap[l] > heap[m]:
      m = l
    if r < n and heap[r] > heap[m]:
      m = r
    if m != i:
      heap[i], heap[m] = heap[m], heap[i]
      sift_down(heap, m, n)
  return sift_down
def calls_heapify(state):
  h = [1, 9, 8, 4, 5, 7]
  yield (h, 0, 6)
  yield (h, 1, 6)
  yield ([3], 0, 1)


def build_union_find(recursive):
  @recursive
  def find(parent, x):
    if parent[x] != x:
      parent[x] = find(parent, parent[x])
    return parent[x]
  return find
def calls_union_find(state):
  p = [0, 0, 1, 2, 4]
  yield (p, 3)
  yield (p, 4)
  yield (p, 2)


class Set:
  def __init__(self, name):
    self.name, self.parent, self.rank = name, self, 0


def build_find_objects(recursive):
  @recursive
  def find(s):
    if s.parent is not s:
      s.parent = find(s.parent)
    return s.parent
  return find
def calls_find_objects(state):
  a, b, c, d = [Set(x) for x in "abcd"]
  b.parent = a; c.parent = b; d.parent = c
  yield (d,)
  yield (a,)
  yield (c,)


def build_numpy_scalars(recursive):
  @recursive
  def total(n):
    return n.v + sum(total(k) for k in n.kids)
  return total
def calls_numpy_scalars(state):
  yield (Node(np.float32(0.1), Node(np.float32(0.2)), Node(np.float32(0.3))),)
  yield (Node(np.int64(3), Node(np.int64(4))),)
  yield (Node(fractions.Fraction(1, 3), Node(fractions.Fraction(1, 6))),)
  yield (Node(2 ** 40, Node(2 ** 70)),)
  yield (Node(1 + 2j, Node(3j)),)


def build_str_concat_values(recursive):
  @recursive
  def total(n):
    out = n.v
    for k in n.kids:
      out = out + total(k)
    return out
  return total
def calls_str_concat_values(state):
  yield (Node("a", Node("b"), Node("c")),)
  yield (Node([1], Node([2]), Node([3])),)
  yield (Node(1.5, Node(2)),)
  yield (Node(True, Node(True)),)


def build_string_order(recursive):
  @recursive
  def smallest(n):
    best = n.v
    for k in n.kids:
      s = smallest(k)
      if s < best:
        best = s
    return best
  return smallest
def calls_string_order(state):
  yield (Node("m", Node("z"), Node("b", Node("Ä"))),)
  yield (Node("x"),)
  yield (Node("x", Node("ab"), Node("a")),)


def build_power_mod(recursive):
  @recursive
  def modpow(b, e, m):
    if e == 0:
      return 1 % m
    half = modpow(b, e // 2, m)
    r = half * half % m
    return r * b % m if e % 2 else r
  return modpow
def calls_power_mod(state):
  yield (3, 200, 1000000007)
  yield (2, 0, 1)
  yield (123456789, 987654321, 998244353)
  yield (123456789012, 5, 999999999989)


def build_ackermann_float(recursive):
  @recursive
  def cfrac(coeffs, i):
    if i == len(coeffs) - 1:
      return float(coeffs[i])
    return coeffs[i] + 1 / cfrac(coeffs, i + 1)
  return cfrac
def calls_ackermann_float(state):
  yield ([1, 2, 2, 2], 0)
  yield ([3], 0)
  yield ([1, 0], 0)


def build_isclose(recursive):
  @recursive
  def bisect(lo, hi):
    mid = (lo + hi) / 2
    if math.isclose(lo, hi, rel_tol=1e-9) or mid * mid == 2:
      return mid
    if mid * mid > 2:
      return bisect(lo, mid)
    return bisect(mid, hi)
  return bisect
def calls_isclose(state):
  yield (0.0, 2.0)
  yield (1.0, 1.5)
  yield (2.0, 2.0)
