"""None that is given is not what is left out: for most of Python's functions it is an error."""

import collections
import functools
import itertools
import math
import operator

import pytest
import tensorflow as tf

from tests.convert.agreement import agrees, lopsided, of_text

_EXPRESSIONS = [
  *("dict(NONE)", "dict(NONE, x=n.v)", "list(NONE)", "tuple(NONE)", "set(NONE)", "frozenset(NONE)"),
  *("sum(NONE)", "sum([n.v], NONE)", "int(NONE)", "float(NONE)", "bool(NONE)", "str(NONE)"),
  *("sorted(NONE)", "sorted([n.v, 1], key=NONE)", "sorted([n.v, 1], reverse=NONE)"),
  *("min(NONE)", "max([n.v], key=NONE)", "max([], default=NONE)", "min(n.v, 1, key=NONE)"),
  *("[*enumerate(NONE)]", "[*enumerate([n.v], NONE)]", "[*zip([n.v], NONE)]", "[*range(NONE)]"),
  *("[*range(0, n.v, NONE)]", "[*map(NONE, [n.v])]", "[*filter(NONE, [n.v, 0])]", "len(NONE)"),
  *(
    "round(n.v / 2, NONE)",
    "round(2.5, NONE)",
    "pow(n.v, 2, NONE)",
    "abs(NONE)",
    "divmod(n.v, NONE)",
  ),
  *(
    "any(NONE)",
    "all(NONE)",
    "format(n.v, NONE)",
    "isinstance(n, NONE)",
    "repr(NONE)",
    "[*reversed(NONE)]",
  ),
  *("next(iter([]), NONE)", "getattr(n, 'x', NONE)", "getattr(n, 'v', NONE)", "hasattr(n, NONE)"),
  *("''.join(NONE)", "'a b'.split(NONE)", "'a b'.split(' ', NONE)", "' a '.strip(NONE)"),
  *(
    "n.name.split(NONE)",
    "n.name.strip(NONE)",
    "n.name.replace('a', 'b', NONE)",
    "n.name.replace('a', NONE)",
  ),
  *(
    "n.name.find('a', NONE)",
    "n.name.startswith(NONE)",
    "n.name.rjust(4, NONE)",
    "n.name.count(NONE)",
  ),
  *(
    "n.name.center(NONE)",
    "n.name.zfill(NONE)",
    "n.name.join(NONE)",
    "n.name + NONE",
    "n.name * NONE",
  ),
  *(
    "n.name[NONE:]",
    "n.name[:NONE]",
    "n.kids[NONE:1]",
    "n.kids[::NONE]",
    "n.name[NONE]",
    "[n.v][NONE]",
  ),
  *("[n.v, 2].index(n.v, NONE)", "[n.v].pop(NONE)", "[n.v].extend(NONE)", "[n.v].insert(NONE, 1)"),
  *(
    "[n.v].sort(key=NONE)",
    "[n.v].count(NONE)",
    "{n.v: 1}.get(n.v, NONE)",
    "{n.v: 1}.pop(9, NONE)",
  ),
  *("{1: 1}.setdefault(n.v, NONE)", "{1: 1}.update(NONE)", "dict.fromkeys([n.v], NONE)"),
  *(
    "dict.fromkeys(NONE)",
    "{**NONE}",
    "[*NONE]",
    "{1: n.v} | NONE",
    "{n.v} | NONE",
    "{n.v}.union(NONE)",
  ),
  *(
    "{n.v}.issubset(NONE)",
    "{n.v}.update(NONE)",
    "n.v in NONE",
    "n.name in NONE",
    "NONE in [n.v, NONE]",
  ),
  *("functools.reduce(operator.add, [n.v, 2], NONE)", "functools.reduce(operator.add, [], NONE)"),
  *(
    "functools.reduce(lambda a, b: b, [n.v], NONE)",
    "[*itertools.accumulate([n.v, 2], initial=NONE)]",
  ),
  *("[*itertools.accumulate([n.v, 2], NONE)]", "[*itertools.islice([n.v, 2], NONE)]"),
  *(
    "[*itertools.islice([n.v, 2], 1, NONE)]",
    "[*itertools.zip_longest([n.v], [1, 2], fillvalue=NONE)]",
  ),
  *("[*itertools.product([n.v], NONE)]", "[*itertools.product([n.v], repeat=NONE)]"),
  *(
    "[*itertools.chain([n.v], NONE)]",
    "[*itertools.repeat(n.v, NONE)]",
    "[*itertools.combinations([1], NONE)]",
  ),
  *("[*itertools.groupby([n.v], NONE)]", "[*zip(itertools.count(NONE), [n.v])]", "math.sqrt(NONE)"),
  *(
    "math.log(n.v, NONE)",
    "math.prod([n.v], start=NONE)",
    "math.prod(NONE)",
    "math.gcd(n.v, NONE)",
  ),
  *(
    "collections.Counter(NONE)",
    "collections.Counter([n.v]).most_common(NONE)",
    "collections.defaultdict(NONE)",
  ),
  *(
    "tf.constant(NONE)",
    "tf.constant(n.v, NONE)",
    "tf.constant(n.v, shape=NONE)",
    "tf.reduce_sum([1.0], NONE)",
  ),
  *(
    "tf.stack(NONE)",
    "tf.stack([n.v], NONE)",
    "tf.concat([[n.v]], NONE)",
    "tf.zeros(NONE)",
    "tf.zeros([1], NONE)",
  ),
  *(
    "tf.convert_to_tensor(n.v, NONE)",
    "tf.cast(n.v, NONE)",
    "tf.reshape([n.v], NONE)",
    "tf.add_n(NONE)",
  ),
  *(
    "print(n.v, sep=NONE, end=NONE)",
    "print(NONE, file=NONE)",
    "min([n.v], NONE)",
    "max(n.v, NONE)",
  ),
]
_MODULES = {
  **{"collections": collections, "functools": functools, "itertools": itertools, "math": math},
  **{"operator": operator, "tf": tf},
}
# None as it is written, that of a parameter, and that of an object.
_NONES = {"constant": "None", "parameter": "none", "attribute": "n.none"}


def _root():
  tree = lopsided()
  for n in [tree, *tree.kids, *tree.kids[0].kids]:
    n.none = None
  return tree


@pytest.mark.parametrize("none", _NONES)
@pytest.mark.parametrize("expression", _EXPRESSIONS)
def test_none_that_is_given_is_pythons(expression, none):
  text = f"""
def f(n, none):
  found = {expression.replace("NONE", _NONES[none])}
  return [found, [f(k, none) for k in n.kids]]
"""
  agrees(of_text(text, **_MODULES), lambda: [(_root(), None)])
