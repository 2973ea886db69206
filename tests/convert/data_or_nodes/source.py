"""Programs that give TensorFlow what is data in some nodes and other nodes in others, by levels."""

DIMENSIONS = {
  "node": ("list", "tuple", "dict", "object", "list_without_tag"),
  "test": ("tag", "length", "isinstance", "not_isinstance"),
  "data": (
    "float", "int", "floats", "ints", "tensor", "int_and_float", "floats_and_ints", "bool",
    "tuple_of_floats", "array", "matrix",
  ),
  "use": (
    "constant", "constant_float", "convert", "exp", "sum", "cast", "stack", "argument", "method",
    "gather", "named", "nested",
  ),
  "after": ("same", "other_number", "text", "none", "longer", "node_as_data", "empty"),
  "label": ("none", "one_hot", "scatter"),
}  # fmt: skip

_NODE = {  # How one is made, and what is read of it: its tag, its data or first child, its last.
  "list": ("[tag, *parts]", "e[0]", "e[1]", "e[-1]", "e"),
  "tuple": ("(tag, *parts)", "e[0]", "e[1]", "e[-1]", "e"),
  "dict": (
    "{'tag': tag, 'of': parts[0], 'last': parts[-1], 'all': parts[1:]}",
    "e['tag']", "e['of']", "e['last']", "e['all']",
  ),
  "object": ("Node(tag, parts[0], parts[-1], parts[1:])", "e.tag", "e.of", "e.last", "e.all"),
  "list_without_tag": ("[parts[0], *parts]", "len(e)", "e[1]", "e[-1]", "e"),
}  # fmt: skip
_DATA = {
  "float": "0.5 * i",
  "int": "i",
  "floats": "[0.5 * i, 1.0, -0.25]",
  "ints": "[i, 1, 2]",
  "tensor": "tf.constant([0.5 * i, 1.0])",
  "int_and_float": "(i if i % 2 else 0.5 * i)",
  "floats_and_ints": "[i, 1.0]",
  "bool": "i % 2 == 0",
  "tuple_of_floats": "(0.5 * i, 1.0)",
  "array": "np.array([0.5 * i, 1.0], np.float32)",
  "matrix": "[[0.5 * i, 1.0], [0.25, 2.0]]",
}
_USE = {
  "constant": "tf.constant({x})",
  "constant_float": "tf.constant({x}, tf.float32)",
  "convert": "tf.convert_to_tensor({x})",
  "exp": "tf.exp({x})",
  "sum": "tf.reduce_sum({x})",
  "cast": "tf.cast({x}, tf.float32)",
  "stack": "tf.stack({x})",
  "argument": "tf.add({x}, 1)",
  "method": "tf.tanh(tf.constant({x}, dtype=tf.float32))",
  "gather": "tf.gather(TABLE, {x})",
  "named": "tf.convert_to_tensor(value={x})",
  "nested": "tf.constant([{x}, {x}])",
}
_TEST = {
  "tag": "{tag} == 'leaf'",
  "length": "len({all}) < {least}",
  "isinstance": "isinstance({data}, KINDS)",
  "not_isinstance": "not isinstance({last}, NODES)",
}
_AFTER = {
  "same": "leaf(7)",
  "other_number": "leaf(0) if False else node('leaf', 2.5)",
  "text": "node('leaf', 'word')",
  "none": "node('leaf', None)",
  "longer": "node('leaf', [1.0, 2.0, 3.0, 4.0])",
  "node_as_data": "node('leaf', leaf(2))",
  "empty": "node('leaf', [])",
}
_LABEL = {
  "none": "found",
  "one_hot": "(found, tf.one_hot(label, 5))",
  "scatter": "(found, tf.tensor_scatter_nd_add(tf.zeros([5]), [[label]], [1.0]))",
}


def generate(node, test, data, use, after, label):
  """Returns the source of a module: `build(recursive)` gives the function, `calls()` arguments."""
  make, tag, first, last, everything = _NODE[node]
  is_of_tag = test == "tag" and node == "list_without_tag"
  asked = _TEST["length" if is_of_tag else test].format(
    tag=tag, data=first, last=last, all=everything, least={"dict": 1, "object": 1}.get(node, 3)
  )
  return f"""
import numpy as np
import tensorflow as tf

TABLE = tf.reshape(tf.range(40.0), [20, 2])

class Node:
  def __init__(self, tag, of, last, all):
    self.tag, self.of, self.last, self.all = tag, of, last, all

NODES = (list, tuple, dict, Node)
KINDS = (int, float, tf.Tensor, np.ndarray)

def node(tag, *parts):
  return {make}

def leaf(i):
  return node("leaf", {_DATA[data]})

def calls():
  yield 1, leaf(3)
  yield 2, node("add", leaf(1), leaf(2))
  yield 3, node("add", node("add", leaf(1), leaf(4)), node("mul", leaf(2), leaf(5)))
  yield 0, {_AFTER[after]}
  yield 4, node("mul", leaf(6), {_AFTER[after]})
  yield 2, node("mul", leaf(6), node("add", leaf(1), leaf(2)))

def build(recursive):
  @recursive
  def visit(label, e):
    if {asked}:
      found = {_USE[use].format(x=first)}
      return {_LABEL[label]}
    one, other = visit(label, {first}), visit(label, {last})
    if isinstance(one, tuple):
      return one[0] + other[0], one[1] * other[1]
    return one + other

  return visit
"""
