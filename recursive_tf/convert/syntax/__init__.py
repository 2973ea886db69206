"""The passes that turn a function's syntax into the few forms that the interpreter knows.

`pipeline.prepare` runs them. Rewriting passes: fence (only refuses), desugar, loop_exits,
single_exit. Analysis passes, which only annotate: bindings, liveness, append_loops. What they
leave is called core Python:

Statements: `Assign` with one target (a name, attribute, subscript, or tuple or list of targets,
with a star or not), `AugAssign`, `Expr`, `If`, `For`, `While`, `Return` at the end of a way through
the function only, `Assert`, `Raise`, `Pass`, `FunctionDef` without decorators and annotations,
`Import`, `ImportFrom`, `Global`, `Nonlocal`.
Expressions: all but `Await`, `Yield` and `YieldFrom`; a `Compare` has one operator.

A `FunctionDef` has the annotation LOCALS; what the other annotations say is in `annotations`.

This module imports nothing: `source` reads `scopes`, and the passes read `source`.
"""
