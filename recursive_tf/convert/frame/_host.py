"""What the language and its effects offer each other: the interpreter, the conversion, the effects.

What an operation means says one module of `semantics/` or `effects/`. These take the interpreter as
their first argument and reach each other through it, so that none imports one that is above it.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.autodiff import DenseRows, TappedRows
from recursive_tf.convert.frame._budget import Budget
from recursive_tf.convert.frame._frame import Frame
from recursive_tf.convert.frame._ground import Ground
from recursive_tf.convert.frame._kind import Kind
from recursive_tf.convert.syntax.source import FunctionSource
from recursive_tf.convert.values._abstract import (
  Closure,
  Container,
  LocalList,
  LocalTable,
  Ref,
  Rows,
  Scope,
)
from recursive_tf.convert.values._operands import ByType
from recursive_tf.convert.values._paths import Step

FELL = object()  # What a block gives that does not return.


@dataclasses.dataclass(frozen=True)
class State:
  """The value of a place that the program writes, as it is at this point of the run."""

  value: Any


# The parameter of the function that a loop over a generator, or a block of its manager, becomes.
ELEMENT = "_rtf_element"


@dataclasses.dataclass(frozen=True)
class Consumer:
  """What a generator is called for.

  Attributes:
    function: takes each element, and tells whether it wants no more; None for a list of all.
    block: the `with` of which it is the block, if the generator is a context manager's.
  """

  function: Closure | None
  block: ast.With | None = None


class Effects(Protocol):
  """What the program writes; reads that give None are of what it does not write.

  Attributes:
    shows_objects: whether it prints objects that may look different after the run.
  """

  shows_objects: bool

  @property
  def is_pure(self) -> bool:
    """Whether the program writes nothing."""

  def written_names(self, start: str) -> set[str]:
    """Returns the names of attributes and variables that the program writes, of such a start."""

  @property
  def places(self) -> Mapping[object, object]:
    """The places that are written, by what they are."""

  def content_of(self, frame: Frame, owner: object) -> object:
    """Returns the content that a known list or dict has in the run, None if it does not change."""

  def check_unchanged(self, ip: Host, kinds: Collection[type] | None = None) -> None:
    """Refuses to read a container of the heap as a whole if the program writes items of such."""

  def is_changed(self, owner: object) -> bool:
    """Tells whether the program changes a known list or dict."""

  def is_there(self, ip: Host, ref: Ref, step: tuple[object, ...]) -> object:
    """Tells whether a heap object has what a step reads."""

  def read_heap(self, ip: Host, ref: Ref, name: str) -> State | None:
    """Returns an attribute of a heap object."""

  def read_item(self, ip: Host, ref: Ref, key: object) -> State | None:
    """Returns an item of a heap object."""

  def read_static(self, ip: Host, owner: object, name: str) -> State | None:
    """Returns an attribute of a known object."""

  def read_variable(self, ip: Host, owner: object, name: str) -> State | None:
    """Returns a variable."""

  def read_static_elements(self, ip: Host, owner: object) -> State | None:
    """Returns the elements of a known list, or the keys of a dict."""

  def read_static_length(self, ip: Host, owner: object) -> State | None:
    """Returns the length of a known list or dict."""

  def read_table(self, ip: Host, owner: object, key: object) -> State | None:
    """Returns `owner[key]` for a known list or dict."""

  def read_membership(self, ip: Host, owner: object, value: object) -> State | None:
    """Returns `value in owner` for a known dict."""

  def membership(self, ip: Host, owner: object, value: object) -> object:
    """Returns `value in owner` for a known dict, from its items as the run has them."""

  def item_of_dict(self, ip: Host, owner: object, key: object, *default: object) -> object:
    """Returns an item of a known dict, from its items as the run has them."""

  def item_or_made(self, ip: Host, owner: object, key: object) -> object:
    """Returns an item of a `Counter` or `defaultdict`, which makes those that are missing."""

  def write_attribute(self, ip: Host, owner: object, name: str, value: object) -> None:
    """Does `owner.name = value`."""

  def write_item(self, ip: Host, owner: object, key: object, value: object) -> None:
    """Does `owner[key] = value`."""

  def write_variable(self, ip: Host, owner: object, name: str, value: object) -> None:
    """Sets an attribute of a known object, or a variable of an enclosing function."""

  def call_static(
    self, ip: Host, owner: object, name: str, args: list[object], kwargs: dict[str, object]
  ) -> State | None:
    """Calls a changing method of a list or dict of the heap that is known at conversion."""

  @property
  def changes_made(self) -> bool:
    """Whether the program changes objects of the run that are known by numbers."""

  def made_as_now(self, ip: Host) -> Callable[[], bool]:
    """Returns what tells whether no object of the run has been changed since."""

  def current_made(self, ip: Host, handle: tf.Tensor) -> tf.Tensor:
    """Returns the number of what an object is now, which is another one once it has changed."""

  def change_made(self, ip: Host, handle: tf.Tensor, content: Container) -> None:
    """Lets the object of a number be what a container is that nothing else has."""

  def has_changed_lists(self, kinds: Collection[type]) -> bool:
    """Tells whether the program changes lists of the heap, of which something may be one."""

  def changed_dicts(self, kinds: Collection[type]) -> frozenset[type]:
    """Returns which of some types are those of dicts of the heap that the program changes."""

  def table_of_dict(self, ip: Host, ref: Ref) -> LocalTable | None:
    """Returns a dict with what one of the heap holds now; None if the program changes none such."""

  def taken_dict(self, ip: Host, ref: Ref) -> LocalTable | None:
    """Returns a dict as if the program changed such, for a key that no other way looks up."""

  def read_of_dict(self, ip: Host, ref: Ref, name: str, args: Sequence[object]) -> object:
    """Calls a method that changes nothing, of a dict of the heap that may change."""

  def items_written(self, kinds: Collection[type]) -> list[Step]:
    """Returns which items the program writes of containers of which something may be one."""

  def rows_of_list(self, ip: Host, ref: Ref) -> Rows | None:
    """Returns what a list of the heap holds now; None if the program changes no such list."""

  def going_over(self, ip: Host, value: object) -> AbstractContextManager[None]:
    """Fails the run if a list of the heap is changed meanwhile."""

  def watched(self, ip: Host, value: object) -> Callable[[], tf.Tensor] | None:
    """Returns what tells whether a list of the heap is as it is now; None if it cannot change."""

  def call_method(
    self, ip: Host, ref: Ref, name: str, args: Sequence[object], kwargs: dict[str, object]
  ) -> object:
    """Calls a method of a builtin container on the heap that changes it."""

  def noting_reads(self) -> contextlib.AbstractContextManager[dict[object, None]]:
    """Gives the keys of the places that are read meanwhile."""

  def print(self, ip: Host, values: tuple[object, ...], kwargs: dict[str, object]) -> None:
    """Does `print(*values, **kwargs)` when the run has succeeded."""


class Conversion(Ground, Protocol):
  """A conversion, to the language.

  Attributes:
    recursive: the definitions that call themselves, by whatever way round.
    given: dicts among the arguments, in whose place each call has its own.
    factories: by their numbers, what these call for what is missing.
    dense_rows: reads rows of variables where plain Python reads all; None while it is tried out.
    tapped: the rows that tapes of the program see.
    reads: how the bodies read variables.
    handed_on: the handles' numbers of variables of which what they hold goes on, in calls, too.
  """

  recursive: set[ast.AST]
  given: list[object]
  factories: dict[int, object]
  dense_rows: DenseRows | None
  tapped: TappedRows
  reads: dict[tfi.Source, tfi.Reads]
  handed_on: set[int]

  def note_reads(self, reads: Mapping[tfi.Source, tfi.Reads]) -> None:
    """Notes how a body reads variables."""

  @property
  def effects(self) -> Effects:
    """What the program writes."""

  @property
  def copied(self) -> Mapping[int, tf.Variable]:
    """Variables of which what they hold goes on in their place, by the number of the handle."""

  def source(self, function: object) -> FunctionSource:
    """Returns the source of a function of the user's, and guards that it stays this function."""

  def variant(self, node: ast.FunctionDef, key: object) -> ast.FunctionDef:
    """Returns a copy of a definition, which is a function of its own; the same one each time."""

  def is_recursive(self, ip: Host, function: object) -> bool:
    """Tells whether calls of a function are calls of the graph."""

  def note_recursion(self, cycle: list[ast.AST]) -> None:
    """Notes that functions call each other in a cycle."""

  def max_depth(self) -> int | None:
    """Returns how deep frames may be of what catches errors of Python's for deep recursions."""

  def note_converted(self, source: FunctionSource, node: ast.FunctionDef, how: str) -> None:
    """Notes for `explain` what was converted."""

  def note_made(self, value: object) -> None:
    """Notes an object of a library that the program makes and uses as it is."""

  def has_made(self, value: object) -> bool:
    """Tells whether the program has made such an object itself."""

  def promote(self, ip: Host, ref: Ref) -> None:
    """Asks for an argument of the entry function as what it is, if it is a list or a dict."""

  def call_instance(
    self,
    ip: Host,
    function: object,
    source: FunctionSource,
    node: ast.FunctionDef,
    outer: Scope | None,
    names: dict[str, object],
    ask: bool = False,
  ) -> object:
    """Calls a function as a SubGraph, once, or once for each row of a `Mapped` argument.

    With `ask` it is not called: returns whether it changes anything, as far as is known yet.
    """


