"""A disk that fills up while a run writes to it: one clear line, and the run goes on later."""

import os
import resource
import subprocess

import pytest

from recursive_tf.training import history
from recursive_tf.training.files import in_one_piece, write_atomically
from tests.cli.processes import children, is_running, start, wait_until
from tests.cli.runs import TINY, assert_one_line, contents

KILOBYTE = 1024


@pytest.fixture
def small_disk(tmp_path):
  """A file system of so many kilobytes: `small_disk(40)`; again, it gets another size."""
  path = tmp_path / "disk"
  path.mkdir()

  def mount(kilobytes):
    options = f"size={kilobytes}k" + (",remount" if os.path.ismount(path) else "")
    try:
      done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], capture_output=True
      )
    except OSError as error:
      pytest.skip(f"mount: {error}")
    if done.returncode:
      pytest.skip(f"no file system can be mounted here: {done.stderr.decode().strip()}")
    return path

  yield mount
  if os.path.ismount(path):
    subprocess.run(["umount", str(path)], check=True)


@pytest.fixture
def limited_files():
  """Lets no file of this process become longer: `limited_files(10)` kilobytes."""
  before = resource.getrlimit(resource.RLIMIT_FSIZE)
  yield lambda kilobytes: resource.setrlimit(
    resource.RLIMIT_FSIZE, (kilobytes * KILOBYTE, before[1])
  )
  resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("kilobytes", [16, 32, 64, 110])
def test_a_full_disk_is_one_clear_line_and_the_run_goes_on_later(run, small_disk, kilobytes):
  out = small_disk(kilobytes) / "a"
  train = ["train", "treernn", *TINY, "--out", out]
  status, _, err = run(*train)
  assert status == 2
  assert_one_line(err, str(out), "No space left on device", "Make room")
  assert not [name for name in contents(out.parent) if "temp" in name or "partial" in name]
  small_disk(10_000)
  resume = ["train", "treernn", "--out", out, "--resume"]
  status, output, _ = run(*(resume if (out / "config.json").exists() else train))
  assert status == 0 and "Test, with the weights" in output
  assert [row["epoch"] for row in history.read_history(out)] == [1, 2]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_full_disk_stops_all_workers_and_the_run_goes_on_later(run, small_disk):
  out = small_disk(110) / "a"
  train = ["train", "treernn", *TINY, "--workers", "2", "--threads", "1", "--out", out]
  process = start(*train)
  workers = []
  wait_until(lambda: len(workers.extend(children(process)) or workers) >= 2)
  _, err = process.communicate(timeout=300)
  assert process.returncode == 2 and "Traceback" not in err, err
  assert "No space left on device" in err and "restart" not in err, err
  assert not any(map(is_running, workers))
  small_disk(10_000)
  process = start(*train, "--resume-or-start")
  output, err = process.communicate(timeout=300)
  assert process.returncode == 0 and "Test, with the weights" in output, err
  assert [row["epoch"] for row in history.read_history(out)] == [1, 2]


def test_a_disk_that_fills_up_later_leaves_the_checkpoints_of_before(run, finished, limited_files):
  before = contents(finished)
  limited_files(1)  # A checkpoint is longer, the record of an epoch is not.
  status, _, err = run("train", "treernn", "--out", "a", "--resume", "--epochs", "3")
  resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
  assert status == 2
  assert_one_line(err, "cannot be written", "File too large", "That of step 10 is still there")
  after = contents(finished)
  changed = {name for name in after.keys() | before.keys() if after.get(name) != before.get(name)}
  assert changed <= {"config.json", "history.csv", "curves.png"}
  status, output, _ = run("train", "treernn", "--out", "a", "--resume")
  assert status == 0 and "epoch 3/3" in output


@pytest.mark.parametrize("name", ["fsync", "replace"])
def test_a_file_is_as_before_if_it_cannot_be_written(tmp_path, monkeypatch, name):
  path = tmp_path / "file"
  path.write_text("before")

  def fail(*arguments):
    raise OSError(28, "No space left on device")

  monkeypatch.setattr(f"os.{name}", fail)
  with pytest.raises(ValueError, match="file: cannot be written: No space left on device"):
    write_atomically(path, "after")
  assert contents(tmp_path) == {"file": b"before"}


def test_a_file_that_is_half_written_does_not_stay(tmp_path):
  def write_half(part):
    part.write_text("half")
    raise OSError(28, "No space left on device")

  with pytest.raises(OSError):
    in_one_piece(write_half, tmp_path / "picture.png")
  assert contents(tmp_path) == {}
