"""Recursion over Python numbers and tensors: what textbooks write."""

import math

import tensorflow as tf

from tests.convert import trees
from tests.convert.programs.registry import Case, program


@program("int", "int argument", gradients=False)
def fibonacci(w):
  """Shows Fibonacci on Python ints: an int goes in and an int comes out."""

  @w.recursive
  def fib(n):
    if n < 2:
      return n
    return fib(n - 1) + fib(n - 2)

  return Case(fib, [0, 1, 2, 5, 9], map=False)


@program("tensor predicate", "tensor argument", gradients=False)
def fibonacci_of_tensors(w):
  """Shows `if n < 2` on a tensor: what ends in RecursionError under tf.function."""

  @w.recursive
  def fib(n):
    if n < 2:
      return n
    return fib(n - 1) + fib(n - 2)

  return Case(fib, [tf.constant(n) for n in (0, 1, 3, 7)], map=False)


@program("int", "nested recursive argument", gradients=False)
def ackermann(w):
  """Shows a recursive call as argument of another."""

  @w.recursive
  def ack(m, n):
    if m == 0:
      return n + 1
    if n == 0:
      return ack(m - 1, 1)
    return ack(m - 1, ack(m, n - 1))

  return Case(ack, [(0, 3), (1, 2), (2, 2), (2, 3)], map=False)


@program("int", "three arguments", gradients=False)
def tak(w):
  """Shows Takeuchi's function: three recursive arguments, `not`."""

  @w.recursive
  def tak(x, y, z):
    if not y < x:
      return z
    return tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y))

  return Case(tak, [(1, 2, 3), (3, 2, 1), (4, 2, 1)], map=False)


@program("int", "while", "modulo", gradients=False)
def greatest_common_divisor(w):
  """Shows `%`, `//` and a recursion that ends on a remainder, with negative numbers."""

  @w.recursive
  def gcd(a, b):
    if b == 0:
      return abs(a)
    return gcd(b, a % b)

  return Case(gcd, [(12, 18), (-7, 21), (17, -5), (0, 4)], map=False)


