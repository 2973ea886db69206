"""Counters of the last run: frames, depth, and what is left in the stash."""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.live_runs import alive

pytestmark = pytest.mark.usefixtures("scheduler")


def define_fibonacci():
  with rtf.SubGraph("fibonacci") as f:
    n, x = f.input(tf.int32), f.input(tf.float32)
    f.output(tf.cond(n < 2, lambda: x, lambda: x * f(n - 1, x) + f(n - 2, x)))
  return f


def num_frames(n):
  return 1 if n < 2 else 1 + num_frames(n - 1) + num_frames(n - 2)


def test_frames_and_depth_are_counted(mode):
  f = define_fibonacci()
  mode(lambda n: f(n, 1.0))(tf.constant(8))
  stats = rtf.last_run_stats()
  assert stats.frames == num_frames(8)
  assert stats.max_depth == 8


def test_rows_are_frames(mode):
  f = define_fibonacci()
  mode(lambda ns: f.map(ns, tf.ones_like(ns, tf.float32)))(tf.constant([3, 0, 5]))
  assert rtf.last_run_stats().frames == num_frames(3) + 1 + num_frames(5)
  assert rtf.last_run_stats().max_depth == 5


def test_inference_keeps_no_stash(mode):
  f = define_fibonacci()
  mode(lambda n: f(n, 1.0))(tf.constant(8))
  stats = rtf.last_run_stats()
  assert (stats.stash_entries, stats.stash_bytes, stats.stash_peak_bytes) == (0, 0, 0)
  assert alive() == (0, 0)


def test_training_stashes_an_entry_a_frame_or_a_step_until_the_backward_pass(scheduler):
  f = define_fibonacci()
  x = tf.constant(1.0)
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = f(8, x)
  stats = rtf.last_run_stats()
  num_entries = num_frames(8) if scheduler == "concurrent" else stats.steps
  assert stats.stash_entries == num_entries
  assert 0 < stats.stash_bytes <= stats.stash_peak_bytes
  assert (stats.live_runs, stats.live_stash_entries) == (1, num_entries)
  tape.gradient(y, x)
  del tape, y
  assert alive() == (0, 0)


def test_steps_and_rows_are_those_of_the_batched_scheduler(mode, scheduler):
  f = define_fibonacci()
  mode(lambda n: f(n, 1.0))(tf.constant(8))
  stats = rtf.last_run_stats()
  if scheduler == "concurrent":
    assert (stats.steps, stats.rows) == (0, 0)
  else:
    assert 0 < stats.steps < stats.rows
