"""Builds recursive_tf: the C++ kernels as two libraries, and the mapped Python packages.

`datasets/` and `models/` install as `recursive_tf.datasets` and `recursive_tf.models`. The op
library is compiled with the flags of the installed TensorFlow (`tf.sysconfig`); kernels/python is
a Python extension module that knows no TensorFlow, of Python's stable ABI. One object per .cc
file, in parallel, and only where the file, a header of ours, or the command changed. TensorFlow's
headers, most of what the compiler reads, are precompiled where many files are to be compiled.

Environment: CXX (the compiler, default g++), CXXFLAGS (appended), MAX_JOBS (compilers at once,
default one per core), RECURSIVE_TF_BUILD_KERNELS=0 (skip the kernels: `make` sets it while it
installs the dependencies, TensorFlow among them, and builds the kernels right after).
"""

import concurrent.futures
import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

ROOT = pathlib.Path(__file__).resolve().parent
PACKAGE_DIRS = {
  "recursive_tf": "recursive_tf",
  "recursive_tf.datasets": "datasets",
  "recursive_tf.models": "models",
}
OUR_FLAGS = ["-O3", "-fPIC", "-Wall", "-Wextra", "-Werror", "-MMD"]
# As the TensorFlow wheel is built: some inline code in its headers depends on it.
OUR_FLAGS += ["-DNDEBUG"]
TF_HEADERS = pathlib.Path("kernels", "tensorflow_headers.h")
TF_FOLDERS = ["ops", "op_kernels", "runtime"]  # Of kernels/: whose files use TensorFlow.
# With fewer files precompiled headers cost more than they give.
FEWEST_FOR_PRECOMPILED = 8
EXTENSION_FOLDER = pathlib.Path("kernels", "python")
EXTENSION_FLAGS = ["-std=c++17", "-fvisibility=hidden"]
OP_LIBRARY = "_kernels.so"
EXTENSION = "_walk.abi3.so"
# Where the stable ABI of the extension begins; kernels/python/py_ref.h says it to the compiler.
OLDEST_PYTHON = "cp310"


def find_mapped_packages():
  """Returns the installed names of all directories that hold Python files."""
  packages = []
  for name, folder in PACKAGE_DIRS.items():
    for path in sorted({p.parent for p in (ROOT / folder).rglob("*.py")} | {ROOT / folder}):
      if path.is_dir():
        packages.append(".".join([name, *path.relative_to(ROOT / folder).parts]))
  return packages


def find_kernel_sources():
  """Returns the .cc files per library, relative to the root; C++ tests are left out."""
  paths = (p.relative_to(ROOT) for p in (ROOT / "kernels").rglob("*.cc"))
  sources = sorted(p for p in paths if not p.stem.endswith("_test") and "tests" not in p.parts)
  return {
    OP_LIBRARY: [p for p in sources if p.parent != EXTENSION_FOLDER],
    EXTENSION: [p for p in sources if p.parent == EXTENSION_FOLDER],
  }


def ask_tensorflow():
  """Returns (version, compile flags, link flags) of the installed TensorFlow.

  Asked in a process of its own, which keeps TensorFlow's start-up messages out of the build.
  """
  question = (
    "import json, tensorflow as tf;"
    "flags = tf.sysconfig.get_compile_flags(), tf.sysconfig.get_link_flags();"
    "print(json.dumps([tf.__version__, *flags]))"
  )
  done = subprocess.run([sys.executable, "-c", question], capture_output=True, text=True)
  if done.returncode:
    raise SystemExit(
      f"{done.stderr}\nsetup.py: the kernels are compiled against TensorFlow, which cannot be "
      "imported here.\nRun `make`, or `pip install 'tensorflow>=2.21,<2.22'` first when you build "
      "with --no-build-isolation."
    )
  return json.loads(done.stdout.splitlines()[-1])


class CommandFailed(Exception):
  """A compiler or linker command failed; the message holds the command and what it printed."""


