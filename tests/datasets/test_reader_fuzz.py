"""Damaged files are read, or refused with their place; `make fuzz` looks for longer."""

import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.datasets.reader_fuzz import READERS, check, damage, fuzz


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=60)
@given(data=st.data())
def test_damaged_files_are_read_or_refused_with_their_place(name, data):
  content = data.draw(st.sampled_from(READERS[name][2]))
  for _ in range(data.draw(st.integers(0, 4))):
    content = damage(content, lambda n: data.draw(st.integers(0, n - 1)))
  with tempfile.TemporaryDirectory() as folder:
    check(name, content, folder)


@pytest.mark.parametrize("name", READERS)
def test_well_formed_files_are_read(name, tmp_path):
  assert [check(name, content, tmp_path) for content in READERS[name][2]] == [""] * len(
    READERS[name][2]
  )


@pytest.mark.parametrize("content", [b"3 100000000000\nthe 1\n", b"9" * 5000 + b" 3\nthe 1 2 3\n"])
def test_sizes_that_cannot_be_are_refused_before_there_is_room_for_them(content, tmp_path):
  assert "v.txt:1: expected the number of words and the size" in check("vectors", content, tmp_path)


def test_what_is_shown_of_a_line_cannot_move_the_cursor(tmp_path):
  content = "(3 (2 \x1b[2J\u202e\u00a0\ufeffa) b)".encode()
  shown, caret = check("trees", content, tmp_path).splitlines()[1:3]
  assert shown == "  (3 (2  [2J\ufffd \ufffda) b)"
  assert shown[caret.index("^")] == "b"


def test_a_reader_that_fails_is_found(monkeypatch, tmp_path):
  def read(path):
    if b"9" in path.read_bytes():
      raise IndexError("of ours")

  monkeypatch.setitem(READERS, "vectors", (read, "v.txt", READERS["vectors"][2]))
  with pytest.raises(IndexError):
    fuzz("vectors", 20.0, 0, tmp_path)


def test_a_label_of_a_thousand_digits_is_shown_from_its_beginning(tmp_path):
  found = check("brackets", b"(S (" + b"9" * 1000 + b" a))\n", tmp_path)
  assert "(_ 9999" in found and len(found) < 500
