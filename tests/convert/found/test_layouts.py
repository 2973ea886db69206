"""Strings and numbers in columns: widths, signs and groups of digits; digits that are read."""

import math

import pytest

from tests.convert.agreement import CONVERTED, agrees, of_text


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


OF_ALL = ["8", "<8", ">8", "^9", "*^9", "é>7", "08", "<08", "x<08", "1", "}<6", "{>6"]
OF_STRINGS = ["s", "6s", ".2", "6.2s", "^6.3", ">12.4s", "0>5"]
OF_NUMBERS = [
  "+",
  " ",
  "-",
  "=8",
  "+8",
  "x=+9",
  ",",
  "_",
  "+12,",
  "08.2f",
  "+.2f",
  "10.3e",
  "<9.2g",
]
OF_NUMBERS += ["12,.1f", "_.3f", ".1%", "9.2%", "+.0%", "=+10.2f", "012.4f"]
OF_INTS = ["d", "5d", "05d", "<5d", "+d", ",d", "_d", "^+7d", "=5d", "12,d"]
VALUES = {
  "strings": (["a", "", "wörd", "long enough to stay", "日本"], [*OF_ALL, *OF_STRINGS]),
  "ints": ([0, 7, -7, 1234567, -999, 10**15], [*OF_ALL, *OF_NUMBERS, *OF_INTS]),
  "floats": (
    [0.0, -0.0, 2.5, -1234.5678, 1e16, 1e-7, 123456789.125, math.inf, -math.inf, math.nan, 0.125],
    [*OF_ALL, *OF_NUMBERS],
  ),
  "bools": ([True, False], ["d", "5", "<6", "05d", "+d", "6.1f"]),
}
PERCENT = {
  "strings": ["%8s|", "%-8s|", "%.2s|", "%8.3s|", "%-1s|", "%r|", "%12r|"],
  "ints": [
    "%5d|",
    "%-5d|",
    "%05d|",
    "%+d|",
    "% d|",
    "%-+8d|",
    "%+08d|",
    "%9.2f|",
    "%-9.1e|",
    "%s|",
  ],
  "floats": ["%8.2f|", "%-8.2f|", "%08.2f|", "%+.1f|", "% 9.3g|", "%f|", "%+09.1f|"],
}


def _in_each(text, values, expect=CONVERTED):
  def calls():
    return [(Node(values[0], *map(Node, values)),), (Node(values[1]),)]

  return agrees(of_text(text), calls, expect)


def _listing(*expressions):
  return f"""
def f(n):
  found = [{", ".join(expressions)}]
  for k in n.kids:
    found += f(k)
  return found
"""


@pytest.mark.parametrize("kind", VALUES)
def test_formats_are_pythons(kind):
  values, specs = VALUES[kind]
  # What is made in the run, beside what is read.
  made = {"strings": "n.v + ''", "bools": "n.v"}.get(kind, "n.v + 0")
  expressions = [f"format({made}, {spec!r})" for spec in specs]
  read = [f'f"{{n.v:{spec}}}"' for spec in specs if not {"{", "}"} & {*spec}]
  _in_each(_listing(*expressions, *read), values)


@pytest.mark.parametrize("kind", PERCENT)
def test_percent_formats_are_pythons(kind):
  values = ["a", "abcd", "it's", ""] if kind == "strings" else VALUES[kind][0]
  expressions = [f"{spec!r} % n.v" for spec in PERCENT[kind]]
  _in_each(_listing(*expressions), values)


@pytest.mark.parametrize("spec", [",.0f", "_.1f", ",.0%", "=+40,.2f", ","])
def test_groups_of_very_many_digits_are_pythons(spec):
  for value in (1e19, 1e20, 1e21, 1e22, 1e27, 1e300, 123456789012345678901234.0):
    for signed in (value, -value):
      _in_each(_listing(f"format(n.v + 0.0, {spec!r})"), [signed, -2.5], None)


