"""Tensors of as many rows as their subtree has nodes, in lists: put together, and taken apart."""

from typing import NamedTuple

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, Node, agrees, bushy, lopsided, of_text, root


class Dual(NamedTuple):
  """A value and its derivative."""

  value: object
  slope: object


def trees():
  """Returns arguments of four calls: a leaf, and trees of several shapes."""
  return [(Node(7, True, "l"),), (root(),), (lopsided(),), (bushy(),)]


GATHERED = {
  "of_children": "tf.concat([f(k) for k in n.kids], 0) if n.kids else own",
  "own_first": "tf.concat([own] + [f(k) for k in n.kids], axis=0)",
  "own_last": "tf.concat([*[f(k) for k in n.kids], own], axis=0, name='rows')",
  "axis_by_name": "tf.concat(values=[own, *map(f, n.kids)], axis=-2)",
  "along_columns": "tf.transpose(tf.concat([tf.transpose(x) for x in [own, *map(f, n.kids)]], 1))",
}


@pytest.mark.parametrize("way", GATHERED)
def test_rows_of_all_nodes(way):
  text = f"""
def f(n):
  own = tf.fill([1, 2], tf.cast(n.v, tf.float32))
  return {GATHERED[way]}
"""
  agrees(of_text(text, tf=tf), trees, CONVERTED)


def test_rows_that_a_loop_collects():
  text = """
def f(n):
  found = []
  for k in n.kids:
    rows = f(k)
    found.append(rows * 2.0 if k.flag else rows)
  found.append(tf.fill([1, 2], tf.cast(n.v, tf.float32)))
  return tf.concat(found, 0)
"""
  agrees(of_text(text, tf=tf), trees, CONVERTED)


def test_scalars_beside_vectors_are_stacked_each():
  text = """
def g(n, x):
  if not n.kids:
    return Dual(x, tf.ones_like(x)) if n.flag else Dual(tf.constant(2.0), tf.constant(0.0))
  parts = [g(k, x) for k in n.kids]
  out = parts[0]
  for p in parts[1:]:
    out = Dual(tf.sin(out.value) * p.value, out.slope * p.value + out.value * p.slope)
  return out

def f(n):
  found = g(n, tf.constant([1.0, 2.0, 3.0]))
  return found.value, found.slope
"""
  agrees(of_text(text, tf=tf, Dual=Dual), trees, CONVERTED)


@pytest.mark.parametrize("num", ["", ", num=len(n.kids)", ", len(n.kids)", ", axis=0"])
def test_a_tensor_of_as_many_rows_as_there_are_children(num):
  text = f"""
def f(n, p=0.0):
  if not n.kids:
    return p
  shares = tf.nn.softmax(tf.cast(tf.range(len(n.kids)), tf.float32))
  return sum([f(k, p + share) for k, share in zip(n.kids, tf.unstack(shares{num}))])
"""
  agrees(of_text(text, tf=tf), trees, CONVERTED)


def test_a_number_of_rows_that_is_another_one_raises():
  text = """
def f(n):
  rows = tf.range(len(n.kids))
  return len(tf.unstack(rows, num=n.v)) + sum([f(k) for k in n.kids])
"""
  agrees(of_text(text, tf=tf), lambda: [(Node(0, True, "l"),), (Node(1, True, "l"),)])
