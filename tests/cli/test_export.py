import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

from recursive_tf._errors import CheckpointError, ConfigError
from recursive_tf._ops import KERNELS_PATH
from recursive_tf.datasets import PackedTrees, Tree, load_sample
from recursive_tf.training import export
from recursive_tf.training.checkpoint import Restored
from recursive_tf.training.data import make_vocabulary
from recursive_tf.training.prediction import TrainedRun
from recursive_tf.training.runs import make_model, make_run_config
from tests.cli.runs import assert_one_line, contents

MODELS = ("treelstm", "treernn", "rntn", "mvrnn")
# All that it knows is TensorFlow, the kernels, and what lies in the export.
ALONE = """
import json, pathlib, sys
sys.modules["recursive_tf"] = None
import tensorflow as tf
tf.load_op_library(sys.argv[1])
found = {}
for path in map(pathlib.Path, sys.argv[3:]):
  extra = path / "assets.extra"
  words = (extra / "vocabulary.txt").read_text("utf-8").split("\\n")[:-1]
  ids = {word: number for number, word in enumerate(words)}
  lower = dict(line.split("\\t") for line in (extra / "lowercase.txt").read_text("utf-8").split("\\n")[:-1])
  nodes = [
    [-1 if word is None else ids.get("".join(lower.get(c, c) for c in word), 0), left, right, -1]
    for word, left, right in json.loads(sys.argv[2])
  ]
  signatures = tf.saved_model.load(str(path)).signatures
  roots = [i for i, _ in enumerate(nodes) if not any(i in row[1:3] for row in nodes)]
  trees = {"root": tf.constant(roots), "nodes": tf.constant(nodes)}
  out = signatures["serving_default"](**trees)
  values = [out["probabilities"], out["root_probabilities"], *signatures["roots"](**trees).values()]
  found[path.name] = [value.numpy().tolist() for value in values]
print(json.dumps(found))
"""  # noqa: E501 - a program


def untrained(name, directory, **options):
  """A run with its initial weights, made larger so that classes differ."""
  config = make_run_config(name, state_size=4, **options)
  vocabulary = make_vocabulary(load_sample()["train"], config.lowercase, 1)
  model = make_model(config, vocabulary.size)
  for index, variable in enumerate(model.trainable_variables):
    variable.assign(tf.random.stateless_normal(variable.shape, [1, index]))
  return TrainedRun(directory, config, vocabulary, model, Restored(directory / "ckpt-7", 7, ()))


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
  """An untrained run of each model, and where it is exported to."""
  folder = tmp_path_factory.mktemp("exports")
  found = {name: untrained(name, folder) for name in MODELS}
  for name, run in found.items():
    export.export_run(run, folder / name)
  return found, folder


def shouted(tree):
  """The same tree with words in upper case, some of them not ASCII."""
  nodes = tree.post_order()
  words = [
    None if node.word is None else node.word.upper() + "É" * (i == 0)
    for i, node in enumerate(nodes)
  ]
  return Tree.from_post_order([-1] * len(nodes), words, [len(node.children) for node in nodes])


def test_exports_run_with_the_kernels_alone_and_agree_with_python(runs, tmp_path):
  trained, folder = runs
  kernels = tmp_path / "elsewhere.so"
  shutil.copy(KERNELS_PATH, kernels)
  trees = [*load_sample()["dev"][:20], Tree(2, "film"), shouted(load_sample()["dev"][3])]
  rows = []
  for tree in trees:
    packed, first = PackedTrees.pack([tree], trained["rntn"].vocabulary), len(rows)
    for node, left, right in zip(tree.post_order(), packed.left, packed.right, strict=True):
      rows.append([node.word, *(int(c) + first * int(c >= 0) for c in (left, right))])
  command = [sys.executable, "-c", ALONE, kernels, json.dumps(rows), *(folder / n for n in MODELS)]
  done = subprocess.run(
    list(map(str, command)), capture_output=True, text=True, cwd=tmp_path, check=False
  )
  assert done.returncode == 0, done.stderr[-3000:]
  found = json.loads(done.stdout.splitlines()[-1])
  for name in MODELS:
    expected = trained[name].predict_binarised([(tree, 0, 0) for tree in trees])
    nodes = np.concatenate([prediction.probabilities for prediction in expected])
    np.testing.assert_allclose(found[name][0], nodes, rtol=0, atol=1e-6)
    for roots in found[name][1:]:
      np.testing.assert_allclose(roots, expected.root_probabilities, rtol=0, atol=1e-6)
    assert np.ptp(expected.root_probabilities[:, 0]) > 0.1  # Not one answer for all.


@pytest.fixture(scope="module")
def loaded(runs):
  return tf.saved_model.load(str(runs[1] / "treernn"))


LEAF = [1, -1, -1, -1]


@pytest.mark.parametrize(
  ("roots", "nodes", "message"),
  [
    ([2], [LEAF, LEAF, [-1, 0, 0, -1]], "is the child of one node, or a root, once"),
    ([2, 2], [LEAF, LEAF, [-1, 0, 1, -1]], "is the child of one node, or a root, once"),
    ([2], [LEAF, LEAF, [-1, 0, 1, -1], LEAF], "is the child of one node, or a root, once"),
    ([2], [LEAF, LEAF, [-1, 0, 5, -1]], "come before their parent"),
    ([2], [LEAF, LEAF, [-1, 0, 2, -1]], "come before their parent"),
    ([2], [LEAF, LEAF, [-1, 0, -1, -1]], "has both children or none"),
    ([0, -1], [LEAF], "is the number of a row"),
    ([1], [LEAF], "is the number of a row"),
    ([0], [[9999999, -1, -1, -1]], "the word of a leaf is in 0.."),
    ([0], [[-1, -1, -1, -1]], "the word of a leaf is in 0.."),
  ],
)
def test_rows_that_are_no_trees_are_refused(loaded, roots, nodes, message):
  for name in ("serving_default", "roots"):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
      loaded.signatures[name](root=tf.constant(roots), nodes=tf.constant(nodes))


