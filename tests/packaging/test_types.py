"""What checkers and editors know of the public names."""

import subprocess
import sys

import pytest

import recursive_tf as rtf

USES = """
import recursive_tf as rtf

@rtf.recursive
def size(node: object, start: int = 0) -> int:
  return start

@rtf.subgraph(max_depth=3)
def power(n: int, x: float) -> float:
  return x

reveal_type(size(3))
reveal_type(power(1, x=2.0))
size(3, "a")
power("a", 2.0)
reveal_type(size.pack([3]))
size.map([3]).shape

class Model:
  @rtf.recursive
  def encode(self, node: object) -> int:
    return 1

  @rtf.function
  def step(self, x: float) -> float:
    return x

Model().encode(3) + Model().encode.map([3])
Model().step(1.0).real
Model().encode.python(3)
rtf.datasets.load_sample()
"""


def test_names_that_are_offered_are_public_ones():
  names = {name for name in dir(rtf) if not name.startswith("_")}
  assert {"RecursiveFunction", "SubGraphFunction", "datasets", "keras", "load_run"} <= names
  assert not names & {"TYPE_CHECKING", "autodiff", "batching", "convert"}
  assert all(getattr(rtf, name) is not None for name in names)


def test_decorated_functions_keep_their_types(repository, tmp_path):
  pytest.importorskip("mypy")
  package = tmp_path / "recursive_tf"
  package.mkdir()
  for path in (repository / "recursive_tf").iterdir():
    (package / path.name).symlink_to(path)
  for name in ("datasets", "models"):
    (package / name).symlink_to(repository / name)
  (tmp_path / "uses.py").write_text(USES)
  command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "uses.py"]
  found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
  assert 'uses.py:12: note: Revealed type is "int"' in found, found
  assert 'uses.py:13: note: Revealed type is "float"' in found
  assert 'uses.py:14: error: Argument 2 to "__call__" of "RecursiveFunction"' in found
  assert 'uses.py:15: error: Argument 1 to "__call__" of "SubGraphFunction"' in found
  assert "Packed" in found and "Found 2 errors in 1 file" in found
