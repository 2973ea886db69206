"""No two threads wait for each other while one traces and the other makes a gradient."""

import subprocess
import sys
import textwrap

PROGRAM = textwrap.dedent(
  """
  import faulthandler
  import os
  import threading

  import tensorflow as tf

  import recursive_tf as rtf

  faulthandler.dump_traceback_later(60, exit=True)
  is_tracing, is_differentiating = threading.Event(), threading.Event()


  @rtf.subgraph
  def scale(x):
    return x * 2.0


  @rtf.subgraph
  def traced(x):
    is_tracing.set()
    with tf.init_scope():
      factor = scale(tf.constant(1.0))
    return x * factor


  @rtf.subgraph
  def backward(x):
    return x * 3.0


  @tf.custom_gradient
  def tripled(x):
    def gradient(upstream):
      is_differentiating.set()
      is_tracing.wait(2)
      return backward(upstream)

    return x * 3.0, gradient


  @rtf.subgraph
  def differentiated(x):
    return tripled(x)


  def trace():
    is_differentiating.wait()
    print(f"traced {traced(tf.constant(1.0)).numpy()}\\n", end="", flush=True)


  def differentiate():
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = differentiated(x)
    print(f"gradient {tape.gradient(y, x).numpy()}\\n", end="", flush=True)


  differentiated(tf.constant(1.0))
  threads = [threading.Thread(target=trace), threading.Thread(target=differentiate)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  os._exit(0)
  """
)


def test_a_gradient_that_calls_functions_waits_for_none_that_is_traced():
  done = subprocess.run(
    [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=240
  )
  assert done.returncode == 0, done.stderr[-4000:]
  assert sorted(done.stdout.split("\n")[:2]) == ["gradient 3.0", "traced 2.0"]
