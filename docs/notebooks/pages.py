"""Makes a page of each notebook beside it, for the site: `python docs/notebooks/pages.py DIR`."""

import json
import pathlib
import sys


def page(notebook):
  """Returns the Markdown of a notebook, with what its cells printed and drew."""
  parts = []
  for cell in notebook["cells"]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
      parts.append(source.replace(".ipynb)", ".md)"))
      continue
    parts.append(f"```python\n{source}\n```")
    for output in cell["outputs"]:
      data = output.get("data", {"text/plain": output.get("text", [])})
      if "image/svg+xml" in data:
        # Without blank lines, which would end the picture in Markdown.
        lines = "".join(data["image/svg+xml"]).splitlines()
        parts.append("<div>" + "\n".join(line for line in lines if line.strip()) + "</div>")
      elif "".join(data["text/plain"]).strip():
        parts.append(f"```text\n{''.join(data['text/plain']).strip()}\n```")
  return "\n\n".join(parts) + "\n"


def main():
  """Replaces the notebooks below a folder by pages, and links to them."""
  folder = pathlib.Path(sys.argv[1])
  notebooks = list(folder.rglob("*.ipynb"))
  for path in notebooks:
    path.with_suffix(".md").write_text(page(json.loads(path.read_text())))
    path.unlink()
  for path in folder.rglob("*.md"):
    text = path.read_text()
    for notebook in notebooks:
      text = text.replace(f"/{notebook.name})", f"/{notebook.stem}.md)")
    path.write_text(text)


if __name__ == "__main__":
  main()
