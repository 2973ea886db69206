"""What is refused of a conversion that has settled: its program would not be what Python does."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable

import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.effects._places import (
  ATTRIBUTE,
  CHANGED,
  DICT,
  LIST,
  VARIABLE,
  is_table_of_made,
)
from recursive_tf.convert.heap._profile import Profile
from recursive_tf.convert.program._aliases import Aliases, check_spaces
from recursive_tf.convert.program._arguments import (
  CONTAINER,
  NEST,
  NUMBER,
  OBJECT,
  Argument,
  constants_of,
)
from recursive_tf.convert.program._conversion import Conversion, PromoteArgument
from recursive_tf.convert.program._leaving import check_results
from recursive_tf.convert.syntax.source import FunctionSource
from recursive_tf.convert.values import _forms


def check_settled(
  conversion: Conversion, source: FunctionSource, arguments: dict[str, Argument], profile: Profile
) -> None:
  """Refuses programs of which a run would not be what Python does.

  Args:
    conversion: what has settled.
    source: the entry function.
    arguments: of a single call.
    profile: what is known of the user's objects.

  Raises:
    ConversionRefused: If it is one.
    PromoteArgument: If it would not be one with a list as what it is.
  """
  given = [i for i, argument in enumerate(arguments.values()) if argument.kind == CONTAINER]
  conversion.check_result(source.node, given)
  _check_aliases(conversion, profile)
  _check_views(conversion, source)
  _check_sets(conversion, source)
  _check_factories(conversion, source)
  _check_made(conversion, source, list(arguments.values()))
  _check_nests(conversion, source.node, arguments)
  _check_replicas(conversion, arguments.values())
  _check_new_keys(conversion)
  if conversion.step is not None and conversion.step.has_prints and conversion.effects.sites:
    text = "print and tf.print in one run: what the graph prints comes before."
    raise ConversionRefused.of(Reason.EFFECT_ORDER, text)
  changed = conversion.changed(source.node)
  result = conversion.entry_of(source.node).result
  check_results(result, changed, conversion.effects.places.values())
  left = [place.left_form for place in conversion.effects.places.values()]
  _check_proxies(conversion, [result, *changed, *left])


def _check_new_keys(conversion: Conversion) -> None:
  """Refuses steps that may give a dict new keys in an order that is not known."""
  if conversion.step is None:
    return
  places = [p for p in conversion.effects.places.values() if dict in p.item_kinds]
  keys = [place.name[1] for place in places if place.name[0] == "item"]
  if conversion.effects.in_order(keys) is None:
    text = "Dicts of the heap get items by several keys, in an order that only the run knows."
    raise ConversionRefused.of(Reason.EFFECT_ORDER, text)


def _check_proxies(conversion: Conversion, forms: Collection[_forms.Form]) -> None:
  """Refuses to let go of what TensorFlow keeps a proxy around: Python has the proxy."""
  if any(_forms.is_trackable(kind) for form in forms for kind in _forms.classes_of_parts(form)):
    text = "A tuple of a tf.Module's attribute is returned or kept. Return tuple(...) of it."
    raise ConversionRefused.of(Reason.UNSUPPORTED_OPERATION, text)
  for value in (value for form in forms for value in _forms.constants(form)):
    if conversion.guards.is_in_proxy(value):
      text = (
        "A dict that is an attribute of a tf.Module is returned or kept. Return dict(...) of it."
      )
      raise ConversionRefused.of(Reason.UNSUPPORTED_OPERATION, text)


def _check_aliases(conversion: Conversion, profile: Profile) -> None:
  """Refuses what is changed under one name and read as a part of an object, or under another."""
  places = conversion.effects.places.values()
  read = profile.reads(conversion.columns.all.values())
  owners = [place.owner for place in places if place.kind in (LIST, DICT)]
  if owners and profile.reaches(owners, read):
    raise ConversionRefused.of(
      Reason.EFFECT_ORDER, "A list or dict that is changed is also a part of an object."
    )
  Aliases(places, read, conversion.guards).check(profile.objects(), is_new=True)
  check_spaces(places, read, conversion.guards)


def _check_views(conversion: Conversion, source: FunctionSource) -> None:
  """Refuses a range or a view of a dict, of a length that the run finds, that would be seen."""
  if any(map(_forms.has_views, conversion.leaving(source.node))):
    raise ConversionRefused.of(
      Reason.UNSUPPORTED_OPERATION,
      "A range or a view of a dict is returned or kept. Make it a list or a tuple.",
      source.origin(source.node),
    )


def _check_sets(conversion: Conversion, source: FunctionSource) -> None:
  """Refuses to let go of sets if any was made otherwise than by adding one member after the other.

  In which order Python shows the members depends on how it has put them there.
  """
  leaving = conversion.leaving(source.node)
  if conversion.has_unordered_sets and any(map(_forms.has_sets, leaving)):
    raise ConversionRefused.of(
      Reason.EFFECT_ORDER,
      "A set leaves that was merged, copied or made smaller: the order of its members is Python's"
      " own. Return sorted(...) of it.",
      source.origin(source.node),
    )


def _check_factories(conversion: Conversion, source: FunctionSource) -> None:
  """Refuses to let go of a `defaultdict` with a lambda of the run's own."""
  if any(map(_forms.has_own_factories, conversion.leaving(source.node))):
    raise ConversionRefused.of(
      Reason.MADE_OBJECT,
      "A defaultdict with a lambda is returned or kept. Return dict(...) of it, or give it a"
      " function of a module, or int, float or list.",
      source.origin(source.node),
    )


