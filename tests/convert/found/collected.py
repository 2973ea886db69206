"""Small programs with what is expected of them, collected into the parameters of one test."""

import dataclasses

import pytest

from tests.convert.agreement import root


def collector():
  """Returns a list, and a decorator `program(expect, calls)` that adds builders to it."""
  programs = []

  def program(expect, calls=lambda: [(root(),), (root(),)]):
    def add(build):
      programs.append(pytest.param(build, expect, calls, id=build.__name__))
      return build

    return add

  return programs, program


class Box:
  """An object with a number and a list."""

  def __init__(self, x):
    self.x = x
    self.items = []

  def add(self, y=1):
    """Changes the number."""
    self.x += y


@dataclasses.dataclass
class Pair:
  """Two objects."""

  a: object
  b: object = 0
