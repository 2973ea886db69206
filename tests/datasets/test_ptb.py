import gc
import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recursive_tf._errors import DataError
from recursive_tf.datasets.ptb import ReadReport, read_ptb, write_ptb
from recursive_tf.datasets.tree import Tree
from tests.datasets.tree_strategies import binary_trees, chain

A, B = Tree(2, "a"), Tree(3, "b")
READERS = pytest.mark.parametrize("reader", ["fast", "nltk"])


@pytest.fixture
def bad_file(tmp_path):
  path = tmp_path / "bad.txt"
  path.write_text("(2 a)\n(2 (2 x))\n\n(3 b)\n(9 c)\n")
  return path


@given(st.lists(binary_trees, max_size=5))
def test_reading_what_was_written_gives_the_trees_back(tmp_path_factory, trees):
  path = tmp_path_factory.mktemp("ptb") / "trees.txt"
  write_ptb(path, trees)
  assert read_ptb(path) == trees


@READERS
def test_gzip_is_recognised_by_content_whatever_the_name(tmp_path, reader):
  path = tmp_path / "trees.txt"
  path.write_bytes(gzip.compress(b"(2 a)\n(3 b)\n"))
  assert read_ptb(path, reader=reader) == [A, B]


@pytest.mark.parametrize(
  "content", [b"(2 a)\r\n(3 b)\r\n", b"(2 a)\n\n  \n(3 b)", b"\xef\xbb\xbf(2 a)\n(3 b)\n"]
)
def test_line_ends_blank_lines_and_a_byte_order_mark_do_not_matter(tmp_path, content):
  path = tmp_path / "trees.txt"
  path.write_bytes(content)
  assert read_ptb(path) == [A, B]


def test_only_a_line_feed_ends_a_line(tmp_path):
  path = tmp_path / "trees.txt"
  path.write_text("(2 a\u0085b\u2028c)\n", encoding="utf-8")
  assert read_ptb(path) == [Tree(2, "a\u0085b\u2028c")]


@READERS
def test_a_malformed_line_raises_with_file_line_and_column(bad_file, reader):
  with pytest.raises(DataError) as caught:
    read_ptb(bad_file, reader=reader)
  assert str(caught.value).startswith(
    f"{bad_file}:2:9: malformed tree: expected '(' of the second child, got ')'."
  )


@READERS
def test_skip_bad_counts_malformed_lines_and_goes_on(bad_file, reader):
  report = ReadReport()
  assert read_ptb(bad_file, skip_bad=True, report=report, reader=reader) == [A, B]
  assert (report.num_trees, report.num_skipped) == (2, 2)
  assert [str(e).split(": ")[0].split(":", 1)[1] for e in report.errors] == ["2:9", "5:2"]


def test_one_report_sums_over_files_and_keeps_20_errors(tmp_path):
  path = tmp_path / "bad.txt"
  path.write_text("(2 a)\n" + "oops\n" * 15)
  report = ReadReport()
  for _ in range(2):
    read_ptb(path, skip_bad=True, report=report)
  assert (report.num_trees, report.num_skipped, len(report.errors)) == (2, 30, 20)


def test_lines_skipped_without_a_report_give_a_warning(bad_file):
  with pytest.warns(UserWarning, match="skipped 2 malformed lines, read 2 trees"):
    read_ptb(bad_file, skip_bad=True)


def test_bytes_that_are_not_utf8_are_a_malformed_line(tmp_path):
  path = tmp_path / "latin.txt"
  path.write_bytes("(2 é)\n".encode() + b"(2 \xc3\xa9\xe9)\n")
  with pytest.raises(DataError, match=r"latin.txt:2:5: .* expected UTF-8 text, got byte 0xe9"):
    read_ptb(path)


def test_a_missing_file_is_named(tmp_path):
  with pytest.raises(DataError, match="nowhere.txt: cannot read the trees: No such file"):
    read_ptb(tmp_path / "nowhere.txt")


@pytest.mark.parametrize(
  "damage",
  [
    lambda b: b[:-9],
    lambda b: b[:12] + b"\xff\xff" + b[14:],
    lambda b: b[:-6] + bytes([b[-6] ^ 1]) + b[-5:],
  ],
  ids=["cut short", "other bytes", "another checksum"],
)
def test_a_damaged_gzip_file_is_named(tmp_path, damage):
  path = tmp_path / "cut.txt.gz"
  path.write_bytes(damage(gzip.compress(b"(2 a)\n" * 1000)))
  with pytest.raises(DataError, match="cut.txt.gz: the gzip data is damaged or cut short"):
    read_ptb(path)


def test_an_unknown_reader_is_refused(bad_file):
  with pytest.raises(DataError, match="must be 'fast' or 'nltk', got 'slow'"):
    read_ptb(bad_file, reader="slow")


def test_a_file_with_a_tree_of_100000_levels_is_read(tmp_path):
  tree = chain(100_000)
  write_ptb(tmp_path / "deep.txt", [tree, A])
  assert read_ptb(tmp_path / "deep.txt") == [tree, A]


class Terminal(io.StringIO):
  def isatty(self):
    return True


@pytest.mark.parametrize(("stream", "shown"), [(Terminal, True), (io.StringIO, False)])
def test_the_bar_shows_only_on_a_terminal(tmp_path, monkeypatch, stream, shown):
  monkeypatch.setattr("recursive_tf.datasets.ptb._BAR_DELAY_SECONDS", 0.0)
  stderr = stream()
  monkeypatch.setattr("sys.stderr", stderr)
  write_ptb(tmp_path / "trees.txt", [A])
  read_ptb(tmp_path / "trees.txt", progress=True)
  assert ("read trees.txt" in stderr.getvalue()) is shown


def test_the_garbage_collector_runs_again_after_an_error(bad_file):
  assert gc.isenabled()
  with pytest.raises(DataError):
    read_ptb(bad_file)
  assert gc.isenabled()


def test_sst_reads_alike_with_both_readers(data_dir):
  path = data_dir / "sst" / "dev.txt.gz"
  assert read_ptb(path) == read_ptb(path, reader="nltk")


@pytest.mark.parametrize("reader", ["fast", "nltk"])
def test_nodes_without_a_label_are_read_and_written(tmp_path, reader):
  text = "(_ (_ not) (3 (_ very) (4 good)))\n"
  (tmp_path / "a.txt").write_text(text)
  trees = read_ptb(tmp_path / "a.txt", reader=reader)
  assert [node.label for node in trees[0].post_order()] == [-1, -1, 4, 3, -1]
  write_ptb(tmp_path / "b.txt", trees)
  assert (tmp_path / "b.txt").read_text() == text
  assert Tree.from_nltk(trees[0].to_nltk()) == trees[0]


def test_a_folder_is_read_file_by_file(tmp_path):
  (tmp_path / "b.ptb.gz").write_bytes(gzip.compress(b"(2 b)\n"))
  (tmp_path / "a.txt").write_text("(1 a)\n(1\n")
  (tmp_path / "c.mrg").write_text("(3 c)\n")
  (tmp_path / "README").write_text("no tree\n")
  report = ReadReport()
  trees = read_ptb(tmp_path, skip_bad=True, report=report)
  assert [tree.word for tree in trees] == ["a", "b", "c"]
  assert report.num_trees == 3 and report.num_skipped == 1
  with pytest.raises(DataError, match=r"a\.txt:2:3: malformed tree"):
    read_ptb(tmp_path)


def test_a_folder_without_trees_is_an_error(tmp_path):
  with pytest.raises(DataError, match="no file in this folder ends in .txt, .ptb, .mrg, or .gz"):
    read_ptb(tmp_path)
