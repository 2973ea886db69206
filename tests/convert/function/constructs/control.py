"""Control flow: branches, loops, exits, matches, exceptions, context managers."""

ROWS = {
  "if on a number": """
if n > 1:
  y = y * 0.5
  <body>
else:
  y = y - 0.25
""",
  "if on a tensor": """
if tf.reduce_sum(y) > 0.125:
  y = y * 0.5
  <body>
else:
  y = y + 0.25
""",
  "if without else": """
if tf.reduce_max(y) > 0.375:
  y = y - 0.5
  <body>
""",
  "elif": """
if n > 2:
  y = y * 0.5
elif tf.reduce_sum(y) > 0.25:
  y = y - 0.5
  <body>
elif flag:
  y = y + 0.125
else:
  y = -y
""",
  "conditional expression on a number": "y = y * 0.5 if flag else y - 0.5",
  "conditional expression on a tensor": "y = y * 0.5 if tf.reduce_sum(y) > 0.1 else y - 0.5",
  "while on a number": """
i$ = 0
while i$ < n:
  y = y * 0.75
  i$ += 1
  <body>
""",
  "while on a tensor": """
while tf.norm(y) > 0.625:
  y = y * 0.5
""",
  "while with a tensor that counts": """
i$ = tf.constant(0)
while i$ < n:
  y = y * 0.75 + 0.125
  i$ += 1
  <body>
""",
  "while with else": """
i$ = 0
while i$ < n:
  i$ += 1
else:
  y = y + float(i$)
""",
  "for over a range": """
for i$ in range(n):
  y = y * 0.5 + float(i$)
  <body>
""",
  "for over a list": """
for v$ in [0.5, 0.25, 2.0]:
  y = y * v$
  <body>
""",
  "for over a tensor": """
for v$ in y:
  y = y * 0.5 + v$
""",
  "for over a dict": """
for key$, v$ in {"p": 0.5, "q": 0.25}.items():
  y = y * v$
  box.log.append(key$)
""",
  "for over enumerate and zip": """
for i$, (v$, u$) in enumerate(zip([0.5, 0.25], (1.0, 2.0))):
  y = y * v$ + u$ * i$
""",
  "for with else": """
for i$ in range(n):
  y = y * 0.5
else:
  y = y + 0.5
""",
  "loop in a loop": """
for i$ in range(2):
  for j$ in range(n):
    y = y * 0.75 + float(i$ * j$)
""",
  "break on a number": """
for i$ in range(4):
  if i$ == n:
    break
  y = y * 0.75
""",
  "break on a tensor": """
for i$ in range(4):
  if tf.reduce_sum(tf.abs(y)) < 0.5:
    break
  y = y * 0.5
""",
  "continue": """
for i$ in range(4):
  if i$ == 1 or tf.reduce_sum(y) > 1.0:
    continue
  y = y + 0.25
""",
  "while True with break": """
i$ = 0
while True:
  i$ += 1
  y = y * 0.75
  if tf.norm(y) < 0.75 or i$ > 3:
    break
""",
  "return in a branch": """
if n > 2:
  return y * 2.0
""",
  "return in a branch on a tensor": """
if tf.reduce_sum(y) > 3.0:
  return y
""",
  "return in a loop": """
for i$ in range(3):
  if i$ == n + 1:
    return y
  y = y * 0.75
""",
  "pass": """
if flag:
  pass
else:
  y = y + 0.125
""",
  "and, or, not on numbers": """
if (n > 1 and flag) or not n:
  y = y - 0.25
""",
  "and, or, not on tensors": """
if not (tf.reduce_sum(y) > 0.5 and tf.reduce_max(y) < 2.0 or flag):
  y = y + 0.25
""",
  "comparison in a chain": """
if 0 < n <= 2 and 0.0 < tf.reduce_max(y) < 1.0:
  y = y * 0.5
""",
  "comparisons": """
y = y + float((n == 1) + (n != 2) + (n < 1) + (n >= 3) + (n > 0) + (n <= 2))
""",
  "is, is not": """
if box.last is not None and box.rate is not None:
  y = y + 0.125
if box.last is None:
  y = y - 0.125
""",
  "in, not in": """
if n in (1, 2) and "z" not in box.table:
  y = y * 0.5
""",
  "named expression": """
if (m$ := n * 2) > 2:
  y = y + float(m$)
""",
  "match on values": """
match n:
  case 0:
    y = y + 0.5
  case 1 | 2:
    y = y - 0.5
    <body>
  case _ if flag:
    y = y * 0.5
  case other$:
    y = y + float(other$)
""",
  "match on singletons": """
match box.last:
  case None:
    y = y + 0.25
  case _:
    y = y - 0.25
""",
  "match on a class": """
match Point(y, n):
  case Point(first=f$, second=2):
    y = f$ * 0.5
  case Point(first=f$):
    y = f$ - 0.5
""",
  "match on a sequence": """
match [n, 2, 3]:
  case [1, *rest$]:
    y = y * float(len(rest$))
  case [first$, 2, 3] as all$:
    y = y + float(first$ + len(all$))
""",
  "match on a mapping": """
match {"kind": n, "size": 2}:
  case {"kind": 2, **rest$}:
    y = y + float(len(rest$))
  case {"size": size$}:
    y = y * float(size$)
""",
  "assert": """
assert n >= 0, "n is negative"
assert tf.reduce_sum(tf.abs(y)) >= 0.0
""",
  "raise": """
if n > 2:
  box.log.append("before")
  raise ValueError(f"n is {n}")
""",
  "raise on a tensor": """
if tf.reduce_sum(y) > 4.0:
  raise ValueError("too large")
""",
  "raise from": """
if n > 2:
  raise ValueError("n") from KeyError("m")
""",
  "try and except": """
try:
  if n > 2:
    raise KeyError(n)
  y = y * 0.5
  <body>
except KeyError as error$:
  y = y + float(len(error$.args))
""",
  "try, except, else, finally": """
try:
  y = y * 0.5
except (ValueError, TypeError):
  y = y + 1.0
else:
  y = y - 0.25
finally:
  box.count += 1
""",
  "try and finally": """
try:
  y = y * 0.5
  <body>
finally:
  box.log.append("finally")
""",
  "except without a name": """
try:
  y = y + box.table["a"]
  if flag:
    y = y + box.table["missing"]
except:
  y = y - 0.5
""",
  "except group": """
try:
  y = y * 0.5
except* ValueError:
  y = y + 1.0
""",
  "with a manager of one's own": """
with Manager(box) as value$:
  y = y * value$
  <body>
""",
  "with two managers": """
with Manager(box) as value$, tf.name_scope("scope"):
  y = y + value$
""",
  "with a library's manager": """
with tf.name_scope("inner"), contextlib.suppress(ZeroDivisionError):
  y = y * 0.5
  <body>
""",
  "with a generator's manager": """
with managed(box) as value$:
  y = y * value$
  <body>
""",
}
