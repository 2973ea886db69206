import csv

import matplotlib.image
import numpy as np
import pytest
from matplotlib import figure

from recursive_tf.datasets import load_sample, write_ptb
from recursive_tf.training import curves
from recursive_tf.training.classification import Classification
from recursive_tf.training.generation import Generation
from tests.cli.runs import assert_one_line, contents

NAMES = ["accuracy.png", "confusion.png", "curves.png"]


@pytest.fixture
def drawn(monkeypatch):
  """The figures that are drawn."""
  figures = []
  save = figure.Figure.savefig

  def keep(self, *args, **kwargs):
    figures.append(self)
    return save(self, *args, **kwargs)

  monkeypatch.setattr(figure.Figure, "savefig", keep)
  return figures


def texts_of(figure_drawn):
  figure_drawn.canvas.draw()
  found = [text.get_text() for axes in figure_drawn.axes for text in axes.texts]
  for axes in figure_drawn.axes:
    found += [axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel()]
    found += (
      [label.get_text() for label in axes.get_legend().get_texts()] if axes.get_legend() else []
    )
  return [*found, figure_drawn.get_suptitle()]


@pytest.mark.usefixtures("finished")
def test_pictures_of_a_run_agree_with_eval(run, tmp_path, drawn):
  status, out, err = run("plot", "a")
  assert status == 0 and err == ""
  assert out.splitlines()[0] == "treernn (a) on sample, split test: 24 sentences"
  assert sorted(out.splitlines()[1:]) == [f"written: a/plots/{name}" for name in NAMES]
  for name in NAMES:
    assert np.ptp(matplotlib.image.imread(tmp_path / "a" / "plots" / name)) > 0.5
  shown = [texts_of(picture) for picture in drawn]
  with open("a/history.csv") as file:
    rows = list(csv.DictReader(file))
  best = max(rows, key=lambda row: float(row["dev_node"]))["epoch"]
  assert f"best epoch: {best}" in shown[0] and "treernn on sample" in shown[0]
  table = run("eval", "a")[1]
  (root,) = [line.split()[3] for line in table.splitlines() if "5 classes, root" in line]
  (node,) = [line.split()[4] for line in table.splitlines() if "5 classes, all nodes" in line]
  assert f"all: {root}" in shown[1] and f"24 sentences, {root} right" in shown[2]
  assert any(text.endswith(f"phrases, {node} right") for text in shown[2])


@pytest.mark.usefixtures("finished")
def test_other_data_and_another_folder(run, tmp_path, drawn):
  write_ptb(tmp_path / "few.txt", load_sample()["dev"][:7])
  before = contents(tmp_path / "a")
  status, out, _ = run("plot", "a", "--data", "few.txt", "--out", "new/pictures")
  assert status == 0 and "treernn (a) on few.txt: 7 sentences" in out
  assert sorted(path.name for path in (tmp_path / "new" / "pictures").iterdir()) == NAMES
  assert contents(tmp_path / "a") == before
  assert "treernn on few.txt: right sentences" in texts_of(drawn[1])


@pytest.mark.usefixtures("finished")
@pytest.mark.parametrize(
  ("arguments", "message"),
  [
    (["nowhere"], "nowhere: no training run here: no such directory"),
    (["a", "--out", "file"], "--out file/curves.png: cannot be written"),
    (["a", "--data", "file", "--split", "dev"], "--split dev: --data file is a single file"),
    (["a", "--out", ""], "--out is empty"),
    (["a", "--threads", "0"], "--threads is 0, expected 1 to"),
  ],
)
def test_bad_input_is_one_clear_line(run, tmp_path, arguments, message):
  (tmp_path / "file").write_text("(3 (2 a) (4 b))\n")
  status, out, err = run("plot", *arguments)
  assert status == 2 and out == ""
  assert_one_line(err, message)


@pytest.mark.parametrize("num_epochs", [1, 2, 3])
def test_ticks_of_epochs_are_whole_numbers(tmp_path, drawn, num_epochs):
  rows = [{"epoch": k, "step": k, "train_loss": 1.0 / k} for k in range(1, num_epochs + 1)]
  curves.save_curves(rows, tmp_path / "a.png", Classification.panels[:1])
  axes = drawn[-1].axes[0]
  low, high = axes.get_xlim()
  shown = [tick for tick in axes.get_xticks() if low <= tick <= high]
  assert shown == list(range(1, num_epochs + 1))


def test_train_and_dev_differ_where_there_is_one_epoch(tmp_path, drawn):
  row = {name: 0.5 for panel in Classification.panels for name in (c.column for c in panel.curves)}
  rows = [{**row, "epoch": 1, "step": 5}]
  curves.save_curves(rows, tmp_path / "a.png", Classification.panels, best_epoch=1)
  for axes in drawn[-1].axes:
    marks = {
      line.get_label(): (line.get_color(), line.get_markerfacecolor())
      for line in axes.lines
      if line.get_marker() == "o"
    }
    assert len(marks) == len(set(marks.values())) in (2, 4)


def test_ticks_of_perplexities_are_plain_numbers(tmp_path, drawn):
  for values in ((14.2, 57.0, 20.0), (3.0, 4000.0, 70.0), (1500.0, 1700.0, 1600.0)):
    rows = [
      {"epoch": epoch, "step": epoch, "train_perplexity": value, "dev_perplexity": value * 1.01}
      for epoch, value in enumerate(values, 1)
    ]
    curves.save_curves(rows, tmp_path / "a.png", Generation.panels, best_epoch=2)
    axes = drawn[-1].axes[0]
    drawn[-1].canvas.draw()
    low, high = axes.get_ylim()
    ticks = {
      label.get_text() for label in axes.get_yticklabels() if low <= label.get_position()[1] <= high
    }
    assert len(ticks) >= 3 and all(float(tick.replace(",", "")) for tick in ticks)
    assert not axes.yaxis.get_minorticklocs().size
