"""Sixty malformed inputs: each is an error that names its place, and leaves all as it was."""

import gzip
import os

import pytest

from recursive_tf.training.history import read_history
from tests.cli.test_dependency_models import make_pairs

GOOD = "(3 (2 a) (4 b))\n"
TREES = {
  "no end": (b"(3 (2 a) (4 b)", "trees/train.txt:2:15: malformed tree: expected ')'"),
  "no beginning": (b"3 (2 a) (4 b))", "trees/train.txt:2:1: malformed tree: expected '('"),
  "one too many ends": (b"(3 (2 a) (4 b)))", "trees/train.txt:2:16: malformed tree"),
  "two trees": (b"(3 (2 a) (4 b)) (2 c)", "trees/train.txt:2:17: malformed tree: expected the end"),
  "a label too large": (
    b"(5 (2 a) (4 b))",
    "trees/train.txt:2:2: malformed tree: expected a label",
  ),
  "a label that is none": (b"(x (2 a) (4 b))", "trees/train.txt:2:2: malformed tree"),
  "no label": (b"( (2 a) (4 b))", "trees/train.txt:2:3: malformed tree: expected a label"),
  "one child": (b"(3 (2 a))", "trees/train.txt:2:9: malformed tree: expected '(' of the second"),
  "three children": (b"(3 (2 a) (2 b) (2 c))", "trees/train.txt:2:16: malformed tree"),
  "no word": (b"(3 (2 ) (4 b))", "trees/train.txt:2:7: malformed tree: expected a word"),
  "two words": (b"(3 (2 a b) (4 b))", "trees/train.txt:2:9: malformed tree: expected ')'"),
  "a word beside children": (b"(3 a (4 b))", "trees/train.txt:2:6: malformed tree"),
  "no text": (b"(3 (2 \xff) (4 b))", "trees/train.txt:2:7: malformed tree: expected UTF-8"),
}
FILES = {
  "no tree": (b"\n\n", "trees/train.txt: holds no tree"),
  "cut gzip": (gzip.compress(GOOD.encode())[:-4], "trees/train.txt: "),
}
CONLLU = {
  "nine columns": (
    b"1\ta\t_\tX\t_\t_\t0\troot\t_\n",
    "x-train.conllu:1:21: malformed tree: expected 10",
  ),
  "eleven columns": (b"1\ta\t_\tX\t_\t_\t0\troot\t_\t_\t_\n", "x-train.conllu:1:24: malformed"),
  "a number left out": (b"2\ta\t_\tX\t_\t_\t0\troot\t_\t_\n", "x-train.conllu:1:1: malformed"),
  "no number": (b"x\ta\t_\tX\t_\t_\t0\troot\t_\t_\n", "expected word number 1, got 'x'"),
  "an empty word": (
    b"1\t\t_\tX\t_\t_\t0\troot\t_\t_\n",
    "x-train.conllu:1:3: malformed tree: expected a",
  ),
  "a head that is no number": (
    b"1\ta\t_\tX\t_\t_\t_\troot\t_\t_\n",
    "x-train.conllu:1:13: malformed",
  ),
  "a head too far": (b"1\ta\t_\tX\t_\t_\t7\troot\t_\t_\n", "number of the word's head, 0 to 1"),
  "two roots": (
    b"1\ta\t_\tX\t_\t_\t0\tr\t_\t_\n2\tb\t_\tX\t_\t_\t0\tr\t_\t_\n",
    "x-train.conllu:2:13",
  ),
  "a circle": (
    b"1\ta\t_\tX\t_\t_\t2\tr\t_\t_\n2\tb\t_\tX\t_\t_\t1\tr\t_\t_\n",
    "got a circle: 1, 2, 1",
  ),
  "a feature without value": (
    b"1\ta\t_\tX\t_\tA=\t0\troot\t_\t_\n",
    "x-train.conllu:1:11: malformed",
  ),
  "nothing but a range": (b"1-2\ta\t_\tX\t_\t_\t_\t_\t_\t_\n", "expected word number 1"),
  "no text": (
    b"1\t\xff\t_\tX\t_\t_\t0\troot\t_\t_\n",
    "x-train.conllu:1:3: malformed tree: expected UTF-8",
  ),
  "no sentence": (b"# nothing\n", "x-train.conllu: holds no tree"),
}
VECTORS = {
  "nothing": (b"", "v.txt:1: expected a word and its finite numbers"),
  "a word alone": (b"the\n", "v.txt:1: expected a word and its finite numbers"),
  "no numbers": (b"the a b\n", "v.txt:1: expected a word and its finite numbers"),
  "no number": (b"the nan 1 1 1\n", "v.txt:1: expected a word and its finite numbers"),
  "an endless number": (b"of 1 1 1 1\nthe 1e400 1 1 1\n", "v.txt:2: expected 4 finite numbers"),
  "a number short": (b"the 1 1 1 1\nof 1 1 1\n", "v.txt:2: expected a word and 4 numbers"),
  "no words": (b"0 4\n", "v.txt:1: expected the number of words and the size"),
  "an impossible size": (b"3 99999999999\n", "v.txt:1: expected the number of words and the size"),
  "fewer than it says": (b"3 4\nthe 1 1 1 1\n", "v.txt:1: says that 3 words follow, got 1"),
  "an archive": (b"PK\x03\x04 glove.txt", "v.txt: this is a zip archive"),
  "other words": (b"xyzzy 1 1 1 1\n", "v.txt: has none of the 51 words of the vocabulary"),
  "cut gzip": (gzip.compress(b"the 1 1 1 1\n" * 99)[:-9], "v.txt: the gzip data is damaged or cut"),
}
SICK = {
  "a score too high": ("sim.txt", b"5.5\n1\n", "train/sim.txt:1:1: malformed"),
  "no score": ("sim.txt", b"high\n1\n", "expected a relatedness of 1 to 5, got 'high'"),
  "no number": (
    "id.txt",
    b"1\nx\n",
    "train/id.txt:2:1: malformed tree: expected the number of a pair",
  ),
  "a line short": ("b.toks", b"The dog sleeps\n", "files of one split have a line for each pair"),
  "no words": (
    "a.toks",
    b"\nThe cat sings\n",
    "train/a.toks:1:1: malformed tree: expected the words",
  ),
  "a head short": ("a.parents", b"2 3\n2 3 0\n", "train/a.parents:1:4: malformed tree: expected 3"),
  "a head too far": ("a.parents", b"2 9 0\n2 3 0\n", "train/a.parents:1:3: malformed tree"),
  "a circle": (
    "b.parents",
    b"2 3 0\n2 1 0\n",
    "train/b.parents:2:1: malformed tree: expected heads",
  ),
  "a relation short": ("b.rels", b"det nsubj root\nroot\n", "train/b.rels:2:5: malformed"),
  "no text": ("a.toks", b"The \xff sleeps\nThe cat sings\n", "train/a.toks:1:5: malformed"),
}
FLAGS = {
  "no such data": (["train", "treernn", "--data", "nowhere"], "--data nowhere: no such directory"),
  "vectors that are not there": (
    ["train", "treelstm", "--vectors", "nowhere.txt"],
    "nowhere.txt: ",
  ),
  "a width that is not the vectors'": (
    ["train", "treelstm", "--vectors", "v.txt", "--embedding-size", "3"],
    "--embedding-size is 3, but the vectors in v.txt have 4 numbers",
  ),
}


