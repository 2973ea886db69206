import os
import subprocess
import sys

import numpy as np
import pytest

from recursive_tf.distribute.addresses import Addresses, local_addresses
from tests.distribute import together

pytestmark = pytest.mark.long  # Three processes start for the first of them.


@pytest.fixture(scope="module")
def found(tmp_path_factory, request):
  """What two workers, in processes of their own, saved."""
  out = tmp_path_factory.mktemp("together") / "found"
  addresses = local_addresses(2)
  processes = [
    subprocess.Popen(
      [sys.executable, "-m", "tests.distribute.together", str(out)],
      cwd=request.config.rootpath,
      env={**os.environ, "TF_CONFIG": Addresses(addresses, index).tf_config()},
      stderr=subprocess.PIPE,
      text=True,
    )
    for index in range(2)
  ]
  for process in processes:
    try:
      _, errors = process.communicate(timeout=200)
    finally:
      process.kill()
    assert process.returncode == 0, errors[-3000:]
  return [dict(np.load(f"{out}-{index}.npz")) for index in range(2)]


@pytest.fixture(scope="module")
def alone():
  return together.results()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("way", ["", "reduced "])
@pytest.mark.parametrize("name", ["treelstm", "rntn", "top_down"])
def test_two_workers_train_as_one_does(found, alone, name, way):
  expected = {key: value for key, value in alone.items() if key.startswith(name)}
  assert len(expected) > 6 and any(np.abs(value).max() > 0.1 for value in expected.values())
  for worker in found:
    for key, value in expected.items():
      np.testing.assert_allclose(worker[way + key], value, rtol=1e-10, atol=1e-10, err_msg=key)
  for key in expected:
    if not key.endswith("steps"):  # All workers make the same changes.
      np.testing.assert_array_equal(*(worker[way + key] for worker in found), err_msg=key)


@pytest.mark.parametrize("name, tables", [("treelstm", 1), ("rntn", 1), ("top_down", 2)])
def test_gradients_travel_in_few_ops(found, name, tables):
  def ops(way):
    return {op: int(count) for op, count in found[0][f"{way}{name} ops"]}

  assert ops("reduced ") == {"CollectiveReduceV2": 1, "CollectiveGatherV2": tables}
  # One for all, and one that runs when a table has more rows than ever before.
  assert ops("") == {"CollectiveGatherV2": 1 + tables}


def test_workers_hear_one_another(found):
  for index, worker in enumerate(found):
    assert worker["total"].tolist() == [3.0, 1.0]
    assert str(worker["from chief"]) == "é" * 9
    assert worker["any"].tolist() == [True, False]
    assert int(worker["agreed"]) == index


def test_no_collective_op_leaves_a_thread_behind(found):
  for worker in found:
    before, after = worker["threads"]
    assert after < before + 20  # There were 80 ops between.


def test_the_first_worker_decides_what_variables_are(found):
  for worker in found:
    assert worker["variable 0"].tolist() == worker["variable 1"].tolist() == [0, 1, 2, 3]
    assert worker["variable 2"] == -np.inf


def test_what_fails_on_one_worker_fails_on_all(found):
  assert [str(worker["disagreed"]) for worker in found] == [
    "ConfigError: Worker 1 stopped: line 3 is bad",
    "DataError: line 3 is bad",
  ]
