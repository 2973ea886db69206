"""What importing the package does not do."""

import subprocess
import sys


def test_import_leaves_the_threads_to_be_set():
  text = (
    "import recursive_tf, tensorflow as tf;tf.config.threading.set_inter_op_parallelism_threads(1)"
  )
  subprocess.run([sys.executable, "-c", text], check=True, timeout=120)
