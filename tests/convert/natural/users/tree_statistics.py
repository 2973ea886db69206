"""Tree statistics and searches."""
import collections
import math


class TreeNode:
  def __init__(self, val=0, left=None, right=None):
    self.val = val
    self.left = left
    self.right = right

  def __repr__(self):
    return f"T({self.val})"


def T(v, l=None, r=None):
  return TreeNode(v, l, r)


def bst():
  return T(8, T(3, T(1), T(6, T(4), T(7))), T(10, None, T(14, T(13), None)))


def calls(state):
  t = bst()
  yield (t,)
  yield (T(5),)
  t.left.left.left = T(0, T(-2), None)
  yield (t,)
  yield (None,)


def build_max_depth(recursive):
  @recursive
  def max_depth(root):
    if not root:
      return 0
    return max(max_depth(root.left), max_depth(root.right)) + 1
  return max_depth


def build_is_valid_bst(recursive):
  @recursive
  def valid(root, lo=float("-inf"), hi=float("inf")):
    if not root:
      return True
    if not lo < root.val < hi:
      return False
    return valid(root.left, lo, root.val) and valid(root.right, root.val, hi)
  return valid
def calls_is_valid_bst(state):
  t = bst()
  yield (t,)
  t.left.val = 20
  yield (t,)
  yield (None,)
  yield (T(1, T(1)),)


def build_diameter(recursive):
  best = 0

  @recursive
  def depth(node):
    nonlocal best
    if node is None:
      return 0
    l = depth(node.left)
    r = depth(node.right)
    best = max(best, l + r)
    return 1 + max(l, r)
  return depth, [lambda: best]


def build_lca(recursive):
  @recursive
  def lowest_common_ancestor(root, p, q):
    if root is None or root is p or root is q:
      return root
    left = lowest_common_ancestor(root.left, p, q)
    right = lowest_common_ancestor(root.right, p, q)
    if left and right:
      return root
    return left or right
  return lowest_common_ancestor
def calls_lca(state):
  t = bst()
  yield (t, t.left.left, t.left.right.right)
  yield (t, t.right, t.left)
  yield (t, t.left.right, t.left.right.left)
  yield (t, T(99), T(100))


def build_root_to_leaf_paths(recursive):
  @recursive
  def paths(root):
    if root is None:
      return []
    if root.left is None and root.right is None:
      return [[root.val]]
    return [[root.val] + p for p in paths(root.left) + paths(root.right)]
  return paths


def build_path_sum(recursive):
  @recursive
  def path_sum(node, target, path, result):
    if not node:
      return
    path.append(node.val)
    if not node.left and not node.right and sum(path) == target:
      result.append(list(path))
    path_sum(node.left, target, path, result)
    path_sum(node.right, target, path, result)
    path.pop()
  return path_sum
def calls_path_sum(state):
  t = T(5, T(4, T(11, T(7), T(2))), T(8, T(13), T(4, T(5), T(1))))
  yield (t, 22, [], [])
  yield (t, 100, [], [])
  yield (T(3), 3, [], [])


def build_bst_insert(recursive):
  @recursive
  def insert(root, key):
    if root is None:
      return TreeNode(key)
    if key < root.val:
      root.left = insert(root.left, key)
    elif key > root.val:
      root.right = insert(root.right, key)
    return root
  return insert
def calls_bst_insert(state):
  t = bst()
  yield (t, 5)
  yield (t, 14)
  yield (t, 15)
  yield (None, 1)


def build_bst_search(recursive):
  @recursive
  def search(node, key):
    if node is None or node.val == key:
      return node
    return search(node.left if key < node.val else node.right, key)
  return search
def calls_bst_search(state):
  t = bst()
  for k in (7, 8, 99, 13):
    yield (t, k)


