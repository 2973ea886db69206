"""Arguments that are handed on as they come: `*args` and `**kwargs`, also by wrapped functions."""

import collections
import dataclasses
import functools

import pytest

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, bushy, root
from tests.convert.compare import Comparison
from tests.convert.found.collected import collector
from tests.convert.harness import compare_outcomes, observe, set_verify
from tests.convert.programs.registry import Call

# --- Keywords of calls from outside

CALLS = {
  "none": {},
  "string": {"lang": "a"},
  "two": {"lang": "r", "v": 1},
  "int": {"v": 2},
  "float": {"v": 2.0},
  "bool": {"v": True},
  "none_given": {"lang": None},
  "other_order": {"v": 1, "lang": "r"},
  "not_ascii": {"é": 3},
  "list": {"lang": "zz", "q": [1, 2]},
}


def filtering(recursive):
  @recursive
  def f(n, **attrs):
    found = [n.name] if all(v in (n.name, n.v) for v in attrs.values()) else []
    for kid in n.kids:
      found += f(kid, **attrs)
    return found

  return f


def counting(recursive):
  @recursive
  def f(n, depth=0, **kw):
    return depth + 10 * len(kw) + sum([f(kid, depth=depth + 1, **kw) for kid in n.kids])

  return f


def changing(recursive):
  @recursive
  def f(n, **kw):
    given = kw.pop("v", None)
    kw["new"] = 1
    return len(kw) + (given is None) + sum([f(kid, **kw) for kid in n.kids])

  return f


def merging(recursive):
  @recursive
  def f(n, **kw):
    options = {"v": 0, "w": 5, **kw}
    return [*options, *[x for kid in n.kids for x in f(kid)]]

  return f


def asking(recursive):
  @recursive
  def f(n, **kw):
    if "lang" in kw and kw["lang"] is not None:
      return [n.name, kw["lang"], *[f(kid, lang="x") for kid in n.kids]]
    return [n.v, kw.get("v", 0)]

  return f


@pytest.mark.parametrize("body", [filtering, counting, changing, merging, asking])
def test_keywords_are_known_by_their_names(body):
  plain, other = body(lambda f: f), body(lambda f: rtf.recursive(f, verify=False))
  for is_verified in (False, True):
    set_verify(other, is_verified)
    for name, keywords in CALLS.items():
      a, b = root(), root()
      Comparison().check([a, plain(a, **keywords)], [b, other(b, **keywords)], name)
  assert other.stats.num_converted_runs == 2 * len(CALLS), other.explain()


def test_keywords_of_a_map_are_the_same_for_all():
  plain, other = (counting(one) for one in (lambda f: f, lambda f: rtf.recursive(f, verify=False)))
  for keywords in ({}, {"a": 1}, {"a": 1, "b": 2.5}):
    wanted = [plain(tree, **keywords) for tree in (root(), bushy())]
    assert other.map([root(), bushy()], **keywords) == wanted
  assert set(other.stats.fallbacks) == set(), other.explain()


# --- Inside

programs, program = collector()


def trees():
  return [(root(), 2), (bushy(), 3)]


@program(CONVERTED, trees)
def keywords_of_a_function_inside(recursive):
  def go(n, **kw):
    return n.v * kw.get("scale", 1) + sum([go(kid, **kw) for kid in n.kids])

  @recursive
  def f(n, scale):
    return go(n, scale=scale)

  return f


@program(CONVERTED, trees)
def defaults_merged(recursive):
  defaults = {"scale": 3, "offset": 1}

  def go(n, scale, offset=0):
    return n.v * scale + offset + sum([go(kid, scale, offset=offset) for kid in n.kids])

  @recursive
  def f(n, scale):
    return go(n, **{**defaults, "scale": scale})

  return f


@program(CONVERTED, trees)
def all_handed_on(recursive):
  def target(n, a, b=1, *, c=2):
    return n.v + a + b * c

  def through(*args, **kwargs):
    return target(*args, **kwargs)

  @recursive
  def f(n, s):
    return through(n, s, c=4) + through(n, a=s, b=5) + sum([f(kid, s) for kid in n.kids])

  return f


# --- Wrapped functions


