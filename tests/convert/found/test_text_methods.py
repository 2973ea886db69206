"""Methods and characters of strings, where only the run knows the string or what is looked for."""

import pytest

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, Node, agrees, root
from tests.convert.found.collected import collector

# --- A string, another one, and what is asked


def words():
  """Returns a tree with names of more than a byte a character, of spaces, and an empty one."""
  deep = Node(40, False, "", Node(5, True, "日本語"))
  inner = Node(-2, True, "größe x", deep, Node(6, True, " e\n\u3000"))
  return Node(0, True, "r-aa-", inner, Node(3, False, "𝄞 clef a"))


def calls():
  return [(root(),), (words(),), (Node(2, True, "x"),)]


TEXTS = {
  "read": lambda n, below: n.name,
  "made": lambda n, below: n.name + below,
  "known": lambda n, below: "a größe-x日 a",
}
PARTS = {
  "known": lambda n, below: "a",
  "read": lambda n, below: n.kids[0].name if n.kids else n.name,
  "made": lambda n, below: below[:1],
}
USES = {
  "in": lambda t, p, n: "yes" if p in t else "no",
  "not_in": lambda t, p, n: str(p not in t),
  "find": lambda t, p, n: f"{t.find(p)},{t.find(p, 1)},{t.find(p, n.v, -1)}",
  "rfind": lambda t, p, n: f"{t.rfind(p)},{t.rfind(p, None, 3)}",
  "index": lambda t, p, n: f"{t.index(p)}" if p in t else "none",
  "rindex": lambda t, p, n: t[t.rindex(p)] if p in t and p else "none",
  "count": lambda t, p, n: "x" * t.count(p) + str(t.count(p, n.v)),
  "startswith": lambda t, p, n: f"{t.startswith(p)}{t.startswith(p, n.v)}",
  "startswith_any": lambda t, p, n: "s" if t.startswith(("g", p)) else "-",
  "endswith": lambda t, p, n: f"{t.endswith(p)}{t.endswith((p, 'e'))}{t.endswith(p, 0, -1)}",
  "strip": lambda t, p, n: t.strip(p) + "|" + t.strip() + "|",
  "lstrip": lambda t, p, n: t.lstrip(p) + "|" + t.lstrip(),
  "rstrip": lambda t, p, n: t.rstrip(p) + "|" + t.rstrip(),
  "affixes": lambda t, p, n: t.removeprefix(p) + "|" + t.removesuffix(p),
  "replace": lambda t, p, n: t.replace(p, "<>") + t.replace("a", p),
  "replace_some": lambda t, p, n: t.replace(p, "éé", n.v),
  "split": lambda t, p, n: "|".join(t.split(p or "-")) + ",".join(t.split()),
  "split_once": lambda t, p, n: "|".join(t.split(p or "-", 1)) + str(len(t.split(None, n.v))),
  "rsplit": lambda t, p, n: "|".join(t.rsplit(p or "-", maxsplit=1)) + ".".join(t.rsplit(None, 1)),
  "partition": lambda t, p, n: "|".join(t.partition(p or "-")),
  "rpartition": lambda t, p, n: "|".join(t.rpartition(p or "-")),
  "letters": lambda t, p, n: f"{t.isalpha()}{t.isalnum()}{p.isupper()}{p.islower()}",
  "others": lambda t, p, n: f"{t.isdigit()}{t.isspace()}{p.isascii()}{p.isprintable()}",
  "join": lambda t, p, n: p.join([k.name for k in n.kids]) + t.join(["a", p, "b"]),
  "loop": lambda t, p, n: "".join([c + "." for c in t]),
  "counted": lambda t, p, n: "".join([c * i for i, c in enumerate(t) if c != p]),
  "list": lambda t, p, n: "-".join(list(t)) + str(len(list(t))),
  "sorted": lambda t, p, n: "".join(sorted(t)) + "".join(reversed(t)),
  "pairs": lambda t, p, n: "".join([a + b for a, b in zip(t, t[1:], strict=False)]),
  "any": lambda t, p, n: str(any(c == p for c in t)) + str(all(c != p for c in t)),
  "ord": lambda t, p, n: str(sum(ord(c) for c in t)),
  "chr": lambda t, p, n: "".join([chr(ord(c) + 1) for c in t]),
  "ascii": lambda t, p, n: t.upper() + t.lower() + t.capitalize() if t.isascii() else t,
  "steps": lambda t, p, n: t[::-1] + "|" + t[::2] + "|" + t[5:0:-2],
  "index_of_list": lambda t, p, n: str(["a", "b", "", "x", "r"].count(p)),
}


def visiting(text, part, use):
  def build(recursive):
    @recursive
    def visit(n):
      below = ""
      for kid in n.kids:
        below = below + visit(kid)
      return use(text(n, below), part(n, below), n)[:12]

    return visit

  return build


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("part", PARTS)
def test_strings_are_asked_as_python_does(text, part, use):
  agrees(visiting(TEXTS[text], PARTS[part], USES[use]), calls, CONVERTED)


# --- Where a string comes from, and where its parts go

programs, program = collector()


class Word:
  """A node with a text, another one or None, a dict and a list of strings."""

  def __init__(self, s, *kids, t="x", d=("k", "é"), tags=("a", "ß")):
    self.s, self.kids, self.t = s, list(kids), t
    self.d, self.tags = dict([d]), list(tags)


