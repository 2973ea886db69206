"""Collecting by level, label, kind; searching; misc."""
import dataclasses
import itertools

from nltk import Tree


@dataclasses.dataclass(eq=False)
class Tag:
  name: str
  attrs: dict = dataclasses.field(default_factory=dict)
  kids: list = dataclasses.field(default_factory=list)
  text: str = ""


def page():
  return Tag("html", {}, [
    Tag("head", {}, [Tag("title", {}, [], "hello")]),
    Tag("body", {"id": "b"}, [Tag("p", {"class": "x"}, [], "text"), Tag("a", {"href": "u", "class": "x"}, [Tag("b", {}, [], "bold")], "link")]),
  ])


def calls(state):
  p = page()
  yield (p,)
  yield (Tag("br"),)
  p.kids[1].kids.append(Tag("p", {"href": "v"}, [], "more"))
  yield (p,)


def build_texts(recursive):
  @recursive
  def texts(tag):
    out = [tag.text] if tag.text else []
    for k in tag.kids:
      out.extend(texts(k))
    return out
  return texts


def build_text_length(recursive):
  @recursive
  def n(tag):
    return len(tag.text) + sum(n(k) for k in tag.kids)
  return n


def build_find_by_class(recursive):
  @recursive
  def find(tag, cls):
    found = []
    if tag.attrs.get("class") == cls:
      found.append(tag)
    for k in tag.kids:
      found += find(k, cls)
    return found
  return find
def calls_find_by_class(state):
  for (p,) in calls(state):
    yield (p, "x")


def build_links(recursive):
  links = []

  @recursive
  def visit(tag):
    if tag.name == "a" and "href" in tag.attrs:
      links.append(tag.attrs["href"])
    for k in tag.kids:
      visit(k)
  return visit, [links]


def build_render(recursive):
  @recursive
  def render(tag):
    return f"<{tag.name}>{tag.text}{''.join([render(k) for k in tag.kids])}</{tag.name}>"
  return render


def build_render_print(recursive):
  @recursive
  def render(tag, depth):
    print(f"{' ' * depth}<{tag.name}>")
    if tag.text != "":
      print(f"{' ' * (depth + 1)}{tag.text}")
    for k in tag.kids:
      render(k, depth + 1)
    print(f"{' ' * depth}</{tag.name}>")
  return render
def calls_render_print(state):
  for (p,) in calls(state):
    yield (p, 0)


def build_count_names(recursive):
  @recursive
  def count(tag, counts):
    if tag.name in counts:
      counts[tag.name] += 1
    else:
      counts[tag.name] = 1
    for k in tag.kids:
      count(k, counts)
    return counts
  return count
def calls_count_names(state):
  for (p,) in calls(state):
    yield (p, {})


def build_level_widths(recursive):
  @recursive
  def widths(tag, depth=0, out=None):
    if out is None:
      out = {}
    out[depth] = out.get(depth, 0) + 1
    for k in tag.kids:
      widths(k, depth + 1, out)
    return out
  return widths


def build_level_lists(recursive):
  @recursive
  def by_level(tag):
    below = [by_level(k) for k in tag.kids]
    merged = [sum(row, []) for row in itertools.zip_longest(*below, fillvalue=[])]
    return [[tag.name]] + merged
  return by_level


def build_bfs_levels(recursive):
  @recursive
  def levels(nodes, depth=0):
    if not nodes:
      return depth
    nxt = []
    for n in nodes:
      n.attrs["depth"] = depth
      nxt.extend(n.kids)
    return levels(nxt, depth + 1)
  return levels
def calls_bfs_levels(state):
  for (p,) in calls(state):
    yield ([p],)


def build_deepest(recursive):
  @recursive
  def deepest(tag):
    best, best_d = tag, 0
    for k in tag.kids:
      n, d = deepest(k)
      if d + 1 > best_d:
        best, best_d = n, d + 1
    return best, best_d
  return deepest


def build_parents(recursive):
  parents = {}

  @recursive
  def link(tag):
    for k in tag.kids:
      parents[k] = tag
      link(k)
  return link, [lambda: [(k.name, v.name) for k, v in parents.items()]]


def build_ancestors(recursive):
  @recursive
  def find(tag, name, ancestors=()):
    if tag.name == name:
      return ancestors
    for k in tag.kids:
      r = find(k, name, ancestors + (tag,))
      if r is not None:
        return r
    return None
  return find
