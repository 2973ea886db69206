"""After any change of what is around it, a converted program is what plain Python is.

`python -m tests.convert.changes` makes many more changes than these.
"""

import pathlib

import pytest

from tests.convert.changes import sweep
from tests.convert.fuzz.runner import load, programs_of

_BASICS = pathlib.Path(__file__).with_name("basics.py")


@pytest.mark.parametrize("name", programs_of(load(_BASICS)))
def test_program_is_as_python_after_a_change(name):
  texts = sweep.changes_of(_BASICS, name, verify=False)
  assert len(texts) > 20, "too little is found around it, or it runs as no graph"
  for number in sweep.sample(texts, 4, name):
    found = sweep.run(_BASICS, name, number, verify=False)
    assert found.ran
    assert found.difference is None, f"{found.fact}: {found.difference}"


def test_a_namedtuple_that_gets_an_iter_is_seen():
  (number,) = [
    i
    for i, text in enumerate(sweep.changes_of(_BASICS, "pairs", verify=False))
    if text == "class of root 1[0] gets __iter__"
  ]
  assert sweep.run(_BASICS, "pairs", number, verify=False).difference is None
