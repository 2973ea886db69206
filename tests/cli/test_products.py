"""`train --products bfloat16`: what keeps it, and who is refused."""

import json

import pytest

import recursive_tf as rtf
from recursive_tf.training.config import RunConfig
from recursive_tf.training.history import read_history
from recursive_tf.training.runs import load_run
from tests.cli.runs import TINY, assert_one_line, without_times

needs_processor = pytest.mark.skipif(
  not rtf.nn.has_bfloat16_products(), reason="the processor has no AVX512-BF16"
)


@needs_processor
def test_a_run_keeps_its_precision(run, tmp_path):
  for products in ("float32", "bfloat16"):
    out = str(tmp_path / products)
    assert run("train", "treelstm", *TINY, "--products", products, "--out", out)[0] == 0
    assert load_run(tmp_path / products).products == products
    status, scores, _ = run("eval", out, "--split", "dev", "--json")
    assert status == 0 and json.loads(scores)
  rounded, exact = (
    without_times(read_history(tmp_path / name)) for name in ("bfloat16", "float32")
  )
  assert rounded[-1]["train_loss"] != exact[-1]["train_loss"]
  assert rounded[-1]["train_loss"] == pytest.approx(exact[-1]["train_loss"], rel=0.02)
  resume = ("train", "treelstm", "--out", str(tmp_path / "bfloat16"), "--resume", "--epochs", "3")
  assert_one_line(run(*resume, "--products", "float32")[2], "products=bfloat16")
  assert run(*resume)[0] == 0


def test_models_without_them_are_refused(run, tmp_path):
  status, _, error = run(
    "train", "top-down-treelstm", "--products", "bfloat16", "--out", str(tmp_path / "a")
  )
  assert status != 0
  assert_one_line(error, "--products is bfloat16, expected of top-down-treelstm: float32")
  assert not (tmp_path / "a").exists()


def test_processors_without_them_are_named(run, tmp_path, monkeypatch):
  monkeypatch.setattr("recursive_tf.nn._precision.has_bfloat16_products", lambda: False)
  status, _, error = run(
    "train", "treelstm", *TINY, "--products", "bfloat16", "--out", str(tmp_path / "a")
  )
  assert status != 0
  assert "need a processor with AVX512-BF16" in error
  assert not (tmp_path / "a").exists()


def test_runs_of_older_versions_have_float32(run, tmp_path):
  out = tmp_path / "a"
  assert run("train", "treernn", *TINY, "--out", str(out))[0] == 0
  values = json.loads((out / "config.json").read_text())
  assert values.pop("products") == "float32"
  (out / "config.json").write_text(json.dumps(values))
  assert RunConfig.load(out).products == "float32"
  assert run("eval", str(out), "--split", "dev")[0] == 0
  (out / "config.json").write_text(json.dumps({**values, "products": "float8"}))
  assert_one_line(run("eval", str(out))[2], "config.json", "products: 'float8'")
