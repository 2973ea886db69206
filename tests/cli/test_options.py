import dataclasses

import pytest

from recursive_tf import cli
from recursive_tf.training import registry


def test_the_options_are_those_of_the_models(run):
  assert cli.MODELS == tuple(registry.MODELS)
  names = {f.name for entry in registry.MODELS.values() for f in dataclasses.fields(entry.config)}
  args = cli.make_parser().parse_args(["train", "treelstm"])
  # Initial values are not worth an option.
  assert {name for name in names if not hasattr(args, name)} == {
    "embedding_range",
    "embedding_stddev",
    "forget_bias",
    "edge_bias",
    "num_conditions",
  }


@pytest.mark.parametrize("command", [[], ["train"], ["eval"], ["info"]])
def test_help_is_there(command, capsys):
  with pytest.raises(SystemExit) as exit_info:
    cli.main([*command, "--help"])
  assert exit_info.value.code == 0
  assert "usage: recursive-tf" in capsys.readouterr().out


def test_info_names_versions_kernels_and_data(run):
  status, out, _ = run("info")
  assert status == 0
  for name in ("TensorFlow", "_kernels.so", "threads", "data: sst"):
    assert name in out
