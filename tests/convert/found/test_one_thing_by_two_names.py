"""A number that is written by one name and read by another, in a recursion and in a step.

Each kind of number has several ways to it; each is written by each of them, and read by each.
"""

import sys
import types

import pytest

import recursive_tf as rtf
from tests.convert.compare import Comparison
from tests.convert.syntax.lowering import defined_in

# By what the number belongs to, the ways to it; the last ones only read.
WAYS = {
  "a known object": (
    *("CFG.total", "n.cfg.total", "n.options['cfg'].total", "D['total']", "BORG.total"),
    *("n.borg.total", "CFG.__dict__['total']", "n.space['total']", "getattr(CFG, 'total')"),
  ),
  "a module": ("COUNT", "module.COUNT", "n.module.COUNT", "get.__globals__['COUNT']", "get()"),
  "a class": (
    *("Base.count", "type(n).count", "n.__class__.count", "n.kind.count", "KIND.count"),
    *("n.count", "n.get_count()", "n.kids[0].count if n.kids else 0"),
  ),
  "a function": ("get.calls", "n.function.calls", "get.__dict__['calls']"),
  "a node": (
    *("n.v", "n.me.v", "n.list[0].v", "n.__dict__['v']", "n.space_of['v']", "ROOT.v"),
    *("n.get()", "getattr(n, 'v')", "n.shared.v"),
  ),
  "a dict": ("STATE['n']", "n.state['n']", "CFG.state['n']", "BORG.state['n']", "n.cfg.state['n']"),
}
NUM_READ_ONLY = {"a known object": 1, "a module": 1, "a class": 3, "a node": 3}

_WORLD = """
class Config:
  def __init__(self):
    self.total, self.state = 0, STATE

class Base:
  count = 0

  def __init__(self, v, *kids):
    self.v, self.kids, self.me, self.list = v, list(kids), self, [self]
    self.cfg, self.borg, self.options, self.space = CFG, BORG, {"cfg": CFG}, D
    self.module, self.kind, self.function, self.state = module, Base, get, STATE
    self.space_of, self.shared = self.__dict__, SHARED
    self.shared.v = v

  def get(self):
    return self.v

  def get_count(self):
    return self.count

def get():
  return COUNT

COUNT, STATE, get.calls, KIND = 0, {"n": 0}, 0, Base
CFG, BORG, SHARED = Config(), Config(), Config()
D = BORG.__dict__ = CFG.__dict__
ROOT = Base(1, Base(2, Base(4), Base(5)), Base(3))

def recursion(decorate):
  @decorate
  def visit(n):
    global COUNT
    out = [x for k in n.kids for x in visit(k)]
    WRITE
    out.append(READ)
    return out
  return visit

def step(decorate):
  @decorate
  def visit(n):
    global COUNT
    WRITE
    return n.kids[0].v, READ
  return visit

def f(shape, decorate):
  return {"recursion": recursion, "step": step}[shape](decorate)
"""


def _cases():
  for kind, ways in WAYS.items():
    for write in ways[: len(ways) - NUM_READ_ONLY.get(kind, 0)]:
      for read in ways:
        yield kind, write, read


def _numbers(COUNT, STATE, CFG, Base, get, ROOT, **_):
  values = [node.v for node in (ROOT, *ROOT.kids)]
  return [COUNT, STATE, CFG.total, Base.count, get.calls, *values]


@pytest.mark.parametrize("kind, write, read", list(_cases()))
@pytest.mark.parametrize("shape", ["recursion", "step"])
def test_what_is_written_is_read(shape, kind, write, read, monkeypatch):
  decorators = {"recursion": rtf.recursive, "step": rtf.function}
  worlds = []
  for number, decorate in enumerate((lambda f: f, lambda f: decorators[shape](f, verify=False))):
    module = types.ModuleType(f"world_{number}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    text = _WORLD.replace("WRITE", f"{write} += 1").replace("READ", read)
    module.module = module
    make = defined_in(vars(module), text)
    worlds.append((vars(module), make(shape, decorate)))
  for _ in range(3):
    results = [visit(space["ROOT"]) for space, visit in worlds]
    states = [_numbers(**space) for space, _ in worlds]
    Comparison().check([results[0], states[0]], [results[1], states[1]], "result and state")
