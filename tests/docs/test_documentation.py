"""The README's Python runs as it stands, and its links lead somewhere."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "CHANGELOG.md"]


def test_readme_code_runs_and_prints_what_it_says(capsys):
  blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
  assert len(blocks) == 2
  namespace = {}
  for block in blocks:
    exec(compile(block, "README.md", "exec"), namespace)
  printed = capsys.readouterr().out
  assert namespace["y"].numpy() == pytest.approx(3.0)
  assert "(8, 1, 4)" in printed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page):
  for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
    assert (page.parent / target).exists(), f"{page.name}: {target}"
