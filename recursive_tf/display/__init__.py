"""Predictions on trees, to be looked at: in a terminal, as a picture, as a page.

`shown_tree` works out what there is to see, `layout` where it goes in a picture; `text`, `svg`,
`png` and `page` write it.
"""

from recursive_tf.display.nodes import ShownTree as ShownTree
from recursive_tf.display.nodes import shown_tree as shown_tree
from recursive_tf.display.svg import tree_svg as tree_svg
