"""Programs whose conversion used to fail by an error of ours: right now, or refused and why."""

import functools
import itertools

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, Node, agrees, root

RAGGED = {Reason.KINDS_DIFFER, Reason.DYNAMIC_LIST}


def test_len_of_what_has_none():
  def build(recursive):
    box = Node(1, True, "b")

    @recursive
    def f(n):
      for k in n.kids:
        return f(k) + len(box)
      return n.v

    return f

  agrees(build, lambda: [(Node(3, True, "x"),), (root(),)])


# --- Lists of lists, and of tensors of several shapes


def test_all_paths_by_append_and_pop():
  def build(recursive):
    found, path = [], []

    @recursive
    def f(n):
      path.append(n.v)
      found.append(list(path))
      for k in n.kids:
        f(k)
      path.pop()

    return f, [found, path]

  agrees(build, lambda: [(root(),), (root(),)], CONVERTED)


def test_all_subsets_by_recursion_on_the_rest():
  def build(recursive):
    @recursive
    def f(xs):
      if not xs:
        return [[]]
      rest = f(xs[1:])
      return rest + [[xs[0]] + r for r in rest]

    return f

  agrees(build, lambda: [([1, 2, 3],), ([],)], CONVERTED)


def test_tensors_of_two_shapes_in_one_list():
  def build(recursive):
    @recursive
    def f(n):
      parts = [tf.ones([2]), tf.ones([3])]
      return tf.reduce_sum(parts[n.v % 2]) + sum(f(k) for k in n.kids)

    return f

  agrees(build, expect=CONVERTED)


def test_results_of_children_with_several_shapes():
  def build(recursive):
    @recursive
    def f(n):
      if not n.kids:
        return tf.ones([n.v])
      return tf.concat([f(k) for k in n.kids], 0)

    return f

  function = agrees(build, lambda: [(root(),)] * 5, CONVERTED)
  assert function.stats.num_conversions <= 2


def test_appended_tensors_of_several_shapes():
  def build(recursive):
    log = []

    @recursive
    def f(n):
      log.append(tf.ones([n.v, 2]))
      for k in n.kids:
        f(k)

    return f, [log]

  agrees(build)


# --- Logs of several kinds


def test_a_log_of_names_and_numbers():
  def build(recursive):
    log = []

    @recursive
    def f(n):
      log.append(n.name)
      log.append(n.v)
      for k in n.kids:
        f(k)

    return f, [log]

  agrees(build, lambda: [(root(),), (root(),)], CONVERTED)


def test_a_log_of_numbers_and_flags():
  def build(recursive):
    log = []

    @recursive
    def f(n):
      log.append(n.v)
      log.append(n.flag)
      for k in n.kids:
        f(k)

    return f, [log]

  agrees(build)


def test_a_log_of_pairs_and_numbers():
  def build(recursive):
    log = []

    @recursive
    def f(n):
      if n.kids:
        log.append((n.v, n.name))
      else:
        log.append(n.v)
      for k in n.kids:
        f(k)

    return f, [log]

  agrees(build, expect=CONVERTED)


def test_a_log_of_tensors_and_names():
  def build(recursive):
    log = []

    @recursive
    def f(n):
      log.append(tf.constant(1.0) * n.v)
      log.append(n.name)
      for k in n.kids:
        f(k)

    return f, [log]

  agrees(build, expect=CONVERTED)


# --- Arguments that builtins of the converter do not take


