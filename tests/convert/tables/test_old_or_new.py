"""Dicts that a call passed in, or that the run has made, as the run finds: copied and extended."""

import dataclasses

import pytest

from tests.convert.agreement import CONVERTED, Node, agrees, bushy, lopsided, of_text, of_two


@dataclasses.dataclass(frozen=True)
class Name:
  """What has a name."""

  name: object


# How an item is added to a dict, which stays as it is.
ADDED = {
  "display": "{**env, n.name: VALUE}",
  "display from behind": "{n.name: VALUE, **env}",
  "two": "{**env, **{n.name: VALUE}}",
  "operator": "env | {n.name: VALUE}",
  "copied by dict": "written(dict(env), n.name, VALUE)",
  "copied": "written(env.copy(), n.name, VALUE)",
  "updated": "updated(env.copy(), {n.name: VALUE})",
}
VALUES = {
  "old": "n",
  "name": "n.name",
  "list": "[n.name]",
  "new": "Name(n.name)",
  "old and new": "(n.name, Name(n))",
  "dict": "{'a': n.name}",
}
ASKED = {
  "known": "if n.name in env: return env",
  "unknown": "if n.name not in env and n.flag is None: return env",
  "get": "if env.get(n.name) is not None: return env",
  "length": "if len(env) > 2: return env",
}
GONE_ON = {
  "loop": "for kid in n.kids: env = f(kid, env)",
  "both": "env = f(n.kids[0], f(n.kids[-1], env))",
  "merged": "env = {**f(n.kids[0], env), **env}",
}


def _text(added, value, asked, gone_on):
  return f"""
def written(env, name, value):
  env[name] = value
  return env


def updated(env, more):
  env.update(more)
  return env


def f(n, env):
  {ASKED[asked]}
  if not n.kids:
    return {ADDED[added].replace("VALUE", VALUES[value])}
  {GONE_ON[gone_on]}
  return env
"""


def _calls(value):
  shared = Node(9, None, "b", Node(8, True, "q"))
  yield bushy(), {}
  yield lopsided(), {"x": value}
  yield Node(0, True, "r", shared, Node(1, False, "c"), shared), {"top": value, "a": value}
  yield Node(0, True, "r"), {"r": value}


def _check(added, value, asked, gone_on, given, expect=None):
  build = of_text(_text(added, value, asked, gone_on), Name=Name)
  agrees(build, lambda: [*_calls(given)], expect)


_GIVEN = {
  "old": Node(7, True, "old"),
  "name": "word",
  "list": ["word"],
  "new": Name("word"),
  "old and new": Name("word"),
  "dict": {"b": "word"},
}


@pytest.mark.parametrize("gone_on", GONE_ON)
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("added", ADDED)
def test_what_is_added_is_pythons(added, value, asked, gone_on):
  _check(added, value, asked, gone_on, _GIVEN[value])


@pytest.mark.parametrize("value", ["old", "list", "new"])
@pytest.mark.parametrize("added", ADDED)
def test_are_converted(added, value):
  _check(added, value, "known", "both", _GIVEN[value], CONVERTED)


@pytest.mark.parametrize("added", ADDED)
def test_what_is_no_dict_raises_as_in_python(added):
  """Values of dicts are taken for dicts."""
  text = _text(added, "old", "known", "both").replace("return env\n  if", "env = env[n.name]\n  if")
  given = {"c": {}}, {"c": Node(1, True, "n"), "b": {}}
  agrees(of_text(text), lambda: [(bushy(), env) for env in given])


@pytest.mark.parametrize("held", [None, 3, Name("a")])
def test_in_of_what_is_no_container_raises_as_in_python(held):
  """None had no members."""

  def ask(f, nodes, name):
    return [name in node.v for node in nodes]

  agrees(of_two(ask), lambda: [([Node({"a": 1}, True, "n"), Node(held, True, "m")], "a")])
