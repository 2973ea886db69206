import pytest

from recursive_tf.datasets import grammar_sentences as grammar
from recursive_tf.datasets import load_grammar

PLAIN = dict.fromkeys(grammar._SLOTS, 0)


def say(**choices):
  return str(grammar.say({**PLAIN, **choices}))


@pytest.mark.parametrize(
  "choices, sentence",
  [
    ({}, "the dog sees the dog ."),
    ({"subject_number": 1}, "the dogs see the dog ."),
    ({"tense": 1, "object_noun": 2}, "the dog saw the owl ."),
    ({"is_negative": 1}, "the dog does not see the dog ."),
    ({"is_negative": 1, "tense": 1, "subject_number": 1}, "the dogs did not see the dog ."),
    ({"is_question": 1, "subject_number": 1}, "do the dogs see the dog ?"),
    ({"is_question": 1, "is_negative": 1, "tense": 2}, "will the dog not see the dog ?"),
    ({"subject_article": 1, "object_article": 1, "object_noun": 2}, "a dog sees an owl ."),
    (
      {"subject_article": 1, "subject_adjective": 2, "object_article": 1, "object_number": 1},
      "an old dog sees some dogs .",
    ),
    (
      {"subject_modifier": 3, "subject_number": 1, "subject_link": 2, "adverb": 2},
      "the dogs that like the dog see the dog today .",
    ),
    (
      {"object_modifier": 2, "object_link": 6, "object_other_number": 1},
      "the dog sees the dog behind the dogs .",
    ),
  ],
)
def test_meanings_in_words(choices, sentence):
  assert say(**choices) == sentence


def test_the_tree_is_that_of_a_grammarian():
  choices = {"subject_modifier": 3, "object_modifier": 2, "is_negative": 1, "is_question": 1}
  tree = grammar.say({**PLAIN, **choices})
  pairs = [
    (word, tree.words[head] if head >= 0 else None)
    for word, head in zip(tree.words, tree.heads, strict=True)
  ]
  assert pairs == [
    ("does", "see"),
    ("the", "dog"),
    ("dog", "see"),
    ("that", "sees"),
    ("sees", "dog"),
    ("the", "dog"),
    ("dog", "sees"),
    ("not", "see"),
    ("see", None),
    ("the", "dog"),
    ("dog", "see"),
    ("near", "dog"),
    ("the", "dog"),
    ("dog", "near"),
    ("?", "see"),
  ]


def test_splits_share_no_meaning_and_stay_the_same():
  splits = load_grammar()
  assert {name: len(trees) for name, trees in splits.items()} == grammar.NUM_TREES
  conditions = [tree.condition for trees in splits.values() for tree in trees]
  assert len(set(conditions)) == len(conditions)
  assert str(splits["train"][0]) == str(grammar.generate(1)[0])
  assert max(max(condition) for condition in conditions) < grammar.NUM_CONDITIONS


def test_equal_conditions_mean_equal_sentences():
  said = {}
  for tree in grammar.generate(3000, seed=1):
    assert said.setdefault(tree.condition, str(tree)) == str(tree)
  # Choices that make no difference are not in the condition.
  assert grammar.say({**PLAIN, "subject_link": 3}).condition == grammar.say(PLAIN).condition
  assert len(set(said.values())) == len(said)
