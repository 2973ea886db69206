"""What README and docs print is run as printed, in a checkout and environments made for it.

The checkout is a copy of the files that git would have; nothing in it is built. The first command
of the README makes its environment, from whatever pip is configured for. All others run in that.
"""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from tests.docs import commands, stand_ins

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [
  *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "benchmarks/README.md")),
  *sorted((ROOT / "docs").glob("*.md")),
  *sorted((ROOT / "models").glob("*/README.md")),
  *sorted((ROOT / "examples").rglob("*.md")),
]
# What is not run here, and why; all else is.
LEFT_OUT = {
  "make test": "these are the tests",
  "export TF_CONFIG": "needs the two machines that it names",
  "recursive-tf train treelstm --data sst --batch-size 50 --out /data/run": "these machines, too",
  "srun": "needs a cluster; tests/cli/test_workers.py has one of stand-ins",
  "python -m benchmarks": "takes hours; tests/benchmarks runs each once",
  "pip install": "of tensorflow-cpu: has an environment of its own, below",
}
# Blocks that are a part of a program, shown for what they say; those of all other pages run.
FRAGMENTS = ("batching", "function", "how_it_works", "performance", "recursive")
# Runs that pages speak of and do not make: those of another page, or any.
GIVEN = {"docs/gallery.md": ("runs/sample",), "docs/performance.md": ("runs/a",)}
HAS_BFLOAT16 = "avx512_bf16" in pathlib.Path("/proc/cpuinfo").read_text()
FLAGS = re.DOTALL | re.MULTILINE
SHELL_BLOCK = r"^```sh\n(.*?)^```"
BLOCK = r"```python\n(.*?)```"
pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]


def environment(**changes):
  """Returns the variables of a new login: none of this environment's, but what pip is told."""
  kept = re.compile(r"HOME|LANG|TMPDIR|PIP_.*|SSL_.*|REQUESTS_CA_BUNDLE|.*_proxy", re.IGNORECASE)
  given = {name: value for name, value in os.environ.items() if kept.fullmatch(name)}
  return {**given, "PATH": "/usr/local/bin:/usr/bin:/bin", **changes}


def shell(script, folder, environ):
  """Runs lines of a shell, each shown as it begins; fails the test with the first that fails."""
  done = subprocess.run(
    ["bash", "-v", "-e", "-o", "pipefail", "-c", script],
    cwd=folder,
    env=environ,
    stdin=subprocess.DEVNULL,
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
  )
  assert done.returncode == 0, done.stdout[-6000:]
  assert "Traceback" not in done.stdout, done.stdout[-6000:]
  return done.stdout


def lines_of(page):
  """Returns the lines of a page's shell, commands in its sentences last."""
  text = page.read_text()
  found = []
  for block in re.findall(SHELL_BLOCK, text, FLAGS):
    found += block.replace("\\\n", "").splitlines()
  found += re.findall(r"^    ((?:recursive-tf|python|pip) .*)$", text, re.MULTILINE)
  name = str(page)
  found += [c.text for c in commands.of_page(name, text) if c.language is None and c.is_whole]
  return found


def blocks_of(page):
  """Returns the Python of a page, empty if its blocks are fragments."""
  is_fragment = page.parent.name == "docs" and page.stem in FRAGMENTS
  return "" if is_fragment else "\n".join(re.findall(BLOCK, page.read_text(), re.DOTALL))


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
  """A checkout in which the README's first command has run, and the variables of its shell."""
  checkout = tmp_path_factory.mktemp("fresh") / "recursive_tf"
  listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
  names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True, text=True).stdout
  for name in names.split("\0")[:-1]:
    if (ROOT / name).is_file():
      (checkout / name).parent.mkdir(parents=True, exist_ok=True)
      (checkout / name).write_bytes((ROOT / name).read_bytes())
      (checkout / name).chmod((ROOT / name).stat().st_mode)
  first = lines_of(checkout / "README.md")[0]
  assert first.startswith("make train ")
  shell(first, checkout, environment())
  stand_ins.write(checkout.parent / "data", checkout)
  own = {
    "PATH": f"{checkout}/.venv/bin:{environment()['PATH']}",
    "RECURSIVE_TF_DATA": str(checkout.parent / "data"),
  }
  return checkout, environment(**own)


def is_left_out(line):
  is_impossible = "bfloat16" in line and not HAS_BFLOAT16
  return is_impossible or any(line.startswith(beginning) for beginning in LEFT_OUT)


def is_to_be_run(page):
  return blocks_of(page) or not all(map(is_left_out, lines_of(page)))


def test_nothing_is_left_out_in_vain():
  lines = [line for page in PAGES for line in lines_of(page)]
  texts = [page.read_text() for page in PAGES]
  for beginning in LEFT_OUT:
    is_printed = any(line.startswith(beginning) for line in lines)
    assert is_printed or any(f"`{beginning}" in text for text in texts), beginning
  for stem in FRAGMENTS:
    assert re.search(BLOCK, (ROOT / "docs" / f"{stem}.md").read_text(), re.DOTALL), stem


@pytest.mark.parametrize(
  "page", list(filter(is_to_be_run, PAGES)), ids=lambda page: str(page.relative_to(ROOT))
)
def test_a_page_runs_as_printed(fresh, page):
  checkout, environ = fresh
  for name in ("runs", "exported"):  # Each page begins at its beginning.
    shutil.rmtree(checkout / name, ignore_errors=True)
  for run in GIVEN.get(str(page.relative_to(ROOT)), ()):
    shell(f"recursive-tf train treelstm --data sample --epochs 1 --out {run}", checkout, environ)
  if "word_vectors.py" in page.read_text():  # Which says that it needs this.
    shell("pip install --quiet gensim", checkout, environ)
  found = [line for line in lines_of(page) if not is_left_out(line)]
  shell("\n".join(found), checkout, environ)
  if blocks := blocks_of(page):
    # Where the commands have been run: their runs are there.
    (checkout / "build" / "blocks.py").write_text(blocks)
    if not (checkout / "_kernels.so").exists():
      (checkout / "_kernels.so").symlink_to(checkout / "recursive_tf" / "_kernels.so")
    shell("python build/blocks.py", checkout, environ)


def test_the_site_is_built(fresh):
  checkout, environ = fresh
  shell("make docs", checkout, environ)
  assert (checkout / "build" / "site" / "index.html").exists()


def test_the_wheel_runs_beside_tensorflow_cpu_as_printed(fresh, tmp_path):
  checkout, environ = fresh
  shell("make wheel", checkout, environ)
  (block,) = re.findall(SHELL_BLOCK, (ROOT / "docs" / "limits.md").read_text(), FLAGS)
  assert "tensorflow-cpu" in block
  (tmp_path / "build").symlink_to(checkout / "build")
  begin = "python3 -m venv env\n. env/bin/activate\n"
  trained = "recursive-tf train treelstm --data sample --epochs 1 --out run\n"
  shell(f"{begin}{block}{trained}pip list --format=freeze > packages", tmp_path, environment())
  packages = (tmp_path / "packages").read_text()
  assert "tensorflow_cpu==" in packages.replace("-", "_") and "tensorflow==" not in packages
