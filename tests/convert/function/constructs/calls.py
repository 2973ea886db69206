"""Functions: definitions, calls, closures, classes, generators, coroutines, imports."""

ROWS = {
  "call with positional and keyword arguments": "y = scaled(y, 0.5, shift=0.25)",
  "call with default arguments": "y = scaled(y)",
  "call with * and **": """
args$, named$ = (0.5,), {"shift": 0.125}
y = scaled(y, *args$, **named$)
""",
  "function with *args and **kwargs": "y = summed(y, 0.5, 0.25, scale=0.5, extra=1.0)",
  "positional-only and keyword-only parameters": "y = strict_call(y, by=0.5)",
  "function that returns several values": """
y, m$ = split(y)
y = y + m$
""",
  "inner function": """
def inner$(v, by=0.5):
  return v * by
y = inner$(y) + inner$(y, 0.25)
""",
  "inner function with annotations": """
def inner$(v: tf.Tensor, by: float = 0.5) -> tf.Tensor:
  return v * by
y = inner$(y)
""",
  "inner function with a decorator": """
@doubled
def inner$(v):
  return v * 0.25
y = inner$(y)
""",
  "docstring": """
def inner$(v):
  'Halves it.'
  return v * 0.5
y = inner$(y)
""",
  "closure": """
by$ = 0.5 if flag else 0.25
def inner$(v):
  return v * by$
y = inner$(y)
""",
  "nonlocal": """
count$ = 0
def inner$():
  nonlocal count$
  count$ += 1
inner$()
inner$()
y = y + float(count$)
""",
  "nonlocal of a function around": """
total += n
y = y + float(total) * 0.125
""",
  "global that is read": "y = y * SCALE",
  "global that is written": """
set_seen(n)
y = y + float(SEEN) * 0.125
""",
  "lambda": "y = (lambda v, by=0.5: v * by)(y)",
  "function as a value": """
pick$ = tf.tanh if flag else tf.sin
y = pick$(y)
""",
  "functions in a dict": 'y = {"tanh": tf.tanh, "sin": tf.sin}["tanh" if n > 1 else "sin"](y)',
  "functools.partial": "y = functools.partial(scaled, by=0.25)(y)",
  "recursion on a number": "y = powered(y, n)",
  "recursion over a tree": "y = y * tree_sum(TREE) * 0.0625",
  "map, filter, sorted, key": """
y = y + sum(map(float, filter(None, sorted([n, 3, 1], key=lambda v: -v)))) * 0.125
""",
  "min, max, sum, len, abs, round": """
y = y + float(max(n, 1) + min(n, 2) + sum([n, 1]) + len([n]) + abs(-n)) * 0.125 + round(0.5)
""",
  "any, all, zip, reversed, enumerate": """
if any([flag, n > 2]) and all(v$ > 0 for v$ in (1, 2)):
  y = y + float(list(reversed([n, 2]))[0])
""",
  "isinstance, type, hasattr, getattr": """
if isinstance(n, int) and hasattr(box, "rate") and type(flag) is bool:
  y = y * getattr(box, "rate", 0.5)
""",
  "setattr": 'setattr(box, "count", box.count + n)',
  "method": "y = shape.area(y)",
  "method of a base class by super()": "y = square.area(y)",
  "class method and static method": "y = Square.halved(y) + Shape.shifted(y)",
  "property": "y = y * square.factor",
  "object that is called": "y = square(y)",
  "operators of a class": "y = (Vector(y) + Vector(y * 0.5)).value",
  "object that is made": """
p$ = Point(y, n)
y = p$.first * 0.5
box.last = n
""",
  "data class, replaced": "y = dataclasses.replace(Point(y, n), second=3).first * 0.5",
  "named tuple": """
pair$ = Pair(y, n)
y = pair$.first + float(pair$[1])
first$, second$ = pair$
y = y + first$ * 0.5
""",
  "class in the function": """
class Inner$:
  by = 0.5
y = y * Inner$.by
""",
  "generator expression": "y = y + sum(float(v$) for v$ in range(n)) * 0.25",
  "generator": """
def parts$():
  yield y * 0.5
  yield y * 0.25
y = sum(parts$())
""",
  "generator of a generator": """
def parts$():
  yield from (y, y * 0.5)
y = sum(parts$())
""",
  "generator from outside": "y = y + sum(halves(n))",
  "coroutine": """
async def later$():
  return y * 0.5
y = asyncio.run(later$())
""",
  "await": """
async def now$():
  return y * 0.5
async def later$():
  return await now$()
y = asyncio.run(later$())
""",
  "async for and async with": """
async def later$():
  found = y
  async with Later() as value:
    async for v in value:
      found = found * v
  return found
y = asyncio.run(later$())
""",
  "async comprehension": """
async def later$():
  return [v async for v in Later()]
y = y * asyncio.run(later$())[0]
""",
  "import": """
import math
y = y * math.sqrt(0.25)
""",
  "import of a part, by another name": """
import os.path as path$
from math import pi as pi$
y = y * pi$ * 0.25 if path$ else y
""",
  "print": 'print("n", n, flag)',
  "print of a tensor": 'print(f"mean {n}", tf.reduce_mean(y))',
  "tf.print": 'tf.print("mean", tf.reduce_mean(y))',
}