def _check_made(conversion: Conversion, source: FunctionSource, arguments: list[Argument]) -> None:
  """Refuses places, and what is passed in, that would be read with old or new objects.

  An object in an attribute, or that is passed in by itself, is known by its number in any case, and
  so are the elements of lists and dicts that are changed.
  """
  forms = [
    place.form
    for place in conversion.effects.places.values()
    if place.is_read and not (place.kind == ATTRIBUTE and is_table_of_made(place.form))
    if place.kind not in (LIST, DICT, CHANGED)
    if place.kind != VARIABLE or place.form != _forms.MadeForm() or place.is_absent_at_first
  ]

  def is_list(position: object, form: _forms.Form) -> bool:
    argument = (
      arguments[position] if isinstance(position, int) and position < len(arguments) else None
    )
    is_given = argument is not None and argument.kind == CONTAINER
    return is_given and form == _forms.RowsForm(_forms.MadeForm())

  changed = zip(
    conversion.changed_positions(source.node), conversion.changed(source.node), strict=True
  )
  forms += [form for position, form in changed if not is_list(position, form)]
  for position, form in enumerate(conversion.entry_of(source.node).forms):
    argument = arguments[position] if position < len(arguments) else None
    is_known = argument is not None and argument.kind in (OBJECT, NUMBER)
    if not (is_known and isinstance(form, _forms.MadeForm)) and not is_list(position, form):
      forms.append(form)
  if any(map(_forms.has_made, forms)):
    raise ConversionRefused.of(
      Reason.MADE_OBJECT,
      "A variable, attribute, list or dict that the program reads is given an object that may be"
      " an old or a new one.",
      source.origin(source.node),
    )


def _check_nests(conversion: Conversion, node: ast.AST, arguments: dict[str, Argument]) -> None:
  """Asks for a list that is changed as what it is; refuses all else that is changed."""
  names = list(arguments)
  keywords = node.args.kwarg.arg if isinstance(node, ast.FunctionDef) and node.args.kwarg else None
  for position in conversion.changed_positions(node):
    if not isinstance(position, int) or position >= len(names) or names[position] == keywords:
      continue  # The dict of `**keywords` is made for the call, and nobody else sees it change.
    argument = arguments[names[position]]
    if argument.kind == NEST and argument.value is list:
      raise PromoteArgument(names[position])
    if argument.kind == NEST:
      kind = argument.value.__name__
      raise ConversionRefused.of(
        Reason.UNSUPPORTED_WRITE, f"A {kind} that is passed in as {names[position]!r} is changed."
      )


def _check_replicas(conversion: Conversion, arguments: Iterable[Argument]) -> None:
  """Refuses variables of which there are several: a graph would write one of them."""
  for variable in conversion.guards.all_variables(constants_of(arguments)):
    is_distributed = isinstance(variable, tf.distribute.DistributedValues)
    if is_distributed and variable.distribute_strategy.num_replicas_in_sync > 1:
      text = f"Variable {variable.name!r} is one of a strategy of several replicas."
      raise ConversionRefused.of(Reason.STATEFUL_OP, text)
