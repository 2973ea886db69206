"""Runs a notebook's cells in order in one namespace, as Jupyter would, without it.

python -m tests.docs.notebooks docs/notebooks/*.ipynb      writes what comes out into them
"""

import ast
import contextlib
import io
import json
import linecache
import pathlib
import sys


def run(path):
  """Runs the cells; returns (namespace, outputs of each code cell)."""
  namespace = {"__name__": "__main__"}
  outputs = []
  for number, cell in enumerate(json.loads(path.read_text())["cells"]):
    if cell["cell_type"] == "code":
      outputs.append(_run_cell("".join(cell["source"]), f"<{path.stem}, {number}>", namespace))
  return namespace, outputs


def _run_cell(source, name, namespace):
  # As IPython: functions have a text to be read.
  linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
  body = ast.parse(source, name)
  last = None
  if body.body and isinstance(body.body[-1], ast.Expr):
    last = ast.Expression(body.body.pop().value)
  with contextlib.redirect_stdout(io.StringIO()) as printed:
    exec(compile(body, name, "exec"), namespace)
    value = eval(compile(last, name, "eval"), namespace) if last else None
  outputs = []
  if printed.getvalue():
    outputs.append({"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())})
  if value is not None:
    data = {"text/plain": _lines(repr(value))}
    if hasattr(value, "_repr_svg_"):
      data["image/svg+xml"] = _lines(value._repr_svg_())
    result = {"output_type": "execute_result", "execution_count": None}
    outputs.append({**result, "metadata": {}, "data": data})
  return outputs


def _lines(text):
  return text.splitlines(keepends=True)


def write(path):
  """Puts the outputs into the notebook."""
  notebook = json.loads(path.read_text())
  _, outputs = run(path)
  cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
  for count, (cell, found) in enumerate(zip(cells, outputs, strict=True), 1):
    cell["execution_count"] = count
    cell["outputs"] = [
      {**output, "execution_count": count} if "execution_count" in output else output
      for output in found
    ]
  path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
  for argument in sys.argv[1:]:
    write(pathlib.Path(argument))
