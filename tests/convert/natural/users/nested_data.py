"""Dict and JSON-like structures."""
import json

import numpy as np
import tensorflow as tf


def doc():
  return {
    "name": "root",
    "size": 3,
    "children": [
      {"name": "a", "size": 1, "children": []},
      {"name": "b", "size": 4, "children": [{"name": "c", "size": 2, "children": []}]},
    ],
  }


def calls(state):
  d = doc()
  yield (d,)
  yield ({"name": "x", "size": 9, "children": []},)
  d["children"][0]["children"].append({"name": "n", "size": 5, "children": []})
  yield (d,)
  yield (d["children"][1],)


def build_total_size(recursive):
  @recursive
  def total(d):
    return d["size"] + sum(total(c) for c in d["children"])
  return total


def build_total_get(recursive):
  @recursive
  def total(d):
    s = d.get("size", 0)
    for c in d.get("children", []):
      s += total(c)
    return s
  return total
def calls_total_get(state):
  yield (doc(),)
  yield ({"size": 3},)
  yield ({"children": [{"size": 3}, {"children": [{"size": 7}]}, {}]},)


def build_names(recursive):
  @recursive
  def names(d):
    out = [d["name"]]
    for c in d["children"]:
      out += names(c)
    return out
  return names


def build_json_depth(recursive):
  @recursive
  def depth(obj):
    if isinstance(obj, dict):
      return 1 + max([depth(v) for v in obj.values()], default=0)
    if isinstance(obj, list):
      return 1 + max([depth(v) for v in obj], default=0)
    return 0
  return depth
def calls_json_depth(state):
  yield ({"a": [1, 2, {"b": 3}], "c": {}},)
  yield ([],)
  yield ({"a": {"a": {"a": 5}}},)
  yield (5,)


def build_sum_numbers(recursive):
  @recursive
  def total(obj):
    if isinstance(obj, dict):
      return sum(total(v) for v in obj.values())
    elif isinstance(obj, (list, tuple)):
      return sum(map(total, obj))
    elif isinstance(obj, (int, float)):
      return obj
    return 0
  return total
def calls_sum_numbers(state):
  yield ({"a": [1, 2, {"b": 3}], "c": {}, "s": "str"},)
  yield ([1, 2, 3],)
  yield ({"a": {"a": {"a": 5, "b": 7}}},)


def build_flatten_keys(recursive):
  @recursive
  def flatten(d, parent=""):
    items = {}
    for k, v in d.items():
      key = f"{parent}.{k}" if parent else k
      if isinstance(v, dict):
        items.update(flatten(v, key))
      else:
        items[key] = v
    return items
  return flatten
def calls_flatten_keys(state):
  yield ({"a": 1, "b": {"c": 2, "d": {"e": 3}}},)
  yield ({},)
  yield ({"z": {"y": {"x": 1}}},)


def build_deep_update(recursive):
  @recursive
  def deep_update(base, new):
    for k, v in new.items():
      if isinstance(v, dict) and k in base:
        deep_update(base[k], v)
      else:
        base[k] = v
    return base
  return deep_update
def calls_deep_update(state):
  b = {"lr": 1, "opt": {"m": 2, "n": 3}}
  yield (b, {"opt": {"m": 5}})
  yield (b, {"lr": 4, "new": {"k": 1}})
  yield (b, {})


def build_find_key(recursive):
  @recursive
  def find_all(obj, key):
    found = []
    if isinstance(obj, dict):
      for k in obj:
        if k == key:
          found.append(obj[k])
        else:
          found.extend(find_all(obj[k], key))
    elif isinstance(obj, list):
      for x in obj:
        found.extend(find_all(x, key))
    return found
  return find_all
def calls_find_key(state):
  o = {"id": 1, "kids": [{"id": 2}, {"kids": [{"id": 3}]}], "x": 0}
  yield (o, "id")
  yield (o, "nope")
  yield ([], "id")


def build_apply_params(recursive):
  # parameters in nested dict, like JAX pytrees
  @recursive
  def l2(params):
    if isinstance(params, dict):
      return tf.add_n([l2(p) for p in params.values()])
    return tf.nn.l2_loss(params)
  return l2
def calls_apply_params(state):
  p = {"dense": {"w": tf.ones([2, 2]), "b": tf.zeros([2])}, "out": {"w": tf.ones([2, 1]) * 3}}
  yield (p,)
  yield ({"w": tf.ones([3])},)
  yield (tf.constant([1.0, 2.0]),)


def build_tree_map(recursive):
  @recursive
  def tree_map(fn, t):
    if isinstance(t, dict):
      return {k: tree_map(fn, v) for k, v in t.items()}
    if isinstance(t, (list, tuple)):
      return type(t)(tree_map(fn, v) for v in t)
    return fn(t)
  return tree_map
def calls_tree_map(state):
  f = lambda x: x * 2
  yield (f, {"a": tf.constant(1.0), "b": [tf.constant(2.0), tf.constant(3.0)]})
  yield (f, tf.constant(3.0))
  yield (tf.sqrt, {"a": (tf.constant(1.0),)})


def build_json_model(recursive):
  """A tree model over JSON documents as parsed: {"op": ..., "args": [...]} or {"word": ...}"""
  E = tf.Variable(np.linspace(-1, 1, 12).reshape(4, 3).astype("float32"))
  W = {"and": tf.Variable(tf.eye(3)), "or": tf.Variable(tf.eye(3) * 0.5)}
  vocab = {"x": 0, "y": 1, "z": 2}

  @recursive
  def embed(d):
    if "word" in d:
      return E[vocab.get(d["word"], 3)]
    args = [embed(a) for a in d["args"]]
    return tf.tanh(tf.linalg.matvec(W[d["op"]], tf.reduce_sum(args, axis=0)))
  return embed, [E, W]
def calls_json_model(state):
  yield (json.loads('{"op": "and", "args": [{"word": "x"}, {"op": "or", "args": [{"word": "y"}, {"word": "q"}]}]}'),)
  yield ({"word": "z"},)
  yield (json.loads('{"op": "or", "args": [{"word": "x"}]}'),)
