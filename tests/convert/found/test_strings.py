"""Strings that only the run knows: made, compared, cut, passed on, kept and returned."""

import collections

import nltk
import pytest

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, Node, agrees, root
from tests.convert.found.collected import collector


def words():
  """Returns a tree whose names need more than a byte for a character, one of them none at all."""
  inner = Node(
    -2, True, "größe", Node(40, False, "", Node(5, True, "日本語")), Node(6, True, "e\n")
  )
  return Node(0, True, "r", inner, Node(3, False, "𝄞 clef"))


def calls():
  return [(root(),), (words(),), (Node(7, True, "x"),)]


# --- How a string is made, of a node and what its first child gives

MADE = {
  "added": lambda n, s: n.name + s,
  "added_to_constant": lambda n, s: "<" + s + ">",
  "formatted": lambda n, s: f"{n.name}:{s}",
  "formatted_number": lambda n, s: f"{n.v}|{n.flag}|{s}",
  "str_of_number": lambda n, s: str(n.v) + s,
  "str_of_truth": lambda n, s: str(n.v > 2) + s,
  "str_of_string": lambda n, s: str(s) + str(n.name),
  "format_method": lambda n, s: "{}={}".format(n.name, s),  # noqa: UP032
  "joined": lambda n, s: ", ".join([n.name, s, "end"]),
  "joined_rows": lambda n, s: "/".join([k.name for k in n.kids]) + s,
  "joined_made": lambda n, s: "".join([k.name + s for k in n.kids]),
  "chosen": lambda n, s: s + "!" if n.flag else n.name,
  "repeated": lambda n, s: n.name * n.v + s,
  "repeated_constant": lambda n, s: "ab" * n.v + s,
  "repeated_made": lambda n, s: (s + "-") * 2,
  "first_character": lambda n, s: (n.name + "?")[0] + s,
  "last_character": lambda n, s: ("?" + n.name)[-1] + s,
  "character_of_run": lambda n, s: (n.name + "0123456789")[n.v % 3] + s,
  "tail": lambda n, s: n.name[1:] + s,
  "middle": lambda n, s: (n.name + s)[1:-1],
  "slice_of_run": lambda n, s: (n.name + s)[n.v : 3] + (n.name + s)[-n.v :],
  "upper": lambda n, s: n.name.upper(),
}

# --- What is done with it

USED = {
  "returned": lambda s, n, visit: s,
  "length": lambda s, n, visit: f"{len(s)}",
  "truth": lambda s, n, visit: s if s else "empty",
  "equal_to_constant": lambda s, n, visit: "yes" if s == "x" else s,
  "equal_to_read": lambda s, n, visit: "same" if s != n.name else "other",
  "equal_to_made": lambda s, n, visit: "twice" if s + s == s else s,
  "equal_to_number": lambda s, n, visit: "never" if s == 1 else s,
  "in_tuple": lambda s, n, visit: "in" if s in ("x", "ra", "größe:") else s,
  "is_string": lambda s, n, visit: s if isinstance(s, str) else "",
}


def visiting(make, use):
  def build(recursive):
    @recursive
    def visit(n):
      below = ""
      for kid in n.kids:
        below = visit(kid)
      return use(make(n, below), n, visit)

    return visit

  return build


@pytest.mark.parametrize("used", USED)
@pytest.mark.parametrize("made", MADE)
def test_strings_are_pythons(made, used):
  agrees(visiting(MADE[made], USED[used]), calls, CONVERTED)


# --- Where it goes

programs, program = collector()


@program(CONVERTED, calls)
def list_of_paths(recursive):
  @recursive
  def paths(n, prefix=""):
    found = [prefix + "/" + n.name]
    for kid in n.kids:
      found.extend(paths(kid, prefix + "/" + n.name))
    return found

  return paths


@program(CONVERTED, calls)
def list_of_the_heap(recursive):
  seen = ["first"]

  @recursive
  def visit(n, path="r"):
    seen.append(path + n.name)
    for kid in n.kids:
      visit(kid, path + n.name)

  return visit, [seen]


@program(CONVERTED, calls)
def lines_with_indents(recursive):
  @recursive
  def lines(n, indent=0):
    found = ["  " * indent + n.name]
    for kid in n.kids:
      found += lines(kid, indent + 1)
    return found

  return lines


