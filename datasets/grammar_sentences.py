"""A grammar that puts meanings into words: for each meaning exactly one sentence and one tree.

A meaning is a row of choices (who does what to whom, in which tense, asked or denied or stated).
The sentence follows from it by rules of English that reach from one end of the tree to another:

    the old dog near some cats chased a boy .      this owl will not see the man that likes dogs .
    does an ugly owl that sees the men like tea ?

- the verb agrees with its subject's number, unless there is an auxiliary, which then does;
- denying and asking need "do", unless there is "will";
- an auxiliary goes before the subject in a question;
- "a" and "these" agree in number, "a" becomes "an" before a vowel, whatever word that is in.

So whether there is a node, and where, depends on the meaning: nothing about the tree is given.
Everything is drawn from one seed; sentences of different splits have different meanings.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence

from recursive_tf.datasets.dependencies import DependencyTree

SEED = 2016
NUM_TREES = {"train": 8000, "dev": 400, "test": 400}

_NOUNS = (
  ("dog", "dogs"),
  ("cat", "cats"),
  ("owl", "owls"),
  ("man", "men"),
  ("woman", "women"),
  ("child", "children"),
  ("king", "kings"),
  ("uncle", "uncles"),
  ("teacher", "teachers"),
  ("artist", "artists"),
  ("mouse", "mice"),
  ("elephant", "elephants"),
)
# Base, third person singular, past.
_VERBS = (
  ("see", "sees", "saw"),
  ("chase", "chases", "chased"),
  ("like", "likes", "liked"),
  ("find", "finds", "found"),
  ("follow", "follows", "followed"),
  ("know", "knows", "knew"),
  ("teach", "teaches", "taught"),
  ("hear", "hears", "heard"),
)
_ADJECTIVES = ("", "", "old", "ugly", "young", "happy", "angry", "small", "clever")
_ADVERBS = ("", "", "today", "quietly", "often", "again", "outside")
_PREPOSITIONS = ("near", "behind", "with", "without", "beside")
# Singular, plural.
_ARTICLES = (("the", "the"), ("a", "some"), ("this", "these"), ("every", "all"))
_TENSES = ("present", "past", "future")
_MODIFIERS = ("", "", "phrase", "clause")
# What is listed twice is drawn twice as often.
_WITH_REPEATS = {"adjective": _ADJECTIVES, "adverb": _ADVERBS, "modifier": _MODIFIERS}

TAGS = ("noun", "verb", "adjective", "adverb", "preposition", "article", "auxiliary", "other")
_TAG = {name: index for index, name in enumerate(TAGS)}

_NOUN_PHRASE = {
  "noun": len(_NOUNS),
  "number": 2,
  "article": len(_ARTICLES),
  "adjective": len(_ADJECTIVES),
}
_SLOTS = {
  "verb": len(_VERBS),
  "tense": len(_TENSES),
  "is_negative": 2,
  "is_question": 2,
  "adverb": len(_ADVERBS),
  **{f"{who}_{slot}": n for who in ("subject", "object") for slot, n in _NOUN_PHRASE.items()},
  **{
    f"{who}_{slot}": n
    for who in ("subject", "object")
    for slot, n in {
      "modifier": len(_MODIFIERS),
      "link": len(_VERBS),  # The preposition or the verb of the modifier.
      **{f"other_{slot}": n for slot, n in _NOUN_PHRASE.items()},
    }.items()
  },
}
# Numbers in `DependencyTree.condition`: each slot has a range of its own.
_FIRST = {slot: sum(list(_SLOTS.values())[:i]) for i, slot in enumerate(_SLOTS)}
NUM_CONDITIONS = sum(_SLOTS.values())

Meaning = dict[str, int]


@dataclasses.dataclass
class _Word:
  """A word with its dependents, those on the left in the order of the sentence."""

  text: str
  tag: str
  left: list[_Word] = dataclasses.field(default_factory=list)
  right: list[_Word] = dataclasses.field(default_factory=list)

  def first(self) -> str:
    """Returns the first word of the phrase."""
    return self.left[0].first() if self.left else self.text


def generate(num_trees: int, seed: int = SEED) -> list[DependencyTree]:
  """Generates trees of different meanings, a pure function of the arguments."""
  rng = random.Random(seed)
  trees: dict[tuple[int, ...], DependencyTree] = {}
  while len(trees) < num_trees:
    # Python keeps random() the same in all versions, not what randrange makes of it.
    meaning = {slot: int(rng.random() * n) for slot, n in _SLOTS.items()}
    tree = say(meaning)
    trees.setdefault(tree.condition, tree)
  return list(trees.values())


def load_grammar() -> dict[str, list[DependencyTree]]:
  """Returns {"train": trees, "dev": trees, "test": trees}, no two with the same meaning."""
  trees = generate(sum(NUM_TREES.values()))
  splits, start = {}, 0
  for split, count in NUM_TREES.items():
    splits[split] = trees[start : start + count]
    start += count
  return splits


def say(meaning: Meaning) -> DependencyTree:
  """Returns the sentence that says `meaning`: the choice in each slot, 0 up to its number."""
  words: list[str] = []
  heads: list[int] = []
  tags: list[int] = []

  def put(word: _Word) -> int:
    before = [put(dependent) for dependent in word.left]
    place = len(words)
    words.append(word.text)
    heads.append(-1)
    tags.append(_TAG[word.tag])
    for dependent in before + [put(dependent) for dependent in word.right]:
      heads[dependent] = place
    return place

  put(_sentence(meaning))
  return DependencyTree(tuple(words), tuple(heads), tuple(tags), _condition(meaning))


def _condition(meaning: Meaning) -> tuple[int, ...]:
  """Returns the choices as numbers; choices that make no difference are the same number."""
  choices = dict(meaning)
  for slot, choice in meaning.items():
    for ending, options in _WITH_REPEATS.items():
      if slot.endswith(ending):
        choices[slot] = options.index(options[choice])
  for who in ("subject", "object"):
    modifier = _MODIFIERS[meaning[f"{who}_modifier"]]
    if modifier == "phrase":
      choices[f"{who}_link"] %= len(_PREPOSITIONS)
    elif not modifier:
      choices |= {s: 0 for s in _SLOTS if s.startswith((f"{who}_link", f"{who}_other"))}
  return tuple(_FIRST[slot] + choices[slot] for slot in _SLOTS)


def _sentence(meaning: Meaning) -> _Word:
  base, third, past = _VERBS[meaning["verb"]]
  tense = _TENSES[meaning["tense"]]
  is_plural = bool(meaning["subject_number"])
  is_question, is_negative = bool(meaning["is_question"]), bool(meaning["is_negative"])
  subject = [_noun_phrase(meaning, "subject_")]
  auxiliary, form = "", base
  if tense == "future":
    auxiliary = "will"
  elif is_question or is_negative:
    auxiliary = "did" if tense == "past" else "do" if is_plural else "does"
  else:
    form = past if tense == "past" else base if is_plural else third
  helper = [_Word(auxiliary, "auxiliary")] if auxiliary else []
  verb = _Word(form, "verb", helper + subject if is_question else subject + helper)
  if is_negative:
    verb.left.append(_Word("not", "other"))
  verb.right.append(_noun_phrase(meaning, "object_"))
  if _ADVERBS[meaning["adverb"]]:
    verb.right.append(_Word(_ADVERBS[meaning["adverb"]], "adverb"))
  verb.right.append(_Word("?" if is_question else ".", "other"))
  return verb


def _noun_phrase(meaning: Meaning, prefix: str) -> _Word:
  number = meaning[f"{prefix}number"]
  noun = _Word(_NOUNS[meaning[f"{prefix}noun"]][number], "noun")
  adjective = _ADJECTIVES[meaning[f"{prefix}adjective"]]
  if adjective:
    noun.left.append(_Word(adjective, "adjective"))
  article = _ARTICLES[meaning[f"{prefix}article"]][number]
  if article == "a" and noun.first()[0] in "aeiou":
    article = "an"
  noun.left.insert(0, _Word(article, "article"))
  modifier = _MODIFIERS[meaning.get(f"{prefix}modifier", 0)]
  if modifier:
    noun.right.append(_modifier(meaning, prefix, modifier, number))
  return noun


def _modifier(meaning: Meaning, prefix: str, kind: str, number: int) -> _Word:
  """Near NOUN PHRASE | that likes NOUN PHRASE."""
  link, other = meaning[f"{prefix}link"], _noun_phrase(meaning, f"{prefix}other_")
  if kind == "phrase":
    text = _PREPOSITIONS[link % len(_PREPOSITIONS)]
    return _Word(text, "preposition", right=[other])
  base, third, _ = _VERBS[link]
  return _Word(base if number else third, "verb", [_Word("that", "other")], [other])


def show(trees: Sequence[DependencyTree]) -> str:
  """Returns the sentences, one a line."""
  return "\n".join(map(str, trees))
