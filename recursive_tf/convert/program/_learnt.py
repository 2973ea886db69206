"""What the attempts of one conversion have found out, kept from one to the next."""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._crossing import Crossing
from recursive_tf.convert.frame._frame import Frame
from recursive_tf.convert.frame._lifting import Rebuilt
from recursive_tf.convert.frame._sharing import Slot
from recursive_tf.convert.program._instances import Instance
from recursive_tf.convert.program._ops import gathered
from recursive_tf.convert.program._variants import Variants
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import Made, Ref

RESULT = "result"  # Beside the positions of arguments.
_MAX_GROWTH = 3  # Attempts in which the form of a result gets deeper: then it has no end.


class Learnt:
  """What is known of the functions of one conversion, by the keys of their instances.

  Attributes:
    has_news: whether this attempt has found out anything.
    is_trial: whether this attempt is one that is thrown away.
    may_fail: whether some calls never return: runs that get there fail.
    skips_loops: whether calls for all elements that wait for a result are left out, as if there
      were none: what follows may be all that a result is known by.
    has_unordered_sets: whether sets are made otherwise than by adding one member after the other.
    tables: where dicts are made whose keys only the run knows: expressions; None, anywhere.
    tables_so_far: those that the attempts before found.
    consumers: loops that run in the generators that they go over.
    may_be_endless: whether this attempt makes all elements of a generator that has a `while`.
    ends_early: whether this attempt makes all elements of one that may not be run to its end.
    results: the forms of what instances return.
    changed: by position, the forms of arguments that instances change for their callers.
    crossings: which containers are one object on both sides of a call.
    variants: the forms of arguments.
    read_at_once: positions of arguments that are objects which a body reads whatever happens.
    relied_on: those of which it made a difference in this attempt, by key and position.
    made: instances whose results have no form but that of objects which a run makes.
    makes_lists: whether all results of such an instance are new lists.
    wanted: arguments whose numbers this attempt would have needed, by key and slot.
    wanted_early: variables whose containers it would have needed to have theirs early, by key.
    early: by key, the variables whose containers get them before branches and loops.
    left: by key, why the bodies of instances are refused that the program does without.
  """

  def __init__(self) -> None:
    self.has_news = True
    self._has_other_news = True
    self.is_trial = True
    self.may_fail = False
    self.skips_loops = False
    self.tables: set[object] = set()
    self.tables_so_far: frozenset[object] = frozenset()
    self.consumers: set[object] = set()
    self.may_be_endless = self.ends_early = False
    self.has_unordered_sets = False
    self.results: dict[object, _forms.BaseForm] = {}
    self._before = self.results  # What the attempts before found.
    self.changed: dict[object, dict[int, _forms.BaseForm]] = {}
    self.crossings: dict[object, Crossing] = {}
    self.variants = Variants()
    self.read_at_once: dict[object, frozenset[int]] = {}
    self.relied_on: set[tuple[object, int]] = set()
    self.made: dict[object, None] = {}
    self.makes_lists: dict[object, bool] = {}
    self.wanted: dict[tuple[object, Slot], None] = {}
    self.wanted_early: dict[tuple[object, object], None] = {}
    self.early: dict[object, dict[object, None]] = {}
    self.left: dict[object, ConversionRefused] = {}
    self._growth: dict[object, int] = {}  # How often the form of a result has got deeper.

  def begin_attempt(self) -> None:
    """Begins an attempt, which has not found out anything."""
    self._before = dict(self.results)
    self.has_news = self._has_other_news = self.may_be_endless = self.ends_early = False
    self.tables_so_far = frozenset(self.tables)
    self.relied_on.clear()
    self.wanted.clear()
    self.wanted_early.clear()

  @property
  def has_new_calls_only(self) -> bool:
    """Whether this attempt has found out nothing but what calls there are, and with what."""
    return not self._has_other_news and self.results == self._before

  def forget_results(self) -> None:
    """Forgets what this attempt found functions to return: objects are not what they seemed."""
    self.results = self._before

  def note_news(self) -> None:
    """Notes that this attempt has found out anything: another one has to follow."""
    self.has_news = self._has_other_news = True

  def note_call(self) -> None:
    """Notes that this attempt has found out that a function is called, and with what."""
    self.has_news = True

  def crossing(self, key: object) -> Crossing:
    """Returns what is known of the containers in calls of an instance."""
    return self.crossings.setdefault(key, Crossing())

  def take_numbers(self) -> bool:
    """Lets callers pass the numbers that this attempt, which was refused, would have needed.

    Returns:
      Whether there are any that they did not pass.
    """
    num_before = self._num_taken()
    for key, slot in self.wanted:
      self.crossing(key).numbered[slot] = None
    for key, name in self.wanted_early:
      self.early.setdefault(key, {})[name] = None
    return self._num_taken() > num_before

  def _num_taken(self) -> int:
    num_numbered = sum(len(one.numbered) for one in self.crossings.values())
    return num_numbered + sum(map(len, self.early.values()))

  def changed_forms(self, key: object) -> list[_forms.BaseForm]:
    """Returns the forms of the arguments that an instance changes, in their order."""
    return list(self.changed.get(key, {}).values())

  def joined_result(self, instance: Instance, result: object, frame: Frame) -> _forms.BaseForm:
    """Returns the form of all that an instance returns, and notes it.

    Raises:
      Mismatch: If a part of the result has no form.
      ConversionRefused: If it returns other things on other paths.
    """
    form = _forms.form_of(result, frame)
    self._note_lists(instance.key, form, result)
    if instance.key in self.made:
      form = _forms.ended(form)
    elif any(result is one for one in frame.given.values()):
      pass  # It stays the caller's own.
    elif (ended := frame.conversion.made_kinds.ended(form)) != form:
      form = ended
      self.made[instance.key] = None
      self.crossing(instance.key).forget_results(RESULT)
    try:
      joined = form if instance.result is None else frame.join(instance.result, form)
    except _forms.Mismatch as error:
      raise ConversionRefused.of(
        Reason.KINDS_DIFFER,
        f"{instance.name} returns {error} on different paths.",
        instance.source.origin(instance.node),
      ) from None
    known = self.results.get(instance.key)
    if known is not None and _forms.depth(joined) > _forms.depth(known):
      self._growth[instance.key] = self._growth.get(instance.key, 0) + 1
      if self._growth[instance.key] > _MAX_GROWTH and _forms.can_be_made(joined):
        joined = self.note_made(instance.key, joined)
    if joined != known:
      self.results[instance.key] = joined
      self.crossing(instance.key).forget_results(RESULT)  # It may hold others now.
      self.has_news = True
    return joined

  def _note_lists(self, key: object, form: _forms.BaseForm, result: object) -> None:
    """Notes whether an instance returns new lists, which is all that a number would not tell."""
    kind = result.type if isinstance(result, Made) else getattr(form, "type", None)
    before = self.makes_lists.get(key)
    self.makes_lists[key] = kind is list and before is not False
    if before and kind is not list:
      self.has_news = True  # Its callers have taken it for one.

  def leave(self, key: object, refusal: ConversionRefused) -> None:
    """Notes that the body of an instance is refused: who calls it never gets anything."""
    self.left[key] = refusal.again()
    self.results.pop(key, None)
    self.note_news()

  def note_made(self, key: object, form: _forms.BaseForm) -> _forms.BaseForm:
    """Notes that what an instance returns has no end but by objects that a run makes.

    Args:
      key: of the instance.
      form: of what it returns, as far as it is known.

    Returns:
      Its form from now on.
    """
    self.made[key] = None
    self.crossing(key).forget_results(RESULT)
    self.results[key] = _forms.ended(form)
    self.has_news = True
    return self.results[key]

  def note_changed(self, instance: Instance, rebuilt: Rebuilt, frame: Frame) -> None:
    """Notes which arguments a function changes for its caller, and the forms they have then."""
    known = self.changed.setdefault(instance.key, {})
    now = rebuilt.now()
    for position in {*rebuilt.changed(), *known}:
      form = _forms.generalized(_forms.form_of(now[position], frame), is_argument=True)
      try:
        joined = _forms.join(known.get(position, form), form)
      except _forms.Mismatch as error:
        raise frame.refuse(
          Reason.KINDS_DIFFER, f"{instance.name} leaves {error} in a variable around it."
        ) from None
      if _forms.has_made(joined) and not _forms.holds_numbers(joined):
        text = f"{instance.name} leaves what may be an old or a new object in what it is given."
        raise frame.refuse(Reason.MADE_OBJECT, text)
      if known.get(position) != joined:
        known[position] = joined
        self.has_news = True

  def note_read_at_once(
    self, instance: Instance, values: Sequence[object], outputs: Sequence[tf.Tensor]
  ) -> None:
    """Notes which objects a body reads whatever happens.

    Such a read fails by itself if there is no object, so that calls need not check it before: that
    would be a step more on the way down.

    Args:
      instance: the body's, whose graph is being made.
      values: its arguments.
      outputs: its results.
    """
    graph = tf.compat.v1.get_default_graph()
    handles = gathered([tensor for tensor in outputs if tensor.graph is graph])
    found = frozenset(
      position
      for position, value in enumerate(values)
      if isinstance(value, Ref) and not value.path and id(value.base.handle) in handles
    )
    known = self.read_at_once.get(instance.key)
    joined = found if known is None else found & known
    changed = joined ^ (known or frozenset())
    # Of all others no call has been made in a way that it would not be made in again.
    if any((instance.key, position) in self.relied_on for position in changed):
      self.has_news = True
    self.read_at_once[instance.key] = joined