@program(CONVERTED, calls)
def attribute_that_is_written(recursive):
  @recursive
  def label(n, prefix=""):
    n.label = prefix + n.name
    for kid in n.kids:
      label(kid, n.label + ".")

  return label


@program(CONVERTED, calls)
def attribute_that_is_read_back(recursive):
  @recursive
  def label(n):
    n.name = n.name + "'"
    for kid in n.kids:
      label(kid)
    return n.name + "".join([kid.name for kid in n.kids])

  return label


@program(CONVERTED, calls)
def variable_of_a_function_around(recursive):
  text = ""

  @recursive
  def visit(n):
    nonlocal text
    text += n.name
    for kid in n.kids:
      visit(kid)
    return text

  return visit


@program(CONVERTED, calls)
def key_and_value_of_a_dict(recursive):
  table = {"r": "root"}

  @recursive
  def visit(n, path="r"):
    table[path] = n.name + "!"
    return len(table[path]) + sum(visit(kid, path + "l") for kid in n.kids)

  return visit, [table]


@program(CONVERTED, calls)
def keys_of_a_dict_that_is_changed(recursive):
  table = {}

  @recursive
  def visit(n):
    table[n.name] = n.v
    for kid in n.kids:
      visit(kid)
    return "".join([key for key in table])

  return visit, [table]


@program(CONVERTED, calls)
def none_or_a_string(recursive):
  @recursive
  def find(n):
    if n.v == 5:
      return n.name + "!"
    for kid in n.kids:
      found = find(kid)
      if found is not None:
        return n.name + "/" + found
    return None

  return find


@program(CONVERTED, calls)
def longest_name(recursive):
  @recursive
  def longest(n):
    best = n.name
    for kid in n.kids:
      below = longest(kid)
      if len(below) > len(best):
        best = below
    return best

  return longest


@program(CONVERTED, calls)
def tuple_of_string_and_number(recursive):
  @recursive
  def visit(n):
    parts = [visit(kid) for kid in n.kids]
    return n.name + "".join([text for text, _ in parts]), n.v + sum([v for _, v in parts])

  return visit


@program(CONVERTED, calls)
def printed(recursive):
  @recursive
  def show(n, indent=""):
    print(indent + n.name, f"[{indent}]", len(indent))
    for kid in n.kids:
      show(kid, indent + "  ")

  return show


@program(CONVERTED, lambda: [(Node(7, True, "x"),), *calls()])
def printed_with_a_length_that_elements_say_later(recursive):
  @recursive
  def show(n, prefix=""):
    print(prefix, n.v, n.v > 0, n.v / 2, len(n.kids), sep=",")
    for i, kid in enumerate(n.kids):
      show(kid, prefix + str(i) + ".")

  return show


@program(CONVERTED, calls)
def recursion_on_the_string_itself(recursive):
  @recursive
  def is_same_backwards(word):
    if len(word) < 2:
      return True
    return word[0] == word[-1] and is_same_backwards(word[1:-1])

  @recursive
  def visit(n):
    return is_same_backwards(n.name), [is_same_backwards(kid.name + "日a日") for kid in n.kids]

  return visit


def bracketed():
  cat = nltk.Tree.fromstring("(S (NP (DT the) (NN cat)) (VP (VB sat)))")
  return [(cat,), (nltk.Tree.fromstring("(NN cat)"),), (cat[0],)]


@program(CONVERTED, bracketed)
def leaf_of_a_tree_with_strings(recursive):
  @recursive
  def tags(tree):
    if len(tree) == 1 and isinstance(tree[0], str):
      return [(tree[0], tree.label())]
    found = []
    for child in tree:
      found.extend(tags(child))
    return found

  return tags


@program(CONVERTED, bracketed)
def tree_with_strings_rendered(recursive):
  @recursive
  def show(tree):
    if isinstance(tree, str):
      return tree
    return "(" + tree.label() + " " + " ".join([show(child) for child in tree]) + ")"

  return show


@program(CONVERTED, calls)
def counter_by_made_keys(recursive):
  seen = collections.Counter({"r0": 3})

  @recursive
  def count(n):
    seen[n.name + str(n.v)] += 1
    for kid in n.kids:
      count(kid)

  return count, [seen]


