"""All programs of the suite."""

from tests.convert.programs import (
  afresh,
  aliases,
  containers,
  control_flow,
  effects,
  functions,
  issues,
  number_rules,
  numbers,
  objects,
  refused,
  run_time_structure,
  shared_objects,
  tree_models,
)
from tests.convert.programs.registry import Program

MODULES = (
  tree_models,
  control_flow,
  numbers,
  objects,
  containers,
  shared_objects,
  effects,
  functions,
  run_time_structure,
  issues,
  afresh,
  aliases,
  number_rules,
  refused,
)


def all_programs():
  """Returns the programs, in the order of the files and of their text."""
  return [entry for module in MODULES for entry in vars(module).values() if is_program(entry)]


def is_program(value):
  """Returns whether a module's attribute is a program."""
  return isinstance(value, Program)
