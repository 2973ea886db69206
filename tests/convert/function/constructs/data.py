"""Values: numbers, strings, lists, dicts, sets, tuples, items, slices, assignments, `del`."""

ROWS = {
  "assignment to several names": """
u$ = v$ = y * 0.5
y = u$ + v$ * 0.5
""",
  "unpacking": """
u$, (v$, m$) = y, (y * 0.5, n)
y = u$ - v$ + float(m$) * 0.125
""",
  "starred unpacking": """
first$, *rest$ = [y, y * 0.5, y * 0.25]
y = first$ + rest$[-1]
""",
  "unpacking of a tensor": """
u$, *_ = tf.unstack(y)
y = y * 0.5 + u$
""",
  "annotated assignment": """
v$: tf.Tensor = y * 0.5
w$: int
y = v$
""",
  "augmented assignment": """
y += 0.5
y -= 0.25
y *= 0.5
y /= 2.0
y **= 1
""",
  "augmented assignment of ints": """
m$ = n
m$ //= 2
m$ %= 3
m$ <<= 2
m$ >>= 1
m$ |= 1
m$ &= 3
m$ ^= 2
y = y + float(m$) * 0.125
""",
  "augmented matrix product": """
m$ = tf.reshape(y, [1, -1])
m$ @= tf.reshape(y, [-1, 1])
y = y + m$[0, 0] * 0.5
""",
  "arithmetic of ints": "y = y + float((n + 3) * 2 - n // 2 + n % 2 + n**2 + -n + +n) * 0.0625",
  "bits": "y = y + float((n & 3) | (n ^ 1) + (n << 1) + (n >> 1) + ~n) * 0.0625",
  "arithmetic of tensors": "y = (y + 1.0) * 0.5 - y / 2.0 + (-y) ** 2 * 0.125 + y % 0.5 + y // 1.0",
  "matrix product": "y = y * 0.5 + (tf.reshape(y, [1, -1]) @ tf.reshape(y, [-1, 1]))[0, 0] * 0.25",
  "comparison of tensors": "y = tf.where(y > 0.25, y * 0.5, y + 0.25)",
  "constants": 'y = y + (0.25 if (1, True, None, 0x1F, 1e-3, "a" "b")[2] is None else 0.5)',
  "complex number": "y = y + (0.25 + 1j).real",
  "bytes": "y = y + float(len(b'abc')) * 0.125",
  "ellipsis and new axis": "y = tf.squeeze(y[..., tf.newaxis], -1) * 0.5",
  "items of a tensor": "y = y * 0.5 + y[0] - y[-1]",
  "items of a tensor by the run": "y = y * 0.5 + y[n % 2]",
  "slices of a tensor": "y = y * 0.5 + tf.reduce_sum(y[:1]) + tf.reduce_sum(y[::-1])",
  "tuple": """
t$ = (y, n)
y = t$[0] * 0.5 + float(t$[1]) * 0.125
""",
  "list": """
l$ = [y, y * 0.5]
l$[0] = y * 0.25
y = l$[0] + l$[-1]
""",
  "starred list and tuple": """
l$ = [y, y * 0.5]
y = sum((*l$, *[y])) * 0.25 + float(len([*l$, 1]))
""",
  "dict": """
d$ = {"p": y, "q": n}
d$["r"] = y * 0.5
y = d$["p"] * 0.5 + d$["r"]
""",
  "dict of dicts by **": """
d$ = {**{"p": y}, "q": y * 0.5}
y = d$["p"] - d$["q"]
""",
  "set": """
s$ = {1, 2, n}
y = y + float(len(s$)) * 0.125
""",
  "slice of a list": "y = y + float(sum([n, 2, 3, 4][1:3]) + len([n, 2, 3][::-1])) * 0.125",
  "list comprehension": "y = y + sum([float(v$) for v$ in range(n)]) * 0.25",
  "list comprehension with tensors": "y = sum([y * float(v$) for v$ in range(3)]) * 0.25",
  "comprehension with conditions": """
y = y + float(sum([i$ * j$ for i$ in range(3) if i$ for j$ in range(n) if j$ != i$])) * 0.125
""",
  "dict comprehension": """
d$ = {k$: y * v$ for k$, v$ in (("p", 0.5), ("q", 0.25))}
y = d$["p"] + d$["q"]
""",
  "set comprehension": "y = y + float(len({v$ % 2 for v$ in range(n)})) * 0.125",
  "list methods": """
l$ = [3, 1]
l$.append(n)
l$.extend([2])
l$.insert(0, 5)
l$.reverse()
last$ = l$.pop()
l$.remove(3)
l$.sort()
y = y + float(l$[0] + last$ + l$.index(2) + l$.count(1)) * 0.0625
""",
  "list of tensors that grows": """
l$ = []
for i$ in range(n):
  l$.append(y * float(i$))
if l$:
  y = y + tf.add_n(l$) * 0.25
""",
  "dict methods": """
d$ = {"p": 1, "q": n}
d$.update(r=3)
d$.setdefault("s", 4)
gone$ = d$.pop("p")
y = y + float(sum(d$.values()) + gone$ + d$.get("z", 2) + len(list(d$.keys()))) * 0.0625
""",
  "tuple of tuples, compared": """
if (n, "a") == (2, "a") and (1, n) < (2, 0):
  y = y * 0.5
""",
  "string methods": """
s$ = "-".join(["a", "b"]).upper().replace("A", "c")
y = y + float(len(s$) + s$.count("B")) * 0.125
""",
  "formatted string": """
box.log.append(f"{n:>3}|{flag!r}|{n + 1}")
""",
  "string by % and format": """
box.log.append("%d %s" % (n, flag) + "{} {:.1f}".format(n, 0.5))
""",
  "del of a name": """
v$ = y * 0.5
y = v$ - 0.125
del v$
""",
  "del of an item": """
l$, d$ = [1, 2, n], {"p": y, "q": n}
del l$[0], d$["p"]
y = y + float(len(l$) + len(d$))
""",
  "del of a slice": """
l$ = [1, 2, n]
del l$[0:2]
y = y + float(len(l$))
""",
  "del of an attribute": """
box.gone = n
del box.gone
""",
  "number from a tensor": "y = y + float(tf.reduce_sum(y)) * 0.125 + int(n)",
  "array of NumPy": "y = y + np.float32(0.5) * ARRAY[0]",
  "shape": "y = y * 0.5 + float(y.shape[0]) + float(tf.shape(y)[0]) + float(len(y)) * 0.125",
  "None that becomes a tensor": """
best$ = None
for v$ in [y, y * 0.5, y - 0.25]:
  if best$ is None or tf.reduce_sum(v$) > tf.reduce_sum(best$):
    best$ = v$
y = best$ * 0.5
""",
}
