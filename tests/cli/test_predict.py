import gzip
import io
import json
import os
import re
import shutil
import sys
import xml.etree.ElementTree as ET

import matplotlib.image
import numpy as np
import pytest

import recursive_tf as rtf
from recursive_tf._cli.predict import make_style
from recursive_tf.display.text import Style

pytestmark = pytest.mark.usefixtures("finished")


class Terminal(io.StringIO):
  encoding = "utf-8"

  def isatty(self):
    return True


@pytest.fixture
def typed(monkeypatch):
  """What standard input holds: bytes of a pipe."""

  def set_input(content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

  return set_input


def roots(output):
  return [line.split("\t")[2] for line in output.splitlines()]


def test_each_node_has_a_line_with_its_class_and_words(run):
  status, out, err = run("predict", "a", "((not good) .)")
  assert status == 0 and err == ""
  lines = out.splitlines()
  assert lines[0] == "not good ." and "%" in lines[1]
  tree = ["not good .", "├─not good", "│ ├─not", "│ └─good", "└─."]
  assert [
    re.sub(r"^ +\S+ +\d+%  ", "", line).removesuffix("  ⇄ flips") for line in lines[2:7]
  ] == tree
  assert lines[7:] == [""]


def test_json_holds_what_python_returns(run):
  status, out, _ = run("predict", "a", "(3 (2 not) good)", "(film)", "--json")
  assert status == 0
  first, second = map(json.loads, out.splitlines())
  expected = rtf.load_run("a").predict("(not good)")[0]
  assert [node["text"] for node in first["nodes"]] == ["not", "good", "not good"]
  assert [node["label"] for node in first["nodes"]] == [2, None, 3]
  assert [node["children"] for node in first["nodes"]] == [[], [], [0, 1]]
  assert [node["span"] for node in first["nodes"]] == [[0, 1], [1, 2], [0, 2]]
  for node, row in zip(first["nodes"], expected.probabilities, strict=True):
    np.testing.assert_allclose(list(node["probabilities"].values()), row, rtol=1e-5)
    assert node["class"] == expected.class_names[row.argmax()]
  assert first["class"] == first["nodes"][-1]["class"] and first["tree"] == "(3 (2 not) (_ good))"
  assert second["text"] == "film" and len(second["nodes"]) == 1


def test_what_was_assumed_of_plain_text_is_said(run):
  _, out, err = run("predict", "a", "the film is good", "--json")
  assert json.loads(out)["tree"] == "(_ (_ the) (_ (_ film) (_ (_ is) (_ good))))"
  assert "no parse: a right-branching binary tree was assumed" in err
  _, out, err = run("predict", "a", "the film is good", "--json", "--structure", "left")
  assert json.loads(out)["tree"] == "(_ (_ (_ (_ the) (_ film)) (_ is)) (_ good))"
  assert "a left-branching binary tree was assumed" in err
  _, out, err = run("predict", "a", "(a (film is good))", "(S (NP the film))", "--brief")
  assert "no parse" not in err and "1 node with more than two children: split" in err
  assert "1 node with one child: left out" in err


def test_unknown_words_are_said(run):
  _, out, err = run("predict", "a", "(the quixotic)")
  assert "This word was not in the training data" in err and "quixotic" in err
  assert "└─quixotic  (unknown word)" in out


@pytest.mark.parametrize("source", ["file", "gzip", "input"])
def test_trees_come_from_a_file_or_standard_input(run, typed, tmp_path, source):
  content = "\ufeff(the film)\r\n\n  \nthe cast .\n".encode()
  (tmp_path / "x").write_bytes(gzip.compress(content) if source == "gzip" else content)
  typed(content)
  arguments = [] if source == "input" else ["--file", "x"]
  status, out, _ = run("predict", "a", "--brief", *arguments)
  assert status == 0 and roots(out) == ["the film", "the cast ."]


def test_an_error_names_file_line_and_column_and_nothing_is_written(run, typed, tmp_path):
  content = b"(the film)\n(2 (3 a\n"
  (tmp_path / "x.txt").write_bytes(content)
  for source, arguments in (("x.txt", ["--file", "x.txt"]), ("<stdin>", [])):
    typed(content)
    status, out, err = run("predict", "a", *arguments, "--svg", "a.svg")
    assert status == 2 and out == "" and not (tmp_path / "a.svg").exists()
    assert err.startswith(f"recursive-tf: error: {source}:2:8: malformed tree: expected 2 more ')'")
    assert err.splitlines()[2] == " " * 9 + "^"
  status, _, err = run("predict", "a", "(a b)", "(9 a)")
  assert status == 2 and "<argument 2>:1:2: malformed tree: expected a label 0..4" in err
  (tmp_path / "x.txt").write_bytes(b"(the film)\n\xff\n")
  status, _, err = run("predict", "a", "--file", "x.txt")
  assert status == 2 and "x.txt:2:1: " in err and "UTF-8" in err


@pytest.mark.parametrize(("line", "column"), [(b"(2 (3 a", 8), (b"no\xff good", 3)])
def test_bad_lines_can_be_left_out_and_are_counted(run, typed, line, column):
  typed(b"(the film)\n" + line + b"\n(a cast)\n")
  status, out, err = run("predict", "a", "--brief", "--skip-bad")
  assert status == 0 and roots(out) == ["the film", "a cast"]
  assert f"Skipped 1 malformed line; the first: <stdin>:2:{column}" in err
  assert err.rstrip().endswith("^")  # No advice to leave out what was left out.


@pytest.mark.parametrize(
  ("arguments", "message"),
  [
    (["nowhere", "(a b)"], "nowhere: no training run here"),
    (["a", "--file", "nothing"], "nothing: cannot read the trees: No such file or directory"),
    (["a", "--file", "empty"], "empty: there is no tree or sentence to predict on"),
    (["a", " "], "<argument 1>:1: expected a tree or a sentence, got no words"),
    (["a", "(a b)", "--file", "empty"], "as arguments or as --file, not both"),
    (["a", "(a b)", "--svg", "a"], "--svg a: this is a directory"),
    (["a", "(a b)", "--png", "empty/x.png"], "--png empty/x.png: cannot be written"),
    (["a", "(a b)", "--svg", "x", "--png", "./x"], "--png x: this is the file of --svg"),
    (["a", "--file", "empty", "--html", "b/../empty"], "this is the file of --file"),
    (["a", "(a b)", "--threads", "0"], "--threads is 0"),
  ],
)
def test_bad_input_is_one_clear_line(run, tmp_path, arguments, message):
  (tmp_path / "empty").write_text("\n")
  status, out, err = run("predict", *arguments)
  assert status == 2 and out == "" and err.count("\n") == 1 and message in err


def test_an_argument_that_is_no_text_is_an_error_as_in_a_file(run):
  status, out, err = run("predict", "a", "(tr\udce8s good)", "--svg", "x.svg")
  assert status == 2 and out == "" and "Traceback" not in err
  assert "<argument 1>:1:4: malformed tree: expected UTF-8 text, got byte 0xe8" in err
  assert run("predict", "a", "(très 好)", "--svg", "x.svg")[0] == 0


def test_a_process_without_standard_streams_gets_empty_ones(run, monkeypatch):
  monkeypatch.setattr(sys, "stdin", None)
  status, _, err = run("predict", "a")
  assert status == 2 and "<stdin>: there is no tree or sentence to predict on" in err
  sys.stdin.close()
  monkeypatch.setattr(sys, "stdout", None)
  assert run("predict", "a", "(a b)", "--svg", "x.svg")[0] == 0
  sys.stdout.close()


def test_a_picture_that_is_too_large_leaves_no_other_file(run, tmp_path):
  before = sorted(tmp_path.iterdir())
  tree = "(a " * 700 + "b" + ")" * 700
  status, out, err = run(
    "predict", "a", tree, "--svg", "x.svg", "--html", "x.html", "--png", "x.png"
  )
  assert status == 2 and out == "" and "is too large" in err
  assert sorted(tmp_path.iterdir()) == before


def test_a_picture_takes_no_place_of_another_kind_of_file(run, tmp_path):
  os.mkfifo(tmp_path / "pipe")
  (tmp_path / "there").mkdir()
  (tmp_path / "link.svg").symlink_to("there/a.svg")
  status, _, err = run("predict", "a", "(a b)", "--svg", "pipe")
  assert status == 2 and err.count("\n") == 1 and "--svg pipe: this is no ordinary file" in err
  assert run("predict", "a", "(a b)", "--svg", "link.svg")[0] == 0
  assert (tmp_path / "pipe").is_fifo() and (tmp_path / "link.svg").is_symlink()
  assert "<svg" in (tmp_path / "there/a.svg").read_text()


def test_notes_hold_no_commands_for_the_terminal(run):
  status, out, err = run("predict", "a", "(good \x1b[31mred\x07)", "--brief")
  assert status == 0 and "\ufffd[31mred\ufffd" in err
  assert not {"\x1b", "\x07"} & set(out + err)


def test_pictures_and_pages_are_written(run, tmp_path):
  status, out, err = run(
    *["predict", "a", "((not good) zebra)", "a < b & $5 to $6"],
    *["--svg", "new/a.svg", "--png", "a.png", "--html", "a.html", "--brief"],
  )
  assert status == 0 and len(out.splitlines()) == 2
  assert "written: new/a.svg" in err and "written: a.png" in err and "written: a.html" in err
  texts = [
    text.text for text in ET.parse(tmp_path / "new/a.svg").iter() if text.tag.endswith("text")
  ]
  svg = (tmp_path / "new/a.svg").read_text()
  assert ">zebra</text>" in svg and "&lt;" in svg and len(texts) > 10
  assert matplotlib.image.imread(tmp_path / "a.png").shape[0] > 400
  page = (tmp_path / "a.html").read_text()
  assert page.count("<svg") == 2 and "http" not in page.replace("http://www.w3.org/2000/svg", "")
  assert "no parse: a right-branching" in page and 'class="unknown"' in page
  assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "a.html", "a.png", "new"]


