"""Streams that do not take what is printed: plain Python prints, its handlers and writes count."""

import contextlib
import io
import sys

import pytest

import recursive_tf as rtf
from tests.convert.agreement import agrees, of_text


class _Node:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


def _caught(recursive):
  @recursive
  def show(n):
    try:
      print(n.v)
    except (UnicodeEncodeError, ValueError):
      n.done = "caught"
    for k in n.kids:
      show(k)
    return len(n.kids)

  return show


def _uncaught(recursive):
  @recursive
  def mark(n):
    print("at", n.v, sep=": ")
    n.done = True
    for k in n.kids:
      mark(k)
    return len(n.kids)

  return mark


def _outcome(function, make, second="é"):
  tree = _Node("a", _Node(second, _Node("b")), _Node("c"))
  nodes = [tree, *tree.kids, *tree.kids[0].kids]
  stream = make()
  with pytest.MonkeyPatch.context() as patch:
    patch.setattr("sys.stdout", stream)
    try:
      found = function(tree)
    except Exception as error:
      found = type(error), str(error)
  text = None
  with contextlib.suppress(AttributeError, ValueError):  # It has none, or is closed or detached.
    text = stream.buffer.getvalue()
  return found, [getattr(n, "done", None) for n in nodes], text


def _of(encoding, errors="strict"):
  return io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors=errors, write_through=True)


def _closed():
  stream = io.StringIO()
  stream.close()
  return stream


def _detached():
  stream = _of("utf-8")
  stream.detach()
  return stream


class _Named(io.StringIO):
  encoding = "of its own"


STREAMS = {
  "ascii": (lambda: _of("ascii"), False),
  "latin": (lambda: _of("latin-1"), True),
  "greek": (lambda: _of("iso8859-7"), False),
  "utf": (lambda: _of("utf-8"), True),
  "replaced": (lambda: _of("ascii", "replace"), True),
  "closed": (_closed, False),
  "detached": (_detached, False),
  "text": (io.StringIO, True),
  "named": (_Named, True),
  "none": (lambda: None, True),
}


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("build", [_caught, _uncaught])
def test_what_a_stream_does_not_take_is_printed_by_plain_python(build, stream):
  make, is_taken = STREAMS[stream]
  expected = _outcome(build(lambda function: function), make)
  converted = build(rtf.recursive(verify=False))
  assert _outcome(converted, make) == expected
  runs = converted.stats.num_converted_runs
  assert runs == 1 if is_taken else not runs, converted.explain()


class _Odd:
  """What cannot be shown."""

  def __str__(self):
    raise ValueError("odd")


@pytest.mark.parametrize("second", ["\ud800", _Odd()], ids=["surrogate", "odd"])
@pytest.mark.parametrize("build", [_caught, _uncaught])
def test_what_cannot_be_printed_is_left_to_python(build, second):
  make = STREAMS["utf"][0]
  expected = _outcome(build(lambda function: function), make, second)
  converted = build(rtf.recursive(verify=False))
  assert _outcome(converted, make, second) == expected
  assert not converted.stats.num_converted_runs, converted.explain()


PRINTS = {
  "another_end": "print(n.v, end=' '); print(n.v); print(n.v, n.v, sep=''); print(n.v, n.v)",
  "no_separator": "n.v += 1; print(n.v, n.v, sep=1)",
  "no_end": "n.v += 1; print(n.v, end=b'')",
  "no_file": "n.v += 1; print(n.v, file=7)",
  "no_option": "n.v += 1; print(n.v, colour=7)",
  "caught": """try:
    n.v += 1
    print(n.v, sep=1)
  except TypeError:
    n.v = -1""",
  "kept": "print(n.v, file=kept)",
  "in_a_list": "n.v += 1; print([n])",
  "in_a_tuple": "n.v += 1; print((n, n.v))",
  "its_list": "n.l.append(1); print([n.l]); n.l.append(2)",
  "its_objects": "n.l.append(Shown(8)); print(n.l)",
  "by_its_format": "n.v += 1; print(f'{n}'); n.v += 1",
  "made": "found = [Shown(k.v) for k in n.kids]; print(found); found[0].v = 5 if found else 6",
  "changed_in_a_loop": """made = [Shown(k.v) for k in n.kids]
  print(made)
  for one in made:
    one.v += 100""",
}


class Shown(_Node):
  """A node with a list, which is shown by its number; by two in formats."""

  def __init__(self, v, *kids):
    super().__init__(v, *kids)
    self.l = [v]

  def __repr__(self):
    return f"S{self.v}"

  def __format__(self, spec):
    return f"F{self.v}{self.l}"


class _Kept:
  """A stream of the user's own, which is no file."""

  def __init__(self):
    self.texts = []

  def write(self, text):
    self.texts.append(text)


@pytest.mark.parametrize("statements", PRINTS)
def test_each_print_prints_what_python_prints_then(statements):
  """With its own options, and what objects look like at that moment."""

  def build(recursive):
    kept = _Kept()
    text = f"def f(n):\n  {PRINTS[statements]}\n  return [f(k) for k in n.kids]"
    return of_text(text, kept=kept, Shown=Shown)(recursive), [kept]

  agrees(build, lambda: [(Shown(3, Shown(4), Shown(5, Shown(6))),), (Shown(7, Shown(7)),)])


@pytest.mark.parametrize(
  "statements",
  [
    "print(n.v, file=out); print(n.v)",
    "print(n.v, file=sys.stderr); print(n.v)",
    "print('v', n.v, file=out); print('v', n.v, file=other)",
    "print(f'<{n.v}>'); print(f'<{n.v}>', file=out)",
  ],
)
def test_the_same_is_printed_to_two_streams(statements):
  text = f"def f(n):\n  {statements}\n  return [f(k) for k in n.kids]"

  def printed(recursive):
    out, other = io.StringIO(), io.StringIO()
    function = of_text(text, out=out, other=other, sys=sys)(recursive)
    shown, error = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(error):
      for v in range(3):
        function(_Node(v, _Node(v + 1), _Node(v + 2)))
    return function, [stream.getvalue() for stream in (out, other, shown, error)]

  function, found = printed(lambda f: rtf.recursive(f, verify=False))
  assert found == printed(lambda f: f)[1]
  assert not function.stats.fallbacks, function.explain()
