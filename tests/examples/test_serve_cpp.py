import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

from recursive_tf._errors import DataError
from recursive_tf._ops import KERNELS_PATH
from recursive_tf.datasets import load_sample, parse_brackets
from recursive_tf.training import export
from recursive_tf.training.tree_prediction import tree_of_text
from tests.cli.test_export import untrained

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "serve_cpp"
pytestmark = pytest.mark.slow  # Linking TensorFlow takes half a minute.

GOOD = [
  "(not (very good))",
  "(3 (2 not) (4 good))",
  "(_ 7 dwarfs)",
  "(S (NP The FILM) (VP (VBZ is) (JJ good)) (. .))",
  "(NP-SBJ=2 the cast)",
  "(the film is not (very very) good)",
  "(((film)))",
  "(TO)",
  "(, and)",
  "(. !)",
  "(, (a b))",
  "(. a b)",
  "(NP=-2 a)",
  "(PRP$-X a)",
  "((not)\t( good ) )\r",
  "(ÉTÉ (İstanbul ﬃ))",
  "(a\u00a0b \u00e9)",
  "(-0 (00 a) b)",
  "  (a b)",
]
BAD = [
  "(3 (2 a) (4 b",
  "(a b))",
  "(a b) c",
  ")",
  "(()",
  "(a ())",
  "(9 a)",
  "(1234567890 a)",
  "(-1 a)",
  "(a (NP))x",
  "(3)",
  "(_)",
  "(été (é (3))",
  "(",
  "(a",
]
# Where Python knows more characters than the program: refused, not guessed.
REFUSED = ["(, é)", "(ΣΑΣ a)"]


@pytest.fixture(scope="module")
def serve(tmp_path_factory):
  """The built program: `serve(arguments, input)` -> the finished process."""
  if shutil.which("make") is None or shutil.which(os.environ.get("CXX", "g++")) is None:
    pytest.skip("no make, or no C++ compiler")
  out = tmp_path_factory.mktemp("build")
  command = ["make", "-C", SOURCES, f"PYTHON={sys.executable}", f"OUT={out}"]
  done = subprocess.run(command, capture_output=True, text=True, check=False)
  assert done.returncode == 0, done.stderr

  def call(*arguments, text=b""):
    return subprocess.run(
      [out / "serve_trees", *map(str, arguments)], input=text, capture_output=True, check=False
    )

  return call


@pytest.fixture(scope="module", params=["treelstm", "rntn"])
def exported(request, tmp_path_factory):
  """An untrained run, and its export."""
  folder = tmp_path_factory.mktemp("export")
  run = untrained(request.param, folder)
  export.export_run(run, folder / "out")
  return run, folder / "out"


def said(done):
  """What the program itself wrote to standard error."""
  lines = done.stderr.decode().splitlines()
  return [line for line in lines if re.match(r"\d+:\d+: |serve_trees: |usage: ", line)]


def expected_of(run, lines):
  trees = [tree_of_text(line.rstrip("\r"), "right", "x") for line in lines]
  found = run.predict_binarised(trees)
  return [(run.class_names[p.root_class], p.root_probabilities) for p in found]


def assert_equal(output, numbers, expected):
  rows = [line.split("\t") for line in output.decode().splitlines()]
  assert [int(row[0]) for row in rows] == numbers
  for row, (name, probabilities) in zip(rows, expected, strict=True):
    assert row[1] == name
    np.testing.assert_allclose([float(x) for x in row[2:]], probabilities, rtol=0, atol=1e-6)


def test_the_sample_treebank_is_classified_as_python_does(serve, exported):
  run, out = exported
  lines = [str(tree) for split in ("dev", "test") for tree in load_sample()[split]]
  done = serve(out, KERNELS_PATH, text="\n".join(lines).encode())
  assert done.returncode == 0 and said(done) == [], done.stderr
  expected = expected_of(run, lines)
  assert_equal(done.stdout, list(range(1, len(lines) + 1)), expected)
  assert len(lines) > 300 and np.ptp([p[0] for _, p in expected]) > 0.05


def test_every_line_is_read_as_python_does(serve, exported):
  run, out = exported
  lines = [*GOOD, "", "  ", *BAD, *GOOD]
  done = serve(out, KERNELS_PATH, "--batch", 7, text="\ufeff".encode() + "\n".join(lines).encode())
  assert done.returncode == 1
  first_bad = len(GOOD) + 3
  again = first_bad + len(BAD)
  numbers = [*range(1, len(GOOD) + 1), *range(again, again + len(GOOD))]
  assert_equal(done.stdout, numbers, expected_of(run, GOOD) * 2)
  assert len(said(done)) == len(BAD)
  for number, (line, error) in enumerate(zip(BAD, said(done), strict=True), first_bad):
    with pytest.raises(DataError) as caught:
      parse_brackets(line, source="x", line_number=number)
    place, expected = re.match(
      r"x:(\d+:\d+): malformed tree: (expected \S+)", str(caught.value)
    ).groups()
    assert error.startswith(f"{place}: malformed tree: {expected}"), (line, error)


