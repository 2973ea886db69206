"""Map loops: found where passes are independent, and only there."""

import ast

import pytest

from recursive_tf.convert.syntax.annotations import Annotation, annotation
from tests.convert.syntax.lowering import defined, lowered, prepared

FOUND = {
  "xs = []\n  for t in ts:\n    xs.append(t)\n  return xs": ["append xs t"],
  "xs = []\n  for t in ts:\n    h = t + 1\n    h = h + t\n    xs.append(h * 2)\n  return xs": [
    "append xs h * 2"
  ],
  "xs = []\n  ys = []\n  n = 5\n  for i, t in enumerate(ts):\n    xs.append(t)\n    ys.append(i)\n"
  "    n += t\n    k = k + i\n  return xs, ys, n, k": [
    "append xs t",
    "append ys i",
    "+ n t",
    "+ k i",
  ],
  "for t in ts:\n    k += t\n  return k": ["+ k t"],
  "xs: list = []\n  for t in ts:\n    if t: h = 1\n    else: h = 2\n    xs.append(h)": [
    "append xs h"
  ],
  "xs = []\n  for t in ts:\n    h = 0\n    for u in ts:\n      if u == t: break\n      h += u\n"
  "    xs.append(h)\n  return xs": ["append xs h"],
  "xs = []\n  for t in ts:\n    xs.append(sum(t + u for u in ts))\n  return xs": [
    "append xs sum((t + u for u in ts))"
  ],
  "xs = []\n  for t in ts:\n    xs.append(0 < abs(t) < k)\n  return xs": [
    "append xs 0 < (_rtf_middle := abs(t)) and _rtf_middle < k"
  ],
}

NOT_FOUND = {
  "list is not new": "xs = ts\n  for t in k:\n    xs.append(t)",
  "list has elements": "xs = [1]\n  for t in ts:\n    xs.append(t)",
  "list is used between": "xs = []\n  k = xs\n  for t in ts:\n    xs.append(t)",
  "list is made elsewhere": "xs = []\n  if k:\n    for t in ts:\n      xs.append(t)",
  "list is read": "xs = []\n  for t in ts:\n    xs.append(len(xs))",
  "list is iterated": "xs = []\n  for t in xs:\n    xs.append(t)",
  "list is captured": "xs = []\n  g = lambda: xs\n  for t in ts:\n    xs.append(g())",
  "list is global": "global xs\n  xs = []\n  for t in ts:\n    xs.append(t)",
  "one list twice": "xs = []\n  for t in ts:\n    xs.append(t)\n    xs.append(t)",
  "two elements": "xs = []\n  for t in ts:\n    xs.append(*t)",
  "condition": "xs = []\n  for t in ts:\n    if t: xs.append(t)",
  "continue": "xs = []\n  for t in ts:\n    if t: continue\n    xs.append(t)",
  "break": "xs = []\n  for t in ts:\n    if t: break\n    xs.append(t)",
  "carried": "xs = []\n  for t in ts:\n    k = k * t\n    xs.append(k)",
  "carried in part": "xs = []\n  for t in ts:\n    if t: h = t\n    xs.append(h)",
  "local read later": "xs = []\n  for t in ts:\n    h = t\n    xs.append(h)\n  return h",
  "element read later": "xs = []\n  for t in ts:\n    xs.append(t)\n  return t",
  "local captured": "xs = []\n  for t in ts:\n    h = t\n    xs.append(lambda: h)",
  "element captured": "xs = []\n  for t in ts:\n    xs.append(t + u for u in ts)",
  "walrus read later": "xs = []\n  for t in ts:\n    xs.append(h := t)\n  return h",
  "effect": "xs = []\n  for t in ts:\n    t.h = 1\n    xs.append(t)",
  "call": "xs = []\n  for t in ts:\n    print(t)\n    xs.append(t)",
  "target is stored": "xs = []\n  for k[0] in ts:\n    xs.append(k)",
  "sum is read": "for t in ts:\n    h = k\n    k += t",
  "sum adds itself": "for t in ts:\n    k += k",
  "sum on the right": "for t in ts:\n    k = t + k",
  "product": "for t in ts:\n    k *= t",
  "sum is captured": "g = lambda: k\n  for t in ts:\n    k += g()",
  "nothing": "for t in ts:\n    h = t",
}


def maps(text):
  """Returns the outermost loop's annotation in the prepared `def f(ts, k)` with this body."""
  node = prepared(defined(f"def f(ts, k):\n  {text}\n")).node
  found = [n for n in ast.walk(node) if isinstance(n, ast.For)]
  return annotation(found[0], Annotation.MAP_LOOP)


@pytest.mark.parametrize("text", FOUND)
def test_finds_maps(text):
  outputs = maps(text).outputs
  assert [f"{o.kind} {o.name} {ast.unparse(o.value)}" for o in outputs] == FOUND[text]
  function = defined(f"def f(ts, k):\n  {text}\n")
  for ts in ([], [0], [3, 0, 2, 2]):
    assert lowered(function)(ts, 2) == function(ts, 2)


@pytest.mark.parametrize("name", NOT_FOUND)
def test_leaves_other_loops(name):
  assert maps(NOT_FOUND[name]) is None
