"""The test set-up itself: what the fixtures promise."""

import warnings

import pytest
import tensorflow as tf


def warn(module):
  """Raises a warning as code in `module` would."""
  warnings.warn_explicit("careless", UserWarning, "file.py", 1, module=module)


@pytest.mark.parametrize("module", ["recursive_tf", "recursive_tf.subgraph._body"])
def test_a_warning_in_our_code_is_an_error(module):
  with pytest.raises(UserWarning, match="careless"):
    warn(module)


@pytest.mark.parametrize("module", ["recursive_tf_extras", "keras.src.layers"])
def test_a_warning_in_other_code_stays_a_warning(module):
  with pytest.warns(UserWarning, match="careless"):
    warn(module)


def test_mode_runs_a_function_as_named(mode):
  traced = []
  double = mode(lambda x: traced.append(tf.inside_function()) or x + x)
  assert double(tf.constant(3)) == 6
  assert traced == [not mode.is_eager]


draws = []


@pytest.mark.parametrize("time", ["first", "second"])
def test_every_test_starts_from_the_same_seed(time):
  draws.append(float(tf.random.uniform([])))
  assert draws == draws[:1] * len(draws)


def test_inter_op_threads_are_as_asked(request):
  asked = request.config.getoption("--inter-op-threads")
  assert tf.config.threading.get_inter_op_parallelism_threads() == asked


def test_the_gpu_is_left_alone():
  assert tf.config.list_physical_devices("GPU") == []
