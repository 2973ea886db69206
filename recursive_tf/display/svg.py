"""Pictures of trees as SVG: text stays text, and a node tells its probabilities to the mouse."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from recursive_tf.display import colors
from recursive_tf.display.layout import Box, Edge, Picture, Text, make_picture
from recursive_tf.display.nodes import ShownTree

_FONTS = "Verdana, 'DejaVu Sans', sans-serif"
# What XML cannot hold, even escaped.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def tree_svg(tree: ShownTree) -> str:
  """Returns one tree as an `<svg>` element."""
  return svg([make_picture(tree)])


def svg(pictures: Sequence[Picture]) -> str:
  """Returns pictures, one below the other, as an `<svg>` element."""
  width = max(picture.width for picture in pictures)
  height = sum(picture.height for picture in pictures)
  description = "; ".join(picture.description for picture in pictures)
  parts = [
    f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
    f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label={_attribute(description)} '
    f'font-family="{_FONTS}" text-anchor="middle">',
    f'<rect width="100%" height="100%" fill="{colors.PAPER}"/>',
  ]
  top = 0.0
  for picture in pictures:
    parts.append(f'<g transform="translate(0 {top:.1f})">')
    parts += [_shape(shape) for shape in picture.shapes]
    parts.append("</g>")
    top += picture.height
  return "\n".join([*parts, "</svg>"]) + "\n"


def plain(text: str) -> str:
  """Returns text as XML and HTML can hold it, escaped."""
  return escape(_NOT_XML.sub("\ufffd", text))


def _attribute(text: str) -> str:
  return quoteattr(_NOT_XML.sub("\ufffd", text))


def _shape(shape: Edge | Box | Text) -> str:
  if isinstance(shape, Edge):
    across, down = shape.corner
    return (
      f'<path d="M{shape.x1:.1f} {shape.y1:.1f}H{shape.x2 - across:.1f}'
      f'q{across:.1f} 0 {across:.1f} {down:.1f}V{shape.y2:.1f}" '
      f'fill="none" stroke="{shape.color}" stroke-width="{shape.width}"/>'
    )
  hint = f"<title>{plain(shape.hint)}</title>" if shape.hint else ""
  if isinstance(shape, Box):
    return (
      f'<rect x="{shape.x - shape.width / 2:.1f}" y="{shape.y - shape.height / 2:.1f}" '
      f'width="{shape.width:.1f}" height="{shape.height:.1f}" rx="{shape.height / 2.5:.1f}" '
      f'fill="{shape.fill}" stroke="{shape.edge}" stroke-width="{shape.edge_width}">{hint}</rect>'
    )
  styles = ' font-weight="bold"' if shape.is_bold else ""
  styles += ' font-style="italic"' if shape.is_italic else ""
  styles += ' text-anchor="start"' if shape.is_start else ""
  # A third of the size below the middle is the base line.
  return (
    f'<text x="{shape.x:.1f}" y="{shape.y + 0.36 * shape.size:.1f}" font-size="{shape.size}" '
    f'fill="{shape.color}"{styles}>{hint}{plain(shape.text)}</text>'
  )
