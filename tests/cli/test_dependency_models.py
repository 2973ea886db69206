"""`recursive-tf` with what learns from dependency trees: pairs of sentences, and relations."""

import json
import re

import pytest

from recursive_tf import cli
from recursive_tf.training.history import read_history
from recursive_tf.training.runs import make_run_config
from tests.cli.conftest import settle_threads
from tests.cli.dependency_data import make_pairs, make_treebank
from tests.cli.processes import start
from tests.cli.runs import assert_one_line

MODEL = "child-sum-treelstm"
SMALL = ["--state-size", "4", "--embedding-size", "5", "--hidden-size", "3", "--batch-size", "4"]
TRAIN_PAIRS = ["train", MODEL, "--data", "pairs", *SMALL, "--learning-rate", "0.2"]


@pytest.fixture(scope="module")
def related(tmp_path_factory):
  """A folder with `pairs`, and `a`, what was trained on them for six epochs; not to be changed."""
  folder = tmp_path_factory.mktemp("related")
  make_pairs(folder / "pairs", 12)
  with pytest.MonkeyPatch.context() as monkeypatch:
    monkeypatch.chdir(folder)
    settle_threads(monkeypatch)
    assert cli.main([*TRAIN_PAIRS, "--epochs", "6", "--out", "a"]) == 0
  return folder


def test_relatedness_is_trained_tested_and_plotted(run, related, monkeypatch):
  monkeypatch.chdir(related)
  rows = read_history(related / "a")
  assert rows[-1]["train_loss"] < rows[0]["train_loss"]
  best = max(row["dev_pearson"] for row in rows)
  result = json.loads((related / "a" / "test.json").read_text())
  # The splits are the same.
  assert result["pearson"] == pytest.approx(best, rel=1e-4)
  assert result["num_pairs"] == result["num_ranked"] == 12
  status, out, _ = run("plot", "a", "--split", "dev")
  assert status == 0 and "split dev: 12 pairs" in out
  assert (related / "a" / "plots" / "curves.png").exists()
  status, out, _ = run("eval", "a")
  assert status == 0 and "loss of a pair" in out
  for name, title in (("pearson", "Pearson's r"), ("spearman", "Spearman's rho")):
    shown = float(re.search(rf"{title} +(-?[\d.]+) of 12", out)[1])
    assert shown == pytest.approx(result[name], abs=6e-4)


@pytest.mark.slow
def test_relatedness_is_resumed(run, related, monkeypatch, tmp_path):
  monkeypatch.chdir(related)
  out = ["--out", tmp_path / "b"]
  run(*TRAIN_PAIRS, "--epochs", "3", "--decay-epochs", "6", *out)
  given = ["train", MODEL, "--data", "pairs", "--resume", "--epochs", 6]
  status, printed, _ = run(*given, *out)
  assert status == 0 and "Going on with" in printed
  for a, b in zip(read_history(related / "a"), read_history(tmp_path / "b"), strict=True):
    assert a["train_loss"] == pytest.approx(b["train_loss"], rel=1e-3)


def test_relations_are_trained_and_tested_on_other_files(run, tmp_path):
  make_treebank(tmp_path / "trees", 10)
  arguments = ["--data", "trees", *SMALL, "--min-count", "1", "--learning-rate", "0.2"]
  status, out, _ = run("train", MODEL, *arguments, "--epochs", "3", "--out", "a")
  assert status == 0 and "task relation: 10 sentences, 7 words, 3 epochs" in out
  result = json.loads((tmp_path / "a" / "test.json").read_text())
  # Roots are not counted: 3 of 4 words are.
  assert result["num_words"] == 30 and result["relation"] > 0.6
  status, out, _ = run("eval", "a", "--data", "trees/x-dev.conllu")
  assert status == 0 and "x-dev.conllu: 10 sentences" in out
  assert f"right relations         {result['relation']:.1%} of 30" in out


def test_data_decides_the_task(tmp_path):
  make_pairs(tmp_path / "pairs", 1)
  make_treebank(tmp_path / "trees", 1)
  found = {data: make_run_config(MODEL, data) for data in (None, "sick", "ud", "pairs", "trees")}
  tasks = [config.task for config in found.values()]
  assert tasks == ["relatedness", "relatedness", "relation", "relatedness", "relation"]
  assert found[None].data == "sick" and make_run_config(MODEL, task="relation").data == "ud"


