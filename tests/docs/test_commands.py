"""Commands that pages and help show are such as the command line takes.

That they do what they say is for test_fresh_environment.py.
"""

import pathlib
import re

import pytest

from recursive_tf._cli.options import make_parser
from tests.docs import commands

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [
  *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "benchmarks/README.md")),
  *sorted((ROOT / "docs").glob("*.md")),
  *sorted((ROOT / "models").glob("*/README.md")),
  *sorted((ROOT / "examples").rglob("*.md")),
]


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
