"""Dicts that a loop or a branch fills: by keys that conversion knows, and by those of the run."""

import pytest

from tests.convert.agreement import CONVERTED, agrees

END = "$"


def trie(words):
  root = {}
  for word in words.split():
    here = root
    for letter in word:
      here = here.setdefault(letter, {})
    here[END] = True
  return root


def completed(f, tree, prefix, so_far):
  so_far = so_far or ""
  if prefix:
    if prefix[0] not in tree:
      return {}
    return f(tree[prefix[0]], prefix[1:], so_far + prefix[0])
  found = {}
  for letter in sorted(tree):
    if letter == END:
      found[so_far] = len(so_far)
    else:
      found.update(f(tree[letter], "", so_far + letter))
  return found


def prefixes():
  tree = trie("to tea ten in inn")
  return [(tree, "te"), (tree, ""), (trie("a"), "b"), (tree, "t"), (tree, "")]


def _build(program):
  def build(recursive):
    @recursive
    def f(value, first="", second=None):
      return program(f, value, first, second)

    return f

  return build


def flattened(f, value, prefix, depth):
  if depth is not None and depth <= 0:
    return {prefix: value}
  below = None if depth is None else depth - 1
  out = {}
  if isinstance(value, dict) and value:
    for key, one in value.items():
      out.update(f(one, prefix + "." + key if prefix else key, below))
  elif isinstance(value, (list, tuple)) and value:
    for i, one in enumerate(value):
      out.update(f(one, f"{prefix}[{i}]", below))
  else:
    out[prefix] = value
  return out


ORDER = {
  "id": 17,
  "customer": {"name": "Ann", "address": {"city": "Graz", "zip": "8010"}},
  "lines": [{"sku": "A1", "count": 2}, {"sku": "B7", "tags": ["sale", "new"]}],
  "notes": [],
  "paid": None,
}


def documents():
  return [(3,), ({"a": 1, "b": {"c": 2}},), ([1, [2, 3], {"x": [4]}],), (ORDER,), (ORDER, "", 2)]


def counted(f, value, counts, _):
  counts = counts or {}
  kind = "leaf" if not isinstance(value, (dict, list)) else "inner"
  counts[kind] = counts.get(kind, 0) + 1
  if isinstance(value, dict):
    for one in value.values():
      f(one, counts)
  return counts


def branched(f, value, *_):
  out = {}
  if isinstance(value, dict):
    out["size"] = len(value)
    for key, one in value.items():
      out[key] = len(f(one))
  if isinstance(value, str):
    out[value] = 1
  return out


def emptied(f, value, *_):
  out = {"": 0}
  if isinstance(value, dict):
    for key, one in value.items():
      out[key] = len(f(one))
      out.pop("", None)
  return out


def scoped(f, e, env, _):
  match e:
    case float() | int():
      return float(e)
    case str():
      return env[e]
    case ["let", name, value, body]:
      return f(body, {**env, name: f(value, env)})
    case ["+", *terms]:
      return sum([f(term, env) for term in terms])
  raise SyntaxError(str(e))


def expressions():
  env = {"x": 2.0}
  inner = ["let", "z", ["+", "y", 3.0], ["+", "z", "y"]]
  return [
    (1.0, env),
    (["+", 1, 2.5, "x"], env),
    (["let", "y", ["+", 1, "x"], ["+", "y", "y"]], env),
    (["let", "y", 2, inner], env),
    (["let", "x", 0.5, "x"], env),
  ]


def bound_to_a_number(f, e, env, _):
  return {**env, e[1]: len(e)} if isinstance(e, list) else env


def lists():
  return [(["a", "b"], {}), (["a", 1], {}), (["a", True], {})]


def of_default(f, d, *_):
  total = len(d.get("p", {}))
  for key, one in d.get("p", {}).items():
    total += len(key) + (f(one) if isinstance(one, dict) else 1)
  for one in d.get("q", {}).values():
    total += f(one) if isinstance(one, dict) else one
  return total + len(d.get("l", []))


def schemas():
  return [
    ({"p": {"a": 3, "p": {"q": {"b": 4}}}, "l": [1, 2]},),
    ({},),
    ({"q": {"x": {"p": {}}}},),
    ({"l": []},),
    ({"p": {"a": {"p": {"b": 1}}}},),
  ]


def bare_documents():
  return [calls[:1] for calls in documents()]


_CONVERTED = {completed: prefixes, flattened: documents, of_default: schemas}
_OTHERS = {
  counted: bare_documents,
  branched: bare_documents,
  emptied: bare_documents,
  scoped: expressions,
  bound_to_a_number: lists,
}


@pytest.mark.parametrize("program", _CONVERTED, ids=lambda f: f.__name__)
def test_dicts_of_all_keys_are_made_by_the_run(program):
  agrees(_build(program), _CONVERTED[program], expect=CONVERTED)


@pytest.mark.parametrize("program", _OTHERS, ids=lambda f: f.__name__)
def test_other_dicts_are_pythons(program):
  agrees(_build(program), _OTHERS[program])