@pytest.mark.parametrize(
  ("arguments", "message"),
  [
    (["--data", "pairs", "--skip-bad"], "--skip-bad: the files of SICK have a line for each pair"),
    (["--data", "pairs/train/a.toks"], "this is a file; a split of SICK is eight"),
    (["--data", "trees", "--task", "relatedness"], "trees/train/a.toks: cannot read"),
    (["--data", "sik"], "--data sik: no such directory. Did you mean sick?"),
    (["--task", "relation", "--data", "pairs"], "expected a file NAME-train.conllu"),
    (["--task", "fine"], "child-sum-treelstm does not learn it, expected one of relatedness, rel"),
    (["--data", "trees", "--hidden-size", "0"], "--hidden-size is 0, expected at least 1"),
    (["--data", "trees", "--dropout", "0.5"], "model child-sum-treelstm has no such hyperparamet"),
    (["--data", "bare"], "--data bare: no word but roots has a relation of Universal Dependencies"),
  ],
)
def test_what_cannot_be_is_one_line(run, tmp_path, arguments, message):
  make_pairs(tmp_path / "pairs", 2)
  make_treebank(tmp_path / "trees", 2)
  make_treebank(tmp_path / "bare", 2)
  for path in (tmp_path / "bare").iterdir():
    path.write_text(re.sub("det|nsubj|obj", "_", path.read_text()))
  status, _, err = run("train", MODEL, *arguments)
  assert status == 2
  assert_one_line(err, message)
  assert not (tmp_path / "runs").exists()


@pytest.mark.slow
def test_workers_train_and_rank_as_one_process(run, related, monkeypatch, tmp_path):
  monkeypatch.chdir(related)
  out = tmp_path / "two"
  process = start(*TRAIN_PAIRS, "--epochs", 6, "--out", out, "--workers", 2, "--threads", 1)
  _, err = process.communicate(timeout=300)
  assert process.returncode == 0, err
  for a, b in zip(read_history(related / "a"), read_history(out), strict=True):
    assert set(a) == set(b) and a["train_loss"] == pytest.approx(b["train_loss"], rel=1e-3)
    assert a["dev_spearman"] == pytest.approx(b["dev_spearman"], abs=0.02)
  # What is written is of the whole split, whoever wrote it.
  assert json.loads((out / "test.json").read_text())["num_ranked"] == 12


def conllu(heads):
  """A sentence of words w1, w2, .. with these heads, 0 of the root."""
  rows = (
    f"{k}\tw{k}\t_\tX\t_\t_\t{head}\t{'obj' if head else 'root'}\t_\t_\n"
    for k, head in enumerate(heads, 1)
  )
  return "".join(rows)


def test_an_nary_model_is_trained_and_takes_no_more_dependents_than_it_has_places_for(
  run, tmp_path
):
  (tmp_path / "trees").mkdir()
  for split, heads in (("train", (0, 1, 1)), ("dev", (2, 0, 2)), ("test", (3, 3, 0))):
    (tmp_path / "trees" / f"x-{split}.conllu").write_text(conllu(heads))
  (tmp_path / "wide.conllu").write_text(conllu((2, 0, 2, 2)))
  train = ["train", "nary-treelstm", "--data", "trees", *SMALL, "--epochs", "1"]
  status, _, err = run(*train, "--max-children", "1", "--out", "a")
  assert status == 2 and not (tmp_path / "a").exists()
  assert_one_line(err, "--data trees, split train: 2 words depend on 'w1' in 'w1 w2 w3'")
  assert_one_line(err, "expected at most 1", "--max-children 2, or child-sum-treelstm")
  assert run(*train, "--min-count", "1", "--max-children", "2", "--out", "a")[0] == 0
  assert json.loads((tmp_path / "a" / "test.json").read_text())["num_words"] == 2

  for command in (["predict", "a", "--file"], ["eval", "a", "--data"]):
    status, out, err = run(*command, "wide.conllu")
    assert status == 2 and out == ""
    assert_one_line(err, "3 words depend on 'w2' in 'w1 w2 w3 w4', expected at most 2")
  status, out, _ = run("predict", "a", "--file", "trees/x-dev.conllu", "--json")
  assert status == 0 and len(json.loads(out)["words"]) == 3
