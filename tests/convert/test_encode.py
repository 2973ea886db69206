"""Values that go into a run and come out of it are the same."""

import hypothesis.strategies as st
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given

from recursive_tf.convert.values import _encode, _forms

NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.booleans()


def values_of_one_form():
  """Returns lists of values that have a form in common."""
  numbers = st.sampled_from([int, float, bool]).flatmap(
    lambda kind: st.lists(NUMBERS.filter(lambda value: type(value) is kind), max_size=4)
  )
  pairs = st.lists(st.tuples(st.integers(-9, 9), st.booleans()), max_size=4)
  optional = st.lists(st.none() | st.integers(-9, 9), max_size=4)
  return numbers | pairs | optional


def round_trip(form, value):
  objects = list(form.objects_in(value))
  tensors = form.encode(value, iter(range(len(objects))))
  assert len(tensors) == len(list(_forms.specs(form)))
  flat = iter([tf.convert_to_tensor(tensor) for tensor in tensors])
  return form.rebuild(flat, _forms.Source(lambda handle: objects[handle]))


@given(values_of_one_form())
def test_lists(values):
  form = _encode.joined_rows(values)
  back = round_trip(form, values)
  assert back == values
  assert [type(value) for value in back] == [type(value) for value in values]


def test_objects_and_arrays():
  class Thing:
    pass

  things = (Thing(), Thing(), np.arange(3.0), None)
  back = round_trip(_encode.form_of_python(things), things)
  assert back[0] is things[0] and back[1] is things[1] and back[3] is None
  np.testing.assert_array_equal(back[2], things[2])


@pytest.mark.parametrize("value", [1.5, True, None, "text", 2**70, (1,)])
def test_what_is_not_of_the_form_is_noticed(value):
  with pytest.raises(_forms.DoesNotFit):
    _forms.NumberForm(int).encode(value, iter(()))
