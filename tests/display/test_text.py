import re

import numpy as np

from recursive_tf.datasets import Tree, parse_brackets, tree_of_words
from recursive_tf.display import shown_tree
from recursive_tf.display.text import Style, brief_text, tree_text

NAMES = ("negative", "positive")


def show(tree, positive=0.9, unknown=False):
  rows = np.full([tree.num_nodes, 2], [1 - positive, positive])
  return shown_tree(tree, rows, NAMES, np.full(tree.num_nodes, unknown))


def test_colors_change_nothing_but_colors():
  tree = show(parse_brackets("((not good) film)"))
  colored = tree_text(tree, Style(is_colored=True))
  assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == tree_text(tree, Style()) != colored


def test_negative_and_positive_have_colors_of_their_own():
  texts = [tree_text(show(Tree(2, "a"), p), Style(is_colored=True)) for p in (0.05, 0.5, 0.95)]
  found = [tuple(re.findall(r"\x1b\[[0-9;]*m", text)) for text in texts]
  assert len(set(found)) == 3


def test_ascii_is_enough():
  text = tree_text(show(parse_brackets("((not good) film)"), 0.1), Style(is_ascii=True))
  assert text.isascii() and "`-film" in text and "| `-good" in text


def test_lines_fit_the_terminal_however_deep_the_tree():
  for structure in ("right", "left", "balanced"):
    tree = show(tree_of_words(["wonderful", "電影"] * 40, structure), unknown=True)
    lines = tree_text(tree, Style(width=80)).splitlines()[2:]
    assert len(lines) == 159
    assert max(map(len, lines)) <= 80
    assert all("wonderful" in line or "電影" in line for line in lines)


def test_a_very_deep_tree_is_no_problem():
  lines = tree_text(show(tree_of_words(["a"] * 3000, "left")), Style(width=100)).splitlines()
  assert len(lines) == 2 + 5999


def test_words_cannot_command_the_terminal():
  tree = show(Tree(2, None, (Tree(2, "\x1b[2Jx"), Tree(2, "\x9bm\ty"))))
  for text in (tree_text(tree, Style()), brief_text(tree).replace("\t", "")):
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)
