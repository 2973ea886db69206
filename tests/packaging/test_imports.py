"""How the modules of the package import each other."""

import ast
import graphlib


def _imported(tree, names):
  """Yields the modules among `names` that a module imports, wherever in it; not for types only."""
  for_types = {
    id(part)
    for node in ast.walk(tree)
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    for statement in node.body
    for part in ast.walk(statement)
  }
  for node in ast.walk(tree):
    if id(node) in for_types:
      continue
    if isinstance(node, ast.Import):
      yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
      found = {f"{node.module}.{alias.name}": node.module for alias in node.names}
      yield from (name if name in names else module for name, module in found.items())


def test_the_imports_of_the_package_have_no_cycle(repository):
  trees = {}
  for folder in ("recursive_tf", "datasets", "models"):
    parent = "" if folder == "recursive_tf" else "recursive_tf."
    for path in (repository / folder).rglob("*.py*"):
      if path.suffix in (".py", ".pyi"):  # The latter of what is built.
        name = ".".join(path.relative_to(repository).with_suffix("").parts)
        trees[parent + name.removesuffix(".__init__")] = ast.parse(path.read_text())
  graph = {name: set(_imported(tree, trees)) & set(trees) for name, tree in trees.items()}
  assert len(graph) > 150
  list(graphlib.TopologicalSorter(graph).static_order())
