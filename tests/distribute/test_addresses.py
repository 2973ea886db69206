import json
import socket

import pytest

from recursive_tf._errors import ConfigError
from recursive_tf.distribute.addresses import (
  Addresses,
  check_port,
  local_addresses,
  parse_tf_config,
)
from recursive_tf.distribute.slurm import slurm_addresses


def tf_config(cluster, kind="worker", index=0):
  return json.dumps({"cluster": cluster, "task": {"type": kind, "index": index}})


def test_workers_and_index_are_read():
  found = parse_tf_config(tf_config({"worker": ["a:1", "b:2"]}, index=1))
  assert found == Addresses(("a:1", "b:2"), 1)
  assert parse_tf_config(found.tf_config()) == found


def test_the_chief_comes_first():
  cluster = {"worker": ["a:1", "b:2"], "chief": ["c:3"]}
  assert parse_tf_config(tf_config(cluster, "chief")) == Addresses(("c:3", "a:1", "b:2"), 0)
  assert parse_tf_config(tf_config(cluster, index=1)).index == 2


@pytest.mark.parametrize("text", ["", "{}", '{"cluster": {}}'])
def test_no_cluster_is_no_cluster(text):
  assert parse_tf_config(text) is None


@pytest.mark.parametrize(
  "text, message",
  [
    ("{worker", "no JSON"),
    ("[1]", "list, not an object"),
    ('{"cluster": 3}', "not an object"),
    ('{"cluster": {"worker": ["a:1"]}}', "without a task"),
    (tf_config({"worker": ["a:1"], "ps": ["b:2"]}), "with tasks ps"),
    (tf_config({"worker": ["a:1"]}, index=1), "task index 1, expected 0 to 0"),
    (tf_config({"worker": ["a:1"]}, index="0"), "task index '0'"),
    (tf_config({"worker": ["a:1"]}, "chief"), "task type 'chief'"),
    (tf_config({"worker": ["a"]}), "expected a list of host:port"),
    (tf_config({"worker": "a:1"}), "expected a list of host:port"),
    (tf_config({"worker": ["a:1", "a:1"]}), "same address twice"),
  ],
)
def test_what_is_no_tf_config_is_refused_by_name(text, message):
  with pytest.raises(ConfigError, match="TF_CONFIG is") as error:
    parse_tf_config(text)
  assert message in str(error.value) and "Expected such as" in str(error.value)


def test_a_port_that_is_taken_is_said():
  addresses = Addresses(local_addresses(2), 1)
  check_port(addresses)
  host, _, port = addresses.workers[1].rpartition(":")
  with socket.socket() as other:
    other.bind((host, int(port)))
    other.listen()
    with pytest.raises(ConfigError, match=f"Port {port} of worker 1 .* is in use"):
      check_port(addresses)


def set_slurm(monkeypatch, **values):
  for name, value in values.items():
    monkeypatch.setenv(f"SLURM_{name.upper()}", str(value))


def test_a_slurm_step_is_a_cluster(monkeypatch):
  set_slurm(
    monkeypatch,
    procid=2,
    step_num_tasks=5,
    step_nodelist="n[1-2],m5",
    step_tasks_per_node="2(x2),1",
  )
  # By the names of the nodes, as TensorFlow's resolver sorts them.
  assert slurm_addresses() == Addresses(("m5:8888", "n1:8888", "n1:8889", "n2:8888", "n2:8889"), 2)


def test_outside_of_slurm_it_says_how_to_start(monkeypatch):
  monkeypatch.delenv("SLURM_PROCID", raising=False)
  with pytest.raises(ConfigError, match="srun --ntasks 4"):
    slurm_addresses()
