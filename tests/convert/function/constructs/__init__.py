"""Every construct of Python, and what TensorFlow programs do with it, by `@rtf.function`.

A row is a construct: a piece of a step that takes the tensor `y` further, `$` in names that are
its own, `<body>` where another row may stand inside. `pieces.py` makes programs of one row, and of
some, in which each two rows occur together. The rows are those of the syntax tables of JANUS (Jeong
et al., NSDI 2019, and its appendix), by the grammar of Python: a test looks that all of its
statements, expressions, operators and patterns occur.
"""

from tests.convert.function.constructs import calls, control, data, effects

TABLES = {"control": control, "calls": calls, "data": data, "effects": effects}
ROWS = {name: text.strip("\n") for table in TABLES.values() for name, text in table.ROWS.items()}
