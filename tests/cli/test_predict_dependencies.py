"""`predict`, `export` and `load_run` with what was learnt from dependency trees."""

import gzip
import io
import json
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf import cli
from recursive_tf._ops import KERNELS_PATH
from recursive_tf.datasets import DependencyTree, PackedPairs, PackedRelations, load_sick_split
from recursive_tf.datasets.conllu import read_conllu
from recursive_tf.training.export import export_run
from tests.cli.conftest import settle_threads
from tests.cli.dependency_data import make_pairs, make_treebank
from tests.cli.runs import assert_one_line

SMALL = ["--state-size", "4", "--embedding-size", "5", "--hidden-size", "3", "--batch-size", "4"]
FAST = ["--learning-rate", "0.2", "--epochs", "8", "--min-count", "1"]
# Words that it knows, in trees of several shapes and sizes.
TREES = [
  DependencyTree(("the", "dog", "sleeps"), (1, 2, -1), (0,) * 3),
  DependencyTree(("cat",), (-1,), (0,)),
  DependencyTree(("sings", "the", "bird", "cat"), (-1, 2, 0, 2), (0,) * 4),
  DependencyTree(("dog", "sings", "bird", "the"), (1, -1, 1, 0), (0,) * 4),
]
# All that it knows is TensorFlow, the kernels, and tables.
ALONE = """
import json, sys
sys.modules["recursive_tf"] = None
import tensorflow as tf
tf.load_op_library(sys.argv[1])
found = []
for path, tables in json.loads(sys.stdin.read()):
  program = tf.saved_model.load(path).signatures["serving_default"]
  tables = {name: tf.constant(table, tf.int32) for name, table in tables.items()}
  found.append({name: value.numpy().tolist() for name, value in program(**tables).items()})
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
  """A folder with `pairs` and `trees`, `of_pairs` and `of_words` trained on them; not changed."""
  folder = tmp_path_factory.mktemp("trained")
  make_pairs(folder / "pairs", 8)
  make_treebank(folder / "trees", 8)
  with pytest.MonkeyPatch.context() as monkeypatch:
    monkeypatch.chdir(folder)
    settle_threads(monkeypatch)
    for data, out in (("pairs", "of_pairs"), ("trees", "of_words")):
      train = ["train", "child-sum-treelstm", "--data", data, *SMALL, *FAST]
      assert cli.main([*train, "--out", out]) == 0
  return folder


@pytest.fixture(autouse=True)
def _there(trained, monkeypatch):
  monkeypatch.chdir(trained)


@pytest.fixture
def typed(monkeypatch):
  def set_input(content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

  return set_input


def rows(output):
  return [json.loads(line) for line in output.splitlines()]


def test_pairs_of_a_split_have_the_relatedness_of_the_model(run):
  status, out, err = run("predict", "of_pairs", "--file", "pairs/test", "--json")
  assert status == 0 and err == ""
  found = rows(out)
  loaded = rtf.load_run("of_pairs")
  pairs = load_sick_split("pairs", "test")
  packed = PackedPairs.pack(pairs, loaded.vocabulary)
  expected = loaded.model.relatedness(packed.batch(range(len(pairs)))).numpy()
  np.testing.assert_allclose([row["relatedness"] for row in found], expected, rtol=1e-5)
  assert np.ptp(expected) > 1e-3
  assert [row["expected"] for row in found] == [pair.relatedness for pair in pairs]
  assert found[0]["a"] == {"words": ["The", "dog", "sleeps"], "heads": [2, 3, 0]}
  assert sum(found[0]["probabilities"].values()) == pytest.approx(1, abs=1e-5)


def test_a_tree_is_assumed_for_plain_text_and_said(run):
  status, out, err = run("predict", "of_pairs", "The dog sleeps", "A wolf sings")
  assert status == 0 and out.splitlines()[1:3] == ["  The dog sleeps", "  A wolf sings"]
  assert "2 sentences have no parse" in err and "the middle word is the root" in err
  assert "these words were not in the training data" in err.lower() and "A, wolf" in err
  found = {}
  for structure, heads in (("right", [0, 1, 2]), ("left", [2, 3, 0]), ("balanced", [2, 0, 2])):
    sentences = ["The dog sleeps", "A cat sings"]
    _, out, _ = run("predict", "of_pairs", *sentences, "--structure", structure, "--json")
    (row,) = rows(out)
    assert row["a"]["heads"] == row["b"]["heads"] == heads
    found[structure] = row["relatedness"]
  assert len(set(found.values())) == 3


def test_pairs_come_in_lines_and_as_conllu(run, typed, tmp_path):
  typed(b"The dog sleeps\tThe cat sings\n\nThe bird sings\tThe bird sings\r\n")
  status, out, _ = run("predict", "of_pairs", "--brief", "--structure", "left")
  assert status == 0
  lines = [line.split("\t") for line in out.splitlines()]
  assert [line[1:] for line in lines] == [
    ["The dog sleeps", "The cat sings"],
    ["The bird sings", "The bird sings"],
  ]
  word = "{}\t{}\t_\t_\t_\t_\t{}\t_\t_\t_\n"
  sentences = (("The", "dog", "sleeps"), ("The", "cat", "sings"))
  text = "\n".join("".join(map(word.format, (1, 2, 3), words, (2, 3, 0))) for words in sentences)
  (tmp_path / "two.conllu.gz").write_bytes(gzip.compress(b"# a comment\n" + text.encode()))
  status, out, err = run("predict", "of_pairs", "--file", tmp_path / "two.conllu.gz", "--json")
  assert status == 0 and err == ""
  # "left" is the tree of these words.
  assert f"{rows(out)[0]['relatedness']:.3f}" == lines[0][0]


def test_relations_are_those_of_the_model_in_the_order_of_words(run):
  status, out, err = run("predict", "of_words", "--file", "trees/x-test.conllu", "--json")
  assert status == 0 and err == ""
  found = rows(out)
  loaded = rtf.load_run("of_words")
  trees = read_conllu("trees/x-test.conllu")
  packed = PackedRelations.pack(trees, loaded.vocabulary)
  _, counts = loaded.model.loss_and_metrics(packed.batch(range(len(trees))))
  words = [word for row in found for word in row["words"]]
  assert sum(word["relation"] == word["given"] for word in words if word["head"]) == int(
    counts.correct_words
  )
  assert [word["relation"] for word in words if not word["head"]] == ["root"] * len(trees)
  for row, tree in zip(found, trees, strict=True):
    assert row["text"] == str(tree)
    assert [word["head"] - 1 for word in row["words"]] == list(tree.heads)
    for word in row["words"]:
      if word["head"]:
        best = max(word["probabilities"], key=word["probabilities"].get)
        assert best == word["relation"]


def test_a_word_of_a_batch_has_the_relation_that_it_has_alone():
  loaded = rtf.load_run("of_words")
  together = loaded.predict_relations(TREES)
  assert loaded.predict_relations(TREES, batch_size=1)[0].relations == together[0].relations
  for tree, found in zip(TREES, together, strict=True):
    (alone,) = loaded.predict_relations(tree)
    np.testing.assert_allclose(found.probabilities, alone.probabilities, atol=1e-6)
    sums = found.probabilities.sum(1)
    np.testing.assert_allclose(sums, [head >= 0 for head in tree.heads], atol=1e-5)


def test_relations_are_a_table_with_heads_and_what_the_file_says(run, tmp_path):
  line = "{}\t{}\t_\t_\t_\t_\t{}\t{}\t_\t_\n"
  words = [(1, "the", 2, "det"), (2, "wolf", 3, "vocative"), (3, "sings", 0, "root")]
  (tmp_path / "a.conllu").write_text("".join(line.format(*word) for word in words))
  status, out, err = run("predict", "of_words", "--file", tmp_path / "a.conllu")
  assert status == 0 and "wolf" in err
  lines = out.splitlines()
  assert lines[0] == "the wolf sings" and "of 2 wolf" in lines[1]
  assert "(given as vocative, unknown word)" in lines[2] and "of 3 sings" in lines[2]
  assert lines[3].split() == ["3", "sings", "root"]
  _, out, _ = run("predict", "of_words", "--file", tmp_path / "a.conllu", "--brief")
  assert [word.partition("/")[0] for word in out.split()] == ["the", "wolf", "sings"]


@pytest.mark.parametrize(
  ("arguments", "content", "message"),
  [
    (["of_pairs", "The dog"], b"", "Expected pairs of sentences, got 1 argument"),
    (["of_pairs", "(not good)", "a"], b"", "<argument 1>:1: brackets are trees of phrases"),
    (["of_pairs", "a", " "], b"", "<argument 2>:1: expected a sentence, got no words"),
    (["of_pairs"], b"a\tb\nonly one\n", "<stdin>:2: expected two sentences with a tab between"),
    (["of_pairs"], b"\n", "<stdin>: there is no pair to predict on"),
    (["of_pairs"], b"\xff\tb\n", "<stdin>:1:1: "),
    (["of_pairs", "--file", "trees"], b"", "cannot read"),
    (["of_pairs", "a", "b", "--svg", "x.svg"], b"", "--svg: pictures are of trees of phrases"),
    (["of_pairs", "--file", "pairs/test", "--skip-bad"], b"", "--skip-bad: the files of SICK"),
    (["of_words", "The dog"], b"", "expected CoNLL-U, ten columns with tabs"),
    (["of_words"], b"The dog\n", "<stdin>:1: expected CoNLL-U, ten columns with tabs"),
    (["of_words"], b"1\ta\t_\n", "<stdin>:1:6: malformed tree: expected 10 columns"),
    (["of_words", "--file", "trees"], b"", "trees: expected a file of CoNLL-U, got a directory"),
  ],
)
def test_what_cannot_be_is_said_and_nothing_written(run, typed, arguments, content, message):
  typed(content)
  status, out, err = run("predict", *arguments)
  assert status == 2 and out == ""
  assert_one_line(err.splitlines()[0] + "\n", message)


def test_bad_lines_are_left_out_and_counted(run, typed):
  typed(b"a\tb\nonly one\nc\td\n")
  status, out, err = run("predict", "of_pairs", "--skip-bad", "--brief")
  assert status == 0 and len(out.splitlines()) == 2
  assert "<stdin>:2: expected two sentences" in err


def test_loaded_runs_say_what_they_can_do():
  of_pairs, of_words = rtf.load_run("of_pairs"), rtf.load_run("of_words")
  with pytest.warns(UserWarning, match="this word was not in the training data.*wolf"):
    (found,) = of_pairs.predict_pairs([("The wolf sings", TREES[0])], structure="right")
  assert 1 < found.relatedness < 5 and found.a.heads == (-1, 0, 1) and found.b is TREES[0]
  assert of_pairs.class_names == ("1", "2", "3", "4", "5") and "nsubj" in of_words.class_names
  for call, method in (
    (lambda: of_pairs.predict("(not good)"), "predict_pairs"),
    (lambda: of_words.predict("(not good)"), "predict_relations"),
    (lambda: of_words.predict_pairs([TREES[:2]]), "predict_relations"),
    (lambda: of_pairs.predict_relations(TREES), "predict_pairs"),
  ):
    with pytest.raises(rtf.ConfigError, match=f"Use `{method}`"):
      call()
  with pytest.raises(rtf.DataError, match="expected a DependencyTree, got str: heads are needed"):
    of_words.predict_relations("the dog")
  with pytest.raises(rtf.DataError, match="<pair 0>: expected two sentences, got 'ab'"):
    of_pairs.predict_pairs(["ab"])
  with pytest.raises(rtf.DataError, match="has no parse. Say which tree"):
    of_pairs.predict_pairs([("a b", "c")])


@pytest.fixture(scope="module")
def exported(trained):
  """{name: (where it is exported to, what it takes for TREES)}."""
  found = {}
  for name in ("of_pairs", "of_words"):
    loaded = rtf.load_run(trained / name)
    path = trained / f"exported_{name}"
    export_run(loaded, path)
    blank = [
      DependencyTree(t.words, t.heads, t.tags, relations=("_",) * len(t.words)) for t in TREES
    ]
    tables = PackedRelations.pack(blank, loaded.vocabulary).batch_arrays(range(len(TREES)))
    if name == "of_pairs":
      del tables["is_left"]
    found[name] = (path, tables)
  return found


def test_programs_run_with_the_kernels_alone(exported):
  given = [
    (str(path), {name: table.tolist() for name, table in tables.items()})
    for path, tables in exported.values()
  ]
  done = subprocess.run(
    [sys.executable, "-c", ALONE, str(KERNELS_PATH)],
    input=json.dumps(given),
    capture_output=True,
    text=True,
    timeout=120,
  )
  assert done.returncode == 0, done.stderr
  pairs, words = json.loads(done.stdout)
  a, b, c, d = TREES
  of_pairs = rtf.load_run("of_pairs").predict_pairs([(a, b), (c, d)])
  np.testing.assert_allclose(pairs["relatedness"], [p.relatedness for p in of_pairs], rtol=1e-5)
  np.testing.assert_allclose(pairs["probabilities"], [p.probabilities for p in of_pairs], atol=1e-6)
  # Rows are in post-order: the largest share of each, and roots' zeros, are the same in any order.
  expected = [
    row for p in rtf.load_run("of_words").predict_relations(TREES) for row in p.probabilities
  ]
  found = np.array(words["probabilities"])
  np.testing.assert_allclose(np.sort(found, 0), np.sort(expected, 0), atol=1e-6)
  assert (found[exported["of_words"][1]["root"]] == 0).all()


def test_exports_say_what_they_are(run, exported):
  path, _ = exported["of_words"]
  about = json.loads((path / "assets.extra" / "model.json").read_text())
  assert about["task"] == "relation" and about["inputs"]["is_left"] == "int32 [N]"
  assert (path / "assets.extra" / "classes.txt").read_text().splitlines() == about["classes"]
  status, out, _ = run("export", "of_pairs", "again")
  assert status == 0 and "classes 1, 2, 3, 4, 5" in out


@pytest.mark.parametrize(
  ("name", "change", "message"),
  [
    ("of_pairs", lambda t: {"root": t["root"][:-1]}, "root has both sentences of each pair"),
    ("of_pairs", lambda t: {"children": t["children"][:-1]}, "children has those of all rows"),
    ("of_pairs", lambda t: {"children": t["children"][::-1]}, "children come before their parent"),
    ("of_pairs", lambda t: {"nodes": t["nodes"] + [1000, 0, 0, 0]}, "the word of a node is in 0.."),
    ("of_pairs", lambda t: {"nodes": t["nodes"] * [1, 1, 0, 1]}, "first_child is the number of"),
    ("of_pairs", lambda t: {"root": t["root"] * 0}, "each row is the child of one node, or a root"),
    ("of_words", lambda t: {"is_left": t["is_left"] + 1}, "is_left is 0 or 1"),
    ("of_words", lambda t: {"is_left": t["is_left"][1:]}, "is_left has a value for each node"),
    ("of_words", lambda t: {"children": t["children"] * 0}, "each row is the child of one node"),
  ],
)
def test_rows_that_are_no_trees_are_errors(exported, name, change, message):
  path, tables = exported[name]
  program = tf.saved_model.load(str(path)).signatures["serving_default"]
  given = {**tables, **change(tables)}
  with pytest.raises(tf.errors.InvalidArgumentError, match=message):
    program(**{name: tf.constant(table, tf.int32) for name, table in given.items()})