@pytest.mark.parametrize(
  "act",
  [
    lambda n: n.kids.sort(key=lambda k: -k.v),
    lambda n: n.kids.sort(reverse=True, key=lambda k: k.v),
    lambda n: sorted(n.kids, key=lambda k: -k.v),
    lambda n: max(n.kids, key=lambda k: k.v, default=None),
    lambda n: n.name.split(sep="-"),
    lambda n: n.name.encode(encoding="utf8"),
    lambda n: [1, 2].sort(key=lambda x: -x),
    lambda n: {"a": 1}.pop("a", None),
    lambda n: dict(a=1).get("b", 2),
    lambda n: {}.setdefault(n.name, []).append(n.v),
    lambda n: {(n.v, 1): 2}[n.v, 1],
    lambda n: enumerate(n.kids, start=1),
    lambda n: list(enumerate(iterable=n.kids)),
    lambda n: print(n.v, sep="", end="!"),
    lambda n: sum(n.kids and [1] or [2], start=1),
    lambda n: round(number=n.v / 3, ndigits=1),
    lambda n: int("12", base=3) + int(n.v),
    lambda n: isinstance(n, (Node, (int, str))),
    lambda n: getattr(n, "nothing", None),
    lambda n: "{} {}".format(n.name, n.v),  # noqa: UP032
    lambda n: "%s %d" % (n.name, n.v),  # noqa: UP031
    lambda n: ", ".join([n.name, "x"]),
    lambda n: n.name * 2 + str(n.v),
    lambda n: n.name[::-1],
    lambda n: n.kids[:1] + n.kids[1:],
    lambda n: list(reversed(n.kids))[0] if n.kids else None,
    lambda n: n.kids.index(n.kids[0]) if n.kids else -1,
    lambda n: n.kids.copy(),
    lambda n: {k.name: k.v for k in n.kids},
    lambda n: {k.v for k in n.kids},
    lambda n: dict(zip(["a", "b"], n.kids)),  # noqa: B905
    lambda n: [*n.kids, n][-1].v,
    lambda n: all(k.v for k in n.kids) and any([]),
    lambda n: divmod(n.v, 2)[1] ** 2,
    lambda n: pow(n.v, 2, 3),
    lambda n: abs(-n.v) ** 0.5,
    lambda n: hash(n.name) and None,
    lambda n: id(n) and None,
    lambda n: repr(n.v),
    lambda n: type(n).__name__,
    lambda n: n.__class__.__name__,
    lambda n: vars(n)["v"],
    lambda n: n.__dict__["v"],
    lambda n: functools.reduce(lambda a, b: a + b.v, n.kids, 0),
    lambda n: tf.stack([k.v for k in n.kids] or [0]),
    lambda n: [[k.v, k.name] for k in n.kids],
    lambda n: [[x.v for x in k.kids] for k in n.kids],
    lambda n: [tf.ones([i]) for i in range(3)][n.v % 3],
    lambda n: min((k.v, k.name) for k in n.kids) if n.kids else None,
    lambda n: bytes([n.v]),
    lambda n: complex(n.v, 1),
    lambda n: n.v in [1, 2] or n.name in ("a", 3),
    lambda n: (n.v, *[k.v for k in n.kids]),
    lambda n: float("nan") if n.v > 2 else n.v / 1,
    lambda n: slice(n.v, None),
    lambda n: range(n.v)[-1],
    lambda n: (lambda *a, **k: (a, k))(n.v, x=n.name),
    lambda n: f"{n.v:03d}-{n.name!r}",
    lambda n: n.name.replace("r", n.name),
    lambda n: n.kids == [] or n.kids != [n],
    lambda n: n.kids < [n] if not n.kids else None,
    lambda n: not n.kids and n.name > "a",
    lambda n: n.v if n.kids else n.name,
    lambda n: [n.v, n.name, None, n.flag],
    lambda n: [x for x in [1, n.name, 2.5] if x],
    lambda n: [1, n.name][n.v % 2],
    lambda n: {"a": n.v, "b": n.name}["a" if n.flag else "b"],
    lambda n: (n.v, n.name)[n.v % 2],
  ],
)  # fmt: skip
def test_whatever_is_done_with_a_node_no_error_of_ours_comes_of_it(act):
  def build(recursive):
    @recursive
    def f(n):
      found = act(n)
      for k in n.kids:
        f(k)
      return found

    return f

  agrees(build)


# --- Functions that are none


def test_partials_are_the_functions_that_they_are_of():
  def g(scale, n):
    return n.v * scale + sum(g(scale, k) for k in n.kids)

  agrees(lambda recursive: recursive(functools.partial(g, 2)), expect=CONVERTED)


def test_objects_with_call_are_refused_for_what_they_are():
  class Summing:
    def __call__(self, n):
      return n.v + sum(self(k) for k in n.kids)

  agrees(lambda recursive: recursive(Summing()), expect=Reason.SOURCE_MISSING)


# --- Mapped calls with further arguments


