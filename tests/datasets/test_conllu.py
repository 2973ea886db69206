import gzip

import pytest

from recursive_tf._errors import DataError
from recursive_tf.datasets import ReadReport, conllu, load_conllu_treebank, load_ud

TEXT = """\
# text = They can't go
1\tThey\tthey\tPRON\tPRP\t_\t4\tnsubj\t_\t_
2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\t_
2\tca\tcan\tAUX\tMD\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_
4.1\tgo\tgo\tVERB\tVB\t_\t_\t_\t_\t_

1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_
"""
BAD = "1\tYes\tyes\tINTJ\tUH\t_\t2\troot\t_\t_\n\n"


def test_words_heads_and_tags(tmp_path):
  path = tmp_path / "a.conllu"
  path.write_text(TEXT)
  packed = tmp_path / "a.conllu.gz"
  packed.write_bytes(gzip.compress(TEXT.encode()))
  for each in (path, packed):
    first, second = conllu.read_conllu(each)
    assert first.words == ("They", "ca", "n't", "go") and first.heads == (3, 3, 3, -1)
    assert [conllu.UPOS[tag] for tag in first.tags] == ["PRON", "AUX", "PART", "VERB"]
    assert str(second) == "Yes"


def test_malformed_sentences_are_errors_or_counted(tmp_path):
  path = tmp_path / "a.conllu"
  path.write_text(BAD + TEXT)
  with pytest.raises(DataError, match="a.conllu:1: "):
    conllu.read_conllu(path)
  report = ReadReport()
  assert len(conllu.read_conllu(path, skip_bad=True, report=report)) == 2
  assert (report.num_trees, report.num_skipped) == (2, 1)


def test_a_directory_needs_all_splits(tmp_path):
  for split in ("train", "dev"):
    (tmp_path / f"x-{split}.conllu").write_text(TEXT)
  with pytest.raises(DataError, match="test.conllu"):
    load_conllu_treebank(tmp_path)


def test_the_english_web_treebank(data_dir, monkeypatch):
  monkeypatch.setenv("RECURSIVE_TF_DATA", str(data_dir))
  if not (data_dir / "ud_ewt").is_dir():
    pytest.skip("no ud_ewt")
  assert {name: len(trees) for name, trees in load_ud().items()} == {
    "train": 12544, "dev": 2001, "test": 2077
  }


def test_without_data_the_error_says_where_to_get_it(monkeypatch):
  monkeypatch.delenv("RECURSIVE_TF_DATA", raising=False)
  with pytest.raises(DataError, match="UD_English-EWT"):
    load_ud()