def assert_refused(run, folder, arguments, message):
  before = everything(folder)
  status, out, err = run(*arguments)
  assert status == 2 and out == ""
  # One line, below which readers show theirs.
  lines = err.splitlines()
  assert lines[0].startswith("recursive-tf: error: ") and message in lines[0], err
  assert len(lines) <= 4 and "Traceback" not in err
  assert everything(folder) == before


def everything(folder):
  return {
    path.relative_to(folder): path.read_bytes() if path.is_file() else None
    for path in folder.rglob("*")
  }


def train_on(folder):
  return ["train", "child-sum-treelstm", "--data", folder]


def _cases():
  for name, (line, message) in TREES.items():
    yield f"trees, {name}", {"trees/train.txt": GOOD.encode() + line + b"\n"}, None, message
  for name, (content, message) in FILES.items():
    yield f"trees, {name}", {"trees/train.txt": content}, None, message
  for name, (content, message) in CONLLU.items():
    yield f"CoNLL-U, {name}", {"bank/x-train.conllu": content}, train_on("bank"), message
  for name, (content, message) in VECTORS.items():
    yield (
      f"vectors, {name}",
      {"v.txt": content},
      ["train", "treelstm", "--vectors", "v.txt"],
      message,
    )
  for name, (file, content, message) in SICK.items():
    yield f"SICK, {name}", {f"pairs/train/{file}": content}, train_on("pairs"), message
  for name, (arguments, message) in FLAGS.items():
    yield f"flags, {name}", {}, arguments, message


