"""The reference reader: one treebank line through nltk's tree reader.

Slower than `ptb_syntax`, and since nltk 3.10 limited to 500 levels. It is kept because nltk is
what others read treebanks with: the tests hold the fast reader against it.
"""

from __future__ import annotations

import re

import nltk

from recursive_tf._errors import DataError
from recursive_tf.datasets import ptb_syntax
from recursive_tf.datasets.tree import Tree

# nltk's own patterns split at all white space, U+00A0 included.
_WORD = r"[^ ()]+"
# nltk drops any white space between '(' and the label whatever the patterns say.
_OTHER_SPACE_BEFORE_LABEL = re.compile(r"\( *[^\S ]")


def parse_line_with_nltk(
  text: str,
  *,
  binary: bool = True,
  num_labels: int = 5,
  source: str = "<string>",
  line_number: int = 1,
) -> Tree:
  """Parses one tree with `nltk.Tree.fromstring`; arguments and errors as `parse_line`."""
  reason = "white space other than ' ' before a label"
  if not _OTHER_SPACE_BEFORE_LABEL.search(text):
    try:
      parsed = nltk.Tree.fromstring(text, node_pattern=_WORD, leaf_pattern=_WORD)
      tree = Tree.from_nltk(parsed)
      _check(tree, binary, num_labels)
      return tree
    except ValueError as error:  # nltk's error for any malformed string; DataError is one too.
      reason = str(error)
  # nltk's message has no column; our own parser says where and what was expected.
  ptb_syntax.parse_line(
    text, binary=binary, num_labels=num_labels, source=source, line_number=line_number
  )
  raise DataError(
    f"{source}:{line_number}: nltk cannot read this tree: {reason}\n"
    "The line is well formed: read it with reader='fast'."
  )


def _check(tree: Tree, binary: bool, num_labels: int) -> None:
  for node in tree.pre_order():
    if node.label >= num_labels or (binary and len(node.children) not in (0, 2)):
      raise DataError(f"label {node.label} with {len(node.children)} children")
