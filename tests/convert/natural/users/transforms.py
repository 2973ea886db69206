"""Tree transforms and collecting."""
import dataclasses
from typing import List

import nltk


class TreeNode:
  def __init__(self, val, left=None, right=None):
    self.val, self.left, self.right = val, left, right


@dataclasses.dataclass
class N:
  tag: str
  score: float = 0.0
  kids: List["N"] = dataclasses.field(default_factory=list)


def T(*a):
  return TreeNode(*a)


def bt():
  return T(4, T(2, T(1), T(3)), T(7, None, T(9)))


def nt():
  return N("a", 1.0, [N("b", 2.5), N("c", 0.5, [N("b", -1.0), N("d", 4.0)])])


def binary_calls(state):
  t = bt()
  yield (t,)
  yield (T(1),)
  t.right.left = T(0, T(5))
  yield (t,)
  yield (None,)


def kids_calls(state):
  t = nt()
  yield (t,)
  yield (N("z", 3.0),)
  t.kids[0].kids.append(N("e", 7.0, [N("f")]))
  yield (t,)


calls = binary_calls


def build_invert(recursive):
  @recursive
  def invert(root):
    if root is None:
      return None
    root.left, root.right = invert(root.right), invert(root.left)
    return root
  return invert


def build_mirror_copy(recursive):
  @recursive
  def mirror(root):
    if root is None:
      return None
    return TreeNode(root.val, mirror(root.right), mirror(root.left))
  return mirror


def build_prune_zeros(recursive):
  @recursive
  def prune(root, keep):
    if root is None:
      return None
    root.left = prune(root.left, keep)
    root.right = prune(root.right, keep)
    if root.left is None and root.right is None and root.val < keep:
      return None
    return root
  return prune
def calls_prune_zeros(state):
  t = bt()
  yield (t, 2)
  yield (t, 5)
  yield (T(1), 5)
  yield (None, 0)


def build_to_dict(recursive):
  @recursive
  def to_dict(n):
    return {"tag": n.tag, "score": n.score, "kids": [to_dict(k) for k in n.kids]}
  return to_dict
calls_to_dict = kids_calls


def build_copy_tree(recursive):
  @recursive
  def copy(n):
    new = N(n.tag, n.score)
    for k in n.kids:
      new.kids.append(copy(k))
    return new
  return copy
calls_copy_tree = kids_calls


def build_scale_inplace(recursive):
  @recursive
  def scale(n, factor):
    n.score *= factor
    for k in n.kids:
      scale(k, factor / 2)
  return scale
def calls_scale_inplace(state):
  t = nt()
  yield (t, 2.0)
  yield (t, 3.0)
  yield (N("q", 1.0), 0.5)


def build_normalize(recursive):
  @recursive
  def normalize(n):
    total = sum(k.score for k in n.kids)
    for k in n.kids:
      if total != 0:
        k.score = k.score / total
      normalize(k)
    return n
  return normalize
calls_normalize = kids_calls


def build_filter_kids(recursive):
  @recursive
  def drop(n, tag):
    n.kids = [drop(k, tag) for k in n.kids if k.tag != tag]
    return n
  return drop
def calls_filter_kids(state):
  t = nt()
  yield (t, "d")
  yield (t, "b")
  yield (N("b"), "b")


def build_flatten_linked(recursive):
  # flatten a binary tree to a linked list in place
  @recursive
  def flatten(node):
    if not node:
      return None
    lt = flatten(node.left)
    rt = flatten(node.right)
    if lt:
      lt.right = node.right
      node.right = node.left
      node.left = None
    return rt or lt or node
  return flatten


def build_annotate_sizes(recursive):
  @recursive
  def annotate(n, depth=0):
    n.depth = depth
    n.size = 1
    for k in n.kids:
      annotate(k, depth + 1)
      n.size += k.size
  return annotate
calls_annotate_sizes = kids_calls


def build_inorder(recursive):
  @recursive
  def inorder(root):
    return inorder(root.left) + [root.val] + inorder(root.right) if root else []
  return inorder


def build_by_level(recursive):
  @recursive
  def levels(root, depth, out):
    if root is None:
      return out
    if depth == len(out):
      out.append([])
    out[depth].append(root.val)
    levels(root.left, depth + 1, out)
    levels(root.right, depth + 1, out)
    return out
  return levels
def calls_by_level(state):
  for (t,) in binary_calls(state):
    yield (t, 0, [])


def build_right_view(recursive):
  @recursive
  def right_view(root, depth, view):
    if root:
      if depth == len(view):
        view.append(root.val)
      right_view(root.right, depth + 1, view)
      right_view(root.left, depth + 1, view)
  return right_view
calls_right_view = calls_by_level


def build_by_tag(recursive):
  @recursive
  def group(n, groups):
    groups.setdefault(n.tag, []).append(n.score)
    for k in n.kids:
      group(k, groups)
    return groups
  return group
def calls_by_tag(state):
  for (t,) in kids_calls(state):
    yield (t, {})


def build_unique_tags(recursive):
  seen = set()

  @recursive
  def visit(n):
    seen.add(n.tag)
    for k in n.kids:
      visit(k)
  return visit, [seen]
calls_unique_tags = kids_calls


def build_leaves_gen(recursive):
  @recursive
  def leaves(n):
    if not n.kids:
      yield n
    for k in n.kids:
      yield from leaves(k)
  return lambda t: [x.tag for x in leaves(t)]
calls_leaves_gen = kids_calls


def build_top_scored(recursive):
  @recursive
  def best(n):
    """the node with the highest score"""
    return max([n] + [best(k) for k in n.kids], key=lambda m: m.score)
  return best
calls_top_scored = kids_calls


def build_nltk_leaves(recursive):
  @recursive
  def words(tree):
    if isinstance(tree, str):
      return [tree]
    return [w for child in tree for w in words(child)]
  return words
def calls_nltk_leaves(state):
  t = nltk.Tree.fromstring("(S (NP (DT the) (NN cat)) (VP sat))")
  yield (t,)
  yield ("w",)
  t[1].append("quietly")
  yield (t,)


def build_spans(recursive):
  spans = []

  @recursive
  def span(tree, start):
    if isinstance(tree, str):
      return start + 1
    end = start
    for c in tree:
      end = span(c, end)
    spans.append((tree.label(), start, end))
    return end
  return span, [spans]
def calls_spans(state):
  for (t,) in calls_nltk_leaves(state):
    yield (t, 0)


def build_linearize(recursive):
  @recursive
  def linearize(tree):
    if isinstance(tree, str):
      return tree
    return f"({tree.label()} {' '.join(linearize(c) for c in tree)})"
  return linearize
calls_linearize = calls_nltk_leaves


def build_build_balanced(recursive):
  @recursive
  def build(values, lo, hi):
    if lo >= hi:
      return None
    mid = (lo + hi) // 2
    return TreeNode(values[mid], build(values, lo, mid), build(values, mid + 1, hi))
  return build
def calls_build_balanced(state):
  yield ([1, 2, 3, 4, 5], 0, 5)
  yield ([], 0, 0)
  yield ([7], 0, 1)


def build_serialize(recursive):
  @recursive
  def serialize(root, out):
    if root is None:
      out.append(None)
      return
    out.append(root.val)
    serialize(root.left, out)
    serialize(root.right, out)
  return serialize
def calls_serialize(state):
  for (t,) in binary_calls(state):
    yield (t, [])
