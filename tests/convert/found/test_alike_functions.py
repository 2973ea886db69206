"""Functions that each call is given anew, which do the same: one conversion for all of them."""

import copy
import math
import types

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.agreement import agrees, of_text
from tests.convert.syntax.lowering import defined


def node(value, *kids):
  return {"value": value, "kids": list(kids)}


TREES = [
  node(1),
  node(2, node(3), node(-1, node(4))),
  node(-5, node(6, node(7)), node(0)),
]


def _given_anew(make, count=8):
  """Returns calls that are each given a tree and what `make` makes for it."""
  return lambda: [(copy.deepcopy(TREES[i % 3]), make(i)) for i in range(count)]


CALLED = {
  "called": "g(n['value'])",
  "if_given": "g(n['value']) if g is not None else 0",
  "if_true": "g and g(n['value'])",
  "if_callable": "callable(g) and g(n['value'])",
  "passed_to_another": "twice(g, n['value'])",
  "under_a_name": "(lambda h: h(n['value']))(g)",
  "in_a_function": "(lambda: g(n['value']) + 1)()",
  "in_a_loop": "[g(x) for x in range(n['value'])]",
  "mapped": "list(map(g, [n['value'], 2]))",
  "filtered": "list(filter(g, [n['value'], 2, -2]))",
  "sorted": "sorted([n['value'], 2, -2], key=g)",
  "least": "min([n['value'], 2, -2], key=g)",
  "in_a_tuple": "(g, 1)[0](n['value'])",
  "in_a_dict": "{'g': g}['g'](n['value'])",
}
MADE = {
  "lambda": lambda i: lambda x: x * 2 + 1,
  "with_a_constant": lambda i, k=3: (lambda limit: lambda x: x - limit)(3),
  "with_a_default": lambda i: lambda x, k=2.5: x * k,
  "of_several_contents": lambda i: (lambda limit: lambda x: x - limit)(i % 2),
  "with_a_class": lambda i: (lambda kind: lambda x: kind(x))(int),
}
TEXT = """
def twice(h, x):
  return h(x), h(x + 1)

def f(n, g):
  return [CALLED] + [f(kid, g) for kid in n["kids"]]
"""


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("called", CALLED)
def test_they_are_called(called, made):
  function = of_text(TEXT.replace("CALLED", CALLED[called]))
  agrees(function, _given_anew(MADE[made]))


SEEN = {
  "returned": "g",
  "in_a_tuple": "(g, n['value'])",
  "in_a_list": "[g][0] or 1",
  "compared_with_itself": "g is g",
  "compared": "g == KNOWN",
  "not_compared": "g is not n['kids']",
  "in_a_list_of": "g in [KNOWN, len]",
  "of_the_tree": "g is n.get('f')",
  "equal_to_the_trees": "(g, 1) == (n.get('f'), 1)",
  "counted": "[KNOWN, g].count(g)",
  "key": "{g: 1}.get(KNOWN, 2)",
  "looked_up": "{KNOWN: 1}.get(g, 2)",
  "set": "len({g, KNOWN})",
  "name": "g.__name__",
  "attribute": "hasattr(g, 'x')",
  "type": "type(g).__name__",
  "isinstance": "isinstance(g, FUNCTION)",
  "hash": "hash(g) == hash(KNOWN)",
  "id": "id(g) == id(KNOWN)",
  "text": "len(str(g)) > 0",
  "formatted": "len(f'{g}') > 0",
  "kept": "n.setdefault('f', g) is g",
  "written": "n.update(f=g)",
  "or_another": "(g if n['value'] > 1 else len)([1])",
  "object": "Box(g).f is g",
  "called_object": "Box(g).f(n['value'])",
}


@pytest.mark.parametrize("seen", SEEN)
def test_which_one_it_is_stays_pythons(seen):
  text = """
class Box:
  def __init__(self, f):
    self.f = f

def f(n, g):
  return [SEEN] + [f(kid, g) for kid in n["kids"]]
"""

  def calls():
    found = []
    for i in range(8):
      tree, f = copy.deepcopy(TREES[i % 3]), (lambda: lambda x: x)()
      if i % 2:
        tree["f"] = f
        tree["kids"] += [node(9)]
        tree["kids"][-1]["f"] = f
      found.append((tree, f))
    return found

  first = lambda x: x  # noqa: E731
  build = of_text(text.replace("SEEN", SEEN[seen]), KNOWN=first, FUNCTION=types.FunctionType)
  plain, converted = build(lambda function: function), build(rtf.recursive(verify=False))
  for (tree, f), (other, g) in zip(calls(), calls(), strict=True):
    want = _shown(plain(tree, f), f)
    assert _shown(converted(other, g), g) == want
    assert _shown(other, g) == _shown(tree, f)