@pytest.mark.parametrize(
  ("color", "environment", "expected"),
  [
    ("auto", {}, True),
    ("auto", {"NO_COLOR": "1"}, False),
    ("auto", {"NO_COLOR": ""}, True),
    ("auto", {"TERM": "dumb"}, False),
    ("always", {"NO_COLOR": "1"}, True),
    ("never", {}, False),
  ],
)
def test_colors_are_where_they_are_wanted(monkeypatch, color, environment, expected):
  monkeypatch.delenv("NO_COLOR", raising=False)
  monkeypatch.setenv("TERM", "xterm")
  monkeypatch.setenv("COLUMNS", "90")
  for name, value in environment.items():
    monkeypatch.setenv(name, value)
  monkeypatch.setattr(sys, "stdout", Terminal())
  assert make_style(color) == Style(is_colored=expected, is_ascii=False, width=90)


def test_a_pipe_has_no_colors_unless_asked(run):
  assert "\x1b" not in run("predict", "a", "(not good)")[1]
  assert "\x1b[" in run("predict", "a", "(not good)", "--color", "always")[1]


def test_a_person_is_answered_line_by_line_errors_included(run, monkeypatch):
  monkeypatch.setattr(sys, "stdin", Terminal("(the film)\n\n(2\nthe zebra\n"))
  status, out, err = run("predict", "a", "--brief")
  assert status == 0 and roots(out) == ["the film", "the zebra"]
  notes = err.splitlines()
  assert "Ctrl-D" in notes[0] and notes[1].startswith("<stdin>:3:3: malformed tree")
  assert any("zebra" in note for note in notes)


def test_the_python_of_the_page_runs(repository, tmp_path):
  shutil.copytree("a", "runs/sample")
  page = (repository / "docs" / "predict.md").read_text()
  (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
  names: dict = {}
  exec(block, names)
  assert names["found"].root_probabilities.shape == (2, 5)
  ET.parse(tmp_path / "tree.svg")
