"""Programs for `rtf.function`, written from its pages alone: one in each public function."""

import importlib
import inspect
import pkgutil


def all_programs():
  """Returns a dict from "module.function" to the function that makes the program."""
  programs = {}
  for info in pkgutil.iter_modules(__path__):
    if info.name.startswith("_"):
      continue
    module = importlib.import_module(f"{__name__}.{info.name}")
    for name, value in vars(module).items():
      is_here = inspect.isfunction(value) and value.__module__ == module.__name__
      if is_here and not name.startswith("_"):
        programs[f"{info.name}.{name}"] = value
  return programs
