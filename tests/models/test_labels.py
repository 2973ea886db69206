import numpy as np
import pytest
import tensorflow as tf

from recursive_tf._errors import ConfigError
from recursive_tf.models import Metrics
from recursive_tf.models.labels import BINARY, FINE, binary_class, task_named


def test_neutral_and_missing_labels_have_no_binary_class():
  np.testing.assert_array_equal(binary_class(tf.range(-1, 5)), [-1, 0, 0, -1, 1, 1])


def test_tasks_are_found_by_name():
  assert task_named("fine") is FINE and task_named("binary") is BINARY
  with pytest.raises(ConfigError, match="expected one of fine, binary"):
    task_named("coarse")


def test_counts_add_up_and_nothing_counted_is_no_division_by_zero():
  assert set(Metrics.zeros().scores().values()) == {0.0}
  both = Metrics(4, 2, 1, 0, 2, 1, 1, 1).plus(Metrics(4, 4, 1, 1, 2, 2, 1, 0))
  assert both.scores() == {"root": 0.5, "node": 0.75, "binary_root": 0.5, "binary_node": 0.75}
