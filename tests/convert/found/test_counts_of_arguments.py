"""Methods of lists and dicts that are given more or fewer arguments than they take."""

import pytest

import recursive_tf as rtf


class Node:
  """A node with containers."""

  def __init__(self, value, *kids):
    self.value, self.kids, self.items, self.table = value, list(kids), [1, 2], {"a": 1}


CALLS = {
  "list": {
    "append": lambda x, n: x.append(n.value, 1),
    "append by name": lambda x, n: x.append(object=1),
    "extend": lambda x, n: x.extend([1], [2]),
    "pop": lambda x, n: x.pop(0, 1),
    "pop by name": lambda x, n: x.pop(index=0),
    "insert of one": lambda x, n: x.insert(1),
    "insert of three": lambda x, n: x.insert(0, n.value, 2),
    "clear": lambda x, n: x.clear(1),
    "reverse": lambda x, n: x.reverse(1),
    "copy": lambda x, n: x.copy(1),
    "count": lambda x, n: x.count(),
    "index": lambda x, n: x.index(),
  },
  "dict": {
    "pop": lambda x, n: x.pop(),
    "pop by name": lambda x, n: x.pop("a", d=1),
    "get": lambda x, n: x.get("a", 1, 2),
    "get by name": lambda x, n: x.get(key="a"),
    "setdefault": lambda x, n: x.setdefault(),
    "update": lambda x, n: x.update({}, {}),
    "clear": lambda x, n: x.clear(1),
    "keys": lambda x, n: x.keys(1),
  },
}


@pytest.mark.parametrize("where", ["outside", "made", "of the tree"])
@pytest.mark.parametrize("kind, name", [(kind, name) for kind in CALLS for name in CALLS[kind]])
def test_python_raises(kind, name, where):
  call, make = CALLS[kind][name], {"list": lambda: [1, 2], "dict": lambda: {"a": 1}}[kind]
  outside = make()

  def f(n):
    if where == "made":
      found = [1, 2] if kind == "list" else {"a": 1}
    elif where == "outside":
      found = outside
    else:
      found = n.items if kind == "list" else n.table
    call(found, n)
    return [n.value] + [x for k in n.kids for x in f(k)]

  graph = rtf.recursive(f)
  for _ in range(2):
    node = Node(1, Node(2))
    with pytest.raises(TypeError):
      graph(node)
    assert (node.items, node.table, outside) == ([1, 2], {"a": 1}, make())
  assert graph.stats.num_converted_runs == 0


FUNCTIONS = {
  "bool": lambda n: bool(n.value, 1),
  "int": lambda n: int(n.value, 1, 2),
  "float": lambda n: float(n.value, 1),
  "getattr": lambda n: getattr(n, "value", 1, 2),
  "getattr of one": lambda n: getattr(n),
  "min": lambda n: min(n.value, 3, default=1),
  "len": lambda n: len(n.items, 1),
  "abs": lambda n: abs(),
  "sum": lambda n: sum(n.items, 1, 2),
  "sorted": lambda n: sorted(n.items, None),
  "round": lambda n: round(n.value, 1, 2),
  "isinstance": lambda n: isinstance(n),
  "range": lambda n: len(range(1, n.value, 1, 1)),
  "any": lambda n: any(n.items, 1),
  "list": lambda n: list(n.items, 1),
  "str": lambda n: str(n.value, 1, 2, 3),
  "divmod": lambda n: divmod(n.value),
  "enumerate": lambda n: [x for x in enumerate(n.items, 1, 2)],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_python_raises_of_builtins(name):
  call = FUNCTIONS[name]

  @rtf.recursive
  def f(n):
    return [call(n)] + [x for k in n.kids for x in f(k)]

  for _ in range(2):
    with pytest.raises(TypeError):
      f(Node(1, Node(2)))
  assert f.stats.num_converted_runs == 0
