"""The README's Python runs as it stands, and its links lead somewhere."""

import json
import pathlib
import pkgutil
import re
import runpy

import pytest

from recursive_tf.convert import Reason
from tests.docs import notebooks

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [
  *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
  *sorted((ROOT / "docs").rglob("*.md")),
  *sorted((ROOT / "examples").rglob("*.md")),
]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


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


@pytest.mark.parametrize("name", ["subgraph", "debugging"])
def test_a_page_prints_what_it_says(name, capsys, tmp_path, monkeypatch):
  monkeypatch.chdir(tmp_path)
  page = ROOT / "docs" / f"{name}.md"
  run_blocks(page, tmp_path)
  printed = " ".join(capsys.readouterr().out.split())
  said = re.findall(r"^ *print\(.*\) +# (.*)$", page.read_text(), re.MULTILINE)
  assert len(said) > 2
  parts = [" ".join(part.split()) for line in said for part in line.split(" ... ")]
  assert [part for part in parts if part not in printed] == []


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
  listed = [ROOT / page for page in re.findall(r": (\S+\.md)$", site, re.MULTILINE)]
  assert len(listed) > 15
  # Pages of notebooks are made when the site is.
  missing = [page for page in listed if not page.exists()]
  assert all(page.with_suffix(".ipynb").exists() for page in missing)
  assert {page.with_suffix(".ipynb") for page in missing} == set(NOTEBOOKS)


def test_notebooks_become_pages(tmp_path, monkeypatch):
  for path in NOTEBOOKS:
    (tmp_path / path.name).write_text(path.read_text())
  (tmp_path / "a.md").write_text("[a notebook](docs/notebooks/first_treelstm.ipynb)")
  pages = runpy.run_path(str(ROOT / "docs" / "notebooks" / "pages.py"))
  monkeypatch.setattr("sys.argv", ["pages.py", str(tmp_path)])
  pages["main"]()
  assert (tmp_path / "a.md").read_text() == "[a notebook](docs/notebooks/first_treelstm.md)"
  text = (tmp_path / "first_treelstm.md").read_text()
  assert "```python\nrun = rtf.load_run" in text and "<svg" in text and "epoch 6/6" in text
  assert "(own_recursive_model.md)" in text and not list(tmp_path.glob("*.ipynb"))


def test_the_notebook_of_an_own_model_runs():
  namespace, _ = notebooks.run(ROOT / "docs" / "notebooks" / "own_recursive_model.ipynb")
  encode = namespace["model"].encode
  assert encode.stats.num_fallback_runs == 0 and encode.stats.num_converted_runs > 40
  assert namespace["history"][-1] < 0.5 * namespace["history"][0]
  assert namespace["doubts"].stats.num_converted_runs > 0


@pytest.mark.slow
def test_the_notebook_of_a_first_run_runs():
  namespace, outputs = notebooks.run(ROOT / "docs" / "notebooks" / "first_treelstm.ipynb")
  assert namespace["confusion"].sum() == 200 and namespace["confusion"].trace() > 100
  assert "image/svg+xml" in outputs[2][0]["data"]


def test_links_of_notebooks_lead_somewhere():
  for path in NOTEBOOKS:
    cells = json.loads(path.read_text())["cells"]
    text = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    assert links and all((path.parent / link).exists() for link in links), links