@program("tensor argument", "int argument", "matmul")
def matrix_power(w):
  """Shows power by squaring: a tensor beside a Python int that steers."""
  base = w.weight(3, 3)

  @w.recursive
  def power(x, n):
    if n == 0:
      return tf.eye(3)
    half = power(x, n // 2)
    return half @ half if n % 2 == 0 else half @ half @ x

  @w.recursive
  def run(n):
    return power(base, n)

  return Case(run, [0, 1, 2, 5], map=False)


@program("float", "** and /", gradients=False)
def floats(w):
  """Shows Python floats: double precision, `/` of ints, `**`, `round`, negative floor division."""

  @w.recursive
  def mean_square(node):
    if node.is_leaf:
      return node.word / 3 + 0.1 * (-node.word // 4)
    return (mean_square(node.left) ** 2 + mean_square(node.right) ** 2) / 2

  return Case(mean_square, trees.binary(w.rng))


@program("int", "max", "depth", gradients=False)
def tree_height(w):
  """Shows 1 + max of both heights."""

  @w.recursive
  def height(node):
    if node is None:
      return 0
    return 1 + max(height(node.left), height(node.right))

  return Case(height, trees.binary(w.rng), mutate=trees.deepen)


@program("int", "sum", "generator expression", gradients=False)
def count_nodes(w):
  """Shows 1 + sum over a generator expression."""

  @w.recursive
  def size(node):
    return 1 + sum(size(child) for child in node.children)

  return Case(size, trees.nary(w.rng))


@program("int", "sorted", "reverse", gradients=False)
def strahler_number(w):
  """Shows `sorted` over recursive results, largest first: the Strahler number of a tree."""

  @w.recursive
  def strahler(node):
    orders = sorted([strahler(child) for child in node.children], reverse=True)
    if not orders:
      return 1
    return orders[0] + 1 if len(orders) > 1 and orders[0] == orders[1] else orders[0]

  return Case(strahler, trees.nary(w.rng))


@program("int", "min/max of generator", "default", gradients=False)
def shallowest_leaf(w):
  """Shows `min(..., default=0)` over recursive results."""

  @w.recursive
  def shallow(node):
    return 1 + min((shallow(child) for child in node.children), default=0)

  return Case(shallow, trees.nary(w.rng))


@program("tuple of bool and int", gradients=False)
def is_balanced(w):
  """Shows (bool, int) pairs: bools stay bools."""

  @w.recursive
  def balanced(node):
    if node.left is None:
      return True, 1
    left_ok, left = balanced(node.left)
    right_ok, right = balanced(node.right)
    return left_ok and right_ok and abs(left - right) <= 1, max(left, right) + 1

  return Case(balanced, trees.binary(w.rng), mutate=trees.deepen)


class Op:
  """A node of an expression: an operator with two arguments, or a number."""

  def __init__(self, op, value=None, args=()):
    self.op, self.value, self.args = op, value, list(args)


def expressions(rng):
  """Returns random arithmetic expressions."""
  ops = ("+", "*", "-")

  def leaf(index):
    return Op("num", float(index) + 0.5)

  def inner(a, b):
    return Op(ops[int(rng.integers(3))], None, [a, b])

  return [trees.fold(trees.binary_shape(rng, n), leaf, inner) for n in trees.SIZES]


def change_number(rng, root):
  """Changes an expression's leftmost number."""
  while root.args:
    root = root.args[0]
  root.value += 1.0


@program("float", "if/elif", "raise", gradients=False)
def expression_evaluator(w):
  """Shows an interpreter of expression trees on floats; an unknown operator raises."""

  @w.recursive
  def evaluate(e):
    if e.op == "num":
      return e.value
    a, b = evaluate(e.args[0]), evaluate(e.args[1])
    if e.op == "+":
      return a + b
    elif e.op == "*":
      return a * b
    elif e.op == "-":
      return a - b
    raise NotImplementedError("operator " + e.op)

  bad = Op("+", None, [Op("num", 1.0), Op("%", None, [Op("num", 1.0), Op("num", 2.0)])])
  return Case(evaluate, expressions(w.rng), raising=[bad], mutate=change_number)


@program("float64", "tensor scalars", "unpacking a comprehension")
def differentiable_calculator(w):
  """Shows the same over tensors with gradients, for symbolic regression."""
  scale = w.weight(dtype=tf.float64)

  @w.recursive
  def evaluate(e):
    if e.op == "num":
      return scale * e.value
    a, b = [evaluate(arg) for arg in e.args]
    if e.op == "*":
      return a * tf.sin(b)
    return a + b if e.op == "+" else a - b

  return Case(evaluate, expressions(w.rng), mutate=change_number)


@program("int", "bit operations", gradients=False)
def number_path_codes(w):
  """Shows shifts, `|`, `^` on ints passed down: Huffman codes added up."""

  @w.recursive
  def codes(node, code):
    if node.is_leaf:
      return code ^ node.word
    return codes(node.left, code << 1) + codes(node.right, code << 1 | 1)

  return Case(codes, [(tree, 1) for tree in trees.binary(w.rng)])


@program("math module", "float", gradients=False)
def math_functions(w):
  """Shows `math.exp`, `math.sqrt`, `math.pi` on floats."""

  @w.recursive
  def entropy(node, p):
    if node.is_leaf:
      return -p * math.log(p) + math.sqrt(node.word) * math.pi
    return entropy(node.left, 0.7 * p) + math.exp(-entropy(node.right, 0.3 * p))

  return Case(entropy, [(tree, 1.0) for tree in trees.binary(w.rng)])


@program("polynomial", "linked list", "tensor argument")
def horner(w):
  """Shows Horner's rule down a linked list of coefficients."""
  x = w.weight()

  class Cell:
    def __init__(self, value, rest):
      self.value, self.rest = value, rest

  @w.recursive
  def evaluate(cell):
    if cell is None:
      return tf.zeros([])
    return cell.value + x * evaluate(cell.rest)

  def mutate(rng, root):
    root.value += 2

  return Case(evaluate, trees.chains(w.rng, Cell), mutate=mutate)


@program("int", "comparison of results", gradients=False)
def best_leaf(w):
  """Shows branches on recursive results: minimax over words, by depth's parity."""

  @w.recursive
  def minimax(node, maximise=True):
    if node.is_leaf:
      return node.word
    a, b = minimax(node.left, not maximise), minimax(node.right, not maximise)
    if maximise:
      return a if a >= b else b
    return b if b < a else a

  return Case(minimax, trees.binary(w.rng))


@program("int and float", "int()", "float()", "bool()", gradients=False)
def conversions_of_numbers(w):
  """Shows `int`, `float` and `bool` calls: truncation toward zero, truth of numbers."""

  @w.recursive
  def total(node):
    if node.is_leaf:
      return int(-1.5 * node.word), float(node.word), bool(node.word)
    i, f, b = total(node.left)
    j, g, c = total(node.right)
    return i + j, f * g, b or c

  return Case(total, trees.binary(w.rng))
