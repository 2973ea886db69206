"""Random imperative programs for `@rtf.function`, as Python source, compared with plain Python.

A program is a step as users write one: it reads and writes a model's variables, attributes, lists
and dicts, branches and loops on what Python or the run knows, records tapes and applies gradients,
prints, and sometimes raises. Run many, and keep those that mean something else:

    python -m tests.convert.function.random_steps --count 500 --seed 3 --keep /tmp/different
"""

import argparse
import collections
import importlib.util
import os
import pathlib
import random
import tempfile

from tests.convert.function import harness
from tests.convert.source_writer import SourceWriter

HEAD = """\
import tensorflow as tf


class Box:
  pass


class Model(tf.Module):
  def __init__(self):
    super().__init__()
    self.w = tf.Variable([0.3, -0.2, 0.5])
    self.v = tf.Variable([0.9, 0.1, -0.7])
    self.m = tf.Variable([[0.2, 0.5, -0.3], [-0.6, 0.1, 0.4], [0.3, -0.2, 0.7]])
    self.steps = tf.Variable(0)


def make(decorate):
  model, box = Model(), Box()
  box.count, box.rate, box.last, box.h = 0, 0.5, None, tf.zeros([3])
  box.items, box.table, box.pair, box.log = [], {"a": tf.ones([3])}, (tf.ones([3]), 1), []
  optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.5)
  total = 0

  def helper(a, b=None, *, scale=0.5):
    if b is None:
      return tf.tanh(a) * scale
    c = tf.tanh(a - b)
    return c if scale > 0 else -c

"""
TAIL = """
  state = lambda: [vars(box), total, model.w, model.v, model.m, model.steps]
  a, b, c = (tf.constant(n) for n in (
    [[0.1, -0.4, 0.7], [0.5, 0.2, -0.3]], [[-0.6, -0.1, 0.2]],
    [[0.3, 0.3, -0.8], [-0.2, 0.9, 0.1], [0.4, -0.7, 0.6]]))
  calls = [
    (a, 2, True), (a, 2, True), (b, 1, False), (c, 3, True), (-a, 0, False),
    lambda: setattr(box, "rate", 0.25), (a, 4, True), (-c, 2, False),
    lambda: model.w.assign([0.7, 0.1, -0.4]), (b, 2, True), (c, -1, False),
  ]
  return step, calls, state
"""
_FLOAT32 = 1e-5  # Many floats are read from tensors.
RESULTS = ("tensor", "tensor", "scalar", "int", "float", "pair", "dict", "list", "none")


