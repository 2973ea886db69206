"""Keyword arguments of methods of lists and dicts that the program makes."""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.function import harness


def test_update_takes_items_by_keyword():
  def step(x, n):
    d = {"a": x}
    d.update({"b": x + 1.0}, c=n, a=x * 2.0)
    d.update(e=1)
    d.update()
    return d, list(d)

  calls = [(tf.constant(1.0), 2), (tf.constant(3.0), 4)]
  report = harness.run("update", lambda: (step, calls, None))
  assert (report.difference, report.num_plain_runs) == (None, 0), report.explanation


@pytest.mark.parametrize("decorator", [rtf.function, rtf.recursive], ids=lambda d: d.__name__)
@pytest.mark.parametrize(
  "wrong",
  [
    lambda x: {"a": x}.pop("z", default=x),
    lambda x: {"a": x}.get("z", default=x),
    lambda x: [x, x + 1.0].pop(index=0),
    lambda x: {"a": x}.update({"b": x}, {"c": x}),
  ],
)
def test_what_takes_no_keywords_raises_as_in_python(wrong, decorator):
  with pytest.raises(TypeError) as expected:
    wrong(tf.constant(1.0))
  with pytest.raises(TypeError) as found:
    decorator(wrong, verify=False)(tf.constant(1.0))
  assert str(found.value) == str(expected.value)