class Toolchain:
  """The compiler with the flags of one library.

  Attributes:
    compiler: first line of `CXX --version`.
    fingerprint: changes when an object built earlier may no longer be used.
  """

  def __init__(self, version, system_flags, link_flags):
    """Looks for the compiler.

    Args:
      version: what the headers outside of this checkout are of.
      system_flags: compiler flags; their -I folders hold those headers.
      link_flags: libraries and options for the linker.
    """
    self._cxx = shlex.split(os.environ.get("CXX", "g++"))
    if shutil.which(self._cxx[0]) is None:
      raise SystemExit(
        f"setup.py: C++ compiler {self._cxx[0]!r} not found.\n"
        "Install one (Debian, Ubuntu: apt-get install g++), or name yours with CXX=."
      )
    done = subprocess.run([*self._cxx, "--version"], capture_output=True, text=True, check=True)
    self.compiler = done.stdout.splitlines()[0]
    # TensorFlow's headers do not compile without warnings: they are system headers to us.
    system_flags = [f.replace("-I", "-isystem", 1) for f in system_flags]
    own_flags = [*OUR_FLAGS, *shlex.split(os.environ.get("CXXFLAGS", ""))]
    self._compile = [*self._cxx, *system_flags, "-I.", *own_flags]
    self._link = [*self._cxx, "-shared"]
    self._link_flags = link_flags
    # Without the headers' location: an isolated build has another one each time.
    relocatable = [f for f in system_flags if not f.startswith("-isystem")]
    key = repr([version, self.compiler, self._cxx, relocatable, own_flags])
    self.fingerprint = hashlib.sha256(key.encode()).hexdigest()[:16]

  @contextlib.contextmanager
  def precompiled(self, header):
    """Precompiles a header while others compile.

    Yields:
      A function without arguments that waits for it, and returns the flags by which the compiler
      reads the header first: none if the compiler cannot precompile it.
    """
    # Deleted at the end: it has hundreds of megabytes.
    with tempfile.TemporaryDirectory(prefix="precompiled", dir=ROOT / "build") as folder:
      # The compiler takes NAME.gch in place of NAME; where it cannot, nothing is read first.
      named = pathlib.Path(folder, header.name)
      named.touch()
      flags = [flag for flag in self._compile if flag != "-MMD"]
      process = subprocess.Popen(
        [*flags, "-x", "c++-header", str(header), "-o", f"{named}.gch"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
      )
      try:
        yield lambda: [] if process.wait() else ["-include", str(named)]
      finally:
        process.kill()
        process.wait()

  def compile(self, source, target, first=()):
    """Compiles `source` to the object `target`, which appears only when it is complete.

    `first` is flags for what is read before it.
    """
    partial = target.with_suffix(".partial.o")
    started = time.time_ns()  # An edit while the compiler runs makes the object stale.
    depfile = ["-MF", str(target.with_suffix(".d")), "-MT", "object"]
    self._run([*self._compile, *first, *depfile, "-c", str(source), "-o", str(partial)])
    os.utime(partial, ns=(started, started))
    partial.replace(target)

  def link(self, objects, target):
    """Links `objects` to the shared library `target`, which appears only when complete."""
    partial = target.with_suffix(".partial.so")
    self._run([*self._link, *map(str, objects), *self._link_flags, "-o", str(partial)])
    partial.replace(target)

  def _run(self, command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
      raise CommandFailed(f"{shlex.join(command)}\n{done.stderr}")


def extension_toolchain():
  """Returns the toolchain of the Python extension: it finds Python where it is loaded."""
  include = sysconfig.get_path("include")
  if not pathlib.Path(include, "Python.h").exists():
    raise SystemExit(
      f"setup.py: Python.h not found in {include}.\n"
      "Install Python's headers (Debian, Ubuntu: apt-get install python3-dev)."
    )
  return Toolchain(sys.version, [f"-I{include}", *EXTENSION_FLAGS], [])


def _uses_tensorflow(source):
  return source.parts[1] in TF_FOLDERS


def is_current(target, source):
  """Tells whether an object is newer than its source and every header of ours it read."""
  depfile = target.with_suffix(".d")
  if not (target.exists() and depfile.exists()):
    return False
  listed = depfile.read_text().replace("\\\n", " ").partition(":")[2].split()
  inputs = [ROOT / source, *(ROOT / name for name in listed)]
  built = target.stat().st_mtime_ns
  return all(path.exists() and path.stat().st_mtime_ns < built for path in inputs)


@contextlib.contextmanager
def build_lock(folder):
  """Keeps two builds in one checkout from writing the same objects."""
  with open(folder / "lock", "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    yield


class BuildKernels(build_ext):
  """Builds both libraries, and `_build_info.py` which says what they were built for."""

  def run(self):
    """Compiles what changed, links, and puts libraries and build information in place."""
    if os.environ.get("RECURSIVE_TF_BUILD_KERNELS") == "0":
      print("setup.py: kernels skipped, RECURSIVE_TF_BUILD_KERNELS=0")
      return
    sources = find_kernel_sources()
    if not all(sources.values()):
      raise SystemExit("setup.py: no .cc files under kernels/: is this checkout complete?")
    tf_version, tf_compile_flags, tf_link_flags = ask_tensorflow()
    op_link_flags = ["-Wl,--no-undefined", *tf_link_flags]
    op_toolchain = Toolchain(tf_version, tf_compile_flags, op_link_flags)
    self._build_library(EXTENSION, extension_toolchain(), sources[EXTENSION])
    self._build_library(OP_LIBRARY, op_toolchain, sources[OP_LIBRARY])
    self._install_build_info(tf_version, op_toolchain.compiler)

  def _build_library(self, name, toolchain, sources):
    folder = ROOT / "build" / "kernels" / toolchain.fingerprint
    folder.mkdir(parents=True, exist_ok=True)
    with build_lock(folder):
      try:
        library = self._build(toolchain, folder, sources, name)
      except CommandFailed as error:
        raise SystemExit(f"{error}\nsetup.py: {name} was not built.") from error
      self._install(library)

  def _build(self, toolchain, folder, sources, name):
    objects = {source: (folder / source).with_suffix(".o") for source in sources}
    stale = [source for source in sources if not is_current(objects[source], source)]
    for source in stale:
      objects[source].parent.mkdir(parents=True, exist_ok=True)
    num_jobs = int(os.environ.get("MAX_JOBS", 0)) or os.cpu_count() or 1
    # Those without TensorFlow come first: its headers are being precompiled then.
    stale.sort(key=_uses_tensorflow)
    is_worthwhile = sum(map(_uses_tensorflow, stale)) >= FEWEST_FOR_PRECOMPILED
    headers = toolchain.precompiled(TF_HEADERS) if is_worthwhile else contextlib.nullcontext(list)

    def compile_one(source, tf_headers):
      first = tf_headers() if _uses_tensorflow(source) else []
      toolchain.compile(source, objects[source], first)

    with headers as tf_headers, concurrent.futures.ThreadPoolExecutor(num_jobs) as pool:
      jobs = {pool.submit(compile_one, source, tf_headers): source for source in stale}
      for count, job in enumerate(concurrent.futures.as_completed(jobs), 1):
        result = "FAILED" if job.exception() else "compiled"
        print(f"[{count}/{len(stale)}] {result} {jobs[job]}", flush=True)
    failures = [str(job.exception()) for job in jobs if job.exception()]
    if failures:
      raise CommandFailed("\n".join(failures))
    library = folder / name
    manifest = folder / "objects.txt"
    listing = "".join(f"{source}\n" for source in sources)
    newest = max(path.stat().st_mtime_ns for path in objects.values())
    is_linked = library.exists() and library.stat().st_mtime_ns > newest
    if not (is_linked and manifest.exists() and manifest.read_text() == listing):
      toolchain.link(objects.values(), library)
      manifest.write_text(listing)
    return library

  def _package_folder(self):
    package = (ROOT if self.inplace else pathlib.Path(self.build_lib)) / "recursive_tf"
    package.mkdir(parents=True, exist_ok=True)
    return package

  def _install(self, library):
    # Replaced, not overwritten: a running process may have the old library mapped.
    target = self._package_folder() / library.name
    partial = target.with_name(f"{library.name}.partial")
    shutil.copyfile(library, partial)
    partial.chmod(0o755)
    partial.replace(target)

  def _install_build_info(self, tf_version, compiler):
    info = (
      f'"""Written by setup.py beside the kernels: what they were built from, and for."""\n\n'
      f"VERSION = {self.distribution.get_version()!r}\n"
      f"TENSORFLOW_VERSION = {tf_version!r}\n"
      f"COMPILER = {compiler!r}\n"
    )
    (self._package_folder() / "_build_info.py").write_text(info)

  def get_ext_filename(self, fullname):
    """Names the op library without Python's ABI tag, and the extension by the stable ABI."""
    package, _, name = fullname.rpartition(".")
    file_name = OP_LIBRARY if OP_LIBRARY.startswith(f"{name}.") else EXTENSION
    return os.path.join(*package.split("."), file_name)


class BuildPackages(build_py):
  """Copies the packages into a fresh folder: a module deleted since must not reach the wheel."""

  def run(self):
    """Clears what an earlier build left, then copies."""
    if not self.editable_mode:
      shutil.rmtree(pathlib.Path(self.build_lib) / "recursive_tf", ignore_errors=True)
    super().run()


class PlatformWheel(bdist_wheel):
  """Tags the wheel for the platform and the stable ABI, which later Pythons have too."""

  def get_tag(self):
    """Returns (python tag, ABI tag, platform tag)."""
    return OLDEST_PYTHON, "abi3", super().get_tag()[2]


setup(
  packages=find_mapped_packages(),
  package_dir=PACKAGE_DIRS,
  package_data={"recursive_tf": ["py.typed", "*.pyi"], "recursive_tf.datasets": ["data/*.txt"]},
  include_package_data=False,
  ext_modules=[
    Extension("recursive_tf._kernels", sources=[]),
    Extension("recursive_tf._walk", sources=[], py_limited_api=True),
  ],
  cmdclass={
    "bdist_wheel": PlatformWheel,
    "build_ext": BuildKernels,
    "build_py": BuildPackages,
  },
)
