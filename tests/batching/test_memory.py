"""Between calls, blocks hold nothing of what they computed."""

import os
import platform
import subprocess
import sys

import pytest

# Bytes of the blocks that malloc maps one by one: here all of 64 KiB and more, of all threads.
SCRIPT = """
import tensorflow as tf
import recursive_tf as rtf
from tests.heap import heap

with rtf.SubGraph("gates", scheduler="batched") as f:
  x = f.input(tf.float32, [1, 450])
  h, c = rtf.nn.lstm_gates(x * 2.0, [])
  f.output(h + c)

def mapped_after(rows):
  f.map(tf.ones([rows, 1, 450]))
  return heap().hblkhd

few = [mapped_after(1) for _ in range(3)][-1]
print(mapped_after(100) - few)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="asks glibc for its heap")
def test_what_no_op_uses_is_gone_when_its_block_has_run():
  # The gates after their activation, which only a gradient wants: 180,000 bytes.
  done = subprocess.run(
    [sys.executable, "-c", SCRIPT],
    env={**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"},
    capture_output=True,
    text=True,
    check=True,
  )
  assert int(done.stdout) < 65_536
