"""Functions made of text, with the source that a converter looks for."""

import linecache


def compiled(source, name, filename=None, **names):
  """Returns the function `name` of a module with `source`, in which `names` are known."""
  filename = filename or f"<{source}>"
  linecache.cache[filename] = len(source), None, source.splitlines(keepends=True), filename
  found = {"__name__": name, **names}
  exec(compile(source, filename, "exec"), found)
  return found[name]
