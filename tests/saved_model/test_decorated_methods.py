"""Methods that run under a decorator: saving a module says that it leaves them out."""

import warnings

import pytest
import tensorflow as tf

import recursive_tf as rtf
import recursive_tf.keras as rtf_keras


class Node:
  def __init__(self, value, children=()):
    self.value, self.children = value, list(children)


TREE = Node(1.0, [Node(2.0), Node(3.0, [Node(4.0)])])


class Module(tf.Module):
  def __init__(self):
    super().__init__()
    self.weight = tf.Variable(0.5)

  @rtf.recursive
  def total(self, node):
    return self.weight * node.value + sum(self.total(child) for child in node.children)

  @rtf.function
  def scaled(self, x):
    return self.weight * x

  @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
  def plain(self, x):
    return self.weight * x


class Derived(Module):
  def total(self, node):  # Plain Python, as TensorFlow leaves it out.
    return 0.0


def warnings_of_saving(module, folder):
  with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    tf.saved_model.save(module, str(folder))
  return [str(w.message) for w in found if "is not saved" in str(w.message)]


def test_saving_says_which_methods_are_left_out_and_what_to_do(tmp_path):
  module = Module()
  module.total(TREE), module.scaled(tf.constant(2.0))
  scaled, total = sorted(warnings_of_saving(module, tmp_path))
  assert scaled.startswith("Module.scaled is not saved")
  assert "module.scaled_program = module.scaled.concrete(...)" in scaled
  assert total.startswith("Module.total is not saved") and "layer.program()" in total
  again = tf.saved_model.load(str(tmp_path))
  assert again.plain(2.0).numpy() == 1.0 and not hasattr(again, "total")


def test_nothing_is_said_where_the_module_has_the_programs(tmp_path):
  module = Module()
  layer = rtf_keras.Recursive(module.total)
  columns = layer.pack([TREE])
  module.total_columns = layer.program()
  module.scaled_program = module.scaled.concrete(tf.constant(2.0))
  assert warnings_of_saving(module, tmp_path) == []
  again = tf.saved_model.load(str(tmp_path))
  assert again.total_columns(*columns).numpy() == pytest.approx([5.0])
  assert again.scaled_program(tf.constant(2.0)).numpy() == 1.0


def test_a_program_that_is_gone_or_of_another_module_does_not_count(tmp_path):
  module, other = Module(), Module()
  module.scaled.concrete(tf.constant(2.0))
  other.kept = other.scaled.concrete(tf.constant(2.0))
  assert any("scaled" in text for text in warnings_of_saving(module, tmp_path))


def test_a_method_that_a_derived_class_replaces_is_not_spoken_of(tmp_path):
  assert ["Derived.scaled" in text for text in warnings_of_saving(Derived(), tmp_path)] == [True]


def test_a_module_within_the_saved_one_is_spoken_of_too(tmp_path):
  outer = tf.Module()
  outer.inner = Module()
  assert len(warnings_of_saving(outer, tmp_path)) == 2


def test_checkpoints_hold_all_and_nothing_is_said(tmp_path):
  module = Module()
  with warnings.catch_warnings():
    warnings.simplefilter("error")
    path = tf.train.Checkpoint(module=module).save(str(tmp_path / "c"))
  module.weight.assign(3.0)
  tf.train.Checkpoint(module=module).restore(path).assert_consumed()
  assert module.weight.numpy() == 0.5