def test_a_number_that_meets_tensors_may_be_given_to_a_mapped_call():
  def build(recursive):
    @recursive
    def f(n, depth=0):
      here = tf.constant([1.0, 2.0]) * float(depth)
      return here + sum(f(k, depth + 1) for k in n.kids)

    def mapped(trees):
      return f.map(trees, depth=3) if hasattr(f, "map") else tf.stack([f(t, 3) for t in trees])

    mapped.stats = getattr(f, "stats", None)
    mapped.explain = getattr(f, "explain", None)
    return mapped

  plain = build(lambda function: function)([root(), root()])
  converted = build(rtf.recursive)
  tf.debugging.assert_near(plain, converted([root(), root()]))
  assert not {r.code for r in converted.stats.fallbacks} & {"internal-error", "graph-error"}


@pytest.mark.parametrize("mix", [lambda x, d: x * d, lambda x, d: d - x, lambda x, d: x[d]])
def test_further_arguments_of_mapped_calls_meet_tensors(mix):
  def f(n, depth):
    return mix(tf.constant([1.0, 2.0, 3.0, 4.0]), depth) + sum(f(k, depth) for k in n.kids)

  function = rtf.recursive(f)
  tf.debugging.assert_near(function.map([root(), root()], depth=3), tf.stack([f(root(), 3)] * 2))
  assert not {r.code for r in function.stats.fallbacks} & {"internal-error", "graph-error"}


def test_lists_of_lists_of_numbers_in_one_list():
  def build(recursive):
    @recursive
    def f(n):
      return [n.v] + [x for k in n.kids for x in f(k)]

    return f

  agrees(build, expect=CONVERTED)


@pytest.mark.slow
def test_a_function_that_calls_the_function_it_was_given_is_handed_on():
  def build(recursive):
    @recursive
    def f(n, g=lambda v: v * 2):
      return g(n.v) + sum(f(k, lambda v: g(v) + 1) for k in n.kids)

    return f

  plain, converted = build(lambda function: function), build(rtf.recursive)
  assert converted(root()) == plain(root())
  assert not {r.code for r in converted.stats.fallbacks} & {"internal-error", "graph-error"}


@pytest.mark.parametrize("value", [[], [1, None], [[], [None]], None], ids=str)
def test_what_a_missing_object_is_may_be_asked_where_there_is_no_other(value):
  @rtf.recursive(strict=True)
  def count(x):
    return sum(count(c) for c in x) if isinstance(x, list) else 1

  assert count([[1], 2]) == 2
  assert count(value) == count.python(value)


# --- Gradients of loops whose branches compute rows of a width that only the run knows


def _is_large(x):
  return tf.reduce_sum(x) > 1.0


def _taken(node, xs):
  total = node.x
  for x in itertools.takewhile(_is_large, xs):
    total = total + x
  return total


def _dropped(node, xs):
  total = node.x
  for x in itertools.dropwhile(_is_large, xs):
    total = total + tf.sin(x)
  return total


def _either(node, xs):
  total = node.x
  for x in xs:
    total = tf.tanh(total * x) + x if _is_large(x) else total
  return total


def _or_else(node, xs):
  total = node.x
  for x in xs:
    total = total if _is_large(x) else tf.tanh(total * x) + x
  return total


def _kept(node, xs):
  kept = []
  for x in xs:
    if _is_large(x):
      kept.append(tf.exp(x))
  return node.x + sum(kept)


@pytest.mark.parametrize("add_up", [_taken, _dropped, _either, _or_else, _kept])
def test_gradients_of_branches_in_loops_over_rows_of_unknown_width(add_up):
  weight = tf.Variable(0.7)

  def wide(width, *kids):
    node = Node(1, True, "n", *kids)
    node.x = tf.range(width, dtype=tf.float32) * 0.3 + 0.5
    return node

  def trees():
    for width in (2, 2, 3, 4, 2):
      yield (wide(width, wide(width), wide(width, wide(width), wide(width)), wide(width)),)

  def build(recursive):
    @recursive
    def visit(node):
      xs = []
      if not node.kids:
        return node.x
      for kid in node.kids:
        xs += [visit(kid)]
      return tf.tanh(add_up(node, xs) * weight)

    return visit

  agrees(build, trees, CONVERTED, variables=lambda function, state: [weight])


# --- What Python raises for by itself, and tables of numbers


