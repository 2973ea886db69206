"""`max(counts, key=counts.get)`, and tables of members of enumerations."""

import collections
import enum

import pytest

from tests.convert.agreement import CONVERTED, agrees, bushy, lopsided, of_one, root


def trees():
  return [(root(),), (lopsided(),), (bushy(),), (root(),)]


def most(f, n):
  counts = {}
  for k in n.kids:
    counts[k.flag + k.v % 2] = counts.get(k.flag + k.v % 2, 0) + k.v
  return max(counts, key=counts.get) if counts else n.v, [f(k) for k in n.kids]


def least(f, n):
  found = {k.name: k.v for k in n.kids}
  return min(found, key=found.get, default="none"), [f(k) for k in n.kids]


def in_order(f, n):
  found = {k.name: -k.v for k in n.kids}
  return sorted(found, key=found.get), sorted(found, key=found.get, reverse=True), [*map(f, n.kids)]


def by_counter(f, n):
  counts = [k for k in n.kids if k.v > 1]
  names = collections.Counter(k.name for k in n.kids)
  return max(names, key=names.get) if names else len(counts), [f(k) for k in n.kids]


def of_nodes(f, n):
  found = {k: k.v % 3 for k in n.kids}
  return max(n.kids, key=found.get).name if found else "", [f(k) for k in n.kids]


_CONVERTED = (most, least, in_order, by_counter, of_nodes)


@pytest.mark.parametrize("program", _CONVERTED, ids=lambda f: f.__name__)
def test_a_method_of_a_dict_gives_the_order(program):
  agrees(of_one(program), trees, expect=CONVERTED)


def of_missing(f, n):
  found = {k.name: k.v for k in n.kids if k.flag}
  return max([k.name for k in n.kids], key=found.get, default="none"), [f(k) for k in n.kids]


def of_counter_with_missing(f, n):
  found = collections.Counter(k.name for k in n.kids if k.flag)
  return sorted([k.name for k in n.kids], key=found.get), [f(k) for k in n.kids]


def of_defaults(f, n):
  found = collections.defaultdict(int)
  for k in n.kids:
    found[k.name] += k.v
  name = max(found, key=found.get) if found else ""
  return name, len(found), [f(k) for k in n.kids]


def mapped(f, n):
  found = {k.name: k.v for k in n.kids if k.flag}
  return list(map(found.get, [k.name for k in n.kids])), [f(k) for k in n.kids]


_OTHERS = (of_missing, of_counter_with_missing, of_defaults, mapped)


@pytest.mark.parametrize("program", _OTHERS, ids=lambda f: f.__name__)
def test_what_is_missing_is_none(program):
  agrees(of_one(program), trees)


class Status(enum.Enum):
  DONE = 1
  FAILED = 2
  RUNNING = 3


def turned(f, n):
  status = f(n.kids[0]) if n.kids else (Status.DONE if n.flag else Status.RUNNING)
  return {Status.DONE: Status.FAILED, Status.FAILED: Status.DONE}.get(status, status)


def looked_up(f, n):
  status = f(n.kids[0])[0] if n.kids else (Status.DONE if n.v > 3 else Status.FAILED)
  return status, {Status.DONE: "d", Status.FAILED: "f"}[status]


def asked(f, n):
  status = f(n.kids[0])[0] if n.kids else (Status.DONE if n.v > 3 else Status.RUNNING)
  return status, status in {Status.DONE: 1, Status.FAILED: 2}


@pytest.mark.parametrize("program", [turned, looked_up, asked], ids=lambda f: f.__name__)
def test_members_are_keys_of_tables_in_place(program):
  agrees(of_one(program), trees, expect=CONVERTED)


def not_there(f, n):
  status = f(n.kids[0])[0] if n.kids else Status.RUNNING
  return status, {Status.DONE: "d", Status.FAILED: "f"}[status]


def test_a_member_that_is_no_key_raises():
  agrees(of_one(not_there), trees)
