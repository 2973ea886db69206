import numpy as np
import pytest

from recursive_tf.training.config import RunConfig
from recursive_tf.training.history import read_history
from tests.cli.runs import TINY, assert_one_line, interrupt_after, trainer_of, without_times


def test_a_resumed_run_ends_as_an_uninterrupted_one(run, tmp_path):
  arguments = ["train", "treelstm", *TINY, "--embedding-size", "6", "--dropout", "0.5"]
  run(*arguments, "--out", "whole")
  (tmp_path / "parts").mkdir()
  RunConfig.load(tmp_path / "whole").save(tmp_path / "parts")
  interrupt_after(tmp_path / "parts", 2)  # In the middle of the first epoch,
  interrupt_after(tmp_path / "parts", 4)  # and of the second.
  assert len(read_history(tmp_path / "parts")) == 1
  status, out, _ = run("train", "treelstm", "--out", "parts", "--resume")
  assert status == 0 and "Going on with" in out

  whole, parts = (without_times(read_history(tmp_path / name)) for name in ("whole", "parts"))
  assert len(whole) == len(parts) == 2
  for a, b in zip(whole, parts, strict=True):
    # Two threads may add up gradients in either order, which can change the last digit.
    assert a == pytest.approx(b, rel=1e-4)
  models = [trainer_of(tmp_path / name).model for name in ("whole", "parts")]
  for a, b in zip(*(model.variables for model in models), strict=True):
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_a_complete_run_is_not_trained_further(run, tmp_path):
  run("train", "treernn", *TINY, "--out", "a")
  before = (tmp_path / "a" / "history.csv").read_text()
  status, out, _ = run("train", "treernn", "--out", "a", "--resume")
  assert status == 0 and "Test, with the weights" in out
  assert (tmp_path / "a" / "history.csv").read_text() == before


def test_rows_past_the_last_checkpoint_are_written_again(run, tmp_path):
  run("train", "treernn", *TINY, "--epochs", "3", "--out", "a")
  rows = read_history(tmp_path / "a")
  for path in (tmp_path / "a" / "checkpoints").glob(f"ckpt-{int(rows[-1]['step'])}.*"):
    path.unlink()
  status, _, _ = run("train", "treernn", "--out", "a", "--resume")
  assert status == 0
  assert [row["epoch"] for row in read_history(tmp_path / "a")] == [1, 2, 3]


def test_a_run_is_neither_overwritten_nor_resumed_as_another(run, tmp_path):
  run("train", "treernn", *TINY, "--out", "a")
  status, _, err = run("train", "treernn", *TINY, "--out", "a")
  assert status == 2 and "already holds a training run. Add --resume" in err
  status, _, err = run("train", "treernn", "--out", "a", "--resume", "--seed", "4")
  assert status == 2 and "started with seed=0, which cannot become 4" in err
  status, _, err = run("train", "rntn", "--out", "a", "--resume")
  assert status == 2 and "model=treernn" in err


@pytest.mark.slow
def test_training_longer_is_exact(run, tmp_path):
  arguments = ["train", "treernn", *TINY, "--dropout", "0.5"]
  run(*arguments, "--out", "longer")
  run("train", "treernn", "--out", "longer", "--resume", "--epochs", "4")
  run(*arguments, "--out", "parts")
  (tmp_path / "parts" / "test.json").unlink()
  for epochs in (3, 4):  # In steps: what comes out is the same.
    status, out, _ = run("train", "treernn", "--out", "parts", "--resume", "--epochs", epochs)
    assert status == 0 and f"epoch {epochs}/{epochs}" in out
  run(*arguments, "--epochs", "4", "--decay-epochs", "2", "--out", "whole")

  rows = [without_times(read_history(tmp_path / name)) for name in ("whole", "longer", "parts")]
  assert [row["epoch"] for row in rows[0]] == [1, 2, 3, 4]
  models = [trainer_of(tmp_path / name).model for name in ("whole", "longer", "parts")]
  for other in (1, 2):
    for a, b in zip(rows[0], rows[other], strict=True):
      assert a == pytest.approx(b, rel=1e-4)
    for a, b in zip(models[0].variables, models[other].variables, strict=True):
      np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)
  # A run planned with four epochs is another one: its learning rates fall more slowly.
  config = RunConfig.load(tmp_path / "longer")
  assert (config.hyperparameters["epochs"], config.decay_epochs) == (4, 2)
  status, out, _ = run("train", "treernn", "--out", "longer", "--resume")
  assert status == 0 and "4 epochs" in out


def test_fewer_epochs_than_there_are_is_refused(run, finished):
  before = (finished / "config.json").read_bytes()
  status, out, err = run("train", "treernn", "--out", "a", "--resume", "--epochs", "1")
  assert status == 2 and out == ""
  assert_one_line(err, "--epochs is 1", "a is in its epoch 2 already", "at least 2")
  assert (finished / "config.json").read_bytes() == before


@pytest.mark.slow
def test_the_rates_of_an_interrupted_run_stay_those_it_was_begun_with(run, tmp_path):
  run("train", "treernn", *TINY, "--out", "whole")
  (tmp_path / "parts").mkdir()
  RunConfig.load(tmp_path / "whole").save(tmp_path / "parts")
  interrupt_after(tmp_path / "parts", 2)
  for name in ("whole", "parts"):
    status, _, _ = run("train", "treernn", "--out", name, "--resume", "--epochs", "3")
    assert status == 0
  whole, parts = (without_times(read_history(tmp_path / name)) for name in ("whole", "parts"))
  for a, b in zip(whole, parts, strict=True):
    assert a == pytest.approx(b, rel=1e-4)


def test_a_batch_larger_than_the_data_is_one_batch(run, tmp_path):
  run("train", "treernn", *TINY, "--batch-size", "24", "--out", "all")
  run("train", "treernn", *TINY, "--batch-size", 10**12, "--out", "more")
  a, b = (without_times(read_history(tmp_path / name)) for name in ("all", "more"))
  assert [row["step"] for row in a] == [1, 2]
  for row, other in zip(a, b, strict=True):
    assert row == pytest.approx(other, rel=1e-4)


def test_other_sentences_under_the_same_name_are_refused(run, tmp_path):
  (tmp_path / "trees").mkdir()
  for split in ("train", "dev", "test"):
    (tmp_path / "trees" / f"{split}.txt").write_text("(3 (2 a) (4 b))\n(1 (2 a) (0 c))\n")
  run("train", "treernn", "--data", "trees", "--epochs", "1", "--out", "a")
  (tmp_path / "trees" / "train.txt").write_text("(3 (2 a) (4 b))\n(2 (2 a) (0 c))\n")
  status, out, err = run("train", "treernn", "--out", "a", "--resume", "--epochs", "2")
  assert status == 2 and out == ""
  assert_one_line(err, "the sentences of --data trees are not those")
