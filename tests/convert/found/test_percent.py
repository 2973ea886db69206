"""`"..." % values` where only the run knows the values: as Python, or plain Python."""

import pytest

from tests.convert.agreement import CONVERTED, Node, agrees, lopsided, root

CONVERTS = {
  "two": lambda n: "%s-%s" % (n.name, n.v),  # noqa: UP031 - that is what is asked
  "one": lambda n: "<%s>" % n.name,  # noqa: UP031
  "int": lambda n: "%d%%" % n.v,  # noqa: UP031
  "ints": lambda n: "%i/%d" % (n.v, len(n.kids)),  # noqa: UP031
  "float": lambda n: "%.2f" % (n.v / 3),  # noqa: UP031
  "six": lambda n: "%f" % (n.v / 3),  # noqa: UP031
  "int_as_float": lambda n: "%.1f" % n.v,  # noqa: UP031
  "repr": lambda n: "%r" % (n.v,),  # noqa: UP031
  "flag": lambda n: "%s" % n.flag,  # noqa: UP031
  "by_name": lambda n: "%(a)s and %(b)d" % {"a": n.name, "b": n.v},  # noqa: UP031
  "known": lambda n: "%5.1f %s" % (2.5, n.name),  # noqa: UP031
  "joined": lambda n: "(%s %s)" % (n.name, " ".join(k.name for k in n.kids)),  # noqa: UP031
}

# These may be plain Python, or a run that fails.
OTHERS = {
  "width": lambda n: "%5d|%-4s|%+d" % (n.v, n.name, n.v),  # noqa: UP031
  "int_of_float": lambda n: "%d" % (n.v / 3),  # noqa: UP031
  "int_of_flag": lambda n: "%d" % n.flag,  # noqa: UP031
  "float_of_string": lambda n: "%.2f" % n.name,  # noqa: UP031
  "too_few": lambda n: "%s %s" % (n.name,),  # noqa: F507, UP031
  "too_many": lambda n: "%s" % (n.name, n.v),  # noqa: F507, UP031
  "none": lambda n: "%s %s" % (n.name, None),  # noqa: UP031
  "one_too_many": lambda n: "%s" % (n.name, None),  # noqa: F507, UP031
  "no_field": lambda n: "x" % n.v,  # noqa: F507, UP031
  "no_such_name": lambda n: "%(c)s" % {"a": n.name},  # noqa: F504, F505, UP031
  "list": lambda n: "%s" % [n.v],  # noqa: UP031
  "cut_off": lambda n: "100%" % n.v,  # noqa: F501, UP031
  "hex": lambda n: "%x %e" % (n.v, n.v),  # noqa: UP031
  "repr_of_string": lambda n: "%r" % n.name,  # noqa: UP031
  "node": lambda n: "%s" % (n.kids and n.kids[0].name),  # noqa: UP031
}


@pytest.mark.parametrize("name", [*CONVERTS, *OTHERS])
def test_percent(name):
  ask = CONVERTS.get(name) or OTHERS[name]

  def build(recursive):
    @recursive
    def f(n):
      return [ask(n), *[text for kid in n.kids for text in f(kid)]]

    return f

  expect = CONVERTED if name in CONVERTS else None
  agrees(build, lambda: [(root(),), (lopsided(),), (Node(-7, False, ""),)], expect=expect)
