"""Recursion of plain Python through decorated functions is as deep as without them."""

import sys
import threading

import pytest

import recursive_tf as rtf


class _Node:
  def __init__(self, value, next):
    self.value, self.next = value, next


def _chain(length):
  node = None
  for i in range(length):
    node = _Node(i, node)
  return node


def _function(decorate):
  @decorate
  def total(node):
    open("/dev/null").close()  # Refused.
    return 0 if node is None else node.value + total(node.next)

  return total


def _method(decorate):
  class Model:
    @decorate
    def total(self, node):
      open("/dev/null").close()
      return 0 if node is None else node.value + self.total(node.next)

  return Model().total


def _plain(function):
  return function


@pytest.mark.parametrize("decorate", [rtf.recursive, rtf.function])
@pytest.mark.parametrize("make", [_function, _method])
def test_plain_python_is_as_deep_as_undecorated(make, decorate):
  limit, found = sys.getrecursionlimit(), {}

  def work():  # In a thread of its own: pytest's frames do not count.
    for name, function in (("plain", make(_plain)), ("ours", make(decorate))):
      for length in (900, 950, 1_200, 3_000):
        try:
          found[name, length] = function(_chain(length))
        except RecursionError:
          found[name, length] = None

  thread = threading.Thread(target=work)
  thread.start()
  thread.join()
  for length in (900, 950, 1_200, 3_000):
    assert found["ours", length] == found["plain", length], length
  assert found["ours", 950] == 950 * 949 // 2 and found["ours", 1_200] is None
  assert sys.getrecursionlimit() == limit


def test_what_the_program_sets_stays():
  before = sys.getrecursionlimit()

  def deepen(limit):
    open("/dev/null").close()
    sys.setrecursionlimit(limit)

  try:
    rtf.function(deepen)(before + 5_000)
    assert sys.getrecursionlimit() == before + 5_000
  finally:
    sys.setrecursionlimit(before)


def test_runs_in_several_threads_leave_the_limit_as_it_was():
  before, function, wrong = sys.getrecursionlimit(), _function(rtf.recursive), []

  def work():
    for length in (100, 700, 300):
      if function(_chain(length)) != length * (length - 1) // 2:
        wrong.append(length)

  threads = [threading.Thread(target=work) for _ in range(4)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  assert (wrong, sys.getrecursionlimit()) == ([], before)


def _caught(decorate):
  @decorate
  def levels(node):
    try:
      return 1 if node.next is None else 1 + levels(node.next)
    except RecursionError:
      return -1_000

  return levels


def _in_thread(work):
  """Does something where pytest's frames do not count."""
  thread = threading.Thread(target=work)
  thread.start()
  thread.join()


@pytest.mark.parametrize("below", [300, 600, 850, 900])
def test_a_handler_sees_how_much_of_the_stack_its_caller_has_left(below):
  found = {}

  def called_at(depth, function, argument):
    return function(argument) if depth == 0 else called_at(depth - 1, function, argument)

  def work():
    for name, function in (("plain", _caught(_plain)), ("ours", _caught(rtf.recursive))):
      function(_chain(10))
      found[name] = [called_at(below, function, _chain(n)) > 0 for n in (10, 60, 125, 300)]

  _in_thread(work)
  assert found["ours"] == found["plain"]
  assert below < 850 or not found["plain"][-1]


def test_a_handler_sees_a_lower_limit():
  before, found = sys.getrecursionlimit(), {}

  def work():
    for name, function in (("plain", _caught(_plain)), ("ours", _caught(rtf.recursive))):
      function(_chain(10))
      try:
        sys.setrecursionlimit(125)
        found[name] = function(_chain(130)) > 0
      finally:
        sys.setrecursionlimit(before)

  _in_thread(work)
  assert found == {"plain": False, "ours": False}


def test_the_limit_of_a_plain_run_around_is_not_taken_for_the_own_one():
  found = {}

  def inside(decorate):
    levels = _caught(decorate)

    @decorate
    def outer(node):
      open("/dev/null").close()  # Refused: what it calls runs within a plain run.
      return [levels(_chain(10)), levels(node)]

    return outer, levels

  def work():
    for name, decorate in (("plain", _plain), ("ours", rtf.recursive)):
      outer, levels = inside(decorate)
      found[name] = [outer(_chain(n))[1] > 0 for n in (60, 300)]
    before = levels.stats.num_converted_runs
    found["last"] = levels(_chain(60)), levels.stats.num_converted_runs - before

  _in_thread(work)
  assert found["ours"] == found["plain"]
  assert found["last"] == (60, 1)