def doubled(function):
  @functools.wraps(function)
  def wrapper(x):
    return 2 * function(x)

  return wrapper


def counted(counts):
  def wrap(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
      counts.append(len(args))
      return function(*args, **kwargs)

    return wrapper

  return wrap


def alone():
  return [(root(),), (bushy(),), (root(),)]


@program(CONVERTED, alone)
def wrapped_inside(recursive):
  @doubled
  def count(n):
    return n.v + sum([count(kid) for kid in n.kids])

  @recursive
  def f(n):
    return count(n)

  return f


@program(CONVERTED, alone)
def wrapped_with_another_name(recursive):
  @recursive
  @doubled
  def count(node):
    return node.v + sum([count(kid) for kid in node.kids])

  return count


@program(CONVERTED, lambda: [*alone(), (root(), 3), (root(), 2.5)])
def wrapped_with_any_arguments(recursive):
  counts = []

  @recursive
  @counted(counts)
  def count(n, d=0):
    return n.v + d + sum([count(kid, d=d + 1) for kid in n.kids])

  return count, [counts]


@program(CONVERTED, alone)
def wrapped_around(recursive):
  @doubled
  @recursive
  def count(n):
    return n.v + sum([count(kid) for kid in n.kids])

  @recursive
  def f(n):
    return count(n)

  return f


@pytest.mark.parametrize(("build", "expect", "calls"), programs)
def test_what_is_handed_on_arrives(build, expect, calls):
  agrees(build, calls, expect)


# --- A keyword that is given twice: a TypeError


class Taking:
  def __init__(self, v=0, **kw):
    self.v, self.kw = v, kw


def taking(v=0, **kw):
  return v, kw


TWICE = {
  "then_dict": lambda n, kw: taking(v=n.v, **kw),
  "dict_then": lambda n, kw: taking(**kw, v=n.v),
  "two_dicts": lambda n, kw: taking(**{"v": 2}, **kw),
  "by_place": lambda n, kw: taking(n.v, **kw),
  "class": lambda n, kw: Taking(v=n.v, **kw).kw,
  "dict": lambda n, kw: dict(v=n.v, **kw),
  "entry": None,
}


Pair = collections.namedtuple("Pair", "a b", defaults=[5])


@dataclasses.dataclass
class Options:
  rate: float = 0.1


@pytest.mark.parametrize(
  ("kind", "keywords"),
  [(Options, {"zz": 1}), (Pair, {"zz": 1}), (Pair, {"a": 1}), (Pair, {"b": 1})],
)
def test_fields_that_there_are_not(kind, keywords):
  def build(recursive):
    @recursive
    def f(n, **kw):
      made = kind(**kw) if kind is Options else kind(n.v, **kw)
      return [made, *[f(kid, **kw) for kid in n.kids]]

    return f

  plain, other = build(lambda f: f), build(lambda f: rtf.recursive(f, verify=False))
  a, b = (observe(f, Call((root(),), keywords)) for f in (plain, other))
  compare_outcomes(a, b, f"{keywords}")
  assert a.result == b.result
  assert Reason.INTERNAL_ERROR not in other.stats.fallbacks


@pytest.mark.parametrize("name", TWICE)
def test_a_keyword_that_is_given_twice(name):
  def build(recursive):
    @recursive
    def f(n, **kw):
      if name != "entry":
        return [TWICE[name](n, kw), *[f(kid, **kw) for kid in n.kids]]
      return [len(kw), *[f(kid, v=1, **kw) for kid in n.kids[:1]]]

    return f

  plain, other = build(lambda f: f), build(lambda f: rtf.recursive(f, verify=False))
  for keywords in ({"v": 2}, {"w": 2}, {}, {"v": 1}):
    a, b = (observe(f, Call((root(),), keywords)) for f in (plain, other))
    assert (a.error is not None) == ("v" in keywords)
    compare_outcomes(a, b, f"{keywords}")
    assert a.result == b.result


def test_arguments_that_do_not_fit_raise_pythons_error_alone():
  @rtf.recursive
  def f(n, **kw):
    return n.v + len(kw)

  with pytest.raises(TypeError, match=r"f\(\) got multiple values for argument 'n'") as caught:
    f(root(), n=3)
  assert caught.value.__context__ is None
