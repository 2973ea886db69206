"""`recursive-tf bench` counts trees and seconds, and says how far it is to be believed."""

import itertools
import json
import statistics

import pytest

from recursive_tf._cli import bench
from recursive_tf.datasets import load_sample
from tests.cli.runs import assert_one_line, contents


def test_every_model_is_timed_in_training_and_prediction(run, tmp_path):
  status, out, err = run("bench", "--seconds", "0.1", "--json")
  assert (status, err) == (0, "")
  rows = [json.loads(line) for line in out.splitlines()]
  found = [(row["model"], row["mode"], row["batch_size"]) for row in rows]
  expected = itertools.product(("treelstm", "treernn", "rntn"), ("train", "predict"), (1, 25))
  assert found == list(expected)
  for row in rows:
    assert len(row["timings"]) == 9 and row["threads"] == 2
    assert row["trees_per_second"] == statistics.median(row["timings"])
    assert row["trees_per_second"] > 1 and row["spread"] >= 0
  assert contents(tmp_path) == {}


def test_the_table_has_what_the_objects_have(run, monkeypatch):
  def time_nothing(arms, seconds, is_quiet):
    for number, arm in enumerate(arms, 1):
      arm.rates.extend([1000.0 * number] * 7 + [1.0, 1.5 * number] if number < 3 else [7.0] * 9)

  monkeypatch.setattr(bench, "_measure", time_nothing)
  status, out, _ = run("bench", "--threads", "3")
  assert status == 0 and "Trees a second, 3 threads" in out
  assert f"{len(load_sample()['train'])} trees of " in out
  rows = [line.split() for line in out.splitlines() if line.startswith(("tree", "rntn"))]
  assert rows[0][:5] == ["treelstm", "1,000", "+-", "0%", "2,000"] and len(rows) == 3
  assert "spread by" not in out


def test_trees_are_counted_and_the_spread_is_that_between_quartiles(monkeypatch):
  clock = itertools.count(step=0.25)
  monkeypatch.setattr(bench.time, "perf_counter", lambda: next(clock))
  arm = bench.Arm("treelstm", "train", 25, lambda: 10)
  arm.run(1.0)  # 0.25 s for each look at the clock: three times 10 trees, then the second is over.
  assert arm.rates == [30 / 1.0]
  arm.run(0.0)
  assert arm.rates[1] == 10 / 0.5
  steady = bench.Arm("treelstm", "train", 25, lambda: 10, [90.0, 100.0, 100.0, 110.0, 130.0])
  assert (steady.median, steady.spread) == (100.0, pytest.approx(0.1))


def test_all_trees_have_their_turn():
  trees = load_sample()["train"][:7]
  arms = bench._arms_of("treernn", trees)
  assert [(arm.mode, arm.batch_size) for arm in arms] == [
    ("train", 1),
    ("train", 25),
    ("predict", 1),
    ("predict", 25),
  ]
  assert [[arm.act() for _ in range(2)] for arm in arms] == [[1, 1], [7, 7]] * 2
  assert [list(places) for places in bench._places(5, 2)] == [[0, 1], [2, 3], [4]]


@pytest.mark.parametrize(
  ("options", "message"),
  [
    (["--seconds", "0"], "--seconds is 0, expected more than 0"),
    (["--seconds", "nan"], "--seconds is nan, expected more than 0"),
    (["--seconds", "1e9"], "--seconds is 1e+09, expected more than 0, up to 3600"),
    (["--threads", "0"], "--threads is 0"),
  ],
)
def test_nonsense_is_one_clear_line(run, options, message):
  status, out, err = run("bench", *options)
  assert (status, out) == (2, "")
  assert_one_line(err, message)
