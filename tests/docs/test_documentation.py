"""The README's Python runs as it stands, and its links lead somewhere."""

import pathlib
import pkgutil
import re
import runpy

import pytest

from recursive_tf.convert import Reason

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [
  *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
  *sorted((ROOT / "docs").rglob("*.md")),
  *sorted((ROOT / "examples").rglob("*.md")),
]


def run_blocks(page, folder):
  """Runs the Python of a page as one file; conversion needs a file to read."""
  blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
  path = folder / "blocks.py"
  path.write_text("\n".join(blocks))
  return runpy.run_path(str(path))


def test_readme_code_runs_and_prints_what_it_says(capsys, tmp_path):
  namespace = run_blocks(ROOT / "README.md", tmp_path)
  printed = capsys.readouterr().out
  assert namespace["y"].numpy() == pytest.approx(3.0)
  assert "(8, 1, 4)" in printed
  assert "(1, 4) (3, 1, 4)" in printed
  assert namespace["state"].stats.num_converted_runs == 2


def test_tutorial_runs(tmp_path):
  namespace = run_blocks(ROOT / "docs" / "tutorial_recursive.md", tmp_path)
  stats = namespace["model"].encode.stats
  assert stats.num_converted_runs > 0


def test_every_reason_is_documented():
  page = (ROOT / "docs" / "recursive.md").read_text()
  listed = set(re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE))
  assert listed == {reason.code for reason in Reason}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page):
  for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
    assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.slow
def test_keras_page_runs(tmp_path, monkeypatch):
  monkeypatch.chdir(tmp_path)
  namespace = run_blocks(ROOT / "docs" / "keras.md", tmp_path)
  assert namespace["logits"].shape == (50, 5)
  assert (tmp_path / "own_program" / "saved_model.pb").exists()


def test_names_of_the_reference_can_be_imported():
  page = (ROOT / "docs" / "api.md").read_text()
  listed = re.findall(r"^(?:::: |      heading: )(recursive_tf\S+)$", page, re.MULTILINE)
  assert len(listed) > 80 and len(set(listed)) == len(listed)
  for name in listed:
    assert pkgutil.resolve_name(name) is not None, name


def test_pages_of_the_site_exist():
  site = (ROOT / "mkdocs.yml").read_text()
  listed = re.findall(r": (\S+\.md)$", site, re.MULTILINE)
  assert len(listed) > 15
  assert [page for page in listed if not (ROOT / page).exists()] == []