def test_no_trees_have_no_probabilities(loaded):
  found = loaded.signatures["serving_default"](
    root=tf.zeros([0], tf.int32), nodes=tf.zeros([0, 4], tf.int32)
  )
  assert found["probabilities"].shape == (0, 5) and found["root_probabilities"].shape == (0, 5)


def test_words_in_upper_case_are_looked_up_as_python_does(runs):
  lines = (runs[1] / "rntn" / export.EXTRA / "lowercase.txt").read_text("utf-8").split("\n")[:-1]
  table = dict(line.split("\t") for line in lines)
  for word in ("Film", "ÉTÉ", "İstanbul", "ШУМ", "ǅ", "ﬃ", "ß"):
    assert "".join(table.get(c, c) for c in word) == word.lower()


def test_a_run_with_upper_case_has_no_table_and_says_so(tmp_path):
  export.export_run(untrained("treernn", tmp_path, lowercase=False), tmp_path / "out")
  extra = tmp_path / "out" / export.EXTRA
  assert json.loads((extra / "model.json").read_text())["lowercase"] is False
  assert not (extra / "lowercase.txt").exists()


@pytest.mark.usefixtures("finished")
def test_the_command_says_what_was_written(run, tmp_path):
  status, out, err = run("export", "a", "new/out")
  assert status == 0 and err == "" and "written: new/out\n" in out
  extra = tmp_path / "new" / "out" / "assets.extra"
  about = json.loads((extra / "model.json").read_text())
  assert about["model"] == "treernn" and about["task"] == "fine"
  assert (
    about["classes"] == (extra / "classes.txt").read_text().splitlines()
    and len(about["classes"]) == 5
  )
  assert (extra / "vocabulary.txt").read_bytes() == (tmp_path / "a" / "vocabulary.txt").read_bytes()
  assert (tmp_path / "new").stat().st_mode == (tmp_path / "new" / "out").stat().st_mode
  assert [path.name for path in (tmp_path / "new").iterdir()] == ["out"]


@pytest.mark.usefixtures("finished")
def test_only_an_export_is_replaced_and_only_if_asked(run, tmp_path):
  assert run("export", "a", "out")[0] == 0
  before = contents(tmp_path / "out")
  status, _, err = run("export", "a", "out")
  assert status == 2
  assert_one_line(err, "out: there is an export already. Add --force to replace it.")
  assert contents(tmp_path / "out") == before
  (tmp_path / "out" / "assets.extra" / "classes.txt").write_text("old")
  assert run("export", "a", "out", "--force")[0] == 0
  assert (tmp_path / "out" / "assets.extra" / "classes.txt").read_text() != "old"
  status, _, err = run("export", "a", "a", "--force")
  assert status == 2
  assert_one_line(err, "a: this directory holds something else than an export")
  assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "out"]


@pytest.mark.usefixtures("finished")
def test_a_failure_leaves_what_was_there(run, tmp_path, monkeypatch):
  assert run("export", "a", "out")[0] == 0
  before = contents(tmp_path / "out")

  def fail(*arguments):
    raise OSError(28, "No space left on device")

  monkeypatch.setattr(export, "_write_extra", fail)
  status, _, err = run("export", "a", "out", "--force")
  assert status == 2
  assert_one_line(err, "out: cannot be written: No space left on device")

  def fail_in_tensorflow(*arguments):
    text = "{{function_node x}} other/part-0; No space left on device [Op:SaveV2]"
    raise tf.errors.ResourceExhaustedError(None, None, text)

  monkeypatch.setattr(export, "_write_program", fail_in_tensorflow)
  status, _, err = run("export", "a", "other")
  assert status == 2
  assert_one_line(err, "other: cannot be written: No space left on device. Make room")
  assert contents(tmp_path / "out") == before
  assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "out"]


@pytest.mark.usefixtures("finished")
@pytest.mark.parametrize(
  ("source", "target", "message"),
  [
    ("nowhere", "out", "nowhere: no training run here: no such directory"),
    ("half", "out", "half: no checkpoint yet"),
    ("empty", "out", "empty: no training run here: no config.json in it"),
    ("a", "file", "file: expected the name of a directory"),
    ("a", "file/out", "file/out: cannot be written: "),
    ("a", ".", ".: expected the name of a directory"),
  ],
)
def test_bad_input_is_one_clear_line_and_nothing_is_written(run, tmp_path, source, target, message):
  (tmp_path / "file").write_text("")
  (tmp_path / "empty").mkdir()
  shutil.copytree("a", "half", ignore=shutil.ignore_patterns("ckpt-*"))
  before = contents(tmp_path)
  status, out, err = run("export", source, target)
  assert status == 2 and out == ""
  assert_one_line(err, message)
  assert contents(tmp_path) == before and not (tmp_path / "out").exists()


def test_a_generator_and_weights_that_are_not_finite_are_refused(tmp_path):
  config = make_run_config("top-down-treelstm")
  generator = TrainedRun(tmp_path, config, None, tf.Module(), None)
  with pytest.raises(ConfigError, match=r"top-down-treelstm \(generation\) has no classes"):
    export.export_run(generator, tmp_path / "out")
  broken = untrained("treernn", tmp_path)
  broken.model.trainable_variables[0].assign(
    tf.fill(broken.model.trainable_variables[0].shape, np.nan)
  )
  with pytest.raises(CheckpointError, match="not finite"):
    export.export_run(broken, tmp_path / "out")
  assert not (tmp_path / "out").exists()
