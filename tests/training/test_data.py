import collections

import pytest

from recursive_tf._errors import DataError
from recursive_tf.datasets import Vocabulary, load_sst, parse_brackets, write_ptb
from recursive_tf.datasets.tree import Tree
from recursive_tf.models import BINARY, FINE
from recursive_tf.training.data import load_trees, load_trees_to_test, pack_for_task, take_sample


def test_a_sample_is_drawn_from_all_and_keeps_their_order():
  sample = take_sample(range(1000), 50)
  assert len(sample) == 50 and sample == sorted(set(sample))
  assert sample == take_sample(range(1000), 50)
  assert sum(number >= 500 for number in sample) in range(15, 36)
  assert set(take_sample(range(1000), 20)) < set(sample)


@pytest.mark.parametrize("limit", [0, 7, 8])
def test_no_limit_or_a_larger_one_takes_all(limit):
  assert take_sample(range(7), limit) == list(range(7))


def test_a_sample_of_the_stanford_treebank_has_its_classes(data_dir, monkeypatch):
  monkeypatch.setenv("RECURSIVE_TF_DATA", str(data_dir))
  whole = load_sst()
  for split, trees in load_trees("sst", limit=200).items():
    found = collections.Counter(tree.label > 2 for tree in trees)
    share = sum(tree.label > 2 for tree in whole[split]) / len(whole[split])
    assert found[True] / 200 == pytest.approx(share, abs=0.1), split


def test_of_a_directory_only_the_split_is_read(tmp_path):
  write_ptb(tmp_path / "dev.txt", [Tree(2, "a")])
  (tmp_path / "test.txt").write_text("(")
  assert load_trees_to_test(str(tmp_path), "dev") == [Tree(2, "a")]
  assert load_trees_to_test(str(tmp_path / "dev.txt"), "test") == [Tree(2, "a")]
  with pytest.raises(DataError, match="lacks train.txt .* It has dev and test"):
    load_trees_to_test(str(tmp_path), "train")


def test_trees_without_a_label_at_the_root_are_not_learnt():
  texts = ["(_ (4 a) (4 b))", "(2 (4 a) (_ b))", "(3 (_ a) (_ b))"]
  trees = [parse_brackets(text) for text in texts]
  vocabulary = Vocabulary(["a", "b"])
  assert pack_for_task(trees, vocabulary, FINE, "x").root_label.tolist() == [2, 3]
  assert pack_for_task(trees, vocabulary, BINARY, "x").root_label.tolist() == [3]
  with pytest.raises(DataError, match="no tree has a class at its root in the fine task"):
    pack_for_task(trees[:1], vocabulary, FINE, "x")
