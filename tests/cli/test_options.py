import dataclasses
import importlib
import os
import subprocess
import sys

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf import cli
from recursive_tf._cli import options
from recursive_tf.training import registry
from tests.cli.runs import assert_one_line


def test_the_options_are_those_of_the_models(run):
  assert options.MODELS == tuple(registry.MODELS)
  entries = [entry for entries in registry.MODELS.values() for entry in entries]
  names = {f.name for entry in entries for f in dataclasses.fields(entry.config)}
  args = options.make_parser().parse_args(["train", "treelstm"])
  # Initial values are not worth an option.
  assert {name for name in names if not hasattr(args, name)} == {
    "embedding_range",
    "embedding_stddev",
    "matrix_stddev",
    "forget_bias",
    "edge_bias",
    "num_conditions",
  }


@pytest.mark.parametrize("command", [[], ["train"], ["eval"], ["export"], ["bench"], ["info"]])
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


def start(repository, *arguments):
  """Runs the installed script: (status, stdout, stderr, modules that were imported)."""
  script = repository / "bin" / "recursive-tf"
  done = subprocess.run(
    [sys.executable, "-X", "importtime", script, *arguments],
    capture_output=True,
    text=True,
    env={**os.environ, "PYTHONPATH": str(repository)},
    timeout=200,
  )
  lines = done.stderr.splitlines()
  modules = {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}
  errors = [line for line in lines if not line.startswith("import time:")]
  return done.returncode, done.stdout, "\n".join(errors), modules


@pytest.mark.parametrize(
  ("arguments", "status", "answer"),
  [
    (["--help"], 0, "usage: recursive-tf"),
    (["train", "--help"], 0, "usage: recursive-tf train"),
    (["--version"], 0, f"recursive-tf {rtf.__version__} (kernels for TensorFlow {tf.__version__}"),
    (["trian"], 2, "invalid choice: 'trian', expected one of train, eval, "),
    (
      ["eval", "a", "--splt", "dev"],
      2,
      "unrecognized arguments: --splt dev; did you mean --split?",
    ),
    (["train"], 2, "recursive-tf train: error: the following arguments are required: MODEL"),
  ],
)
def test_what_needs_no_tensorflow_is_answered_without_it(repository, arguments, status, answer):
  found, out, err, modules = start(repository, *arguments)
  assert found == status and answer in (err if status else out)
  assert "argparse" in modules
  assert {
    name for name in modules if name.split(".")[0] in ("tensorflow", "numpy", "keras")
  } == set()
  if status:
    assert out == ""
    assert_one_line(f"{err}\n", "--help.")
  else:
    assert err == ""


@pytest.mark.parametrize(
  ("arguments", "message"),
  [
    (["trian"], "invalid choice: 'trian', expected one of train, eval, predict, "),
    (["trian"], "; did you mean train? See recursive-tf --help."),
    (["xyzzy"], "info. See recursive-tf --help."),
    (["train", "treelsm"], "argument MODEL: invalid choice: 'treelsm', expected one of "),
    (["train", "treelsm"], "; did you mean treelstm? See recursive-tf train --help."),
    (
      ["eval", "a", "--split", "tset"],
      "argument --split: invalid choice: 'tset', expected one of train, dev, test; ",
    ),
    (["train", "treelstm", "--epcohs=3"], "--epcohs=3; did you mean --epochs? See"),
    (["predict", "a", "--jsn"], "recursive-tf predict: error: unrecognized arguments: --jsn; did"),
    (["info", "--lanched"], "unrecognized arguments: --lanched. See"),
    (["train", "treelstm", "--epochs", "x"], "argument --epochs: invalid int value: 'x'. See"),
  ],
)
def test_a_typo_is_one_line_that_says_what_may_have_been_meant(capsys, arguments, message):
  with pytest.raises(SystemExit) as exit_info:
    cli.main(arguments)
  assert exit_info.value.code == 2
  output = capsys.readouterr()
  assert output.out == ""
  assert_one_line(output.err, message)


def test_every_command_has_its_function():
  for name, parser in options.make_parser().commands.items():
    module, function = parser.get_default("handler")
    assert callable(getattr(importlib.import_module(module), function)), name
    assert "--launched" not in parser.option_names() and "--help" in parser.option_names()


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["0<&-", "2>&-", "0<&- 2>&-"])
def test_the_command_runs_without_standard_streams(repository, closed):
  command = f'exec "$0" "$1" info {closed}'
  done = subprocess.run(
    ["sh", "-c", command, sys.executable, repository / "bin" / "recursive-tf"],
    capture_output=True,
    text=True,
    env={**os.environ, "PYTHONPATH": str(repository)},
    timeout=200,
  )
  assert done.returncode == 0 and "TensorFlow" in done.stdout and done.stderr == ""
