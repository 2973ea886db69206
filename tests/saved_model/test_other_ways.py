"""Models with SubGraphs taken into a new process by the other ways that TensorFlow has."""

import json
import subprocess
import sys

import pytest
import tensorflow as tf

import recursive_tf as rtf

pytestmark = [
  pytest.mark.one_in(2),
  pytest.mark.parametrize("saved", ["batched", "concurrent"], indirect=True),
]
POWERS = [1.0, 2.0, 8.0]

BEGIN = """
import json, sys
import tensorflow as tf
import recursive_tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
model = tf.saved_model.load(sys.argv[1])
numbers = tf.constant([0, 1, 3])

def show(*values):
  print(json.dumps([tf.convert_to_tensor(value).numpy().tolist() for value in values]))
"""


class Powers(tf.Module):
  """Powers of a weight, which the body reads itself or is given."""

  def __init__(self, scheduler):
    super().__init__()
    self.scheduler = scheduler
    self.weight = tf.Variable(2.0)

  def powers(self, ns, weight):
    with rtf.SubGraph("power", scheduler=self.scheduler) as f:
      n = f.input(tf.int32)
      f.output(tf.cond(n <= 0, lambda: 1.0, lambda: weight * f(n - 1)))
    return f.map(ns)

  @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
  def inside(self, ns):
    return self.powers(ns, self.weight)

  @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
  def outside(self, ns):
    return self.powers(ns, self.weight.read_value())


@pytest.fixture(scope="module")
def saved(request, tmp_path_factory):
  path = str(tmp_path_factory.mktemp(request.param))
  model = Powers(request.param)
  tf.saved_model.save(model, path, signatures={"in": model.inside, "out": model.outside})
  return path


def run(script, path):
  """Runs a script on a model in a new process: what it showed, or what it said."""
  process = subprocess.run(
    [sys.executable, "-c", BEGIN + script, path], capture_output=True, text=True, check=False
  )
  shown = [line for line in process.stdout.splitlines() if line.startswith("[")]
  return json.loads(shown[-1]) if process.returncode == 0 else process.stderr


def test_wrapped_and_pruned_functions_run_and_have_gradients(saved):
  script = """
wrapped = tf.compat.v1.wrap_function(lambda ns: model.inside(ns), [tf.TensorSpec([None], tf.int32)])
pruned = wrapped.prune(wrapped.inputs[0], wrapped.outputs[0])
with tf.GradientTape() as tape:
  y = wrapped(numbers)
show(wrapped(numbers), pruned(numbers), tape.gradient(y, model.weight))
"""
  assert run(script, saved) == [POWERS, POWERS, 13.0]


def test_a_model_saved_from_a_session_loads(saved):
  script = """
import tempfile
path = tempfile.mkdtemp() + "/model"
with tf.Graph().as_default(), tf.compat.v1.Session() as session:
  weight = tf.compat.v1.get_variable("weight", initializer=2.0)
  x = tf.compat.v1.placeholder(tf.int32, [None])
  with recursive_tf.SubGraph("power", scheduler=sys.argv[1].rsplit("/")[-1][:-1]) as f:
    n = f.input(tf.int32)
    f.output(tf.cond(n <= 0, lambda: 1.0, lambda: weight * f(n - 1)))
  y = f.map(x)
  session.run(tf.compat.v1.global_variables_initializer())
  tf.compat.v1.saved_model.simple_save(session, path, {"x": x}, {"y": y})
show(tf.saved_model.load(path).signatures["serving_default"](numbers)["y"])
"""
  assert run(script, saved) == [POWERS]


def test_a_frozen_function_runs_where_bodies_use_no_variable(saved):
  script = """
frozen = convert_variables_to_constants_v2(model.signatures["out"])
show(frozen(numbers)[0], len(frozen.inputs))
"""
  assert run(script, saved) == [POWERS, 1]


def test_freezing_a_body_that_uses_a_variable_fails_as_documented(saved):
  message = run('convert_variables_to_constants_v2(model.signatures["in"])', saved)
  assert "was passed float" in message and "incompatible with expected resource" in message


def test_tflite_names_the_ops_it_does_not_have(saved):
  script = """
converter = tf.lite.TFLiteConverter.from_saved_model(sys.argv[1], signature_keys=["in"])
converter.target_spec.supported_ops = [
  tf.lite.OpsSet.TFLITE_BUILTINS, tf.lite.OpsSet.SELECT_TF_OPS
]
converter.convert()
"""
  message = run(script, saved)
  assert "'tf.RecursiveTf>Launch" in message
  assert "op is neither a custom op nor a flex op" in message