@program(CONVERTED, calls)
def counter_by_read_keys(recursive):
  seen = collections.Counter()

  @recursive
  def count(n):
    seen[n.name] += n.v
    return seen[n.name] + seen["nobody"] + sum(count(kid) for kid in n.kids)

  return count, [seen]


@program(CONVERTED, calls)
def defaultdict_that_reading_fills(recursive):
  seen = collections.defaultdict(int, {"r": 5})

  @recursive
  def count(n):
    found = seen[n.name + "?"]
    for kid in n.kids:
      found += count(kid)
    seen[n.name] += 1
    return found

  return count, [seen]


# What TensorFlow would make another string of, or cannot do.


@program(CONVERTED)
def string_of_a_float(recursive):
  return recursive(lambda n: str(n.v / 3) + n.name)


@program(Reason.NEEDS_VALUE)
def string_by_a_format(recursive):
  return recursive(lambda n: f"{n.v:03d}" + n.name)


@program(CONVERTED)
def quoted_string(recursive):
  return recursive(lambda n: f"{n.name!r}" + n.name)


@program(CONVERTED)
def order_of_strings(recursive):
  return recursive(lambda n: n.name + "a" < "b")


@program(Reason.UNSUPPORTED_OPERATION)
def which_string_it_is(recursive):
  return recursive(lambda n: (n.name + "a") is n.name)


@program(Reason.UNSUPPORTED_OPERATION)
def half_of_a_pair(recursive):
  return recursive(lambda n: n.name + "\ud800")


@program(Reason.UNSUPPORTED_OPERATION)
def attribute_of_a_string(recursive):
  return recursive(lambda n: hasattr(n, "v") and (n.name + "a").parts)


@program(CONVERTED)
def defaultdict_of_lists(recursive):
  levels = collections.defaultdict(list)

  @recursive
  def visit(n, depth=0):
    levels[depth].append(n.v)
    for kid in n.kids:
      visit(kid, depth + 1)

  return visit, [levels]


@pytest.mark.parametrize(("build", "expect", "calls"), programs)
def test_strings_go_where_python_takes_them(build, expect, calls):
  if build.__name__ == "attribute_of_a_string":
    with pytest.raises(AttributeError):
      build(rtf.recursive)(root())
    return
  agrees(build, calls, expect)


# --- Dicts of the heap that are looked into

TABLES = [{"r": 1, "a": 2, "b": 3}, {"b": 0, "zz": 7, "a": -1, "r": 4}, {"r": 9, "größe": 1}, {}]


@pytest.mark.parametrize(
  "look",
  [
    lambda table, n: table[n.name],
    lambda table, n: table.get(n.name, -5),
    lambda table, n: table.get(n.name + "z" * 1) or 0,
    lambda table, n: 1 if n.name in table else 0,
    lambda table, n: 1 if "z" + "z" not in table and n.name[:1] in table else 0,
    lambda table, n: table[n.name] if n.name in table else n.v,
  ],
  ids=["item", "get", "get_none", "in", "in_made", "item_if_in"],
)
@pytest.mark.parametrize("tables", [TABLES[:2], TABLES[2:], TABLES])
def test_a_dict_that_is_passed_down_is_looked_into(look, tables):
  def build(recursive):
    @recursive
    def visit(n, table):
      return look(table, n) + sum([visit(kid, table) for kid in n.kids])

    def start(n, table):
      try:
        return visit(n, table)
      except KeyError as error:
        return repr(error)

    return start

  agrees_or_fails(build, lambda: [(tree(), dict(table)) for table in tables for tree in TREES])


def agrees_or_fails(build, calls):
  """As `agrees`, for programs that raise in some calls, which Python does then."""
  decorated = []

  def kept(recursive):
    def decorate(function):
      decorated.append(recursive(function))
      return decorated[-1]

    return build(decorate)

  plain, other = build(lambda f: f), kept(rtf.recursive)
  for a, b in zip(calls(), calls(), strict=True):
    assert plain(*a) == other(*b)
  assert decorated[0].stats.num_converted_runs
  assert set(decorated[0].stats.fallbacks) <= {Reason.CHECK_FAILED, Reason.NO_BASE_CASE}


TREES = [root, lambda: Node(7, True, "r"), words]


