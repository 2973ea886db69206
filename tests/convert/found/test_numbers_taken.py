"""Numbers that are ints in some places and floats in others, where TensorFlow takes them."""

import pytest
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees

DOCUMENTS = [[1, 2.5, [3, []]], 7, 0.1, [16777217, [-3.5, 2**24 + 3]], [], 0, -0.0, [2**40, 1e-3]]


def cast(value):
  return tf.cast(value, tf.float32)


def cast_by_name(value):
  return tf.cast(value, dtype="float32")


def constant(value):
  return tf.constant(value, tf.float32)


def constant_of_doubles(value):
  return tf.cast(tf.constant(value, dtype=tf.float64), tf.float32)


def converted(value):
  return tf.convert_to_tensor(value, dtype=tf.float32) * 2.0


def cast_to_doubles(value):
  return tf.cast(tf.cast(value, tf.float64), tf.float32)


def cast_to_ints(value):
  return tf.cast(tf.cast(value, tf.int32), tf.float32)


def build_of(taken):
  def build(recursive):
    @recursive
    def f(document):
      if isinstance(document, (int, float)):
        return taken(document)
      return tf.add_n([tf.constant(1.0), *[f(part) for part in document]])

    return f

  return build


@pytest.mark.parametrize("taken", [cast, cast_by_name, constant, constant_of_doubles, converted])
def test_both_are_the_same_number(taken):
  agrees(build_of(taken), lambda: [(document,) for document in DOCUMENTS], CONVERTED)


@pytest.mark.parametrize("taken", [cast_to_doubles, cast_to_ints])
def test_where_they_are_not_the_run_fails_for_ints(taken):
  agrees(build_of(taken), lambda: [(document,) for document in DOCUMENTS], Reason.CHECK_FAILED)
