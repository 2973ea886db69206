"""Word vectors from little text: word2vec on the sentences of a treebank, for `train --vectors`.

Mikolov et al., "Efficient Estimation of Word Representations in Vector Space", 2013: skip-grams
with negative sampling, by gensim, which is not among the dependencies: `pip install gensim`.

    python examples/word_vectors.py --data sst --out vectors.txt
    recursive-tf train treelstm --data sst --vectors vectors.txt
"""

import argparse
import pathlib
import sys

from recursive_tf import RecursiveTFError
from recursive_tf.training.data import load_trees
from recursive_tf.training.files import write_atomically

WINDOW, NEGATIVE = 5, 10


def sentences_of(data, texts=()):
  """Returns the training sentences of a treebank, and those of files, as lists of words.

  Args:
    data: "sample", "sst" or a directory, as for `recursive-tf train`.
    texts: files of further sentences, one a line, words divided by spaces.
  """
  found = [tree.words() for tree in load_trees(data)["train"]]
  for path in texts:
    lines = pathlib.Path(path).read_text("utf-8").splitlines()
    found += [line.split() for line in lines if line.strip()]
  # As training looks words up: in lower case.
  return [[word.lower() for word in sentence] for sentence in found]


def train_vectors(sentences, size, epochs, seed):
  """Returns (words, vectors): those of all words, the most frequent first; float32 [V, size].

  One thread and the seed make it the same each time.
  """
  from gensim.models import Word2Vec

  model = Word2Vec(
    sentences,
    vector_size=size,
    window=WINDOW,
    negative=NEGATIVE,
    sg=1,
    min_count=1,
    epochs=epochs,
    seed=seed,
    workers=1,
  )
  return model.wv.index_to_key, model.wv.vectors


def main(argv=None):
  """Trains vectors and writes them."""
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("--data", default="sst", help="sample, sst, or a folder of trees (sst)")
  parser.add_argument(
    "--text", nargs="*", default=[], metavar="FILE", help="more, a sentence a line"
  )
  parser.add_argument("--out", default="vectors.txt", help="file to write (vectors.txt)")
  parser.add_argument("--size", type=int, default=300, help="numbers of a vector (300)")
  parser.add_argument("--epochs", type=int, default=20, help="passes over the sentences (20)")
  parser.add_argument("--seed", type=int, default=0)
  args = parser.parse_args(argv)
  words, vectors = train_vectors(
    sentences_of(args.data, args.text), args.size, args.epochs, args.seed
  )
  lines = [f"{len(words)} {args.size}"]
  for word, vector in zip(words, vectors, strict=True):
    lines.append(" ".join([word, *(f"{number:.6g}" for number in vector)]))
  write_atomically(pathlib.Path(args.out), "".join(f"{line}\n" for line in lines))
  print(f"{args.out}: {len(words)} words")


if __name__ == "__main__":
  try:
    main()
  except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "gensim":
      raise
    sys.exit("word_vectors.py: error: gensim is not installed. Run `pip install gensim`.")
  except (RecursiveTFError, OSError) as error:  # Trees, texts, or a file that cannot be written.
    sys.exit(f"word_vectors.py: error: {error}")