def calls_ancestors(state):
  p = page()
  yield (p, "b")
  yield (p, "html")
  yield (p, "nope")


def build_first_match(recursive):
  @recursive
  def find(tag, name):
    if tag.name == name:
      return tag
    return next((r for r in (find(k, name) for k in tag.kids) if r), None)
  return find
calls_first_match = calls_ancestors


def build_any_match(recursive):
  @recursive
  def has(tag, name):
    return tag.name == name or any(has(k, name) for k in tag.kids)
  return has
calls_any_match = calls_ancestors


def build_index_path(recursive):
  @recursive
  def path_to(tag, target):
    if tag is target:
      return []
    for i, k in enumerate(tag.kids):
      p = path_to(k, target)
      if p is not None:
        return [i] + p
    return None
  return path_to
def calls_index_path(state):
  p = page()
  yield (p, p.kids[1].kids[1].kids[0])
  yield (p, p)
  yield (p, page())


def build_partition(recursive):
  @recursive
  def split(tag):
    leaves, inner = [], []
    (inner if tag.kids else leaves).append(tag.name)
    for k in tag.kids:
      l, i = split(k)
      leaves += l
      inner += i
    return leaves, inner
  return split


def build_dict_result(recursive):
  @recursive
  def summary(tag):
    s = {"n": 1, "depth": 1, "chars": len(tag.text)}
    for k in tag.kids:
      sub = summary(k)
      s["n"] += sub["n"]
      s["depth"] = max(s["depth"], 1 + sub["depth"])
      s["chars"] += sub["chars"]
    return s
  return summary


def build_unzip(recursive):
  @recursive
  def measure(tag):
    if not tag.kids:
      return 1, 1
    widths, heights = zip(*[measure(k) for k in tag.kids])
    return sum(widths), 1 + max(heights)
  return measure


def build_layout(recursive):
  @recursive
  def layout(tag, x, depth):
    tag.attrs["y"] = depth
    if not tag.kids:
      tag.attrs["x"] = x
      return x + 1
    start = x
    for k in tag.kids:
      x = layout(k, x, depth + 1)
    tag.attrs["x"] = (start + x - 1) / 2
    return x
  return layout
def calls_layout(state):
  for (p,) in calls(state):
    yield (p, 0, 0)


def build_nltk_productions(recursive):
  @recursive
  def rules(tree):
    out = [(tree.label(), len(tree))]
    for c in tree:
      if not isinstance(c, str):
        out.extend(rules(c))
    return out
  return rules
def calls_nltk_productions(state):
  for s in ("(S (NP (DT the) (NN cat)) (VP (VB sat)))", "(NN cat)", "(S (A (B (C x)) y) z)"):
    yield (Tree.fromstring(s),)


def build_nltk_pos(recursive):
  @recursive
  def pos(tree):
    if len(tree) == 1 and isinstance(tree[0], str):
      return [(tree[0], tree.label())]
    result = []
    for child in tree:
      result.extend(pos(child))
    return result
  return pos
def calls_nltk_pos(state):
  for s in ("(S (NP (DT the) (NN cat)) (VP (VB sat)))", "(NN cat)"):
    yield (Tree.fromstring(s),)


def build_nltk_heads(recursive):
  HEADS = {"S": "VP", "NP": "NN", "VP": "VB"}

  @recursive
  def head(tree):
    if isinstance(tree[0], str):
      return tree[0]
    for c in tree:
      if c.label() == HEADS.get(tree.label()):
        return head(c)
    return head(tree[-1])
  return head
calls_nltk_heads = calls_nltk_pos


def build_nltk_collapse(recursive):
  @recursive
  def collapse(tree):
    while len(tree) == 1 and isinstance(tree[0], Tree):
      tree = tree[0]
    if isinstance(tree[0], str):
      return 1
    return 1 + sum(collapse(c) for c in tree)
  return collapse
def calls_nltk_collapse(state):
  for s in ("(S (X (NP (DT the) (NN cat))))", "(NN cat)", "(S (A (B (C x))) (D z))"):
    yield (Tree.fromstring(s),)


def build_disagree_f1(recursive):
  @recursive
  def spans(tree, start=0):
    if isinstance(tree, str):
      return [], start + 1
    out, end = [], start
    for c in tree:
      s, end = spans(c, end)
      out += s
    out.append((start, end))
    return out, end
  return spans
calls_disagree_f1 = calls_nltk_productions
