"""`itertools`, `functools.reduce`, `filter`, `math.prod`: lists of the tree and the program."""

# ruff: noqa: B905

import functools
import itertools
import math
import operator

import pytest
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, Node, agrees, bushy, root, trees


def _reduce_of_sums(n, visit):
  return functools.reduce(lambda a, k: a * 2 + visit(k), n.kids, n.v)


def _reduce_of_nothing(n, visit):
  return functools.reduce(operator.add, [visit(k) for k in n.kids]) if n.kids else n.v


def _reduce_in_a_reduce(n, visit):
  def inner(k):
    return functools.reduce(lambda a, b: a + b.v, k.kids, visit(k))

  return functools.reduce(lambda a, k: max(a, inner(k)), n.kids, n.v)


def _product_of_all(n, visit):
  return math.prod([1 + visit(k) % 3 for k in n.kids]) + math.prod((k.v for k in n.kids), start=2)


def _chain(n, visit):
  return sum(x for x in itertools.chain([n.v], (visit(k) for k in n.kids), (3, 4)))


def _chain_of_nodes(n, visit):
  return n.v + sum(visit(k) for k in itertools.chain(n.kids, reversed(n.kids)))


def _chain_from_iterable(n, visit):
  values = sum(k.v for k in itertools.chain.from_iterable(k.kids for k in n.kids))
  return n.v + values + sum(map(visit, n.kids))


def _chain_starred(n, visit):
  grandchildren = list(itertools.chain(n.kids, *[k.kids for k in n.kids]))
  return n.v + sum(visit(k) for k in n.kids) + len(grandchildren)


def _accumulate(n, visit):
  sums = list(itertools.accumulate(visit(k) for k in n.kids))
  return n.v + (max(sums) if sums else 0) + len(sums)


def _accumulate_with(n, visit):
  def step(a, k):
    return a * 2 - visit(k)

  found = list(itertools.accumulate(n.kids, step, initial=n.v))
  return sum(x * (i + 1) for i, x in enumerate(found))


def _islice(n, visit):
  found = sum(visit(k) for k in itertools.islice(n.kids, 2))
  return n.v + found + sum(k.v for k in itertools.islice(n.kids, 1, None, 2))


def _islice_of_run(n, visit):
  return n.v + sum(visit(k) for k in itertools.islice(n.kids, n.v))


def _pairwise(n, visit):
  return n.v + sum(visit(a) - b.v * 2 for a, b in itertools.pairwise(n.kids))


def _zip_longest(n, visit):
  pairs = itertools.zip_longest
  return n.v + sum(visit(a) * 2 - (0 if b is None else b.v) for a, b in pairs(n.kids, n.kids[1:]))


def _zip_longest_fill(n, visit):
  sums = [visit(k) for k in n.kids]
  return n.v + sum(a - 2 * b for a, b in itertools.zip_longest(sums, [1, 2], fillvalue=5))


def _product(n, visit):
  return n.v + sum(visit(a) * 2 - b.v for a, b in itertools.product(n.kids, n.kids[:2]))


def _product_repeat(n, visit):
  sums = [visit(k) for k in n.kids[:2]]
  return n.v + sum(a * 2 - b for a, b in itertools.product(sums, repeat=2))


def _combinations(n, visit):
  sums = [visit(k) for k in n.kids]
  return n.v + sum(a * 3 - b for a, b in itertools.combinations(sums, 2))


def _permutations(n, visit):
  sums = [visit(k) for k in n.kids]
  return n.v + sum(a * 3 - b for a, b in itertools.permutations(sums, 2))


def _count(n, visit):
  return n.v + sum(i * visit(k) for i, k in zip(itertools.count(1), n.kids))


def _count_down(n, visit):
  found = 0
  for k, i, j in zip(n.kids, itertools.count(5, -2), itertools.repeat(3, 9)):
    found += visit(k) * i + j
  return n.v + found


def _starmap(n, visit):
  return n.v + sum(itertools.starmap(lambda i, k: i - visit(k), enumerate(n.kids)))


def _takewhile(n, visit):
  return n.v + sum(visit(k) for k in itertools.takewhile(lambda k: k.v < 5, n.kids))


def _dropwhile(n, visit):
  return n.v + sum(visit(k) for k in itertools.dropwhile(lambda k: k.flag, n.kids))


def _filters(n, visit):
  found = sum(map(visit, filter(lambda k: k.flag, n.kids)))
  return found + sum(k.v for k in itertools.filterfalse(lambda k: k.flag, n.kids))


def _filter_none(n, visit):
  return n.v + sum(filter(None, [visit(k) % 3 for k in n.kids]))


def _getters(n, visit):
  by, both = operator.attrgetter("v"), operator.itemgetter(1, 0)
  sums = [both((visit(k), by(k))) for k in sorted(n.kids, key=by, reverse=True)]
  return n.v + sum(a * 2 - b for a, b in sums)


