"""`try` blocks that begin with int or float of a string, and go on."""

import pytest

from tests.convert.agreement import agrees, of_text

TRIED = {
  "in_a_tuple": "return int({s}), i + 1",
  "later_in_it": "return i, int({s})",
  "in_an_object": "return Num(int({s}))",
  "in_a_list": "return [int({s}), i]",
  "in_a_dict": "return {{'v': int({s})}}",
  "added": "return i + int({s})",
  "twice": "return int({s}), float({s})",
  "of_two": "return int({s}) + int(n.other)",
  "assigned": "v = int({s})\n    out.append(v)\n    return v",
  "kept": "out.append(int({s}))\n    return i",
  "float": "return float({s}), i",
  "shown": "return str(int({s}))",
  "then_else": "v = int({s})",
  "of_another_base": "return int({s}, 16)",
  "by_name": "return int({s}, base=16), i",
  "of_many": "return int(*[{s}]), i",
  "of_many_first": "return int(*[n.other]), int({s})",
  "after_a_call": "return note(out, n), int({s})",
  "after_a_read": "return n.v, int({s})",
}
ASKED = {"name": "text", "attribute": "n.text", "item": "n.texts[0]", "stripped": "n.text.strip()"}
PROGRAM = """
class Num:
  def __init__(self, v):
    self.v = v

def note(out, n):
  out.append(n.v)
  return n.v

def leaf(n, i, out):
  text = n.text
  try:
    {tried}
  except ValueError:
    out.append("not " + text)
    return text{tail}

def f(n, out):
  found = []
  for i, k in enumerate(n.kids):
    found.append(f(k, out))
  return [leaf(n, n.v, out), found]
"""


class Node:
  def __init__(self, v, text, *kids, other="3"):
    self.v, self.text, self.kids, self.other = v, text, list(kids), other
    self.texts = [text]


def _trees():
  some = Node(1, "12", Node(2, "x"), Node(3, " 7 ", Node(4, "-3")), Node(5, "1.5"))
  odd = Node(1, "", Node(2, "1_0"), Node(3, "nan"), Node(4, "12", other="y"), Node(5, "٣"))
  return [(tree, []) for tree in (Node(1, "4"), Node(1, "no"), some, odd, some)]


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("tried", TRIED)
def test_they_are_pythons(tried, asked):
  body = TRIED[tried].format(s=ASKED[asked])
  tail = ""
  if tried == "then_else":
    body = f"v = int({ASKED[asked]})"
    tail = "\n  else:\n    out.append(v)\n    return v"
  other = agrees(of_text(PROGRAM.format(tried=body, tail=tail)), _trees)
  assert other.stats.num_converted_runs or tried in ("of_another_base", "by_name")
