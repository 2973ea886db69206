import os
import subprocess
import sys

import pytest

from recursive_tf._cli.quiet import without_start_notes

NOTES = (
  "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR\n"
  "I0000 00:00:1795305921.006121    8872 port.cc:153] oneDNN custom operations are on.\n"
  "W0000 00:00:1795305921.006121    8872 port.cc:153] something\n"
)
CUINIT = (
  "E0000 00:00:1795305925.432593    8872 cuda_platform.cc:52] failed call to cuInit: INTERNAL: "
  "CUDA error: Failed call to cuInit: UNKNOWN ERROR (303)\n"
)
ERROR = "E0000 00:00:1795305925.432593    8872 x.cc:52] something that matters\n"


@pytest.fixture(autouse=True)
def _level(monkeypatch):
  monkeypatch.delenv("TF_CPP_MIN_LOG_LEVEL", raising=False)


def write(text):
  os.write(2, text.encode())


def test_notes_are_left_out_and_errors_are_not(capfd):
  with without_start_notes(gpu_files=()):
    write(NOTES + CUINIT)
    write(ERROR)
    write("a traceback, say\n")
  write("later\n")
  assert capfd.readouterr().err == f"{ERROR}a traceback, say\nlater\n"


def test_where_a_gpu_may_be_its_errors_are_shown(capfd, tmp_path):
  with without_start_notes(gpu_files=(str(tmp_path),)):
    write(NOTES + CUINIT)
  assert capfd.readouterr().err == CUINIT


def test_an_exception_shows_what_was_written_before(capfd):
  with pytest.raises(KeyboardInterrupt), without_start_notes(gpu_files=()):
    write(ERROR)
    raise KeyboardInterrupt
  assert capfd.readouterr().err == ERROR


@pytest.mark.parametrize("level, is_shown", [("0", True), ("1", True), ("2", False), ("3", False)])
def test_who_asks_for_notes_gets_them(capfd, monkeypatch, level, is_shown):
  monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", level)
  with without_start_notes(gpu_files=()):
    write(NOTES)
  assert capfd.readouterr().err == (NOTES if is_shown else "")


def test_the_command_line_writes_its_results_and_nothing_else(repository, tmp_path):
  command = [sys.executable, str(repository / "bin" / "recursive-tf"), "trace", "treernn"]
  environ = {**os.environ, "PYTHONPATH": str(repository)}
  for variable in ("TF_CPP_MIN_LOG_LEVEL", "CUDA_VISIBLE_DEVICES"):
    environ.pop(variable, None)
  done = subprocess.run(
    [*command, "--batch-size", "1", "--out", "x.json"],
    capture_output=True,
    text=True,
    cwd=tmp_path,
    env=environ,
    timeout=200,
  )
  assert (done.returncode, done.stderr) == (0, "")
  assert "written: x.json" in done.stdout


@pytest.mark.slow
def test_a_crash_while_tensorflow_starts_is_not_silent(repository):
  program = (
    "import os\nfrom recursive_tf._cli.quiet import without_start_notes\n"
    "with without_start_notes(): os.abort()"
  )
  done = subprocess.run(
    [sys.executable, "-c", program],
    capture_output=True,
    text=True,
    timeout=200,
    env={**os.environ, "PYTHONPATH": str(repository)},
  )
  assert done.returncode < 0 and "Fatal Python error: Aborted" in done.stderr
