"""SubGraphs of functions: one for each kind of arguments."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Hashable

import tensorflow as tf

from recursive_tf.convert.frame._lifting import Lifted
from recursive_tf.convert.syntax.source import FunctionSource
from recursive_tf.convert.values._forms import BaseForm, Form
from recursive_tf.subgraph import SubGraph


@dataclasses.dataclass
class Instance:
  """One function for one kind of arguments: one SubGraph.

  Attributes:
    key: what its calls have in common, the same in each attempt.
    name: the function's name.
    node: its definition.
    source: where that is.
    lifted: parameters, and variables of enclosing functions it uses; how to make them inside.
    forms: their forms, in order.
    result: the form of what it returns; None while unknown.
    subgraph: the SubGraph of this attempt; None of an entry function in the graph itself.
  """

  key: Hashable
  name: str
  node: ast.FunctionDef
  source: FunctionSource
  lifted: Lifted
  forms: tuple[BaseForm, ...]
  result: Form
  subgraph: SubGraph | None


NOTHING = tf.TensorSpec([], tf.int32)  # What a call takes or returns that has no tensors.


def name_of_function(node: ast.FunctionDef) -> str:
  return {"_rtf_lambda": "lambda", "<lambda>": "lambda", "<loop>": "loop"}.get(node.name, node.name)
