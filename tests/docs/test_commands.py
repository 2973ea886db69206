"""Commands that pages and help show are such as the command line takes, and do what they say."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from recursive_tf._cli.options import make_parser
from recursive_tf.datasets.sample import sample_path
from recursive_tf.datasets.treebank import SPLITS
from tests.cli.dependency_data import make_pairs, make_treebank
from tests.docs import commands

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [
  *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "benchmarks/README.md")),
  *sorted((ROOT / "docs").glob("*.md")),
  *sorted((ROOT / "models").glob("*/README.md")),
  *sorted((ROOT / "examples").rglob("*.md")),
]
# Their commands are run, in order. None needs a cluster; data is there under its name: `stand_ins`.
RUN_PAGES = (
  "README.md",
  "docs/getting_started.md",
  "docs/predict.md",
  "docs/serving.md",
  "docs/training.md",
)
FEW_TREES = 60


def commands_of(path):
  return commands.of_page(str(path.relative_to(ROOT)), path.read_text())


def test_commands_of_pages_are_taken():
  found = [command for page in PAGES for command in commands_of(page)]
  assert len(found) > 40
  wrong = [f"{command}\n    {error}" for command in found if (error := commands.error_of(command))]
  assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_command_of_a_page_is_overlooked(page):
  named = re.findall(rf"recursive-tf\s+(?:{'|'.join(make_parser().commands)})\b", page.read_text())
  assert len(named) == len(commands_of(page)), "a command stands in a block, or in backquotes"


def test_commands_of_help_are_taken():
  parser = make_parser()
  found = [c for p in (parser, *parser.commands.values()) for c in commands.of_help(p)]
  assert len(found) > 25
  wrong = [f"{command}\n    {error}" for command in found if (error := commands.error_of(command))]
  assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
  ("page", "line", "error"),
  [
    ("a\n```sh\nrecursive-tf train treelstm --epcohs 3  # why\n```", 3, "did you mean --epochs?"),
    ("a\n\n    recursive-tf eval a --split tset\n", 3, "did you mean test?"),
    ("```sh\nrecursive-tf predict a b \\\n  --jsn\n```", 2, "did you mean --json?"),
    ("```sh\necho 'a | b' | x/recursive-tf predict a --jsn > c\n```", 2, "did you mean --json?"),
    ("```yaml\n  - exec recursive-tf train --out a\n```", 2, "arguments are required: MODEL"),
    ("```sh\nrecursive-tf trian treelstm\n```", 2, "did you mean train?"),
    ("```sh\nrecursive-tf train treelsm\n```", 2, "did you mean treelstm?"),
    ("```sh\nrecursive-tf train treelstm --epoch 3\n```", 2, "there is no option --epoch"),
    ("a `recursive-tf train --limit` b", 1, "--limit: expected one argument"),
    ("as\n`recursive-tf predict\n--jsn` says", 2, "unrecognized arguments: --jsn"),
  ],
)
def test_a_command_that_is_not_taken_is_found_with_its_line(page, line, error):
  (command,) = commands.of_page("page.md", page)
  assert str(command).startswith(f"page.md:{line}: ")
  assert error in commands.error_of(command)


@pytest.mark.parametrize(
  "page",
  [
    "`recursive-tf train --limit N` and `recursive-tf predict`",
    "```sh\nrecursive-tf info | head -1\nrecursive-tf eval a --limit=3 # --jsn\n```",
    '```python\n"recursive-tf trian"\n```\nNo recursive-tf trian.',
  ],
)
def test_what_is_right_or_no_command_is_left_in_peace(page):
  assert [commands.error_of(command) for command in commands.of_page("page.md", page)] in (
    [],
    [None, None],
  )


@pytest.fixture
def stand_ins(tmp_path, monkeypatch):
  """A folder with small data under the names that pages use, and `recursive-tf` in the PATH.

  The commands are as they are printed; sst, sick, ud and the vectors are small ones of our own.
  """
  data = tmp_path / "data"
  (data / "sst").mkdir(parents=True)
  for split in SPLITS:
    lines = sample_path(split).read_text().splitlines(keepends=True)
    (data / "sst" / f"{split}.txt").write_text("".join(lines[:FEW_TREES]))
  make_pairs(data / "sick", FEW_TREES)
  make_treebank(data / "ud_ewt", FEW_TREES)
  folder = tmp_path / "folder"
  folder.mkdir()
  (folder / "parsed.conllu").write_bytes((data / "ud_ewt" / "x-test.conllu").read_bytes())
  rows = [f"{word} {' '.join(['0.5', '-0.25'] * 5)}\n" for word in ("the", "not", "good")]
  (folder / "glove.840B.300d.txt").write_text("".join(rows))
  texts = [f"The film is {word} .\n" for word in ("good", "not good")]
  (folder / "reviews.txt").write_text("".join(texts))
  script = tmp_path / "bin" / "recursive-tf"
  script.parent.mkdir()
  script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{ROOT}/bin/recursive-tf" "$@"\n')
  script.chmod(0o755)
  monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")
  monkeypatch.setenv("PYTHONPATH", str(ROOT))
  monkeypatch.setenv("RECURSIVE_TF_DATA", str(data))
  monkeypatch.chdir(folder)


def is_whole(command):
  """Tells whether a command could be typed as it stands: in prose, one that lacks nothing."""
  if command.language is not None:
    return True
  words = commands.arguments_of(command.text)
  return len(words) > 1 and not any(word.isupper() for word in words)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("page", RUN_PAGES)
def test_commands_of_a_page_run(stand_ins, page):
  found = [command for command in commands_of(ROOT / page) if is_whole(command)]
  assert len(found) > 1
  for command in found:
    done = subprocess.run(
      ["bash", "-c", f"set -o pipefail\n{command.text}"], capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    assert "Traceback" not in done.stderr, f"{command}\n{done.stderr}"
  blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
  if blocks and page != "README.md":  # Whose blocks have a test of their own.
    pathlib.Path("blocks.py").write_text("\n".join(blocks))
    pathlib.Path("_kernels.so").symlink_to(ROOT / "recursive_tf" / "_kernels.so")
    done = subprocess.run([sys.executable, "blocks.py"], capture_output=True, text=True)
    assert done.returncode == 0, f"{page}\n{done.stdout}{done.stderr}"