@pytest.mark.parametrize(
  "use",
  [list, tuple, sum, max, sorted, enumerate, lambda x: [y for y in x], lambda x: [*x]],
  ids=["list", "tuple", "sum", "max", "sorted", "enumerate", "comprehension", "star"],
)
def test_the_sizes_of_a_shape_of_unknown_rank(use):
  def build(recursive):
    @recursive
    def f(shape):
      return len(list(use(shape))) if use in (sorted, enumerate) else use(shape)

    return f

  shapes = [[1, 2], None, [2, 3]]
  agrees(build, lambda: [(tf.TensorShape(shape),) for shape in shapes])


@pytest.mark.parametrize("source", ["argument", "attribute"])
@pytest.mark.parametrize(
  "table",
  [{1: 0.5, 2: 1.5}, {1: "a", 2: "b"}, {1: tf.constant(0.5), 2: tf.constant(1.5)}],
  ids=["numbers", "strings", "tensors"],
)
@pytest.mark.parametrize("how", ["item", "get", "get or else", "in"])
def test_elements_of_a_list_of_numbers_are_looked_up(how, table, source):
  default = table[2]

  def build(recursive):
    @recursive
    def f(owner):
      keys = owner.keys if source == "attribute" else owner
      if how == "item":
        return [table[k] for k in keys]
      if how == "get":
        return [table.get(k) for k in keys]
      if how == "in":
        return [table[k] for k in keys if k in table]
      return [table.get(k, default) for k in keys]

    return f

  def calls():
    for keys in ([1, 2], [2], [2, 2, 1], [], [1, 3], [1, 2]):
      node = Node(1, True, "n")
      node.keys = keys
      yield (node if source == "attribute" else keys,)

  agrees(build, calls)


# --- Effects of helpers that call the function back, in `rtf.function`; what grows by broadcasting


@pytest.mark.parametrize("way", ["helper", "table", "two helpers"])
def test_a_helper_that_prints_calls_the_function_back(way, capsys):
  def build(decorate):
    def shown(n):
      print("node", n.v)
      return n.v + sum([visit(k) for k in n.kids])

    def again(n):
      return shown(n) + 1

    table = {"r": shown, "b": again, "i": shown}

    @decorate
    def visit(n):
      if not n.kids:
        return n.v
      if way == "table":
        return table[n.name](n)
      return again(n) if way == "two helpers" else shown(n)

    return visit

  plain, converted = build(lambda f: f), build(lambda f: rtf.function(f, verify=False))
  for _ in range(2):
    expected = plain(root()), capsys.readouterr().out
    assert (converted(root()), capsys.readouterr().out) == expected
  assert not {r.code for r in converted.stats.fallbacks} & {"internal-error", "graph-error"}


@pytest.mark.parametrize("size", [1, 2])
def test_a_tensor_grows_by_broadcasting_in_a_loop(size):
  weight = tf.Variable(tf.range(size, dtype=tf.float32) + 0.5)

  def build(recursive):
    @recursive
    def f(n):
      product = tf.ones([1])
      for _ in n.kids:
        product = product * weight
      return product

    return f

  agrees(build, lambda: [(root(),), (Node(1, True, "a"),), (root(),)])


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_what_iterates_over_too_few_or_too_many_is_taken_apart(size):
  class Few:
    def __init__(self, x):
      self.x = x

    def __iter__(self):
      return iter((self.x,) * size)

  def build(recursive):
    @recursive
    def f(n):
      first, second = n.few
      return first + second

    return f

  def calls():
    for x in (1.0, 2.0):
      node = Node(1, True, "n")
      node.few = Few(x)
      yield (node,)

  agrees(build, calls)


def test_what_may_be_a_dict_or_else_is_gone_over_while_dicts_change():
  def node(v, name, *kids):
    return {"v": v, "flag": v > 1, "name": name, "items": {}, "kids": list(kids)}

  def build(recursive):
    @recursive
    def visit(n):
      for k in n["kids"]:
        n["items"][k["name"]] = visit(k) + k["v"]
      total = n["v"]
      for x in n["items"].values():
        total += x
      return total

    return visit

  agrees(
    build, lambda: [(node(3, "r", node(1, "a"), node(2, "b", node(4, "c"))),), (node(1, "x"),)]
  )
