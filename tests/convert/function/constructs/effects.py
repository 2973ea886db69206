"""Effects: attributes, items, lists and dicts outside, variables, random numbers, tapes, layers."""

ROWS = {
  "attribute that is read": "y = y * box.rate",
  "attribute that counts": "box.count += 1",
  "attribute that is a tensor": """
y = y * 0.5 + box.h
box.h = tf.reduce_sum(y) * 0.25
""",
  "attribute that was None": """
if box.state is None:
  box.state = tf.reduce_mean(y)
y = y + box.state * 0.25
box.state = tf.reduce_mean(y) * 0.5
""",
  "attribute of an attribute": "box.inner.count = box.inner.count + n",
  "attribute written on one side": """
if tf.reduce_sum(y) > 0.25:
  box.best = n
""",
  "new object in an attribute": """
box.point = Point(tf.reduce_sum(y), n)
y = y + box.point.first * 0.125
""",
  "item of a dict outside": """
y = y + box.table["a"]
box.table["a"] = box.table["a"] * 0.5 + 0.125
""",
  "item of a list outside": """
box.pair[1] = box.pair[0] + n
y = y + float(box.pair[1]) * 0.125
""",
  "list outside that grows": "box.items.append(n)",
  "list outside that gets tensors": "box.kept.append(tf.reduce_sum(y))",
  "list outside that is replaced": "box.recent = [*box.recent, n][-3:]",
  "variable that is read": "y = y * w",
  "variable that is assigned": """
w.assign(tf.reduce_sum(y) * 0.125)
y = y + w
""",
  "variable that is added to": """
w.assign_add(0.125)
w.assign_sub(0.0625)
y = y * w
""",
  "variable written on one side": """
if tf.reduce_sum(y) > 0.25:
  w.assign_add(0.125)
""",
  "variable written in a loop": """
for _ in range(n):
  w.assign(w * 0.5 + 0.25)
""",
  "rows of a variable": """
rows.scatter_nd_update([[n % 3]], [0.5])
y = y + rows[n % 3]
""",
  "random numbers": "y = y + generator.uniform([]) * 0.125",
  "random numbers on one side": """
if tf.reduce_sum(y) > 0.25:
  y = y + generator.normal([]) * 0.125
""",
  "gradient by a tape": """
with tf.GradientTape() as tape$:
  loss$ = tf.reduce_sum(tf.square(y * w))
  <body>
w.assign_sub(0.125 * tape$.gradient(loss$, w))
""",
  "gradient through a branch": """
with tf.GradientTape() as tape$:
  loss$ = tf.reduce_sum(y * w)
  if loss$ > 0.25:
    loss$ = loss$ * loss$
gradient$ = tape$.gradient(loss$, w)
y = y + gradient$ * 0.125
""",
  "gradient through a loop": """
with tf.GradientTape() as tape$:
  h$ = y
  for _ in range(n + 1):
    h$ = tf.tanh(h$ * w)
  loss$ = tf.reduce_sum(h$)
y = y + tape$.gradient(loss$, w) * 0.125
""",
  "tape that watches a tensor": """
with tf.GradientTape() as tape$:
  v$ = y * 0.5
  tape$.watch(v$)
  loss$ = tf.reduce_sum(v$ * v$)
y = y + tape$.gradient(loss$, v$) * 0.5
""",
  "persistent tape": """
with tf.GradientTape(persistent=True) as tape$:
  loss$ = tf.reduce_sum(y * w)
  other$ = loss$ * loss$
y = y + (tape$.gradient(loss$, w) + tape$.gradient(other$, w)) * 0.125
""",
  "tape in a tape": """
with tf.GradientTape() as outer$:
  with tf.GradientTape() as inner$:
    loss$ = tf.reduce_sum(y * w * w)
  first$ = inner$.gradient(loss$, w)
y = y + outer$.gradient(first$, w) * 0.125
""",
  "optimizer": """
with tf.GradientTape() as tape$:
  loss$ = tf.reduce_sum(tf.square(y * w))
optimizer.apply_gradients([(tape$.gradient(loss$, w), w)])
""",
  "clipping by a branch": """
with tf.GradientTape() as tape$:
  loss$ = tf.reduce_sum(tf.square(y * w))
gradient$ = tape$.gradient(loss$, w)
if tf.abs(gradient$) > 0.5:
  gradient$ = gradient$ / tf.abs(gradient$) * 0.5
w.assign_sub(0.125 * gradient$)
""",
  "layer": "y = y + tf.reduce_sum(dense(tf.reshape(y[:2], [1, 2]))) * 0.25",
  "layer with a training flag": """
y = y + tf.reduce_sum(norm(tf.stack([y[:2], y[-2:]]), training=flag)) * 0.125
""",
  "metric": "metric.update_state(tf.reduce_sum(y))",
  "loss": "y = y + loss_fn(y[:2], y[-2:] * 0.5) * 0.125",
  "module": "y = y + model(y) * 0.25",
}
