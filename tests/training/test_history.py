import pytest

from recursive_tf._errors import CheckpointError
from recursive_tf.training.classification import Classification
from recursive_tf.training.history import History, read_history

GOOD = "epoch,step,train_loss\n1,5,2.5\n2,10,\n"


def test_rows_are_read_and_what_is_empty_is_left_out(tmp_path):
  assert read_history(tmp_path) == []
  (tmp_path / "history.csv").write_text(GOOD)
  assert read_history(tmp_path) == [
    {"epoch": 1, "step": 5, "train_loss": 2.5},
    {"epoch": 2, "step": 10},
  ]


@pytest.mark.parametrize(
  "content, message",
  [
    ("", ":1: damaged: expected the names of columns"),
    ("epoch,step,train_l", ":1: damaged: expected the names of columns"),
    ("a,b\n", ":1: damaged: expected the names of columns"),
    ("epoch,step,train_loss\n1,5,2.5\n2,1", ":3: damaged: expected 3 numbers and a line feed"),
    ("epoch,step,train_loss\n1,5,2.5\n2,10,2.", ":3: damaged: expected 3 numbers and a line feed"),
    ("epoch,step,train_loss\n1,5\n", ":2: damaged: expected 3 numbers"),
    ("epoch,step,train_loss\n1,5,x\n", ":2: damaged: expected a number, got 'x'"),
    ("epoch,step,train_loss\n1,5,nan\n", ":2: damaged: expected a finite number"),
    ("epoch,step,train_loss\n1,5,2\n3,9,2\n", ":3: damaged: expected the number of the next epoch"),
    ("epoch,step,train_loss\n1,5,2\n\n2,9,2\n", ":3: damaged: expected 3 numbers"),
  ],
)
def test_a_damaged_line_is_named(tmp_path, content, message):
  (tmp_path / "history.csv").write_text(content)
  with pytest.raises(CheckpointError) as caught:
    read_history(tmp_path)
  assert message in str(caught.value) and "move the file away" in str(caught.value)


def test_rows_that_are_missing_are_noticed(tmp_path):
  (tmp_path / "history.csv").write_text(GOOD)
  assert len(History(tmp_path, Classification(), 1).rows) == 1
  assert len(History(tmp_path, Classification(), 2).rows) == 2
  with pytest.raises(CheckpointError, match="expected epochs up to 3, got '2 as the last'"):
    History(tmp_path, Classification(), 3)


def test_the_picture_has_the_title_of_the_run(tmp_path, monkeypatch):
  titles = []

  def draw(rows, path, panels, best_epoch, title):
    titles.append(title)
    path.write_bytes(b"")

  monkeypatch.setattr("recursive_tf.training.history.save_curves", draw)
  record = History(tmp_path, Classification(), 0, "treelstm on sample")
  record.add({"epoch": 1.0, "step": 5.0, "train_loss": 2.0}, 1)
  assert titles == ["treelstm on sample"]
