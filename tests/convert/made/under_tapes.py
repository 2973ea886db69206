"""What the tests of made objects under tapes share: calls with gradients, programs in two ways."""

import tensorflow as tf

import recursive_tf as rtf


def trained(function, tree, tensors_in, weights, which=None):
  """Returns what a function gives, and gradients of a loss that weighs each tensor otherwise.

  Args:
    function: the function.
    tree: its argument.
    tensors_in: `tensors_in(result, [])` returns the tensors that have a part in the loss.
    weights: what gradients are taken of.
    which: the number of the only tensor that has a part; None for all.
  """
  with tf.GradientTape() as tape:
    made = function(tree)
    parts = tensors_in(made, [])
    parts = parts if which is None else parts[which : which + 1]
    loss = tf.add_n([tf.reduce_sum(p) * (1.0 + 0.1 * i) for i, p in enumerate(parts)] or [0.0])
  found = tape.gradient(loss, weights, unconnected_gradients="zero")
  return made, [tf.convert_to_tensor(one) for one in found]


def decorated(namespace, name, monkeypatch, **options):
  """Returns one of the programs of a module, and what of it is converted.

  Args:
    namespace: of the module: `PROGRAMS` by name, and in `RECURSIVE` the name of the function that
      a program calls where it is not converted itself.
    name: of the program.
    monkeypatch: puts the converted function in the place of the plain one.
    **options: of `rtf.recursive`.
  """
  function = rtf.recursive(verify=False, **options)
  inner = namespace["RECURSIVE"].get(name, name)
  converted = function(namespace[inner])
  if inner == name:
    return converted, converted
  plain = namespace["PROGRAMS"][name]

  def call(tree):
    with monkeypatch.context() as patch:
      patch.setitem(namespace, inner, converted)
      return plain(tree)

  return call, converted
