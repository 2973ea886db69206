"""Predictions as one HTML page that needs nothing else: sentences, probabilities, trees."""

from __future__ import annotations

from collections.abc import Sequence

from recursive_tf.display import colors
from recursive_tf.display.nodes import ShownTree, class_scores
from recursive_tf.display.svg import plain, tree_svg

_STYLE = """
body { font: 16px/1.5 Verdana, 'DejaVu Sans', sans-serif; color: #222; background: #f4f4f4;
       margin: 0 auto; padding: 24px; max-width: 1400px; }
h1 { font-size: 20px; } .note { color: #666; font-size: 13px; }
section { background: #fff; border: 1px solid #ddd; border-radius: 8px; padding: 16px 20px;
          margin: 20px 0; }
.sentence { font-size: 18px; margin: 0 0 8px; overflow-wrap: anywhere; }
.unknown { font-style: italic; text-decoration: underline dotted; }
.bars { display: grid; grid-template-columns: max-content minmax(60px, 260px) max-content;
        gap: 2px 10px; font-size: 13px; align-items: center; margin: 0 0 10px; }
.bar { height: 12px; border: 1px solid #ccc; border-radius: 3px; overflow: hidden; }
.bar i { display: block; height: 100%; }
.tree { overflow-x: auto; }
""".strip()


def page(trees: Sequence[ShownTree], title: str, notes: Sequence[str]) -> str:
  """Returns a page of all trees.

  Args:
    trees: what to show.
    title: of the page.
    notes: what a reader has to know, such as the structure that was assumed.
  """
  count = "1 sentence" if len(trees) == 1 else f"{len(trees)} sentences"
  lines = [
    "<!DOCTYPE html>",
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    f"<title>{plain(title)}</title><style>\n{_STYLE}\n</style></head><body>",
    f"<h1>{plain(title)}</h1>",
    f'<p class="note">{count}. Rest the mouse on a node for its words and probabilities.</p>',
    *(f'<p class="note">{plain(note)}</p>' for note in notes),
    *(_section(tree) for tree in trees),
    "</body></html>",
  ]
  return "\n".join(lines) + "\n"


def _section(tree: ShownTree) -> str:
  words = " ".join(_word(tree, place) for place, n in enumerate(tree.nodes) if n.word is not None)
  scores = class_scores(len(tree.class_names))
  bars = "".join(
    f'<span>{plain(name)}</span><span class="bar"><i style="width:{share:.1%};'
    f'background:{colors.fill(float(score))}"></i></span><span>{share:.1%}</span>'
    for name, share, score in zip(tree.class_names, tree.probabilities[-1], scores, strict=True)
  )
  return (
    f'<section><p class="sentence">{words}</p>\n<div class="bars">{bars}</div>\n'
    f'<div class="tree">{tree_svg(tree)}</div></section>'
  )


def _word(tree: ShownTree, place: int) -> str:
  node = tree.nodes[place]
  if node.is_unknown:
    hint = "not in the training data"
    return f'<span class="unknown" title="{hint}">{plain(str(node.word))}</span>'
  color = colors.text_color(node.score)
  return f'<span style="color:{color}">{plain(str(node.word))}</span>'
