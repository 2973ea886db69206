"""SubGraphs that go out of scope leave nothing behind."""

import json
import platform
import subprocess
import sys

import pytest

# Bytes of the heap in use: exact, as the memory of a process is not.
SCRIPT = """
import json, sys
import tensorflow as tf
import recursive_tf as rtf
from tests.heap import heap

weight = tf.Variable(2.0)
where, scheduler = sys.argv[1:]

def use():
  with rtf.SubGraph("tree", scheduler=scheduler) as f:
    n = f.input(tf.int32)
    f.output(tf.cond(n <= 1, lambda: weight * 1.0, lambda: f(n - 1) + f(n - 2) * weight))
  return f(3)

def train():
  with tf.GradientTape() as tape:
    y = use()
  return tape.gradient(y, weight)

once = {"eager": use, "function": lambda: tf.function(use)(), "gradient": train}[where]

def in_use():
  found = heap()
  return found.uordblks + found.hblkhd

for _ in range(8):
  once()
before = in_use()
for _ in range(12):
  once()
print(json.dumps((in_use() - before) / 12))
"""


@pytest.mark.one_in(3)
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="asks glibc for its heap")
@pytest.mark.parametrize("scheduler", ["batched", "concurrent"])
@pytest.mark.parametrize("where", ["eager", "function", "gradient"])
def test_a_subgraph_that_is_gone_leaves_less_than_20_kilobytes(where, scheduler):
  output = subprocess.run(
    [sys.executable, "-c", SCRIPT, where, scheduler], capture_output=True, text=True, check=True
  ).stdout
  assert json.loads(output) < 20_000