CASES = list(_cases())


@pytest.fixture
def data(tmp_path):
  """A folder with data of all kinds, well formed."""
  for folder in ("trees", "bank"):
    (tmp_path / folder).mkdir()
  for split in ("train", "dev", "test"):
    (tmp_path / "trees" / f"{split}.txt").write_text(GOOD)
    line = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n"
    (tmp_path / "bank" / f"x-{split}.conllu").write_text(line)
  (tmp_path / "v.txt").write_text("the 1 1 1 1\n")
  make_pairs(tmp_path / "pairs", 2)
  return tmp_path


@pytest.mark.parametrize(
  "files, arguments, message", [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_malformed_data_is_refused_where_it_is(run, data, files, arguments, message):
  for name, content in files.items():
    (data / name).write_bytes(content)
  given = arguments or ["train", "treernn", "--data", "trees"]
  assert_refused(run, data, [*given, "--out", "a"], message)
  assert not os.path.exists("a")


def cut(path):
  path.write_bytes(path.read_bytes()[:40])


def all_checkpoints(folder):
  return [path for name in ("checkpoints", "best") for path in (folder / name).iterdir()]


DAMAGE = {
  "config cut": (lambda a: cut(a / "config.json"), "a/config.json:"),
  "config without a value": (
    lambda a: (a / "config.json").write_text('{"model": "treernn"}'),
    "a/config.json: damaged: expected a value",
  ),
  "no config": (lambda a: (a / "config.json").unlink(), "a: no training run here: no config.json"),
  "other words": (
    lambda a: (a / "vocabulary.txt").write_text("<unk>\nx\n"),
    "a/vocabulary.txt: damaged: these are not the words",
  ),
  "no words": (lambda a: (a / "vocabulary.txt").unlink(), "a/vocabulary.txt: "),
  "checkpoints cut": (lambda a: list(map(cut, all_checkpoints(a))), "ckpt-10 is damaged"),
  "no checkpoints": (
    lambda a: [path.unlink() for path in all_checkpoints(a)],
    "a: no checkpoint yet",
  ),
}
TARGETS = {
  "a file": ("file", "file: expected the name of a directory to write to"),
  "a full directory": ("full", "full: this directory holds something else than an export"),
  "an export": ("exported", "exported: there is an export already. Add --force"),
}


@pytest.mark.parametrize("command", [["eval", "a"], ["export", "a", "b"], ["predict", "a", "x"]])
@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_runs_are_refused_by_all_who_read_them(run, finished, tmp_path, name, command):
  damage, message = DAMAGE[name]
  damage(finished)
  assert_refused(run, tmp_path, command, message)


@pytest.mark.parametrize("name", TARGETS)
def test_programs_are_not_written_over_what_they_are_not(run, finished, tmp_path, name):
  (tmp_path / "file").write_text("")
  for folder, file in (("full", "x"), ("exported", "saved_model.pb")):
    (tmp_path / folder).mkdir()
    (tmp_path / folder / file).write_text("")
  target, message = TARGETS[name]
  assert_refused(run, tmp_path, ["export", "a", target], message)


def test_there_are_sixty():
  assert len(CASES) + len(DAMAGE) + len(TARGETS) >= 60


def test_the_well_formed_ones_are_read(run, data):
  given = ["--state-size", "2", "--epochs", "1"]
  status, _, err = run("train", "treernn", "--data", "trees", *given, "--out", "a")
  assert status == 0 and err == "" and len(read_history(data / "a")) == 1
