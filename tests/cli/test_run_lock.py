import contextlib
import os
import signal
import subprocess
import sys

import pytest

from recursive_tf._cli.run_lock import LOCK_NAME, lock_run
from recursive_tf._errors import ConfigError
from tests.cli.runs import TINY, assert_one_line, contents

# As `lock_run`, without the time that imports take.
HOLD = """
import fcntl, os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.flock(file, fcntl.LOCK_EX)
os.write(file, b"process %d on here" % os.getpid())
print("held", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def holder(directory):
  """A process that trains in `directory`, as far as others can see."""
  command = [sys.executable, "-c", HOLD, str(directory / LOCK_NAME)]
  with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as process:
    try:
      assert process.stdout.readline() == "held\n"
      yield process
    finally:
      process.kill()


@pytest.mark.parametrize("arguments", [["--resume"], ["--resume-or-start", "--epochs", "3"]])
def test_a_second_training_in_a_directory_is_refused_and_names_the_first(run, finished, arguments):
  with holder(finished) as process:
    before = contents(finished)
    status, out, err = run("train", "treernn", "--out", "a", *arguments)
    assert status == 2 and out == ""
    assert_one_line(
      err, f"a: process {process.pid} on here is training there. Wait until it has ended"
    )
    assert contents(finished) == before
    assert run("eval", "a")[0] == 0  # Who only reads is not in the way.


def test_a_second_new_run_is_refused_even_where_the_first_has_written_nothing(run, tmp_path):
  (tmp_path / "a").mkdir()
  with holder(tmp_path / "a"):
    status, _, err = run("train", "treernn", *TINY, "--out", "a")
    assert status == 2
    assert_one_line(err, " is training there")
  assert not (tmp_path / "a" / "config.json").exists()


def test_the_lock_of_a_killed_process_is_none(tmp_path):
  with holder(tmp_path) as process:
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert (tmp_path / LOCK_NAME).exists()
    with lock_run(tmp_path):
      assert f"process {os.getpid()} on" in (tmp_path / LOCK_NAME).read_text()
  assert not (tmp_path / LOCK_NAME).exists()


def test_an_error_inside_gives_the_lock_up(tmp_path):
  with pytest.raises(KeyError), lock_run(tmp_path):
    with pytest.raises(ConfigError, match=f"process {os.getpid()} on"), lock_run(tmp_path):
      raise AssertionError("twice")
    raise KeyError
  with lock_run(tmp_path):
    pass


def test_one_of_anything_is_not_several(run, tmp_path):
  (tmp_path / "trees").mkdir()
  for split in ("train", "dev", "test"):
    (tmp_path / "trees" / f"{split}.txt").write_text("(3 (2 a) (4 a))\n")
  given = ["--data", "trees", "--state-size", "2", "--epochs", "1", "--out", "a"]
  status, out, _ = run("train", "treernn", *given)
  assert status == 0 and ": 1 sentence, 2 words, 1 epoch, seed 0" in out
  assert "trees, split test: 1 sentence\n" in run("eval", "a")[1]
