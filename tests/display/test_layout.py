import itertools

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from recursive_tf.datasets import parse_brackets, tree_of_words
from recursive_tf.display import colors, shown_tree
from recursive_tf.display.layout import WORD_SIZE, Box, Edge, Text, make_picture, text_width
from recursive_tf.display.png import save_png
from tests.datasets.tree_strategies import binary_trees

NAMES = ("very negative", "negative", "neutral", "positive", "very positive")


def picture_of(tree, seed=0):
  logits = np.random.RandomState(seed).normal(0, 3, (tree.num_nodes, 5))
  probabilities = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
  unknown = np.arange(tree.num_nodes) % 3 == 0
  return make_picture(shown_tree(tree, probabilities, NAMES, unknown))


def extent(shape):
  """Returns (left, right, top, bottom)."""
  if isinstance(shape, Box):
    width, height = shape.width, shape.height
  else:
    width, height = text_width(shape.text, shape.size), shape.size
  left = shape.x if isinstance(shape, Text) and shape.is_start else shape.x - width / 2
  return left, left + width, shape.y - height / 2, shape.y + height / 2


def meet(a, b):
  return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


def check(picture):
  boxes = [extent(shape) for shape in picture.shapes if isinstance(shape, Box)]
  texts = [s for s in picture.shapes if isinstance(s, Text)]
  outside = [extent(text) for text in texts if not any(holds(box, text) for box in boxes)]
  for a, b in itertools.combinations(boxes + outside, 2):
    assert not meet(a, b), (a, b)
  for left, right, top, bottom in boxes + outside:
    assert left >= 0 and top >= 0 and right <= picture.width and bottom <= picture.height
  check_edges([shape for shape in picture.shapes if isinstance(shape, Edge)], boxes)


def check_edges(edges, boxes):
  """Checks that edges meet only where nodes are."""
  across = [(sorted((e.x1, e.x2)), e.y1, e) for e in edges]
  down = [(e.x2, (e.y1, e.y2), e) for e in edges]
  for edge in edges:
    assert edge.y1 < edge.y2
  for (left, right), y, edge in across:
    met = [box for box in boxes if left < box[1] and box[0] < right and box[2] < y < box[3]]
    assert all(box[0] < edge.x1 < box[1] for box in met), edge
  for x, (top, bottom), edge in down:
    met = [box for box in boxes if box[0] < x < box[1] and top < box[3] and box[2] < bottom]
    assert all(inside((edge.x1, edge.y1), box) or inside((x, bottom), box) for box in met), edge
  for ((left, right), y, _), (x, (top, bottom), _) in itertools.product(across, down):
    assert not (left < x < right and top < y < bottom)


def holds(box, text):
  return box[0] <= text.x <= box[1] and box[2] <= text.y <= box[3]


def inside(point, box):
  return box[0] <= point[0] <= box[1] and box[2] <= point[1] <= box[3]


@hypothesis.given(binary_trees, st.integers(0, 99))
def test_nothing_covers_anything_else(tree, seed):
  check(picture_of(tree, seed))


@pytest.mark.parametrize("structure", ["right", "left", "balanced"])
@pytest.mark.parametrize("word", ["a", "Unbelievably", "電影電影電影"])
def test_long_sentences_stay_readable(structure, word):
  check(picture_of(tree_of_words([word, "film", "."] * 12, structure)))


def test_edges_of_a_parse_do_not_cross():
  # The middle of a wide node may be above the words of its neighbour.
  text = "(a (b (((c d) (e (f (g (h i))))) j)))"
  check(picture_of(parse_brackets(text)))


@pytest.mark.parametrize("text", ["Wonderful MIMW", "illicit", "café naïve", "not bad, at all!"])
def test_texts_are_no_wider_than_was_reckoned(text):
  from matplotlib.textpath import TextPath

  drawn = TextPath((0, 0), text, size=WORD_SIZE).get_extents().width
  assert drawn <= text_width(text, WORD_SIZE) <= 1.6 * drawn


def test_a_picture_has_the_colors_of_its_scores(tmp_path):
  tree = tree_of_words(["good"])
  for probabilities, color in (
    ([0, 0, 0, 0, 1], colors.fill(1)),
    ([1, 0, 0, 0, 0], colors.fill(-1)),
  ):
    shown = shown_tree(tree, np.array([probabilities]), NAMES, np.zeros(1, bool))
    boxes = [shape for shape in make_picture(shown).shapes if isinstance(shape, Box)]
    assert boxes[-1].fill == color
  assert save_png([make_picture(shown)], tmp_path / "a.png")


def test_text_can_be_read_on_every_color():
  def brightness(color):
    return [int(color[k : k + 2], 16) for k in (1, 3, 5)] @ np.array([0.299, 0.587, 0.114])

  for score in np.linspace(-1, 1, 41):
    ground, ink = brightness(colors.fill(score)), brightness(colors.ink_on(score))
    assert abs(ground - ink) > 95
    assert brightness(colors.text_color(score)) < 150
