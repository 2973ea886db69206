import io
import tarfile

import numpy as np
import pytest

from recursive_tf._errors import DataError
from recursive_tf.datasets import load_sick, relatedness_distribution

FILES = {
  "a.toks": "Two dogs sleep\nNobody sings\n",
  "a.parents": "2 3 0\n2 0\n",
  "a.rels": "num nsubj root\nnsubj root\n",
  "b.toks": "Dogs sleep\nA man sings\n",
  "b.parents": "2 0\n2 3 0\n",
  "b.rels": "nsubj root\ndet nsubj root\n",
  "sim.txt": "4.7\n3\n",
  "id.txt": "12\n40\n",
}


@pytest.fixture
def folder(tmp_path):
  for split in ("train", "dev", "test"):
    (tmp_path / split).mkdir()
    for name, text in FILES.items():
      (tmp_path / split / name).write_text(text)
  return tmp_path


def test_pairs_have_trees_relations_and_relatedness(folder):
  first, second = load_sick(folder)["dev"]
  assert (first.number, first.relatedness, second.relatedness) == (12, 4.7, 3.0)
  assert first.a.words == ("Two", "dogs", "sleep") and first.a.heads == (1, 2, -1)
  assert first.a.relations == ("num", "nsubj", "root")
  assert second.b.words == ("A", "man", "sings") and second.b.root == 2


def test_the_archive_is_read_as_it_is(folder, tmp_path):
  expected = load_sick(folder)
  with tarfile.open(tmp_path / "sick_dep.tar.gz", "w:gz") as archive:
    for split in expected:
      for name, text in FILES.items():
        member = tarfile.TarInfo(f"sick/{split}/{name}")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text.encode()))
  for split in expected:
    (tmp_path / split / "a.toks").unlink()
  assert load_sick(tmp_path) == expected


@pytest.mark.parametrize(
  ("name", "text", "message"),
  [
    ("a.parents", "2 3 0\n2 9\n", r"a\.parents:2:3: .*number of the word's head, 0 to 2, got '9'"),
    ("a.parents", "2 3 0\n2 1\n", r"a\.parents:2:1: .*heads that lead to one root"),
    ("a.parents", "2 3 0\n2 x\n", r"a\.parents:2:3: .*got 'x'"),
    (
      "b.rels",
      "nsubj\ndet nsubj root\n",
      r"b\.rels:1:6: .*expected 2, one for each word",
    ),
    ("b.toks", "\nA man sings\n", r"b\.toks:1:1: .*expected the words of a sentence, got nothing"),
    ("sim.txt", "4.7\n5.1\n", r"sim\.txt:2:1: .*expected a relatedness of 1 to 5, got '5.1'"),
    ("sim.txt", "4.7\nnan\n", r"sim\.txt:2:1: .*got 'nan'"),
    ("id.txt", "12\nx\n", r"id\.txt:2:1: .*expected the number of a pair, got 'x'"),
    ("id.txt", "12\n", r"train: files of one split have a line for each pair, got .*'id.txt': 1"),
  ],
)
def test_a_malformed_line_is_named(folder, name, text, message):
  (folder / "train" / name).write_text(text)
  with pytest.raises(DataError, match=message):
    load_sick(folder)


def test_missing_and_damaged_files_are_named(folder, monkeypatch):
  monkeypatch.delenv("RECURSIVE_TF_DATA", raising=False)
  with pytest.raises(DataError, match="SICK is not in .*load_sick"):
    load_sick()
  (folder / "test" / "b.rels").unlink()
  with pytest.raises(DataError, match="test/b.rels: cannot read the trees: No such file"):
    load_sick(folder)
  (folder / "sick_dep.tar.gz").write_bytes(b"no archive")
  with pytest.raises(
    DataError, match="sick_dep.tar.gz: cannot read this archive: .* Fetch it"
  ) as e:
    load_sick(folder)
  assert "\n" not in str(e.value)


def test_there_is_no_advice_to_leave_lines_out(folder):
  (folder / "dev" / "a.toks").write_bytes(b"caf\xe9 au lait\n")
  with pytest.raises(DataError, match="dev/a.toks:1:4: .*UTF-8") as caught:
    load_sick(folder)
  assert "skip" not in str(caught.value)


def test_the_distribution_has_the_relatedness_as_its_mean():
  scores = np.array([1.0, 1.25, 3.5, 4.0, 4.9, 5.0])
  found = relatedness_distribution(scores)
  np.testing.assert_allclose(found @ np.arange(1, 6), scores, rtol=1e-6)
  np.testing.assert_allclose(found.sum(1), 1.0, rtol=1e-6)
  assert (found >= 0).all() and ((found > 0).sum(1) <= 2).all()
  np.testing.assert_allclose(found[1], [0.75, 0.25, 0, 0, 0])
  with pytest.raises(DataError, match="not in 1 .. 5"):
    relatedness_distribution(np.array([0.9]))


def test_the_real_data_is_read_whole(data_dir):
  found = load_sick(data_dir / "sick")
  assert {split: len(pairs) for split, pairs in found.items()} == {
    "train": 4500,
    "dev": 500,
    "test": 4927,
  }
  words = sum(len(tree.words) for pair in found["train"] for tree in (pair.a, pair.b))
  assert words == 87089
  assert found["dev"][0].number == 4 and found["dev"][0].relatedness == 3.6
  assert found["dev"][0].a.relations[2] == "nsubj" and found["dev"][0].a.heads[2] == 4