def _shown(value, f):
  """Returns a value with one text for the function that a call was given, another for others."""
  if isinstance(value, (list, tuple)):
    return [type(value).__name__, *(_shown(one, f) for one in value)]
  if isinstance(value, dict):
    return {key: _shown(one, f) for key, one in value.items()}
  if isinstance(value, types.FunctionType):
    return "the function" if value is f else "another one"
  return value


def test_what_they_capture_counts():
  def plain(n, f):
    return f(n["value"]) + sum(plain(kid, f) for kid in n["kids"])

  total = rtf.recursive(verify=False)(plain)

  def scaled(k, more):
    def f(x):
      return x * k + len(more)

    return f

  for i in range(12):
    more = [0] * (i % 3)
    tree, f = copy.deepcopy(TREES[i % 3]), scaled(i % 2, more)
    assert total(tree, f) == plain(tree, f)
    more.append(1)
    assert total(tree, f) == plain(tree, f)


def test_what_they_rebind_is_theirs():
  def plain(n, f):
    return f(n["value"]) + sum(plain(kid, f) for kid in n["kids"])

  total = rtf.recursive(verify=False)(plain)

  def counter():
    count = 0

    def f(x):
      nonlocal count
      count += 1
      return x * count

    return f, lambda: count

  for i in range(8):
    (f, count), (g, others) = counter(), counter()
    assert total(TREES[i % 3], f) == plain(TREES[i % 3], g)
    assert count() == others()


def test_attributes_make_another():
  def plain(n, f):
    return f.scale * f(n["value"]) + sum(plain(kid, f) for kid in n["kids"])

  total = rtf.recursive(verify=False)(plain)

  for i in range(8):
    f = (lambda: lambda x: x + 1)()
    f.scale = i
    assert total(TREES[i % 3], f) == plain(TREES[i % 3], f)


def test_one_conversion_serves_all():
  def plain(n, f):
    return f(n["value"]) + sum(plain(kid, f) for kid in n["kids"])

  total = rtf.recursive(verify=False)(plain)

  for i in range(100):
    assert total(TREES[i % 3], lambda x: x * 2) == plain(TREES[i % 3], lambda x: x * 2)
  assert total.stats.num_fallback_runs == 0
  assert total.stats.num_graphs <= 6


def test_tensors_and_gradients():
  weights = tf.Variable([1.0, 2.0])

  def plain(n, leaf, join):
    if not n["kids"]:
      return leaf(n["value"])
    return join([plain(kid, leaf, join) for kid in n["kids"]])

  fold = rtf.recursive(verify=False)(plain)

  for i in range(10):
    tree = TREES[i % 3]
    with tf.GradientTape() as tape:
      found = fold(tree, lambda v: weights * v, lambda kids: tf.tanh(tf.add_n(kids)))
    gradient = tape.gradient(found, weights)
    with tf.GradientTape() as tape:
      wanted = plain(tree, lambda v: weights * v, lambda kids: tf.tanh(tf.add_n(kids)))
    tf.debugging.assert_near(found, wanted)
    tf.debugging.assert_near(gradient, tape.gradient(wanted, weights))
  assert fold.stats.num_fallback_runs == 0


def test_builtins_stay_constants():
  def plain(n, f):
    return f(n["value"]) + sum(plain(kid, f) for kid in n["kids"])

  total = rtf.recursive(verify=False)(plain)

  for f in [abs, math.floor, math.fabs, float, abs, int]:
    assert total(TREES[1], f) == plain(TREES[1], f)


def test_variables_around_them_that_change_later():
  def plain(n, f):
    return f(n["value"]) + sum(plain(kid, f) for kid in n["kids"])

  total = rtf.recursive(verify=False)(plain)

  def adding(k):
    def f(x):
      return x + k

    def change(value):
      nonlocal k
      k = value

    return f, change

  made = [adding(i % 3) for i in range(12)]
  for number, (f, change) in enumerate(made):
    for tree in TREES:
      assert total(tree, f) == plain(tree, f)
      change(number % 4)
      assert total(tree, f) == plain(tree, f)
      for other, _ in made[: number + 1]:
        assert total(tree, other) == plain(tree, other)


@pytest.mark.parametrize("begin", ["0", "i % 2", "n['value']"])
def test_variables_that_the_program_writes(begin):
  def build(wrap):
    text = f"""
def f(trees):
  found = []
  limit = 0
  def walk(n, g):
    nonlocal limit
    limit += 1
    return [g(n["value"])] + [walk(kid, g) for kid in n["kids"]]
  walk = wrap(walk)
  for i, n in enumerate(trees):
    limit = {begin}
    found.append(walk(n, lambda x: x + limit))
  return found, limit
"""
    return defined(text, wrap=wrap)

  trees = [TREES[i % 3] for i in range(12)]
  assert build(rtf.recursive(verify=False))(trees) == build(lambda f: f)(trees)