MIXED = {
  "int or float": [2.5, 3, -7, 1234567, -0.0, 1e16, 10**15],
  "int first": [3, 2.5, 0, 0.0],
  "bool or float": [2.5, True, False, 0.5],
  "bool or int": [3, True, False, -7],
  "all numbers": [True, 3, 2.5, False, 0],
  "number or None": [2.5, 3, None],
  "number or text": [3, "a", 2.5],
  "text or None": ["a", None, "wörd"],
}


@pytest.mark.parametrize("made", ["n.v", "round(n.v, 2)", "max(n.v, n.v)", "n.v * 2"])
@pytest.mark.parametrize("kind", MIXED)
def test_formats_of_what_is_one_or_another_are_pythons(kind, made):
  for spec in (">6", "08", "*^ 9_", "12,", "+", "=+9", ".1f", "9.2f", "<8.1e", "3d"):
    _in_each(_listing(f"format({made}, {spec!r})"), MIXED[kind], None)


@pytest.mark.parametrize("spec", [">6", "08", "*^ 9_", "12,", "+", "=+9", "9.2f"])
def test_formats_of_ints_and_floats_are_converted(spec):
  _in_each(_listing(f"format(n.v, {spec!r})"), MIXED["int or float"])


@pytest.mark.parametrize("spec", ["=5", "+5", "5d", ",", "-"])
def test_formats_that_strings_do_not_have(spec):
  _in_each(_listing(f"f'{{n.v:{spec}}}'"), ["a", "b"], None)


@pytest.mark.parametrize("spec", ["d", "5s", ".3"])
def test_formats_of_floats_that_are_python_s(spec):
  _in_each(_listing(f"f'{{n.v + 0.0:{spec}}}'"), [1.5, 2.5], None)


def test_methods_that_pad():
  calls = [
    "ljust(6)",
    "rjust(6)",
    "center(6)",
    "center(7)",
    "zfill(5)",
    "ljust(8, '.')",
    "rjust(0)",
  ]
  calls += ["center(len(n.v) + 3, '*')", "rjust(len(n.v) + 2, 'é')", "zfill(-1)", "center(-3)"]
  values = ["a", "ab", "", "-5", "+12", "wörd", "a longer one"]
  text = _listing(*(f"(n.v + '').{call}" for call in calls), "'x'.rjust(len(n.v))")
  _in_each(text, values)
  _in_each(_listing("n.v.ljust(6, 'ab')"), ["a", "b"], None)


def test_digits_are_read():
  values = ["1", "-12", "+7", " 42\n", "0", "007", "123456789012345678"]
  _in_each(_listing("int(n.v + '')", "int((n.v + '0')[:-1])"), values)
  values = ["1.5", "-2", "+.25", "1e3", "3.", "1E-2", " 0.1 ", "123456789.123456789"]
  _in_each(_listing("float(n.v + '')"), values)


@pytest.mark.parametrize("kind", ["int", "float"])
@pytest.mark.parametrize(
  "text", ["", "x", "1_000", "٣", "1" * 30, "0x10", "1e999", "nan", "-", "1 2"]
)
def test_strings_that_are_read_otherwise(kind, text):
  _in_each(_listing(f"{kind}(n.v + '')"), [text, "1"], None)


@pytest.mark.parametrize("kind", ["int", "float"])
def test_strings_that_are_no_numbers_are_caught(kind):
  text = f"""
def f(n):
  total = 0
  try:
    total = {kind}(n.v + '')
  except ValueError:
    total = -1
  return [total] + [g for k in n.kids for g in f(k)]
"""
  _in_each(text, ["1", "x", "3"], None)


def test_a_table_of_a_tree():
  text = """
def f(n, depth=0):
  lines = [f"{'  ' * depth}{n.v[0]:<12}|{n.v[1]:>8,d}|{n.v[2]:7.2f}%"]
  for k in n.kids:
    lines.extend(f(k, depth + 1))
  return lines
"""
  _in_each(text, [("root", 12345, 1.5), ("a", 1, -22.125), ("bb", -4567890, 0.0)])
