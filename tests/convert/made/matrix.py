"""The matrix of programs that make objects: converted, refused, or different."""

import importlib.util
import pathlib
import sys

import recursive_tf as rtf
from tests.convert.made.source import DIMENSIONS
from tests.convert.made.trees import Tree, check_same, deep, leaf, small
from tests.convert.matrix.covering import covering_rows


def rows():
  """Returns rows of levels in which each pair of levels occurs."""
  return covering_rows(DIMENSIONS)


def load(source, folder, name):
  """Returns the module of a source that is kept in a file."""
  path = pathlib.Path(folder) / f"{name}.py"
  path.write_text(source)
  spec = importlib.util.spec_from_file_location(name, path)
  module = importlib.util.module_from_spec(spec)
  sys.modules[name] = module
  spec.loader.exec_module(module)
  return module


def kept(tree):
  """Returns what a program has kept on the nodes of a tree, and forgets it."""
  found, seen, agenda = [], set(), [tree]
  while agenda:
    node = agenda.pop()
    if isinstance(node, Tree) and id(node) not in seen:
      seen.add(id(node))
      found.append(node.made)
      node.made = None
      agenda += node.kids
  return found


def compare(make, depth=60):
  """Runs a program both ways on several trees; returns the code of its refusal, or None.

  Raises:
    AssertionError: If anything differs.
  """
  function = rtf.recursive(verify=False)(make)
  for tree in (small(), leaf(), small(), deep(depth)):
    plain = [make(tree)]
    plain += kept(tree)
    converted = [function(tree)]
    converted += kept(tree)
    check_same(plain, converted)
  codes = [reason.code for reason in function.stats.fallbacks]
  return codes[0] if codes else None