class Host(Protocol):
  """Runs the program in one frame; all values are abstract ones.

  Attributes:
    frame: the body being made.
    conversion: the conversion that it is part of.
    budget: what the conversion may still cost.
    active: the definitions that are being run, outermost first: a call of one is a recursion.
    changing_guards: the guards of patterns that change something, with their scopes' identities.
    source: where the function that is being run lies.
    consumer: what the generator that is called next is called for, if that is known.
  """

  frame: Frame
  conversion: Conversion
  budget: Budget
  active: list[ast.AST]
  changing_guards: set[tuple[int, str]]
  source: FunctionSource | None
  consumer: Consumer | None

  # --- Code

  def run(self, node: ast.FunctionDef, scope: Scope) -> object:
    """Runs a function's body and returns its result."""

  def block(self, statements: list[ast.stmt], scope: Scope) -> object:
    """Runs statements; returns what they return, or FELL."""

  def eval(self, node: ast.expr, scope: Scope) -> Any:
    """Returns the value of an expression."""

  def iterable(self, node: ast.expr, scope: Scope) -> object:
    """Returns what an expression gives to iterate over: a call of a generator is not run yet."""

  def manager(self, node: ast.expr, scope: Scope) -> object:
    """Returns what an expression gives to enter: a call of a generator's is not run yet."""

  def elements(self, node: ast.expr, scope: Scope) -> object:
    """Returns the value of an expression of which the elements are taken at once."""

  def generating(self, consumer: Consumer | None) -> AbstractContextManager[None]:
    """Says what the generator that is called next is called for."""

  def lookup(self, name: str, scope: Scope) -> object:
    """Returns what a name stands for."""

  def test(self, node: ast.expr, scope: Scope) -> object:
    """Returns the truth of an expression: a bool, or a bool `Number`."""

  def assign(self, target: ast.expr, value: object, scope: Scope) -> None:
    """Binds a target to a value."""

  def bind(self, name: str, value: object, scope: Scope) -> None:
    """Sets a variable where Python would."""

  def keep(self, value: object) -> object:
    """Returns a value that may be used more than once; refuses all others."""

  def closure(self, node: ast.FunctionDef, scope: Scope) -> Closure:
    """Makes the function that a definition inside a function makes."""

  # --- What a value answers

  def kind_of(self, value: object) -> Kind:
    """Returns a value as what does the operations of the language with it."""

  # --- Attributes and items

  def attribute(self, owner: object, name: str) -> object:
    """Returns `owner.name`."""

  def write_attribute(self, owner: object, name: str, value: object) -> None:
    """Does `owner.name = value`."""

  def item(self, owner: object, key: object) -> object:
    """Returns `owner[key]`."""

  def write_item(self, owner: object, key: object, value: object) -> None:
    """Does `owner[key] = value`."""

  # --- Containers

  def rows_of(self, value: object, one_by_one: bool = False) -> Rows | None:
    """Returns the elements of what has as many as the run finds; None if they are known."""

  def fixed_items(self, value: object, count: int | None = None) -> list[object]:
    """Returns the elements of what has a known number of them, or is taken apart into `count`."""

  def extend(self, owner: LocalList, values: object) -> None:
    """Does `owner += values`."""

  def method(
    self, owner: object, name: str, args: Sequence[object], kwargs: dict[str, object]
  ) -> object:
    """Calls a method of a list or dict that the program made."""

  def method_of_heap(self, ref: Ref, name: str, args: Sequence[object]) -> object:
    """Calls a reading method of a list or dict on the heap."""

  def contains(self, owner: object, value: object) -> object:
    """Returns `value in owner`."""

  # --- Operators

  def binary(self, op: type[ast.operator], left: object, right: object) -> object:
    """Returns `left op right`."""

  def compare(self, op: type[ast.cmpop], left: object, right: object) -> object:
    """Returns `left op right`."""

  def same_or_equal(self, left: object, right: object) -> object:
    """Returns `left is right or left == right`, by which containers compare their elements."""

  def truth(self, value: object) -> object:
    """Returns `bool(value)`: a bool, or a bool `Number`."""

  def negated(self, pred: object) -> object:
    """Returns `not pred`."""

  def both(self, left: object, is_and: bool, right: Callable[[], object]) -> Any:
    """Returns `left and right()`, or `left or right()`, evaluating what Python would."""

  # --- Calls

  def value_of_class(self, one: ByType) -> object:
    """Returns the value of the class that the run finds, if such values can be chosen among."""

  def call(self, function: object, args: list[object], kwargs: dict[str, object]) -> object:
    """Returns `function(*args, **kwargs)`."""

  def call_function(
    self,
    function: object,
    args: list[object],
    kwargs: dict[str, object],
    ask: bool = False,
    variant: object = None,
  ) -> object:
    """Calls a function of the user's: run here, or as a call of the graph if it is recursive.

    With `ask` a recursive one is not called: returns whether it changes anything. Under each
    `variant` it is a function of its own, which knows other things of its arguments.
    """

  def native(
    self, function: Callable[..., object], args: list[object], kwargs: dict[str, object]
  ) -> Any:
    """Calls a library's function on the tensors of the graph."""
