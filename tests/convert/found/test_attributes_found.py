"""Attributes that may be there or not, and those that code of the user's gives."""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, root


class Logging:
  """Gives any attribute, and notes which were asked for."""

  def __init__(self):
    self.log = []

  def __getattr__(self, name):
    if name.startswith("_"):
      raise AttributeError(name)
    self.log.append(name)
    return 5.0


class Half:
  """A descriptor that notes how often it is read."""

  def __get__(self, owner, kind):
    owner.reads.append(1)
    return owner.x / 2


class WithDescriptor:
  half = Half()

  def __init__(self):
    self.reads = []
    self.x = 4.0


class Pretending:
  """Says that it is of another class."""

  @property
  def __class__(self):
    return int


def programs(make, own):
  """Returns `build` for `agrees`: a program that does `own(object)` at each node."""

  def build(recursive):
    held = make()

    @recursive
    def visit(n):
      for k in n.kids:
        visit(k)
      return own(held)

    return visit, list(vars(held).values())

  return build


@pytest.mark.parametrize(
  "make, own",
  [
    (Logging, lambda x: x.anything),
    (Logging, lambda x: getattr(x, "anything", 1.0)),
    (Logging, lambda x: hasattr(x, "anything")),
    (WithDescriptor, lambda x: x.half),
    (WithDescriptor, lambda x: getattr(x, "half", 1.0)),
    (WithDescriptor, lambda x: hasattr(x, "half")),
    (Pretending, lambda x: isinstance(x, int)),
  ],
)
def test_code_that_gives_attributes_is_not_run_for_a_graph(make, own):
  agrees(programs(make, own), lambda: [(root(),), (root(),)], Reason.OPAQUE_READ)


def test_a_node_that_says_it_is_of_another_class():
  def build(recursive):
    @recursive
    def visit(n):
      return isinstance(n.box, int), [visit(k) for k in n.kids]

    return visit

  def tree():
    found = root()
    for n in [found, *found.kids]:
      n.box = Pretending()
    return found

  f = rtf.recursive(build(lambda f: f), verify=False)
  assert f(tree()) == f.python(tree())
  assert f.stats.fallbacks == {Reason.OPAQUE_READ: 1}


@pytest.mark.parametrize(
  "own",
  [
    lambda x: hasattr(x, "bias"),
    lambda x: 1.0 if hasattr(x, "bias") else 2.0,
    lambda x: getattr(x, "bias", 7.0),
    lambda x: x.bias if hasattr(x, "bias") else 0.0,
  ],
)
def test_an_attribute_comes_and_goes(own):
  class Model:
    pass

  models = Model(), Model()

  def visiting(model):
    def visit(n):
      for k in n.kids:
        visit(k)
      return own(model)

    return visit

  plain, f = visiting(models[0]), rtf.recursive(visiting(models[1]), verify=False)
  for value in (1.5, None, 2.5, None):
    for model in models:
      if value is None:
        del model.bias
      else:
        model.bias = value
    assert f(root()) == plain(root())
  assert f.stats.num_converted_runs == 4, f.explain()


def test_attributes_of_nodes_that_come_and_go():
  def build(recursive):
    @recursive
    def total(n):
      found = (n.extra if hasattr(n, "extra") else 0) + getattr(n, "more", 100)
      return found + sum([total(k) for k in n.kids])

    return total

  def tree(*names):
    found = root()
    for name in names:
      setattr(found, name, 3)
    return found

  calls = lambda: [(tree(*names),) for names in ((), ("extra",), ("more",), ("extra", "more"), ())]  # noqa: E731
  agrees(build, calls, CONVERTED)


MADE = {
  "list": lambda n: [kid.v for kid in n.kids],
  "list_or_none": lambda n: [kid.v for kid in n.kids] or None,
  "dict": lambda n: {"v": n.v},
  "dict_or_none": lambda n: {"v": n.v} if n.kids else None,
  "table": lambda n: {kid.v: kid for kid in n.kids},
  "set": lambda n: {kid.v for kid in n.kids},
  "string": lambda n: n.name + "!",
  "one_or_other": lambda n: n.v if n.kids else n.name,
  "tensor": lambda n: tf.constant(1.0) * n.v,
}
ASKED = {
  "default": lambda x: getattr(x, "shape", None) is None,
  "has": lambda x: [hasattr(x, "shape"), hasattr(x, "append"), hasattr(x, "add")],
  "called": lambda x: getattr(x, "shape", len)([1, 2]),
  "of_a_class": lambda x: [getattr(x, name, None) is None for name in ("__name__", "__hash__")],
  "class": lambda x: x.__class__.__name__,
  "read": lambda x: x.shape is None,
}


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("asked", ASKED)
def test_values_have_the_attributes_of_their_classes(made, asked):
  def build(recursive):
    @recursive
    def f(n):
      return [ASKED[asked](MADE[made](n)), *[f(kid) for kid in n.kids]]

    return f

  agrees(build, lambda: [(root(),), (root().kids[0],)])


def test_a_dict_of_what_are_no_pairs_raises():
  def build(recursive):
    @recursive
    def f(n):
      return dict({"ab": n.v, "c": 1}.keys()) if n.kids else {}

    return f

  agrees(build, lambda: [(root(),), (root().kids[0],)])
