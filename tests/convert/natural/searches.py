"""Recursions that search and sort, and games."""

import math


class Board:
  def __init__(self, score, moves=(), player=1):
    self.score, self.moves, self.player = score, list(moves), player


def game():
  return Board(
    0,
    [
      Board(0, [Board(3), Board(5)], -1),
      Board(0, [Board(2), Board(9)], -1),
      Board(0, [Board(0)], -1),
    ],
  )


def calls_fib():
  yield (7,)
  yield (0,)
  yield (10,)


def calls_sort():
  yield ([3, 1, 2, 5, 4],)
  yield ([],)
  yield ([2.5, 1.5],)


def calls_game():
  yield (game(),)
  yield (Board(4),)


def build_fib_memo(recursive):
  memo = {}

  @recursive
  def fib(n):
    if n in memo:
      return memo[n]
    memo[n] = n if n < 2 else fib(n - 1) + fib(n - 2)
    return memo[n]

  return fib, [memo]


calls_fib_memo = calls_fib


def build_subsets_backtrack(recursive):
  @recursive
  def search(xs, i, path, out):
    out.append(list(path))
    for j in range(i, len(xs)):
      path.append(xs[j])
      search(xs, j + 1, path, out)
      path.pop()
    return out

  return search


def calls_subsets_backtrack():
  yield ([1, 2, 3], 0, [], [])


def build_merge_sort(recursive):
  @recursive
  def sort(xs):
    if len(xs) < 2:
      return xs
    m = len(xs) // 2
    a, b = sort(xs[:m]), sort(xs[m:])
    out, i, j = [], 0, 0
    while i < len(a) and j < len(b):
      if a[i] <= b[j]:
        out.append(a[i])
        i += 1
      else:
        out.append(b[j])
        j += 1
    return out + a[i:] + b[j:]

  return sort


calls_merge_sort = calls_sort


def build_fft(recursive):
  @recursive
  def fft(x):
    n = len(x)
    if n == 1:
      return x
    even, odd = fft(x[::2]), fft(x[1::2])
    out = [0] * n
    for k in range(n // 2):
      t = complex(math.cos(-2 * math.pi * k / n), math.sin(-2 * math.pi * k / n)) * odd[k]
      out[k], out[k + n // 2] = even[k] + t, even[k] - t
    return out

  return fft


def calls_fft():
  yield ([1.0, 2.0, 3.0, 4.0],)
  yield ([1.0],)


def build_minimax_move(recursive):
  @recursive
  def best(b):
    if not b.moves:
      return b.score, None
    choice, value = None, None
    for i, m in enumerate(b.moves):
      v, _ = best(m)
      if value is None or (v > value if b.player > 0 else v < value):
        choice, value = i, v
    return value, choice

  return best


calls_minimax_move = calls_game


def build_alphabeta(recursive):
  counter = {"nodes": 0}

  @recursive
  def search(b, alpha, beta, maximise):
    counter["nodes"] += 1
    if not b.moves:
      return b.score
    if maximise:
      for m in b.moves:
        alpha = max(alpha, search(m, alpha, beta, False))
        if alpha >= beta:
          break
      return alpha
    for m in b.moves:
      beta = min(beta, search(m, alpha, beta, True))
      if alpha >= beta:
        break
    return beta

  return search, [counter]


def calls_alphabeta():
  yield (game(), -100, 100, True)
  yield (game(), -100, 100, False)


def build_principal_variation(recursive):
  @recursive
  def line(b):
    best, moves = None, []
    for i, m in enumerate(b.moves):
      value, below = line(m)
      value = -value
      if best is None or value > best:
        best, moves = value, [i] + below
    return (b.score, []) if best is None else (best, moves)

  return line


calls_principal_variation = calls_game


def build_queens(recursive):
  @recursive
  def place(n, row, columns):
    if row == n:
      return 1
    count = 0
    for c in range(n):
      if all(c != q and abs(c - q) != row - r for r, q in enumerate(columns)):
        count += place(n, row + 1, columns + [c])
    return count

  return place


def calls_queens():
  yield (4, 0, [])
  yield (1, 0, [])


def build_permutations(recursive):
  @recursive
  def permutations(xs):
    if not xs:
      return [[]]
    return [[x] + p for i, x in enumerate(xs) for p in permutations(xs[:i] + xs[i + 1 :])]

  return permutations


def calls_permutations():
  yield ([1, 2, 3],)
  yield ([],)


def build_lcs(recursive):
  @recursive
  def lcs(a, b):
    if not a or not b:
      return ""
    if a[0] == b[0]:
      return a[0] + lcs(a[1:], b[1:])
    x, y = lcs(a[1:], b), lcs(a, b[1:])
    return x if len(x) >= len(y) else y

  return lcs


def calls_lcs():
  yield ("abcd", "bxd")
  yield ("", "a")
