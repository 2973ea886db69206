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
  with pytest.raises(DataError, match="a.conllu:1:21: malformed tree"):
    conllu.read_conllu(path)
  report = ReadReport()
  assert len(conllu.read_conllu(path, skip_bad=True, report=report)) == 2
  assert (report.num_trees, report.num_skipped) == (2, 1)


LINE = "{}\t{}\t_\tNOUN\t_\t_\t{}\t_\t_\t_\n"
FIRST = LINE.format(1, "a", 2)


@pytest.mark.parametrize(
  ("text", "line", "column", "expected"),
  [
    (FIRST + LINE.format(2, "b", "x"), 3, 16, "the number of the word's head, 0 to 2, got 'x'"),
    (FIRST + LINE.format(2, "b", "_"), 3, 16, "the number of the word's head, 0 to 2, got '_'"),
    (FIRST + LINE.format(2, "b", 3), 3, 16, "the number of the word's head, 0 to 2, got '3'"),
    (FIRST + LINE.format(2, "b", -1), 3, 16, "the number of the word's head, 0 to 2, got '-1'"),
    (FIRST + LINE.format(2, "b", "\u0662"), 3, 16, "the word's head, 0 to 2, got '\u0662'"),
    (
      FIRST + LINE.format(2, "b", 1),
      2,
      16,
      "heads that lead to a root, the word with head 0, got a circle: 1, 2, 1",
    ),
    (LINE.format(1, "a", 1), 2, 16, "got a circle: 1, 1"),
    (
      LINE.format(1, "a", 0) + LINE.format(2, "b", 0),
      3,
      16,
      "one root, the word with head 0 of line 2, got a second one",
    ),
    (FIRST + LINE.format(3, "b", 0), 3, 1, "word number 2, got '3'"),
    (FIRST + LINE.format("x", "b", 0), 3, 1, "word number 2, got 'x'"),
    (LINE.format("1-2", "ab", "_"), 2, 1, "word number 1, got '1-2'"),
    (FIRST + LINE.format(2, "", 0), 3, 3, "a word, got nothing"),
    (FIRST + "2 b _ NOUN _ _ 0 _ _ _\n", 3, 23, "10 columns divided by tabs, got 1"),
    (FIRST + LINE.format(2, "b", 0)[:-3] + "\n", 3, 21, "10 columns divided by tabs, got 9"),
    (FIRST + LINE.format(2, "b", 0)[:-1] + "\tx\n", 3, 24, "10 columns divided by tabs, got 11"),
  ],
)
def test_a_malformed_line_names_column_and_expectation(tmp_path, text, line, column, expected):
  path = tmp_path / "a.conllu"
  path.write_text(f"# a comment\n{text}\n{TEXT}", encoding="utf-8")
  with pytest.raises(DataError) as caught:
    conllu.read_conllu(path)
  message, shown, caret, fix = str(caught.value).split("\n")
  assert message.startswith(f"{path}:{line}:{column}: malformed tree: expected ")
  assert message.endswith(f"{expected}.")
  assert shown == "  " + f"# a comment\n{text}".split("\n")[line - 1].replace("\t", " ")
  assert caret.index("^") == 2 + column - 1
  assert "such sentences" in fix and "--skip-bad" in fix


def test_bytes_that_are_not_utf8_are_a_malformed_sentence(tmp_path):
  path = tmp_path / "a.conllu"
  path.write_bytes(FIRST.encode() + b"2\t\xe9\n\n" + TEXT.encode())
  with pytest.raises(DataError, match=r"a.conllu:2:3: .* expected UTF-8 text, got byte 0xe9"):
    conllu.read_conllu(path)
  report = ReadReport()
  assert len(conllu.read_conllu(path, skip_bad=True, report=report)) == 2
  assert report.num_skipped == 1


def test_line_ends_byte_order_mark_and_gzip_by_content_do_not_matter(tmp_path):
  path = tmp_path / "a.conllu"
  content = b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode()
  for each in (content, gzip.compress(content)):
    path.write_bytes(each)
    assert [str(tree) for tree in conllu.read_conllu(path)] == ["They ca n't go", "Yes"]


def test_files_without_a_tree_or_two_of_a_split_are_errors(tmp_path):
  for split in ("train", "dev", "test"):
    (tmp_path / f"x-{split}.conllu").write_text("" if split == "dev" else TEXT)
  with pytest.raises(DataError, match="x-dev.conllu: holds no tree"):
    load_conllu_treebank(tmp_path)
  (tmp_path / "x-dev.conllu").write_text(TEXT)
  (tmp_path / "x-dev.conllu.gz").write_text("not read: the other goes before")
  (tmp_path / "x-dev.conllu.bak").write_text("not read")
  assert len(load_conllu_treebank(tmp_path)["dev"]) == 2
  (tmp_path / "y-dev.conllu").write_text(TEXT)
  with pytest.raises(DataError, match="got x-dev.conllu and y-dev.conllu. Leave one of them"):
    load_conllu_treebank(tmp_path)


def test_a_circle_of_many_words_is_found_at_once(tmp_path):
  path = tmp_path / "a.conllu"
  count = 100_000
  path.write_text("".join(LINE.format(k + 1, "a", (k + 1) % count + 1) for k in range(count)))
  with pytest.raises(DataError, match="a circle: 1, 2, "):
    conllu.read_conllu(path)


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
    "train": 12544,
    "dev": 2001,
    "test": 2077,
  }


def test_without_data_the_error_says_where_to_get_it(monkeypatch):
  monkeypatch.delenv("RECURSIVE_TF_DATA", raising=False)
  with pytest.raises(DataError, match="UD_English-EWT"):
    load_ud()


ROWS = [
  "1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\t_",
  "2\tsleep\tsleep\tVERB\tVBP\tMood=Ind|Tense=Pres\t0\troot\t_\t_",
  "3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_",
]


def test_relations_parts_of_speech_and_features_are_kept(tmp_path):
  (tmp_path / "a.conllu").write_text("\n".join(ROWS) + "\n\n")
  (tree,) = conllu.read_conllu(tmp_path / "a.conllu")
  assert tree.relations == ("nsubj", "root", "punct") and tree.xpos == ("NNS", "VBP", ".")
  assert [conllu.UPOS[tag] for tag in tree.tags] == ["NOUN", "VERB", "PUNCT"]
  assert tree.features == ((("Number", "Plur"),), (("Mood", "Ind"), ("Tense", "Pres")), ())


def test_a_malformed_feature_is_named(tmp_path):
  (tmp_path / "a.conllu").write_text("\n".join(ROWS).replace("Tense=Pres", "Tense") + "\n\n")
  with pytest.raises(
    DataError, match=r"a\.conllu:2:\d+: .*NAME=VALUE, divided by '\|', got 'Tense'"
  ):
    conllu.read_conllu(tmp_path / "a.conllu")
