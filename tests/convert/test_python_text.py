"""Strings and decimals of floats, and the order of strings, are bit for bit what Python makes."""

import math
import random
import struct

import numpy as np
import pytest
import tensorflow as tf

from recursive_tf._ops import kernels
from recursive_tf.convert.semantics import _text_methods


@pytest.fixture(scope="module")
def floats():
  rng = random.Random(5)
  found = [0.0, -0.0, 1e16, 9999999999999998.0, 1e15, 1e-4, 1e-5, 1e22, 1e23, 5e-324, 2.675, 0.5]
  found += [math.inf, -math.inf, math.nan, 1.7976931348623157e308]
  for _ in range(5000):
    found.append(struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0])
    found.append(round(rng.uniform(-1e4, 1e4), rng.randint(0, 6)))
    found.append(float(rng.randint(-(10**17), 10**17)))
  return np.array(found)


def test_float_text_is_repr(floats):
  found = kernels.recursive_tf_float_text(tf.constant(floats))
  assert [text.decode() for text in found.numpy()] == [repr(x) for x in floats.tolist()]


@pytest.mark.parametrize("digits", [0, 1, 2, 6, 20, 100])
def test_float_text_has_digits(floats, digits):
  found = kernels.recursive_tf_float_text(tf.constant(floats), digits=digits)
  assert [text.decode() for text in found.numpy()] == [f"{x:.{digits}f}" for x in floats.tolist()]


@pytest.mark.parametrize("digits", [0, 1, 2, 15, 323])
def test_round_to_is_round(floats, digits):
  finite = floats[np.isfinite(floats)]
  found = kernels.recursive_tf_python_binary(
    tf.constant(finite), tf.constant(float(digits), tf.float64), Z=tf.float64, op="RoundTo"
  )
  expected = np.array([round(x, digits) for x in finite.tolist()])
  assert found.numpy().tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", ["atan2", "copysign", "hypot"])
def test_math_of_two(floats, name):
  x, y = floats[:-1] / 4, floats[1:] / 4
  found = kernels.recursive_tf_python_binary(
    tf.constant(x), tf.constant(y), Z=tf.float64, op=name
  ).numpy()
  expected = np.array(
    [getattr(math, name)(*pair) for pair in zip(x.tolist(), y.tolist(), strict=True)]
  )
  if name == "hypot":  # Some versions of Python round the last digit otherwise.
    np.testing.assert_allclose(found, expected, rtol=3e-16, atol=0)
  else:
    np.testing.assert_array_equal(found, expected)  # NaNs are equal here.
    there = ~np.isnan(expected)
    assert found[there].tobytes() == expected[there].tobytes()


def test_text_ranks_are_by_code_points():
  rng = random.Random(1)
  texts = ["".join(rng.choices("abAB é中\U0001f600\0z", k=rng.randint(0, 4))) for _ in range(200)]
  found = kernels.recursive_tf_text_ranks(tf.constant([text.encode() for text in texts]))
  order = sorted(set(texts))
  assert found.numpy().tolist() == [order.index(text) for text in texts]


def test_multiply_mod_has_no_overflow():
  rng = random.Random(2)
  numbers = [[rng.randint(-(2**63), 2**63 - 1) >> rng.randint(0, 60) for _ in range(3)]
             for _ in range(2000)]  # fmt: skip
  x, y, z = zip(*([a, b, c or 1] for a, b, c in numbers), strict=True)
  found = kernels.recursive_tf_python_multiply_mod(*(tf.constant(n, tf.int64) for n in (x, y, z)))
  assert found.numpy().tolist() == [a * b % c for a, b, c in zip(x, y, z, strict=True)]
  scalar = kernels.recursive_tf_python_multiply_mod(
    tf.constant(x, tf.int64), tf.constant(3, tf.int64), tf.constant(-7, tf.int64)
  )
  assert scalar.numpy().tolist() == [a * 3 % -7 for a in x]
  with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
    kernels.recursive_tf_python_multiply_mod(
      tf.constant(2, tf.int64), tf.constant(3, tf.int64), tf.constant(0, tf.int64)
    )


# --- Methods of strings

_LETTERS = "ab aé\u3000日𝄞\n\x00ß Ａ"
_OF_CLASSES = "aZ09 ǅé²½ⅷ\u0345日\u200b\n_Ⅷ\x7fªß"


@pytest.fixture(scope="module")
def some_texts():
  """Returns texts, parts of such, and two places."""
  rng = random.Random(3)

  def text(most):
    return "".join(rng.choice(_LETTERS) for _ in range(rng.randint(0, most)))

  places = [*range(-12, 13), 2**62, -(2**62)]
  return [(text(9), text(2), rng.choice(places), rng.choice(places)) for _ in range(300)]


def decoded(texts):
  return [text.decode() for text in texts.numpy()]


@pytest.mark.parametrize("search", ["find", "rfind", "count", "startswith", "endswith"])
def test_text_search_is_pythons(some_texts, search):
  for text, part, start, stop in some_texts:
    places = (tf.constant(place, tf.int64) for place in (start, stop))
    found = kernels.recursive_tf_text_search(text, part, *places, search=search)
    assert int(found) == int(getattr(text, search)(part, start, stop)), (text, part, start, stop)


def test_text_parts_are_pythons(some_texts):
  spaces = "".join(filter(str.isspace, map(chr, range(0x110000))))
  for text, part, place, _ in some_texts:
    most = max(-1, min(place, 4))
    number = tf.constant(most, tf.int64)
    replaced = kernels.recursive_tf_text_replace(text, part, "é日", number)
    assert replaced.numpy().decode() == text.replace(part, "é日", most)
    for name, ends in {"strip": (True, True), "lstrip": (True, False)}.items():
      for characters, given in ((part, (part,)), (spaces, ())):
        found = kernels.recursive_tf_text_strip(text, characters, at_start=ends[0], at_end=ends[1])
        assert found.numpy().decode() == getattr(text, name)(*given)
    for name in ("split", "rsplit"):
      for separator in (part or "a", None):
        found = kernels.recursive_tf_text_split(
          text,
          separator or spaces,
          number,
          at_spaces=separator is None,
          from_right=name == "rsplit",
        )
        assert decoded(found) == getattr(text, name)(separator, most)
    assert decoded(kernels.recursive_tf_text_characters(text)) == list(text)
    code = int(kernels.recursive_tf_text_code(part))
    assert code == (ord(part) if len(part) == 1 else -1)


@pytest.mark.parametrize("name", sorted(_text_methods.CLASSES))
def test_classes_of_characters_are_pythons(name):
  rng = random.Random(name)
  some, none = _text_methods.ranges_of(name)
  one_by_one = [chr(code) for code in range(0, 0x110000, 977) if not 0xD800 <= code < 0xE000]
  for _ in range(300):
    one_by_one.append("".join(rng.choice(_OF_CLASSES) for _ in range(rng.randint(1, 3))))
  for text in one_by_one:
    assert bool(kernels.recursive_tf_text_has(text, some, none)) == getattr(text, name)(), text
