"""Vector-Jacobian products of a call, taken in every way that TensorFlow has."""

import tensorflow as tf

from tests.reference import Unrolled, as_subgraph, assert_same, convert

WAYS = ("eager", "function", "around", "tf.gradients")


def value_and_gradients(call, args, refs=(), way="eager"):
  """Runs `call(*args)` and differentiates a fixed random projection of its floating results.

  Args:
    call: the function.
    args: nests of tensors.
    refs: what it uses beside its arguments: variables and eager tensors.
    way: "eager": call and tape run eagerly; "function": both inside one tf.function; "around": the
      tape is outside of the tf.function that calls; "tf.gradients": in a tf.function.

  Returns:
    (results, gradients of the floating arguments, gradients of the refs).
  """
  args = tf.nest.map_structure(tf.convert_to_tensor, list(args))

  def step(*args, call=call):
    sources = floating(args) + list(refs)
    if way == "tf.gradients":
      results = call(*args)
      return results, tf.gradients(project(results), sources)
    with tf.GradientTape() as tape:
      for source in sources:
        tape.watch(source)
      results = call(*args)
      loss = project(results)
    return results, tape.gradient(loss, sources)

  if way in ("eager", "around"):
    results, gradients = step(*args, call=tf.function(call) if way == "around" else call)
  else:
    results, gradients = tf.function(step)(*args)
  num_args = len(floating(args))
  return results, gradients[:num_args], gradients[num_args:]


def normal(*shape, seed=0):
  """Returns fixed random numbers, float64."""
  return tf.random.stateless_normal(shape, [seed, len(shape)], dtype=tf.float64)


def floating(nest):
  """Returns the floating tensors of a nest, flat."""
  return [tensor for tensor in tf.nest.flatten(nest) if tensor.dtype.is_floating]


def project(results):
  """Returns the inner product of the floating results with fixed random directions."""
  terms = [
    tf.reduce_sum(result * tf.random.stateless_normal(tf.shape(result), [7, i], dtype=result.dtype))
    for i, result in enumerate(floating(results))
  ]
  return tf.add_n(terms)


def check(body, inputs, args, refs=(), *, way="eager", outputs=None, mapped=False, **options):
  """Compares results and gradients of a program as a SubGraph with those of the oracle.

  `options` are those of `rtf.SubGraph`.

  Returns:
    (results, gradients of arguments, gradients of refs) of the SubGraph.
  """
  oracle = Unrolled(body, inputs, outputs)
  args = [convert(value, spec) for value, spec in zip(args, inputs, strict=True)]
  expected = value_and_gradients(oracle.map if mapped else oracle, args, refs)
  f = as_subgraph(body, inputs, outputs, **options)
  actual = value_and_gradients(f.map if mapped else f, args, refs, way)
  assert_same(actual, expected)
  return actual


def assert_not_about_zero(gradients):
  """Asserts that a comparison of these gradients means something."""
  for gradient in gradients:
    assert gradient is not None
    assert float(tf.reduce_max(tf.abs(tf.convert_to_tensor(gradient)))) > 1e-3
