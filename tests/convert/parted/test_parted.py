"""Dicts, lists and objects that branches leave in forms of their own."""

import pytest

from tests.convert.agreement import CONVERTED, agrees, bushy, lopsided, of_one
from tests.convert.fuzz import runner
from tests.convert.fuzz.report import BAD
from tests.convert.parted.source import generate

_NUM_PROGRAMS = 480


@pytest.mark.one_in(120)
@pytest.mark.parametrize("seed", range(_NUM_PROGRAMS))
def test_a_random_program_does_what_python_does(seed, tmp_path):
  report = runner.run_text(generate(seed), tmp_path / f"parted_{seed}.py", verify=False)
  assert report.status not in BAD, report.detail


def _optional_key(f, n):
  out = {"v": n.v, "name": n.name}
  if n.kids:
    out["kids"] = [f(kid) for kid in n.kids]
  return out


def _either_key(f, n):
  out = {"v": n.v}
  if n.kids:
    out["first"] = f(n.kids[0])
  else:
    out["is_leaf"] = True
  return out


def _several_keys(f, n):
  out = {}
  if n.flag:
    out["flag"] = n.name
  if len(n.kids) > 1:
    out["last"] = f(n.kids[-1])
  if n.v > 3:
    out["large"] = n.v
  return out


def _in_a_list(f, n):
  found = []
  for kid in n.kids:
    found += f(kid)
  one = {"v": n.v}
  if n.flag:
    one["flag"] = True
  return [one, *found]


def _of_another_type(f, n):
  out = {"v": n.v}
  if n.flag:
    out["v"] = [n.name]
    return out
  return out


def _dead_afterwards(f, n):
  out = {"v": n.v}
  if n.flag:
    out["name"] = n.name
    size = len(out["name"]) + len(out)
  else:
    size = out["v"]
  return size + sum(f(kid) for kid in n.kids)


@pytest.mark.parametrize(
  "program",
  [_optional_key, _either_key, _several_keys, _in_a_list, _of_another_type, _dead_afterwards],
)
def test_a_dict_with_keys_that_only_some_paths_give_it(program):
  agrees(of_one(program), lambda: [(bushy(),), (lopsided(),)], expect=CONVERTED)


def _read(f, n):
  out = {"v": n.v}
  if n.flag:
    out.update(name=n.name)
  size = len(out)
  return size + sum(f(kid) for kid in n.kids)


def _changed(f, n):
  out = {"v": n.v}
  if n.flag:
    out.update(name=n.name)
  out["v"] = 2
  return [out["v"], [f(kid) for kid in n.kids]]


def _by_another_name(f, n):
  out = {"v": n.v}
  same = out
  if n.flag:
    out.update(name=n.name)
  size = len(same)
  return size + sum(f(kid) for kid in n.kids)


def _in_a_loop(f, n):
  out, size = {"v": n.v}, 0
  for kid in n.kids:
    size += len(out) + f(kid)
    if kid.flag:
      out.update(name=kid.name)
  return size


def _in_a_closure(f, n):
  out = {"v": n.v}

  def size():
    return len(out)

  if n.flag:
    out.update(name=n.name)
  found = size()
  return found + sum(f(kid) for kid in n.kids)


@pytest.mark.parametrize("program", [_read, _changed, _by_another_name, _in_a_loop, _in_a_closure])
def test_such_a_dict_is_made_by_the_run_if_it_is_read(program):
  calls = [(bushy(),), (lopsided(),)]
  agrees(of_one(program), lambda: calls, expect=CONVERTED)
