"""Each way to read a list or dict that the program changes in the same call, empty or not."""

import itertools
import textwrap

import pytest
import tensorflow as tf

from recursive_tf.convert import Reason
from tests.convert.agreement import agrees, root
from tests.convert.fuzz.runner import load

# Statements that change `store` and expressions that read it, for one kind of container each.
LIST_WRITES = {
  "append": "for k in n.kids: store.append(ELEMENT)",
  "extend": "store.extend([ELEMENT for k in n.kids])",
  "pop": "for k in n.kids: store.append(ELEMENT)\nif store: store.pop()",
  "set": "for k in n.kids: store.append(ELEMENT)\nif store: store[0] = store[-1]",
  "double": "for k in n.kids: store.append(ELEMENT)\nif store: store.extend(store[:2])",
  "augment": "for k in n.kids: store.append(ELEMENT)\nif store: holder.store += store[:2]",
}
LIST_READS = [
  "len(store)",
  "1 if store else 2",
  "not store",
  "bool(store)",
  "store[-1] if store else None",
  "store[0] if len(store) > 0 else None",
  "store[:1]",
  "store[::-1]",
  "[x for x in store]",
  "list(store)",
  "tuple(store)",
  "list(reversed(store))",
  "[x for _, x in enumerate(store)]",
  "[x for x, _ in zip(store, store)]",
  "store.copy()",
  "store + store",
  "store * 2",
  "[*store, *store]",
  "store is holder.store",
  "store == []",
  "any(True for x in store)",
  "gather(*store)",
  "gather(store)",
  "first(store)",
  "store",
  "(store, len(store))",
  "{'s': len(store)}",
]
NUMBER_READS = [
  "sum(store)",
  "max(store) if store else 0",
  "min(store, default=0)",
  "sorted(store)",
  "n.v in store",
  "2 in store",
  "store.count(2)",
  "store.index(2) if 2 in store else -1",
  "store == [2, 3]",
  "store == list(store)",
  "f'{len(store)}'",
  "str(store)",
  "f'{store}'",
  "tf.constant(store) if store else None",
  "tf.reduce_sum(store) if store else None",
  "print(store)",
]
TENSOR_READS = [
  "tf.stack(store) if store else None",
  "tf.add_n(store) if store else None",
  "sum(store)",
  "[x + 1 for x in store]",
]
DICT_WRITES = {
  "item": "for k in n.kids: store[k.v] = k.v + 1",
  "names": "for k in n.kids: store[k.name] = k.v",
  "count": "for k in n.kids: store[k.name] = store.get(k.name, 0) + 1",
  "default": "for k in n.kids: store.setdefault(k.v, k.v)",
  "update": "store.update({k.v: k.v for k in n.kids})",
}
DICT_READS = [
  "len(store)",
  "1 if store else 2",
  "not store",
  "list(store)",
  "list(store.keys())",
  "list(store.values())",
  "list(store.items())",
  "sum(store.values())",
  "[store[x] for x in store]",
  "2 in store",
  "'a' in store",
  "n.v in store",
  "store.get(2)",
  "store.get('a', 5)",
  "store.get(n.v, 5)",
  "dict(store)",
  "store.copy()",
  "{**store}",
  "store == {}",
  "sorted(store)",
  "max(store.values(), default=0)",
  "str(store)",
  "print(store)",
  "gather(**{'x': store})",
  "first(store)",
  "store",
]
SOURCES = {"closure": "store = kept", "attribute": "store = holder.store"}
PROGRAM = """
import tensorflow as tf

class Holder: pass

def gather(*args, **kwargs): return args, kwargs

def first(s): return [x for x in s][:1]

def build(recursive):
  kept = {initial}
  holder = Holder()
  holder.store = kept

  @recursive
  def f(n):
    {source}
{write}
    found = {read}
    for k in n.kids:
      f(k)
    return found

  return f, [kept, holder]
"""
PROGRAMS = {
  f"{kind}-{how}-{source}": (initial, write.replace("ELEMENT", element), reads, SOURCES[source])
  for kind, initial, element, writes, reads in [
    ("numbers", "[]", "k.v", LIST_WRITES, LIST_READS + NUMBER_READS),
    ("more_numbers", "[2, 5]", "k.v", LIST_WRITES, LIST_READS + NUMBER_READS),
    ("tensors", "[]", "tf.ones([2]) * k.v", LIST_WRITES, LIST_READS + TENSOR_READS),
    ("dict", "{}", "", DICT_WRITES, DICT_READS),
    ("more_dict", "{2: 7}", "", DICT_WRITES, DICT_READS),
  ]
  for (how, write), source in itertools.product(writes.items(), SOURCES)
}


def _calls():
  return [(root(),), (root(),), (root().kids[0],)]


def check(name, tmp_path, reads):
  initial, write, _, source = PROGRAMS[name]
  for number, read in enumerate(reads):
    path = tmp_path / f"{name.replace('-', '_')}_{number}.py"
    path.write_text(
      PROGRAM.format(
        initial=initial, read=read, source=source, write=textwrap.indent(write, " " * 4)
      )
    )
    module = load(path)
    try:
      agrees(module.build, _calls)
    except AssertionError as error:
      raise AssertionError(f"{write}\n{read}\n{error}") from None


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_read_sees_each_change(name, tmp_path):
  """Some of the reads, all of them among all programs; the slow test tries every pair."""
  reads = PROGRAMS[name][2]
  start = list(PROGRAMS).index(name) % 20
  check(name, tmp_path, reads[start::20])


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_read_sees_every_change(name, tmp_path):
  check(name, tmp_path, PROGRAMS[name][2])


@pytest.mark.parametrize("first", [[[1.0, 2.0, 3.0]], [[1.0, 2.0], [1.0, 2.0, 3.0]]])
def test_tensors_of_several_shapes_are_refused(first):
  def build(recursive):
    store = [tf.constant(values) for values in first]

    @recursive
    def f(n):
      for k in n.kids:
        store.append(tf.ones([2]) * k.v)
      return len(store)

    return f, [store]

  agrees(build, _calls, expect={Reason.KINDS_DIFFER})
