import dataclasses
import json

import pytest

from recursive_tf._errors import CheckpointError
from recursive_tf.training.config import REMEDY, RunConfig
from recursive_tf.training.runs import load_run, make_run_config


@pytest.fixture
def config(tmp_path):
  config = make_run_config("treernn", "sample", seed=3, state_size=4)
  config.save(tmp_path)
  return config


def test_what_was_saved_is_read_back(config, tmp_path):
  assert load_run(tmp_path) == RunConfig.load(tmp_path) == config


def test_a_run_of_an_older_version_is_read(config, tmp_path):
  values = dataclasses.asdict(config)
  for name in ("decay_epochs", "data_digest", "vocabulary_digest"):
    del values[name]
  (tmp_path / "config.json").write_text(json.dumps(values))
  assert load_run(tmp_path) == dataclasses.replace(config, decay_epochs=0)
  assert load_run(tmp_path).with_epochs(9).decay_epochs == config.hyperparameters["epochs"]


def change(**values):
  return lambda text: json.dumps({**json.loads(text), **values})


def hyper(**values):
  def changed(text):
    config = json.loads(text)
    config["hyperparameters"].update(values)
    config["hyperparameters"] = {k: v for k, v in config["hyperparameters"].items() if v != "-"}
    return json.dumps(config)

  return changed


def without(name):
  return lambda text: json.dumps({k: v for k, v in json.loads(text).items() if k != name})


@pytest.mark.parametrize(
  "damage, message",
  [
    (lambda text: "", "config.json:1:1: damaged: expected JSON"),
    (lambda text: text[:-40], "damaged: expected JSON"),
    (lambda text: "[" * 100_000, "damaged"),
    (lambda text: "3", "expected an object of values, got int"),
    (without("seed"), "expected a value 'seed', got none"),
    (change(extra=1), "got 'extra'"),
    (change(seed="0"), "seed: expected a value of type int, got '0'"),
    (change(seed=True), "seed: expected a value of type int, got True"),
    (change(seed=-1), "--seed is -1"),
    (change(hyperparameters=[]), "hyperparameters: expected a value of type dict"),
    (change(model="lstm"), "Model 'lstm' does not exist"),
    (change(task="binray"), "treernn does not learn it"),
    (hyper(epochs="-"), "epochs is missing"),
    (hyper(epochs=2.5), "epochs is 2.5, expected a number"),
    (hyper(epochs=None), "epochs is None"),
    (hyper(epochs=0), "--epochs is 0"),
    (hyper(dropout=float("nan")), "--dropout is nan"),
    (hyper(width=3), "width is missing, or not one of treernn"),
  ],
)
def test_a_damaged_file_is_named_with_what_was_expected(config, tmp_path, damage, message):
  path = tmp_path / "config.json"
  path.write_text(damage(path.read_text()))
  with pytest.raises(CheckpointError) as caught:
    load_run(tmp_path)
  assert str(caught.value).startswith(f"{path}:") and message in str(caught.value)
  assert str(caught.value).endswith(REMEDY)
  assert "\n" not in str(caught.value)
