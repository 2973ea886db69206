"""Hypothesis strategies for trees, and for lines that are nearly trees."""

import functools

from hypothesis import strategies as st

from recursive_tf.datasets.tree import Tree

# Everything a word may hold: other white space too, which SST has inside words.
_CHARS = st.characters(exclude_categories=["Cs"], exclude_characters=" ()\n\r")
words = st.one_of(
  st.sampled_from(["good", "film", "-LRB-", "2\u00a01\\/2", "\u0085", "n't", "é"]),
  st.text(_CHARS, min_size=1, max_size=6),
)
labels = st.integers(0, 4)
leaves = st.builds(Tree, labels, words)


def _nodes(min_children, max_children):
  def extend(below):
    children = st.lists(below, min_size=min_children, max_size=max_children).map(tuple)
    return st.builds(lambda label, below: Tree(label, None, below), labels, children)

  return extend


binary_trees = st.recursive(leaves, _nodes(2, 2), max_leaves=20)
any_trees = st.recursive(leaves, _nodes(1, 4), max_leaves=20)


@st.composite
def damaged_lines(draw):
  """A tree's line with up to three characters removed, replaced or put in."""
  text = str(draw(binary_trees))
  for _ in range(draw(st.integers(0, 3))):
    at = draw(st.integers(0, len(text)))
    piece = draw(st.text("() 0179a\u00a0\t", max_size=2))
    text = text[:at] + piece + text[at + draw(st.integers(0, 1)) :]
  return text


@functools.lru_cache(maxsize=2)
def chain(num_leaves):
  """A tree as deep as its leaves are many, made without the code under test."""
  tree = Tree(1, "w0")
  for index in range(1, num_leaves):
    tree = Tree(index % 5, None, (tree, Tree(2, f"w{index % 7}")))
  return tree
