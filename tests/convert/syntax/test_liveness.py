"""Liveness: what is read later, and nothing that is not."""

import ast

import pytest

from recursive_tf.convert.syntax.annotations import Annotation, annotation
from tests.convert.syntax.lowering import defined, prepared


def first(text, kind):
  """Returns the first statement of a kind in the prepared `def f(a, b)` with this body."""
  node = prepared(defined("def f(a, b):\n" + text)).node
  return min(
    (n for n in ast.walk(node) if isinstance(n, kind)), key=lambda n: (n.lineno, n.col_offset)
  )


def live(text, kind=ast.If):
  return set(annotation(first(text, kind), Annotation.LIVE_AFTER))


def carried(text, kind=(ast.For, ast.While)):
  return set(annotation(first(text, kind), Annotation.CARRIED))


IF = "  if a: c, d = 1, 2\n"


@pytest.mark.parametrize(
  ("after", "names"),
  [
    ("  return 1\n", set()),
    ("  return c\n", {"c"}),
    ("  c = b\n  return c\n", {"b"}),
    ("  return (c := b) + c\n", {"b"}),
    ("  return b and c or d\n", {"b", "c", "d"}),
    ("  return b < 0 < a.b < c\n", {"a", "b", "c"}),
    ("  return 1 if b else c\n", {"b", "c"}),
    ("  return b and (c := b) + c\n", {"b"}),
    ("  return (b and (c := b)) + c\n", {"b", "c"}),
    ("  return (b if (c := b) else d) + c\n", {"b", "d"}),
    ("  return [c for c in range(b)]\n", {"b"}),
    ("  return [c for d in range(b)]\n", {"b", "c"}),
    ("  return [b for c in c]\n", {"b", "c"}),
    ("  return {c: 1 for c in [1] for d in [c] if d}\n", set()),
    ("  return lambda c: c + d\n", {"d"}),
    ("  def g():\n    return c\n  c = 1\n  return g\n", {"c"}),
    ("  def g(c=d):\n    return c\n  return g\n", {"d"}),
    ("  def g():\n    def h():\n      return c\n    return h\n  return g\n", {"c"}),
    ("  c += 1\n", {"c"}),
    ("  a[c] = d\n", {"a", "c", "d"}),
    ("  a[0], c = d, 1\n  return c\n", {"a", "d"}),
    ("  if b: c = 1\n  return c\n", {"b", "c"}),
    ("  while b:\n    b = c\n    c = d\n    d = 1\n", {"b", "c", "d"}),
    ("  for c in b:\n    d = c\n  return d\n", {"b", "d"}),
    ("  if b: raise ValueError(c)\n  return d\n", {"b", "c", "d"}),
    ("  raise ValueError(c)\n", {"c"}),
    ("  assert b, c\n", {"b", "c"}),
    ("  import c\n  return c\n", set()),
    ("  return sum(c for _ in [1])\n", {"c"}),
  ],
)
def test_live_after_an_if(after, names):
  assert live(IF + after) == names


def test_declared_and_captured_names_are_live_everywhere():
  assert live("  global c\n" + IF + "  return 1\n") == {"c"}
  text = "  c = 0\n  def g():\n    nonlocal c\n    c += 1\n  if a: g()\n  c = 2\n  return 1\n"
  assert live(text) == {"c"}
  assert set(annotation(first(text, ast.If), Annotation.ASSIGNED)) == {"c"}


@pytest.mark.parametrize(
  ("loop", "names"),
  [
    ("  for t in a:\n    c = t\n", set()),
    ("  for t in a:\n    c = t\n  return c\n", {"c"}),
    ("  for t in a:\n    c = t\n  return t\n", {"t"}),
    ("  for t in a:\n    b = b + t\n", {"b"}),
    ("  for t in a:\n    if t: c = t\n    b[c] = 1\n", {"c"}),
    ("  for t in a:\n    if t: c = t\n    else: c = 2\n    b[c] = 1\n", set()),
    ("  for t in a:\n    for u in t:\n      c = u\n    b[c] = 1\n", {"c"}),
    ("  for t in a:\n    if 0 < t.u < b: b[t] = 0\n", set()),
    ("  for t in a:\n    c = [t for t in c if t]\n", {"c"}),
    ("  for t in a:\n    h = t\n    b.append(lambda: h)\n", {"h"}),
    ("  for t in a:\n    h = t\n    b.append(sum(h for _ in t))\n", set()),
    ("  for t in a:\n    h = t\n    b.append(h for _ in t)\n", {"h"}),
    ("  sum = a\n  for t in a:\n    h = t\n    sum(h for _ in t)\n", {"h"}),
    ("  while a:\n    a = a - 1\n    c = a\n", {"a"}),
    ("  while (c := b()) > 0:\n    a[c] = c\n", {"c"}),
    ("  while (c := b()) > 0:\n    a[0] = 1\n", set()),
    ("  while a[0]:\n    if b: break\n    b = a\n", {"_rtf_stop", "b"}),
    ("  for t in a:\n    if t: break\n  return b\n", {"_rtf_stop"}),
  ],
)
def test_carried_by_a_loop(loop, names):
  assert carried(loop) == names
