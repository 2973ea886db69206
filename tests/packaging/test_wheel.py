"""The built wheel and source archive: what is inside, and that the wheel works by itself."""

import fcntl
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile

import pytest

EXPECTED = [
  "recursive_tf/__init__.py",
  "recursive_tf/_build_info.py",
  "recursive_tf/_kernels.so",
  "recursive_tf/_ops.py",
  "recursive_tf/_walk.abi3.so",
  "recursive_tf/_walk.pyi",
  "recursive_tf/cli.py",
  "recursive_tf/py.typed",
  "recursive_tf/autodiff/__init__.py",
  "recursive_tf/subgraph/__init__.py",
  "recursive_tf/datasets/__init__.py",
  "recursive_tf/models/__init__.py",
  "recursive_tf/models/treelstm/__init__.py",
  "recursive_tf/models/treernn/__init__.py",
]


def run(command, **kwargs):
  """Runs a command; fails the test with what it printed."""
  done = subprocess.run([*map(str, command)], capture_output=True, text=True, **kwargs)
  assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
  return done.stdout


@pytest.fixture(scope="module")
def wheel(repository, tmp_path_factory):
  """A wheel of this checkout; objects already compiled are used again."""
  folder = tmp_path_factory.mktemp("wheel")
  pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", repository]
  with open(tmp_path_factory.getbasetemp().parent / "wheel.lock", "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)  # Another process of the tests may build in the same folder.
    run([*pip, "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", folder])
  (path,) = folder.glob("*.whl")
  return path


def test_wheel_is_tagged_for_the_platform_and_the_stable_abi(wheel):
  platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
  assert wheel.name.endswith(f"-cp310-abi3-{platform}.whl")


def test_wheel_needs_nothing_but_the_system_and_tensorflow(wheel, tmp_path):
  # As `make wheel`: what else it needed would be copied into it.
  programs = [sysconfig.get_path("scripts"), os.environ["PATH"]]
  environ = {**os.environ, "PATH": os.pathsep.join(programs)}
  audit = ["auditwheel", "repair", "--exclude", "libtensorflow*", "--wheel-dir", tmp_path, wheel]
  run([sys.executable, "-m", *audit], env=environ)
  (tagged,) = tmp_path.glob("*.whl")
  assert re.search(r"-cp310-abi3-manylinux_2_\d+_", tagged.name)
  files = [{n for n in zipfile.ZipFile(w).namelist() if n[-1] != "/"} for w in (wheel, tagged)]
  assert {n for n in files[1] - files[0] if ".dist-info/sboms/" not in n} == set()


def test_page_on_tensorflow_cpu_names_all_other_dependencies(wheel, repository):
  archive = zipfile.ZipFile(wheel)
  (metadata,) = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
  needed = re.findall(r"^Requires-Dist: ([\w-]+)[^;\n]*$", archive.read(metadata).decode(), re.M)
  page = (repository / "docs" / "limits.md").read_text()
  (named,) = re.findall(r"^pip install '(tensorflow)-cpu(\S+)' (.*)$", page, re.MULTILINE)
  project = (repository / "pyproject.toml").read_text()
  (range_,) = re.findall(r'^  "tensorflow(.*)",$', project, re.MULTILINE)
  # TensorFlow brings NumPy.
  assert sorted([named[0], *named[2].split(), "numpy"]) == sorted(needed) and named[1] == range_


def test_wheel_holds_packages_under_their_installed_names(wheel):
  names = zipfile.ZipFile(wheel).namelist()
  assert [name for name in EXPECTED if name not in names] == []
  assert any(re.fullmatch(r"recursive_tf/datasets/data/sample_\w+\.txt", n) for n in names)


def test_wheel_holds_licence_and_notice(wheel, repository):
  archive = zipfile.ZipFile(wheel)
  for name in ("LICENSE", "NOTICE"):
    (path,) = [n for n in archive.namelist() if n.endswith(f".dist-info/licenses/{name}")]
    assert archive.read(path) == (repository / name).read_bytes()
  (metadata,) = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
  assert "License-Expression: Apache-2.0\n" in archive.read(metadata).decode()


def test_the_citation_is_of_this_version(repository):
  citation = (repository / "CITATION.cff").read_text()
  project = (repository / "pyproject.toml").read_text()
  (version,) = re.findall(r'^version = "(.*)"$', project, re.MULTILINE)
  assert f"\nversion: {version}\n" in citation and "\nlicense: Apache-2.0\n" in citation


def test_wheel_holds_nothing_else(wheel):
  names = zipfile.ZipFile(wheel).namelist()
  assert {re.sub(r"-.*", "", name.split("/")[0]) for name in names} == {"recursive_tf"}
  suffixes = (".py", ".pyi", ".so", ".typed", ".txt")
  others = [n for n in names if ".dist-info/" not in n and not n.endswith(suffixes)]
  assert [re.sub(r".*\.data/", "", n) for n in others] == ["scripts/recursive-tf"]


def test_wheel_runs_in_another_environment(wheel, tmp_path):
  # TensorFlow is lent by this environment: a folder named in a .pth file goes on the path, but
  # .pth files inside it, so the editable install of this checkout, are not read.
  venv.create(tmp_path / "env", with_pip=False, symlinks=True)
  python = tmp_path / "env" / "bin" / "python"
  pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
  environ = {**os.environ, "PYTHONPATH": ""}
  run([*pip, "install", "--no-deps", "--no-index", wheel], env=environ)
  (site,) = (tmp_path / "env" / "lib").glob("python*/site-packages")
  (site / "lent.pth").write_text(sysconfig.get_path("purelib"))
  show = "import recursive_tf, recursive_tf.datasets as d; print(recursive_tf.__file__, d.__file__)"
  files = run([python, "-c", show], cwd=tmp_path, env=environ).split()
  assert all(str(site) in file for file in files)
  run([tmp_path / "env" / "bin" / "recursive-tf", "info"], cwd=tmp_path, env=environ)


def test_source_archive_holds_the_kernels_and_nothing_built(repository, tmp_path):
  sdist = ["setup.py", "--quiet", "sdist", "--dist-dir", tmp_path]
  run([sys.executable, *sdist], cwd=repository)
  (path,) = tmp_path.glob("*.tar.gz")
  names = [name.partition("/")[2] for name in tarfile.open(path).getnames()]
  needed = [*repository.glob("kernels/**/*.cc"), *repository.glob("kernels/**/*.h")]
  assert [n for n in (str(p.relative_to(repository)) for p in needed) if n not in names] == []
  assert [n for n in names if n.endswith((".so", ".o", "_build_info.py"))] == []