def nodes():
  inner = Word("a b", Word("日本語"), t="", tags=["", "x"])
  return [(Word("größe", Word(""), inner),), (Word("abc", Word("a-b"), Word("  x "), t=None),)]


@program(CONVERTED, nodes)
def none_beside(recursive):
  @recursive
  def f(n):
    return (n.t.strip() if n.t is not None else "none") + "".join([f(k) for k in n.kids])

  return f


@program(CONVERTED, nodes)
def of_lists_and_dicts(recursive):
  @recursive
  def f(n):
    found = [t for t in n.tags if t in n.s] + sorted(n.d["k"] + n.s)
    return found + [x for k in n.kids for x in f(k)]

  return f


@program(CONVERTED, nodes)
def keys_and_members(recursive):
  @recursive
  def f(n):
    counts = {}
    for c in n.s:
      counts[c] = counts.get(c, 0) + 1
    return sorted(counts.items()) + [(c, 0) for c in sorted(set(n.s)) if c in "aeiou"]

  return f


@program(CONVERTED, nodes)
def carried_by_a_loop(recursive):
  @recursive
  def f(n, before=""):
    found = []
    for c in n.s:
      before += c
      found.append(before)
    for k in n.kids:
      found += f(k, before)
    return found

  return f


@program(CONVERTED, nodes)
def path_that_is_followed(recursive):
  @recursive
  def go(path):
    head, sep, rest = path.partition("/")
    return [head, *(go(rest) if sep else [])]

  @recursive
  def f(n):
    return go("a/b//é/" + n.s)

  return f


@program(CONVERTED, nodes)
def permutations(recursive):
  @recursive
  def permuted(s):
    if len(s) <= 1:
      return [s]
    return [c + rest for i, c in enumerate(s) for rest in permuted(s[:i] + s[i + 1 :])]

  @recursive
  def f(n):
    return permuted(n.s[:3])

  return f


@program(CONVERTED, nodes)
def kept(recursive):
  @recursive
  def f(n):
    n.parts, n.first = n.s.split("b"), n.s.partition("b")[0]
    for k in n.kids:
      f(k)

  return f


@program(CONVERTED, nodes)
def one_of_several_kinds(recursive):
  @recursive
  def f(n):
    v = n.s if n.s else 3
    if isinstance(v, str):
      return [v.find("b"), v.replace("a", "b"), "a" in v, *[f(k) for k in n.kids]]
    return [v]

  return f


@program(CONVERTED, nodes)
def methods_of_the_class(recursive):
  @recursive
  def f(n):
    upper = [*map(str.upper, n.tags), *sorted(n.tags, key=str.lower)]
    return upper + [str.join("-", n.tags), str.upper("é")] + [x for k in n.kids for x in f(k)]

  return f


@program(CONVERTED, nodes)
def list_of_characters_that_changes(recursive):
  @recursive
  def f(n):
    first = list(n.s)
    second = first
    first.append("!")
    first.sort()
    return ["".join(second)] + [x for k in n.kids for x in f(k)]

  return f


@program(CONVERTED, nodes)
def generator_that_a_function_goes_through(recursive):
  def checksum(codes, seed=17):
    found = seed
    for code in codes:
      found = (found * 31 + code) % 1000003
    return found

  @recursive
  def f(n):
    return checksum(ord(c) for c in n.s) + sum([f(k) for k in n.kids])

  return f


@program(Reason.UNSUPPORTED_OPERATION, lambda: [nodes()[1]])
def separator_that_may_be_none(recursive):
  @recursive
  def f(n):
    return len(n.s.split(n.t)) + sum([f(k) for k in n.kids])

  return f


@pytest.mark.parametrize(("build", "expect", "calls"), programs)
def test_parts_of_strings_go_where_pythons_do(build, expect, calls):
  agrees(build, calls, expect)


# --- What Python raises

RAISING = {
  "index": lambda n: "abcx".index(n.s[0]),
  "index_of_made": lambda n: (n.s + "a").rindex(n.t),
  "characters_of_none": lambda n: len([c for c in n.t]),
  "in_none": lambda n: "x" in n.t,
  "none_in": lambda n: n.t in "xyz",
  "ord_of_several": lambda n: ord(n.s),
  "chr_of_none": lambda n: len(chr(len(n.s) - 4)),
  "too_many_parts": lambda n: (lambda a, b: len(a + b))(*n.s.split("-")),
  "empty_separator": lambda n: len((n.s + "a").split(n.s)),
  "step_of_zero": lambda n: len(n.s[::0]),
  "not_ascii": lambda n: len((n.s + "a").upper()),
}


@pytest.mark.parametrize("ask", RAISING)
def test_what_python_raises_it_raises(ask):
  asked = RAISING[ask]

  def visit(n):
    return asked(n) + sum([visit_one(k) for k in n.kids])

  outcomes = []
  for visit_one in (visit, rtf.recursive(visit, verify=False)):
    found = []
    for text in ("größe", "abc", "", "a-b", "x"):
      for other in ("x", None, ""):
        try:
          found.append(visit_one(Word(text, Word(text, t=other), t="x")))
        except (TypeError, ValueError, AttributeError, IndexError) as error:
          found.append(repr(error))
    outcomes.append(found)
  assert outcomes[0] == outcomes[1]
