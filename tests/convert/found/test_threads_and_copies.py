"""Decorated functions in pools, by two names at once, copied and pickled: as undecorated ones."""

import concurrent.futures
import copy
import pickle
import threading
import time

import pytest

import recursive_tf as rtf


class N:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


TREE = N(1, N(2, N(3, N(6))), N(5, N(6, N(7))))
POOL = concurrent.futures.ThreadPoolExecutor(12)


@rtf.recursive
def by_pool(n):
  return n.v + sum(POOL.map(by_pool, n.kids))


@pytest.mark.timeout(60)
def test_a_function_may_wait_for_threads_that_call_it():
  assert by_pool(TREE) == 30
  assert by_pool.stats.num_converted_runs == 0


def slowly(kids):
  for kid in kids:
    time.sleep(0.01)
    yield kid


@rtf.recursive
def even(n):
  return n.v if not n.kids else sum(odd(kid) for kid in slowly(n.kids))


@rtf.recursive
def odd(n):
  return n.v if not n.kids else sum(even(kid) for kid in slowly(n.kids))


@pytest.mark.timeout(60)
def test_two_threads_may_begin_with_each_of_two_functions():
  found = {}
  threads = [
    threading.Thread(target=lambda f=f: found.setdefault(f, f(TREE)), daemon=True)
    for f in (even, odd)
  ]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join(30)
  assert found == {even: 13, odd: 13}


@pytest.mark.timeout(60)
def test_plain_and_converted_calls_of_many_threads_agree():
  @rtf.recursive
  def total(n):
    return n.v + sum(total(kid) for kid in n.kids)

  strange = N(1, N(2**70), N(3))  # Beyond what a graph holds: plain Python does it.
  results = list(POOL.map(lambda i: total(strange if i % 3 == 0 else TREE), range(60)))
  assert results == [2**70 + 4 if i % 3 == 0 else 30 for i in range(60)]
  stats = total.stats
  assert stats.num_converted_runs + stats.num_fallback_runs == 60


def twice(x):
  return 2 * x


once_function = rtf.function(twice)


class Model:
  @rtf.recursive
  def total(self, n):
    return n.v + sum(self.total(kid) for kid in n.kids)


def test_copies_and_pickles_are_as_of_functions():
  config = {"f": even, "g": once_function}
  assert copy.deepcopy(config) == config
  assert copy.copy(even) is even
  assert pickle.loads(pickle.dumps(even)) is even
  assert pickle.loads(pickle.dumps(Model.total)) is Model.total
  model = Model()
  bound = copy.deepcopy(model.total)
  assert bound != model.total
  assert bound(TREE) == 30


def test_what_has_no_name_in_its_module_is_not_pickled():
  local = rtf.recursive(lambda n: n.v)
  with pytest.raises((pickle.PicklingError, AttributeError)):
    pickle.dumps(local)