class StepWriter(SourceWriter):
  """Writes one program."""

  def __init__(self, random):
    super().__init__(random)
    self.result = self.pick(RESULTS)
    self._num_loops = 0

  # --- Expressions

  def _ints(self, depth):
    simple = [
      lambda: str(self.pick([0, 1, 2, 3, -1])), lambda: "n", lambda: "n", lambda: "box.count",
      lambda: "x.shape[0]", lambda: "len(box.items)", lambda: "total", lambda: "box.pair[1]",
      lambda: "len(x)",
    ]  # fmt: skip
    return simple if depth == 0 else [
      *simple,
      lambda: f"({self.expr('int', depth - 1)} {self.pick('+-*')} {self.expr('int', depth - 1)})",
      lambda: f"{self.pick(['max', 'min'])}({self.expr('int', depth - 1)}, {self.expr('int', 0)})",
      lambda: f"abs({self.expr('int', depth - 1)}) % {self.pick([2, 3])}",
      lambda: f"int({self.expr('scalar', depth - 1)} > 0.1)",
    ]  # fmt: skip

  def _floats(self, depth):
    simple = [lambda: str(self.pick([0.5, -1.5, 0.25])), lambda: "box.rate", lambda: "box.rate"]
    return simple if depth == 0 else [
      *simple,
      lambda: f"({self.expr('float', depth - 1)} {self.pick('+-*')} {self.expr('int', 0)})",
      lambda: f"{self.expr('int', depth - 1)} / 2",
      lambda: f"float({self.expr('scalar', depth - 1)})",
      lambda: f"max({self.expr('float', depth - 1)}, 0.1)",
    ]  # fmt: skip

  def _bools(self, depth):
    def compare(kind):
      return f"{self.expr(kind, depth)} {self.pick(['<', '>', '>='])} {self.expr(kind, 0)}"

    simple = [
      lambda: "flag", lambda: compare("int"), lambda: compare("float"),
      lambda: f"{self.expr('scalar', depth)} > {self.pick([0, 0.1, -0.3])}",
      lambda: f"tf.reduce_sum({self.expr('tensor', depth)}) > 0.0",
      lambda: "box.last is None", lambda: "box.items", lambda: "'k' in box.table",
      lambda: "len(box.items) > 1", lambda: f"tf.reduce_all({self.expr('tensor', 0)} < 1.0)",
    ]  # fmt: skip
    return simple if depth == 0 else [
      *simple,
      lambda: f"not ({self.expr('bool', depth - 1)})",
      lambda: f"({self.expr('bool', depth - 1)} {self.pick(['and', 'or'])} {self.expr('bool', 0)})",
    ]  # fmt: skip

  def _scalars(self, depth):
    simple = [lambda: "tf.reduce_sum(x)", lambda: "tf.reduce_mean(model.w)", lambda: "x[0, 1]"]
    return simple if depth == 0 else [
      *simple,
      lambda: f"tf.reduce_{self.pick(['sum', 'mean', 'max'])}({self.expr('tensor', depth - 1)})",
      lambda: f"({self.expr('scalar', depth - 1)} {self.pick('+-*')} {self.expr('scalar', 0)})",
      lambda: f"({self.expr('scalar', depth - 1)} {self.pick('+*')} {self.expr('float', 0)})",
      lambda: f"tf.tanh({self.expr('scalar', depth - 1)})",
      lambda: f"tf.cast({self.expr('int', depth - 1)}, tf.float32)",
    ]  # fmt: skip

  def _tensors(self, depth):
    simple = [
      lambda: "model.w", lambda: "model.v * 1.0", lambda: "x[0]", lambda: "x[-1]",
      lambda: "tf.reduce_sum(x, 0)", lambda: "box.h", lambda: "box.pair[0]",
      lambda: "box.table['a']", lambda: "(box.last if box.last is not None else x[0])",
      lambda: "(box.items[-1] if box.items else model.v)", lambda: "box.table.get('k', x[0])",
    ]  # fmt: skip

    def one():
      return self.expr("tensor", depth - 1)

    return simple if depth == 0 else [
      *simple,
      lambda: f"tf.tanh({one()} {self.pick('+-*')} {self.expr('tensor', 0)})",
      lambda: f"({one()} * {self.expr('float', depth - 1)})",
      lambda: f"({one()} + {self.expr('scalar', depth - 1)})",
      lambda: f"tf.linalg.matvec(model.m, {one()})",
      lambda: f"helper({one()}, {self.expr('tensor', 0)}, scale={self.expr('float', 0)})",
      lambda: f"helper({one()})",
      lambda: f"tf.where({one()} > 0, {self.expr('tensor', 0)}, {self.expr('tensor', 0)})",
      lambda: f"tf.add_n([{one()}, {self.expr('tensor', 0)} * 1.0])",
      lambda: f"sum([row * {self.expr('float', 0)} for row in x])",
      lambda: f"max([{one()}, {self.expr('tensor', 0)}], key=lambda t: float(tf.reduce_sum(t)))",
      lambda: f"(lambda t: t * {self.expr('float', 0)})({one()})",
    ]  # fmt: skip

  # --- Statements

  def statements(self, count, least=0):
    """Writes up to `count` statements."""
    for _ in range(least + self._random.randrange(count + 1)):
      self.statement()

  def statement(self):
    """Writes a statement."""
    kinds = ["assign"] * 3 + ["change"] * 2 + ["branch"] * 3 + ["loop"] * 2 + ["effect"] * 6
    # What a `try` catches is left to plain Python: rarely.
    kinds += ["guarded"] * self.chance(0.1)
    kinds += ["local_list", "tape", "shown", "rare", "write_variable", "nested"]
    getattr(self, f"do_{self.pick(kinds)}")()

  def do_assign(self):
    """Makes a variable of Python's."""
    kind = self.pick(["int", "float", "tensor", "tensor", "scalar", "bool"])
    value, name = self.expr(kind, 3), self.name()
    self.line(f"{name} = {value}")
    self.define(kind, name)

  def _variables(self):
    return [
      (kind, name)
      for kind in ("int", "float", "tensor", "scalar")
      for name in self._scope.get(kind, [])
      if name.isidentifier() and name[0] == "x" and name != "x"
    ]

  def do_change(self):
    """Changes a variable of Python's."""
    if not self._variables():
      self.do_assign()
    if self._variables():
      kind, name = self.pick(self._variables())
      # A variable of TensorFlow's cannot be changed by an operator: Python raises.
      op = "=" if kind == "tensor" else self.pick(["=", "+=", "-=", "*="])
      self.line(f"{name} {op} {self.expr(kind, 2)}")

  def do_branch(self):
    """Writes a conditional."""
    with self.block(f"if {self.cond()}:"):
      self.statements(1, 1)
    if self.chance(0.2):
      with self.block(f"elif {self.cond()}:"):
        self.statements(2)
    if self.chance(0.5):
      with self.block("else:"):
        self.statements(2)

  def do_loop(self):
    """Writes a loop."""
    self._num_loops += 1
    if self._num_loops > 3:
      return self.do_change()
    index = self.name("i")
    heads = [
      (f"for {index} in range({self.pick(['2', 'n', 'x.shape[0]', 'box.count % 4'])}):", "int"),
      (f"for {index} in x:", "tensor"),
      (f"for {index} in box.items:", "tensor"),
      (f"for {index}, _ in zip(x, range(2)):", "tensor"),
      (f"for _, {index} in enumerate(x):", "tensor"),
    ]
    if self.chance(0.25):
      return self._while()
    if not self._variables():
      self.do_assign()
    head, kind = self.pick(heads)
    with self.block(head):
      self.define(kind, index)
      self.do_change()
      if self.chance(0.3):
        with self.block(f"if {self.cond()}:"):
          self.line(self.pick(["break", "continue"]))
      if "box.items" not in head:
        self.statements(1)
    return None

  def _while(self):
    count = self.name("k")
    limit = self.pick(["3", "n", "x.shape[0]"])
    test = self.pick(["", f" and {self.cond()}"])
    self.line(f"{count} = 0")
    with self.block(f"while {count} < {limit}{test}:"):
      self.line(f"{count} += 1")
      self.define("int", count)
      self.do_change()
      if self.chance(0.3):
        with self.block(f"if {self.cond()}:"):
          self.line("break")
      self.statements(1)

  def do_local_list(self):
    """Makes a list, and what can be read of it."""
    name, kind = self.name("l"), self.pick(["int", "tensor", "tensor"])
    self.line(f"{name} = [{self.expr(kind, 1)}]")
    with self.block(self.pick(["if flag:", f"if {self.cond()}:", "for row in x:"])):
      self.line(f"{name}.append({self.expr(kind, 1)})")
    if self.chance(0.3):
      self.line(f"{name}[0] = {self.expr(kind, 1)}")
    self.define("int", f"len({name})")
    if kind == "int":
      self.define("int", f"sum({name})")
      self.define("bool", f"any(one > 1 for one in {name})")
    else:
      self.define("tensor", f"tf.add_n([one * 1.0 for one in {name}])")
      self.define("tensor", f"tf.reduce_max(tf.stack({name}), 0)")
      self.define("tensor", f"{name}[-1]")

  def do_effect(self):
    """Changes something that is there before and after the call."""
    tensor, number = (lambda: self.expr("tensor", 1)), (lambda: self.expr("int", 1))
    key = self.pick(["'a'", "'k'", "n"])
    writes = [
      lambda: f"box.count += {self.pick([1, 2])}", lambda: f"box.count = {number()} % 5",
      lambda: f"box.rate = min(max({self.expr('float', 1)}, -2.0), 2.0)",
      lambda: f"box.h = {tensor()}", lambda: f"box.last = {tensor()}", lambda: "box.last = None",
      lambda: f"box.items.append({tensor()})", lambda: f"box.table[{key}] = {tensor()}",
      lambda: f"box.pair = ({tensor()}, {number()} % 7)", lambda: f"box.log.append({number()} % 9)",
      lambda: f"box.pair, box.h = ({tensor()}, 2), {tensor()}", lambda: "total += 1",
      lambda: f"box.items = [{tensor()}, {tensor()}]", lambda: "box.items = box.items[-2:]",
      lambda: "del box.items[:-1]" if self.chance(0.2) else "box.count -= 1",
      lambda: f"box.items.pop({self.pick(['', '0'])}) if box.items else None",
    ]  # fmt: skip
    self.line(self.pick(writes)())

  def do_write_variable(self):
    """Writes a variable of TensorFlow's."""
    name = self.pick(["w", "v"])
    values = [
      f"model.{name}.assign(tf.tanh({self.expr('tensor', 1)}))",
      f"model.{name}.assign_add({self.expr('tensor', 1)} * 0.1)",
      f"model.{name}.assign_sub({self.expr('tensor', 1)} * box.rate * 0.1)",
      "model.steps.assign_add(1)",
      f"model.m[0].assign({self.expr('tensor', 0)})" if self.chance(0.2) else "pass",
    ]
    self.line(self.pick(values))

  def do_tape(self):
    """Records a tape, and does something with the gradients."""
    loss, grads = self.name("loss"), self.name("g")
    with self.block("with tf.GradientTape() as tape:"):
      self.statements(1)
      self.line(f"{loss} = tf.reduce_sum(tf.tanh({self.expr('tensor', 3)}) ** 2)")
      if self.chance(0.7):
        self.line(f"{loss} += tf.reduce_sum(model.w * model.w) + {self.expr('scalar', 1)}")
    self.define("scalar", loss)
    names = self.pick([["w"], ["w", "v"], ["w", "m"]])
    sources = ", ".join(f"model.{name}" for name in names)
    self.line(f"{grads} = tape.gradient({loss}, [{sources}])")
    pairs = f"zip({grads}, [{sources}])"
    if self.chance(0.3):
      self.line(f"optimizer.apply_gradients([(g, w) for g, w in {pairs} if g is not None])")
      return
    with self.block(f"for g, w in {pairs}:"):
      with self.block("if g is not None:"):
        self.line(f"w.assign_sub({self.pick(['0.1', 'box.rate'])} * g)")

  def do_guarded(self):
    """Writes what may raise, and who catches it."""
    name = self.name()
    risky = self.pick(["box.table['k']", "box.items[1]", "box.items[n]", "box.table[n]"])
    with self.block("try:"):
      self.line(f"{name} = {risky}")
    with self.block(f"except {self.pick(['(KeyError, IndexError)', 'LookupError'])}:"):
      self.line(f"{name} = {self.expr('tensor', 1)}")
    self.define("tensor", name)

  def do_shown(self):
    """Prints."""
    kind = self.pick(["int", "bool"])  # Of floats all digits would be compared.
    value = self.expr(kind, 0 if kind == "bool" else 1)
    self.line(f"print({value}, n, sep='/')" if self.chance(0.7) else f"print('at', {value})")

  def do_rare(self):
    """Raises, rarely."""
    rare = self.pick(["n > 3", "box.count > 8", "tf.reduce_sum(x) > 3.0", "n < 0 and not flag"])
    with self.block(f"if {rare}:"):
      self.line("raise ValueError('rare')")

  def do_nested(self):
    """Defines a function inside, and calls it."""
    name, found = self.name("f"), self.name()
    with self.block(f"def {name}(t, k=1):"):
      scope = {kind: list(names) for kind, names in self._scope.items()}
      self.define("tensor", "t")
      with self.block(f"if {self.cond()}:"):
        self.line(f"return {self.expr('tensor', 1)}")
      self.line(f"return t * {self.expr('float', 1)} + k")
      self._scope = scope
    self.line(f"{found} = {name}({self.expr('tensor', 1)}, k={self.expr('int', 0)})")
    self.define("tensor", found)

  # --- The program

  def returned(self):
    """Returns an expression of the step's result."""
    return {
      "pair": lambda: f"{self.expr('tensor', 1)}, {self.expr('int', 1)}",
      "dict": lambda: f"{{'h': {self.expr('tensor', 1)}, 'n': {self.expr('float', 1)}}}",
      "list": lambda: f"[{self.expr('tensor', 1)}, {self.expr('scalar', 1)}]",
      "none": lambda: "None",
    }.get(self.result, lambda: self.expr(self.result, 2))()

  def program(self):
    """Writes a program and returns its text."""
    self.line("@decorate")
    with self.block("def step(x, n, flag):"):
      self.line("nonlocal total")
      self.statements(4, 2)
      if self.chance(0.25):
        with self.block(f"if {self.cond()}:"):
          self.do_effect()
          self.line(f"return {self.returned()}")
      self.statements(3)
      self.line(f"return {self.returned()}")
    return HEAD + "\n".join(self.lines) + "\n" + TAIL


