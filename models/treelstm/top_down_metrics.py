"""Counts of what a generator of trees gets right."""

from __future__ import annotations

import math
from typing import Any, NamedTuple


class GenerationMetrics(NamedTuple):
  """Sums over any number of trees; they add up. Tensors float64 [], or plain numbers.

  Attributes:
    num_nodes: nodes of given trees.
    word_loss, structure_loss: -log P of their words, and of the edges that they have or lack.
    correct_words, correct_edges: nodes whose word, or all of whose edges, are the likeliest.
    num_completions, correct_completions: blanks, and those in which the right word makes the tree
      likelier than each of the four others does.
    num_generated, exact_generated: trees generated, and those equal to the given ones.
  """

  num_nodes: Any
  word_loss: Any
  structure_loss: Any
  correct_words: Any
  correct_edges: Any
  num_completions: Any
  correct_completions: Any
  num_generated: Any
  exact_generated: Any

  @classmethod
  def zeros(cls) -> GenerationMetrics:
    """Returns sums of nothing."""
    return cls(*[0.0] * len(cls._fields))

  def plus(self, other: GenerationMetrics) -> GenerationMetrics:
    """Returns the sums of both together."""
    return GenerationMetrics(*(a + b for a, b in zip(self, other, strict=True)))

  def scores(self) -> dict[str, float]:
    """Returns perplexities of a node, and shares in 0..1 of what is right.

    "perplexity" is that of the words, "tree_perplexity" that of words and edges together; "word",
    "edges", "completion" and "exact" are shares. What was not counted is not there.
    """
    scores = {}
    nodes = float(self.num_nodes)
    if nodes:
      words, edges = float(self.word_loss), float(self.structure_loss)
      scores["perplexity"] = math.exp(min(words / nodes, 700.0))
      scores["tree_perplexity"] = math.exp(min((words + edges) / nodes, 700.0))
      scores["word"] = float(self.correct_words) / nodes
      scores["edges"] = float(self.correct_edges) / nodes
    if float(self.num_completions):
      scores["completion"] = float(self.correct_completions) / float(self.num_completions)
    if float(self.num_generated):
      scores["exact"] = float(self.exact_generated) / float(self.num_generated)
    return scores
