"""Arguments that each call in a call puts into another tuple, list, dict or object."""

import pytest

from tests.convert.agreement import agrees, of_text


class Node:
  def __init__(self, v, name, *kids):
    self.v, self.name, self.kids = v, name, list(kids)


class Scope:
  def __init__(self, up, v):
    self.up, self.v, self.names, self.count = up, v, {}, 0

  def total(self):
    return self.v + (self.up.total() if self.up is not None else 0)

  def depth(self):
    found, one = 0, self
    while one is not None:
      found, one = found + 1, one.up
    return found


# How it is put into another one, and what is above, and the number in it.
NESTS = {
  "object": ("Scope({above}, n.v)", "{env}.up", "{env}.v"),
  "tuple": ("({above}, n.v)", "{env}[0]", "{env}[1]"),
  "list": ("[{above}, n.v]", "{env}[0]", "{env}[1]"),
  "dict": ("{{'up': {above}, 'v': n.v}}", "{env}['up']", "{env}['v']"),
}
WALKS = {
  "read": """
def f(n, env=None):
  inner = {made}
  if not n.kids:
    return {v}
  return sum(f(kid, inner) for kid in n.kids)""",
  "looped": """
def f(n, env=None):
  inner = {made}
  found, one = 0, inner
  while one is not None:
    found, one = found + {v_of_one}, {up_of_one}
  return found + sum([f(kid, inner) for kid in n.kids])""",
  "one_above": """
def f(n, env=None):
  inner = {made}
  if env is not None and n.v > 2:
    return {v_of_env}
  return [f(kid, inner) for kid in n.kids]""",
  "by_a_call": """
def total(one):
  if one is None:
    return 0
  return {v_of_one} + total({up_of_one})

def f(n, env=None):
  inner = {made}
  return [total(inner)] + [x for kid in n.kids for x in f(kid, inner)]""",
  "passed_on": """
def f(n, env=None):
  if n.v % 2:
    return sum([f(kid, env) for kid in n.kids])
  inner = {made}
  return {v} + sum([f(kid, inner) for kid in n.kids])""",
}


def _walk(walk, nest):
  made, up, v = NESTS[nest]
  return WALKS[walk].format(
    made=made.format(above="env"),
    v=v.format(env="inner"),
    v_of_one=v.format(env="one"),
    up_of_one=up.format(env="one"),
    v_of_env=v.format(env="env"),
  )


def _trees():
  deep = Node(6, "d")
  for v in range(5, 0, -1):
    deep = Node(v, f"n{v}", deep)
  wide = Node(
    1, "w", Node(2, "a", Node(4, "b"), Node(5, "c")), Node(3, "d"), Node(4, "e", Node(1, "f"))
  )
  return [(Node(1, "l"),), (wide,), (deep,), (wide,), (Node(2, "x", Node(2, "y")),)]


@pytest.mark.parametrize("nest", NESTS)
@pytest.mark.parametrize("walk", WALKS)
def test_they_are_pythons(walk, nest):
  other = agrees(of_text(_walk(walk, nest), Scope=Scope), _trees)
  assert other.stats.num_converted_runs


CHANGED = {
  "names": "inner.names[n.name] = n.v",
  "count": "inner.count += 1",
  "count_above": "if env is not None:\n    env.count += n.v",
  "top": "top(inner).count += 1",
}
CHANGING = """
def top(one):
  while one.up is not None:
    one = one.up
  return one

def f(n, env=None):
  inner = Scope(env, n.v)
  {changed}
  below = [f(kid, inner) for kid in n.kids]
  return inner.{asked}, below
"""


@pytest.mark.parametrize("asked", ["count", "total()", "depth()", "names"])
@pytest.mark.parametrize("changed", CHANGED)
def test_what_is_changed_in_them_is_pythons(changed, asked):
  agrees(of_text(CHANGING.format(changed=CHANGED[changed], asked=asked), Scope=Scope), _trees)


@pytest.mark.slow
def test_scopes_that_nest_are_converted():
  text = """
def find(env, name):
  hops = 0
  while env is not None:
    if name in env.names:
      return hops, env.names[name]
    env, hops = env.up, hops + 1
  return None

def f(n, env, errors):
  if n.kids:
    inner = Scope(env, n.v)
    for kid in n.kids:
      f(kid, inner, errors)
    n.v = len(inner.names)
  elif n.v % 2:
    env.names[n.name] = len(env.names)
  else:
    found = find(env, n.name)
    if found is None:
      errors.append("undefined " + n.name)
    else:
      n.v = found[1]
"""

  def calls():
    use, let = (lambda name: Node(2, name)), (lambda name: Node(1, name))
    inner = Node(3, "in", use("a"), let("c"), use("c"), use("d"))
    outer = Node(3, "out", let("a"), let("b"), inner, use("c"))
    return [
      (tree, Scope(None, 0), []) for tree in (let("a"), Node(3, "o", let("b"), use("z")), outer)
    ]

  other = agrees(of_text(text, Scope=Scope), calls)
  assert other.stats.num_converted_runs
