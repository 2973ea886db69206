"""Python's rules for numbers that TensorFlow does not share."""

from tests.convert import trees
from tests.convert.programs.registry import Case, program


@program("int", "beyond 64 bits", gradients=False)
def big_integers(w):
  """Shows factorials beyond 2**63: they may run as plain Python, but never wrap around."""

  @w.recursive
  def factorial(n):
    return 1 if n == 0 else n * factorial(n - 1)

  return Case(factorial, [3, 10, 20, 21, 25], map=False, may_fall_back=True)


@program("int", "float", "//", "%", "divmod", "round", gradients=False)
def division_and_rounding(w):
  """Shows `//` and `%` with negative numbers, `divmod`, and rounding half to even."""

  @w.recursive
  def mix(node, sign=-1):
    if node.is_leaf:
      quotient, rest = divmod(sign * 7, node.word + 2)
      return quotient * 10 + rest, sign * 7.5 // 2 + 7.5 % -2, round(node.word + 0.5)
    a, x, i = mix(node.left, -sign)
    b, y, j = mix(node.right, sign)
    return a - b // 3, x / 2 - y, i - j % 3

  return Case(mix, trees.binary(w.rng))


@program("int", "float", "**", gradients=False)
def powers(w):
  """Shows `**`: an int to a negative power is a float, to a positive one an int."""

  @w.recursive
  def power(node, depth=1):
    if node.is_leaf:
      return (node.word + 1) ** depth, (node.word + 1) ** -1.0
    i, x = power(node.left, depth + 1)
    j, y = power(node.right, depth + 1)
    return i - j, x**2 + y**0.5

  return Case(power, trees.binary(w.rng))


@program("bool", "arithmetic on bools", gradients=False)
def bools_as_numbers(w):
  """Shows `True + True`, comparisons added up, and `and`/`or` that return their operands."""

  @w.recursive
  def count(node):
    if node.is_leaf:
      return (node.word > 1) + (node.word > 3), node.word and node.label or 7
    a, p = count(node.left)
    b, q = count(node.right)
    return a + b + (a > b), p + (p == q) or q

  return Case(count, trees.binary(w.rng))


@program("float", "inf and nan", "comparison", gradients=False)
def infinities(w):
  """Shows `float("inf")` as the start of a minimum, and a nan that compares false."""

  @w.recursive
  def lowest(node, bound=float("inf")):
    if node.is_leaf:
      value = float("nan") if node.label == 2 else node.word * 1.0
      return value if value < bound else bound
    return lowest(node.right, lowest(node.left, bound))

  return Case(lowest, trees.binary(w.rng))


@program("int", "large argument", "exactness", gradients=False)
def exact_large_integers(w):
  """Shows ints near 2**53, where doubles lose the last bit, compared and subtracted."""

  @w.recursive
  def spread(node, base):
    if node.is_leaf:
      return base + node.word
    return max(spread(node.left, base), spread(node.right, base + 1))

  return Case(spread, [(tree, 2**53 + 1) for tree in trees.binary(w.rng)])


@program("int and float", "type by branch of the input", gradients=False)
def int_or_float_argument(w):
  """Shows a function that is called with an int, then with a float: both kinds come back."""

  @w.recursive
  def scale(node, factor):
    if node.is_leaf:
      return node.word * factor
    return scale(node.left, factor) + scale(node.right, factor + 1)

  roots = trees.binary(w.rng)
  factors = [2, 3, 0.5, 4, 1.5]
  return Case(scale, list(zip(roots, factors, strict=True)), map=False)


@program("float", "string formatting", "print", gradients=False)
def formatted_numbers(w):
  """Shows numbers formatted in f-strings: precision, padding, repr of floats and bools."""

  @w.recursive
  def report(node, depth=0):
    if node.is_leaf:
      value = node.word / 3
      print(f"{'  ' * depth}{value:.3f} {node.word:>4d} {value > 1} {node.tag!r}")
      return value
    value = report(node.left, depth + 1) + report(node.right, depth + 1)
    print("  " * depth + "sum", value)
    return value

  return Case(report, trees.binary(w.rng))