def program(seed):
  """Returns the text of the program of a seed."""
  return StepWriter(random.Random(seed)).program()


def compared(seed):
  """Runs the program of a seed plainly and as graphs; returns the text and the `Report`."""
  text = program(seed)
  with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, f"random_step_{seed}.py")
    pathlib.Path(path).write_text(text)
    spec = importlib.util.spec_from_file_location(f"random_step_{seed}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return text, harness.run(f"seed {seed}", module.make, _FLOAT32)


def main():
  """Runs many programs, and tells how they went."""
  parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
  parser.add_argument("--count", type=int, default=100, help="how many programs (100)")
  parser.add_argument("--seed", type=int, default=0, help="gives a million programs of its own (0)")
  parser.add_argument("--first", type=int, default=0, help="the first of the seed's programs (0)")
  parser.add_argument("--keep", type=pathlib.Path, help="a folder for those that differ")
  args = parser.parse_args()
  num_graph_runs = num_plain_runs = num_different = num_converted = num_refused = 0
  reasons, slow = collections.Counter(), (0.0, None)
  begin = args.seed * 1_000_000 + args.first
  for seed in range(begin, begin + args.count):
    text, report = compared(seed)
    num_graph_runs += report.num_graph_runs
    num_plain_runs += report.num_plain_runs
    num_converted += report.num_plain_runs == 0
    num_refused += report.num_graph_runs == 0
    reasons.update({reason.code: count for reason, count in report.reasons.items()})
    slow = max(slow, (report.seconds, seed))
    if report.difference is not None:
      num_different += 1
      print(f"seed {seed}: {report.difference}", flush=True)
      if args.keep is not None:
        args.keep.mkdir(parents=True, exist_ok=True)
        said = f"# {report.difference}\n".replace("\n", "\n# ")[:-2]
        (args.keep / f"step_{seed}.py").write_text(said + text)
  num_runs = num_graph_runs + num_plain_runs
  print(f"{args.count} programs, {num_different} different")
  num_mixed = args.count - num_converted - num_refused
  print(f"all calls as graphs {num_converted}, some {num_mixed}, none {num_refused}")
  print(f"{num_graph_runs} of {num_runs} calls ran as graphs ({num_graph_runs / num_runs:.0%})")
  print(f"the slowest took {slow[0]:.1f} s (seed {slow[1]})")
  for code, count in reasons.most_common():
    print(f"  {count:6d} {code}")


if __name__ == "__main__":
  main()