@pytest.mark.parametrize("line", REFUSED)
def test_what_the_program_cannot_know_is_refused(serve, exported, line):
  done = serve(exported[1], KERNELS_PATH, text=line.encode())
  assert done.returncode == 1 and done.stdout == b""
  assert said(done)[0].startswith("1:2: malformed tree: expected ")


def test_bytes_that_are_no_text_and_deep_trees(serve, exported):
  run, out = exported
  deep = "(" * 3000 + "film" + " good)" * 3000
  done = serve(
    out, KERNELS_PATH, text=b"(a \xe9t\xe9)\n(a \xc0\xaf)\n(a \xed\xa0\x80)\n" + deep.encode()
  )
  assert done.returncode == 1
  assert said(done) == [f"{number}:4: this is not UTF-8" for number in (1, 2, 3)]
  assert_equal(done.stdout, [4], expected_of(run, [deep]))


def test_no_input_is_no_output(serve, exported):
  done = serve(exported[1], KERNELS_PATH)
  assert (done.returncode, done.stdout, said(done)) == (0, b"", [])


@pytest.mark.parametrize(
  ("arguments", "message"),
  [
    ([], "usage: serve_trees"),
    (["out", "kernels", "--batch", "0"], "--batch is '0', expected 1 to "),
    (["out", "kernels", "--threads"], "--threads is '', expected 1 to "),
    (["nowhere", "kernels"], "nowhere/assets.extra/classes.txt: cannot be read"),
    (["out", "nowhere.so"], "nowhere.so: "),
  ],
)
def test_what_cannot_run_is_one_line_and_status_2(serve, exported, tmp_path, arguments, message):
  places = {"out": exported[1], "kernels": KERNELS_PATH, "nowhere": tmp_path / "nowhere"}
  done = serve(*(places.get(argument, argument) for argument in arguments), text=b"(a b)")
  assert done.returncode == 2 and done.stdout == b""
  assert len(said(done)) == 1 and message in said(done)[0]


def cut(path):
  path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


# What happens to which file of an export, and what is said of it.
DAMAGE = {
  "no program": (pathlib.Path.unlink, "saved_model.pb", "copy: Could not find SavedModel"),
  "an empty program": (lambda path: path.write_bytes(b""), "saved_model.pb", "copy"),
  "a program cut short": (cut, "saved_model.pb", "copy: "),
  "no index of weights": (
    pathlib.Path.unlink,
    "variables/variables.index",
    "Could not find variable",
  ),
  "an index cut short": (cut, "variables/variables.index", "copy: "),
  "no weights": (pathlib.Path.unlink, "variables/variables.data-00000-of-00001", "variables"),
  "weights cut short": (cut, "variables/variables.data-00000-of-00001", "copy: "),
  "no words": (pathlib.Path.unlink, "assets.extra/vocabulary.txt", "vocabulary.txt: cannot be"),
  "words of another": (
    lambda path: path.write_text("<unk>\n"),
    "assets.extra/vocabulary.txt",
    "vocabulary.txt: has 1 words, but model.json says 52",
  ),
  "no table of lower case": (pathlib.Path.unlink, "assets.extra/lowercase.txt", "lowercase.txt: "),
  "nothing about the model": (pathlib.Path.unlink, "assets.extra/model.json", "model.json: cannot"),
  "something else about it": (
    lambda path: path.write_text("{}\n"),
    "assets.extra/model.json",
    'model.json: does not say "words"',
  ),
  "classes of another": (
    lambda path: path.write_text("a\nb\nc\n"),
    "assets.extra/classes.txt",
    "classes.txt does not name",
  ),
  "no names of tensors": (pathlib.Path.unlink, "assets.extra/tensors.txt", "tensors.txt"),
  "no tensors": (lambda path: path.write_text("x\n"), "assets.extra/tensors.txt", "tensors.txt"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_an_export_that_is_damaged_is_said(serve, exported, tmp_path, name):
  copy = tmp_path / "copy"
  shutil.copytree(exported[1], copy)
  damage, file, message = DAMAGE[name]
  damage(copy / file)
  done = serve(copy, KERNELS_PATH, text=b"(a b)")
  assert done.returncode == 2 and done.stdout == b"", said(done)
  assert len(said(done)) == 1 and message in said(done)[0]
