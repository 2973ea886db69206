"""The harness passes what is right and fails what is wrong, before it judges a converter."""

import pytest

from tests.convert import fakes, harness
from tests.convert.programs.catalogue import all_programs

PROGRAMS = {program.name: program for program in all_programs()}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_plain_python_agrees_with_itself(name):
  program = PROGRAMS[name]
  harness.check(program, fakes.converter(program))


@pytest.mark.parametrize(
  "kind, name",
  [
    (fakes.DropsLastAppend, "append_states"),
    (fakes.DropsLastAppend, "collect_leaves"),
    (fakes.WritesToCopies, "state_on_nodes"),
    (fakes.WritesToCopies, "mirror"),
    (fakes.WritesToCopies, "returns_a_node"),
    (fakes.LosesGradients, "gradients_of_tensors_around"),
    (fakes.StacksBackwards, "tree_rnn"),
    (fakes.FreezesFirstResult, "tree_rnn"),
    (fakes.FreezesFirstResult, "weights_change_between_calls"),
    (fakes.FreezesFirstResult, "activation_swapped_between_calls"),
    (fakes.FreezesFirstResult, "attribute_changed_between_calls"),
    (fakes.FreezesFirstResult, "counting_calls"),
    (fakes.FloatForInt, "fibonacci"),
    (fakes.FloatForInt, "sentiment_with_accuracy"),
    (fakes.FloatForInt, "is_balanced"),
    (fakes.TensorForNumber, "tree_height"),
    (fakes.TensorForNumber, "floats"),
    (fakes.PrintsBackwards, "prints_in_order"),
    (fakes.PrintsNothing, "prints_tensors"),
    (fakes.LosesGradients, "tree_lstm"),
    (fakes.LosesGradients, "state_on_nodes"),
    (fakes.RunsTwice, "counting_calls"),
    (fakes.RunsTwice, "histogram"),
    (fakes.RunsTwice, "nonlocal_counter"),
    (fakes.OtherMessage, "raise_for_bad_label"),
    (fakes.OtherMessage, "asserts"),
    (fakes.OtherLine, "missing_key"),
    (fakes.RollsBackNothing, "division_by_zero"),
    (fakes.FallsBack, "tree_rnn"),
    (fakes.FallsBack, "try_around_recursion"),
    (fakes.ConvertsEachTime, "tree_rnn"),
    (fakes.CastsToFloat32, "socher_rntn"),
  ],
)
def test_a_wrong_converter_is_caught(kind, name):
  program = PROGRAMS[name]
  with pytest.raises(AssertionError):
    harness.check(program, fakes.converter(program, kind))


@pytest.mark.slow
def test_most_programs_notice_frozen_reads():
  unnoticed = []
  for program in PROGRAMS.values():
    try:
      harness.Check(program, fakes.converter(program, fakes.FreezesFirstResult)).check_calls()
    except AssertionError:
      continue
    unnoticed.append(program.name)
  assert len(unnoticed) < len(PROGRAMS) / 5, unnoticed