class Missing(dict):
  def __missing__(self, key):
    return 5


@pytest.mark.parametrize(
  ("kind", "expect"), [(Missing, Reason.OPAQUE_READ), (collections.Counter, CONVERTED)]
)
def test_a_dict_that_makes_its_items_is_refused_unless_it_is_known_what(kind, expect):
  def build(recursive):
    @recursive
    def visit(n, table):
      return table[n.name] + sum([visit(kid, table) for kid in n.kids])

    return visit

  agrees(build, lambda: [(root(), kind({"r": 1, "a": 2}))], expect)


# --- Found by others

WIDE = 2**16  # Its square is 0 in 32 bits.


def wide(value=WIDE):
  return [(Node(1, True, "ab", Node(2, True, "c")),), (Node(value, True, "ab"),)]


more, further = collector()


@further(Reason.CHECK_FAILED, wide)
def index_of_many_bits(recursive):
  return failing(recursive, lambda n: (n.name + ".")[n.v * n.v // n.v // n.v * (n.v * n.v - 1)])


@further(Reason.CHECK_FAILED, wide)
def index_of_many_bits_of_a_known_list(recursive):
  items = [10, 20]
  return failing(recursive, lambda n: str(items[n.v * n.v - 1]))


@further(Reason.CHECK_FAILED, wide)
def index_of_many_bits_of_a_list_made_here(recursive):
  return failing(recursive, lambda n: str([n.v, 20, 30, 40][n.v * n.v - 1]))


@further(Reason.CHECK_FAILED, wide)
def index_of_many_bits_that_is_written(recursive):
  items = [10, 20, 30, 40]

  def write(n):
    items[n.v * n.v - 1] = n.v
    return n.name

  return failing(recursive, write), [items]


def failing(recursive, then):
  """Returns a program that gives what `then` does, joined, or raises what it raises."""

  @recursive
  def visit(n):
    return then(n) + "".join([visit(kid) for kid in n.kids])

  return visit


@further(CONVERTED)
def strings_that_swap_places(recursive):
  @recursive
  def swap(n, a="A", b="B"):
    if not n.kids:
      return a + "!"
    found = ""
    for kid in n.kids:
      found = swap(kid, b, a)
    return found

  return swap


@further(CONVERTED)
def string_and_number_that_swap_places(recursive):
  @recursive
  def swap(n, a="A", b=3):
    if not n.kids:
      return a
    found = a
    for kid in n.kids:
      found = swap(kid, b, a)
    return found

  return swap


@further(CONVERTED, lambda: [*calls(), *calls()])
def variable_that_is_none_at_first(recursive):
  last = None

  @recursive
  def visit(n):
    nonlocal last
    if last is None or len(n.name) > len(last):
      last = n.name + "!"
    for kid in n.kids:
      visit(kid)
    return last

  return visit


@further(Reason.UNSUPPORTED_OPERATION, lambda: [(Node(1, True, "\ud800", Node(2, True, "b")),)])
def half_of_a_pair_in_a_node(recursive):
  @recursive
  def names(n):
    return n.name + "".join([names(kid) for kid in n.kids])

  return names


@further(CONVERTED, calls)
def running_string(recursive):
  @recursive
  def names(n):
    found = n.name
    for kid in n.kids:
      found += names(kid)
    return found

  return names


@further(CONVERTED, calls)
def digit_of_a_constant(recursive):
  @recursive
  def digits(n):
    return "0123456789abcdef"[n.v % 16] + n.name * 2 + "".join([digits(kid) for kid in n.kids])

  return digits


@further(CONVERTED, calls)
def table_by_made_strings(recursive):
  table = {"r1": 5, "a2": 6, "x7": 1}

  @recursive
  def total(n):
    return table.get(n.name + str(n.v), 0) + table["r" + "1"] + sum([total(kid) for kid in n.kids])

  return total


@pytest.mark.parametrize(("build", "expect", "calls"), more)
def test_what_others_found_stays_right(build, expect, calls):
  agrees(build, calls, expect)


def test_sums_of_strings_raise_as_python_does():
  @rtf.recursive
  def names(n):
    return sum([names(kid) for kid in n.kids], n.name)

  with pytest.raises(TypeError, match="can't sum strings"):
    names(root())