WAYS = [
  value for name, value in list(globals().items()) if name.startswith("_") and name[1:2] != "_"
]


@pytest.mark.parametrize("way", WAYS, ids=lambda f: f.__name__[1:])
def test_numbers(way):
  def build(recursive):
    @recursive
    def visit(n):
      return way(n, visit)

    return visit

  agrees(build, trees, expect=CONVERTED)


@pytest.mark.parametrize(
  "flat",
  [
    lambda n, visit: [n.v, *itertools.chain.from_iterable(visit(k) for k in n.kids)],
    lambda n, visit: list(itertools.chain([n.v], *[visit(k) for k in n.kids], )),
    lambda n, visit: [n.v] + sum((visit(k) for k in n.kids), []),
    lambda n, visit: sum([visit(k) for k in n.kids if k.flag], []) + [n.v],
  ],
  ids=["from_iterable", "starred", "sum", "sum_of_a_list"],
)  # fmt: skip
def test_lists_put_together(flat):
  def build(recursive):
    @recursive
    def visit(n):
      return flat(n, visit)

    return visit

  agrees(build, trees, expect=CONVERTED)


def test_the_sum_of_tuples_and_a_list_raises():
  def build(recursive):
    @recursive
    def visit(n):
      return sum(((n.v, len(visit(k))) for k in n.kids), [])

    return visit

  plain, converted = build(lambda f: f), build(lambda f: f)
  with pytest.raises(TypeError):
    plain(root())
  agrees(build, lambda: [(Node(1, True, "l"),), (root(),)])
  assert converted(Node(1, True, "l")) == []


def test_lists_changed_while_others_are_made():
  """The lists are put together after all are made, and see what was changed in the meantime."""

  def build(recursive):
    shared = []

    @recursive
    def visit(n):
      shared.append(n.v)
      return sum([visit(k) for k in n.kids], []) + shared[:2] if n.kids else shared

    return visit, [shared]

  agrees(build, lambda: [(root(),), (bushy(),)])


def test_gradients():
  def build(recursive):
    weight = tf.Variable(0.7)

    @recursive
    def visit(n):
      first = tf.cast(n.v, tf.float32) * weight
      sums = list(itertools.accumulate((visit(k) for k in n.kids), operator.mul, initial=first))
      return functools.reduce(lambda a, b: tf.tanh(a + weight * b), sums)

    return visit, [weight]

  agrees(build, trees, expect=CONVERTED, variables=lambda function, state: state)


@pytest.mark.parametrize("consume", ["for", "sum", "list"])
@pytest.mark.parametrize(
  "make",
  [
    lambda f, xs: itertools.takewhile(lambda k: f(k) < 4, xs),
    lambda f, xs: itertools.islice((f(k) for k in xs), 2),
    lambda f, xs: filter(lambda k: f(k) > 2, xs),
    lambda f, xs: itertools.accumulate(xs, lambda a, k: a + f(k), initial=0),
    lambda f, xs: itertools.chain((f(k) for k in xs), (f(k) for k in xs)),
  ],
  ids=["takewhile", "islice", "filter", "accumulate", "chain"],
)
def test_effects_come_in_pythons_order(make, consume):
  def build(recursive):
    log = []

    def noted(x):
      log.append(x)
      return x

    @recursive
    def visit(n):
      values = [k.v for k in n.kids]
      found = 0
      if consume == "for":
        for x in make(noted, values):
          log.append(-x)
          found += x
      elif consume == "sum":
        found = sum(make(noted, values))
      else:
        found = len(list(make(noted, values)))
      return found + sum([visit(k) for k in n.kids])

    return visit, [log]

  agrees(build, trees)


def test_an_endless_iterator_is_not_kept():
  def build(recursive):
    @recursive
    def visit(n):
      numbers = itertools.count()
      first = [i for i, k in zip(numbers, n.kids)]
      return n.v + sum(first) + sum(i * visit(k) for i, k in zip(numbers, n.kids))

    return visit

  agrees(build, lambda: [(root(),)], expect=Reason.UNSUPPORTED_OPERATION)


@pytest.mark.parametrize("bounds", [(-1,), (1, -2), (0, 2, 0), (0, 1, -1)])
def test_bounds_that_islice_refuses(bounds):
  def build(recursive):
    @recursive
    def visit(n):
      return n.v + sum(visit(k) for k in itertools.islice(n.kids, *bounds))

    return visit

  agrees(build, lambda: [(root(),)])


def test_reduce_of_nothing_raises():
  def build(recursive):
    @recursive
    def visit(n):
      return functools.reduce(operator.add, [visit(k) for k in n.kids])

    return visit

  agrees(build, lambda: [(root(),)])