def build_kth_smallest(recursive):
  class Finder:
    def __init__(self):
      self.k = 3
      self.result = None

    @recursive
    def visit(self, node):
      if node is None or self.k <= 0:
        return
      self.visit(node.left)
      self.k -= 1
      if self.k == 0:
        self.result = node.val
        return
      self.visit(node.right)
  f = Finder()
  return f.visit, [f]
def calls_kth_smallest(state):
  yield (bst(),)
  state[0].k = 5
  yield (bst(),)
  state[0].k = 1
  state[0].result = None
  yield (T(2),)


def build_is_balanced(recursive):
  @recursive
  def check(node):
    """height, or -1 if it's unbalanced"""
    if node is None:
      return 0
    lh = check(node.left)
    if lh == -1:
      return -1
    rh = check(node.right)
    if rh == -1 or abs(lh - rh) > 1:
      return -1
    return max(lh, rh) + 1
  return check


def build_same_tree(recursive):
  @recursive
  def same(p, q):
    if p is None and q is None:
      return True
    if p is None or q is None or p.val != q.val:
      return False
    return same(p.left, q.left) and same(p.right, q.right)
  return same
def calls_same_tree(state):
  a, b = bst(), bst()
  yield (a, b)
  b.left.val = 9
  yield (a, b)
  yield (None, b)
  yield (a, a)


class TrieNode:
  def __init__(self):
    self.children = {}
    self.end = False


def trie(*words):
  root = TrieNode()
  for w in words:
    n = root
    for ch in w:
      n = n.children.setdefault(ch, TrieNode())
    n.end = True
  return root


def build_trie_words(recursive):
  @recursive
  def words(node, prefix=""):
    found = [prefix] if node.end else []
    for ch, child in sorted(node.children.items()):
      found += words(child, prefix + ch)
    return found
  return words
def calls_trie_words(state):
  yield (trie("to", "tea", "ten", "i", "in"),)
  yield (trie(),)
  yield (trie("a", "ab", "abc", "abd"),)


def build_trie_contains(recursive):
  @recursive
  def contains(node, word):
    if not word:
      return node.end
    if word[0] not in node.children:
      return False
    return contains(node.children[word[0]], word[1:])
  return contains
def calls_trie_contains(state):
  t = trie("to", "tea", "ten", "i", "in")
  for w in ("tea", "te", "x", "in"):
    yield (t, w)


def build_trie_insert(recursive):
  @recursive
  def insert(node, word, i=0):
    if i == len(word):
      node.end = True
      return
    ch = word[i]
    if ch not in node.children:
      node.children[ch] = TrieNode()
    insert(node.children[ch], word, i + 1)
  return insert
def calls_trie_insert(state):
  t = trie("to")
  for w in ("tea", "to", "in"):
    yield (t, w)


def build_stats_namedtuple(recursive):
  Stats = collections.namedtuple("Stats", ["size", "total", "lo", "hi"])

  @recursive
  def stats(node):
    if node is None:
      return Stats(0, 0, math.inf, -math.inf)
    l, r = stats(node.left), stats(node.right)
    return Stats(1 + l.size + r.size, node.val + l.total + r.total, min(node.val, l.lo, r.lo), max(node.val, l.hi, r.hi))
  return stats


def build_find_path(recursive):
  @recursive
  def find_path(root, target):
    if root is None:
      return None
    if root.val == target:
      return [root]
    for side, child in (("L", root.left), ("R", root.right)):
      sub = find_path(child, target)
      if sub is not None:
        return [root] + sub
    return None
  return find_path
def calls_find_path(state):
  t = bst()
  for k in (7, 8, 99):
    yield (t, k)


def build_range_sum(recursive):
  @recursive
  def range_sum(root, low, high):
    if not root:
      return 0
    total = 0
    if low <= root.val <= high:
      total += root.val
    if root.val > low:
      total += range_sum(root.left, low, high)
    if root.val < high:
      total += range_sum(root.right, low, high)
    return total
  return range_sum
def calls_range_sum(state):
  t = bst()
  yield (t, 4, 10)
  yield (t, 100, 101)
  yield (None, 1, 2)
