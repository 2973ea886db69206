"""Lists that are passed in, of tensors, and what a program makes of them and of new tensors."""

from __future__ import annotations

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason

weight = tf.Variable([[0.3, -0.2], [0.1, 0.4]])
query = tf.Variable([0.4, -0.3])


def folded(vectors):
  if len(vectors) == 1:
    return vectors[0]
  return folded([tf.tanh(tf.linalg.matvec(weight, vectors[0]) + vectors[1])] + vectors[2:])


def merged(vectors, names, total):
  """Joins the best neighbours, until one is left."""
  if len(vectors) == 1:
    return names[0], vectors[0], total
  parents = [tf.tanh(tf.linalg.matvec(weight, a) * b) for a, b in zip(vectors, vectors[1:])]  # noqa: B905
  scores = tf.stack([tf.reduce_sum(p * query) for p in parents])
  best = int(tf.argmax(scores))
  vectors = vectors[:best] + [parents[best]] + vectors[best + 2 :]
  names = names[:best] + [(names[best], names[best + 1])] + names[best + 2 :]
  return merged(vectors, names, total + scores[best])


def appended(vectors, names):
  found = list(vectors)
  for name in names:
    found.append(found[-1] * float(len(name)))
  return appended_to(found, names)


def appended_to(vectors, names):
  if not names:
    return tf.add_n(vectors)
  return appended_to([*vectors, vectors[0] * query], names[1:])


PROGRAMS = {
  "folded": (folded, lambda names: ()),
  "merged": (merged, lambda names: (names, 0.0)),
  "appended": (appended, lambda names: (names,)),
}


def vectors_of(names, size=2):
  return [tf.random.stateless_normal([size], [1, len(name)]) for name in names]


@pytest.mark.parametrize("name", PROGRAMS)
def test_new_tensors_beside_those_passed_in(name, monkeypatch):
  plain, more = PROGRAMS[name]
  function = rtf.recursive(verify=False)(plain)
  for count in (3, 1, 5, 4):
    names = ["a", "bcd", "ef", "ghij", "k"][:count]
    vectors = vectors_of(names)
    found = []
    for f in (plain, function):
      monkeypatch.setitem(globals(), name, f)
      with tf.GradientTape() as tape:
        tape.watch(vectors)
        result = f(vectors, *more(names))
        last = result[1] if isinstance(result, tuple) else result
      sources = [weight, query, *vectors]
      gradients = tape.gradient(last, sources, unconnected_gradients="zero")
      found.append([result, *gradients])
    check(*found)
  assert not function.stats.fallbacks, function.explain()


def check(one, other):
  if isinstance(one, (list, tuple)):
    assert type(one) is type(other)
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
      check(a, b)
  elif isinstance(one, tf.Tensor):
    tf.debugging.assert_near(one, other, atol=1e-5)
  else:
    assert one == other


def test_tensors_of_several_shapes_are_what_they_are_in_python(monkeypatch):
  function = rtf.recursive(verify=False)(folded)
  lists = [vectors_of("abc"), vectors_of("ab"), [tf.ones([2]), tf.constant(0.5), tf.ones([2])]]
  lists += [[tf.ones([2]), tf.ones([2], tf.float32), tf.ones([1])], vectors_of("abcd")]
  plain = folded
  for vectors in lists:
    found = []
    for f in (plain, function):
      monkeypatch.setitem(globals(), "folded", f)
      found.append(f(vectors))
    assert found[0].shape == found[1].shape
    check(*found)
  assert set(function.stats.fallbacks) <= {Reason.KINDS_DIFFER, Reason.CHECK_FAILED}
