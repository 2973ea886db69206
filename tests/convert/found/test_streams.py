"""Streams that do not take what is printed: plain Python prints, its handlers and writes count."""

import contextlib
import io

import pytest

import recursive_tf as rtf


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
