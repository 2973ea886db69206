import pathlib
import runpy
import subprocess
import sys

import numpy as np
import pytest

from recursive_tf.datasets import load_sample, read_vectors
from recursive_tf.training.data import make_vocabulary

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "word_vectors.py"
SMALL = ["--data", "sample", "--size", "5", "--epochs", "1"]


@pytest.fixture
def write(tmp_path):
  """Calls the example: `write(arguments)` -> the file."""
  pytest.importorskip("gensim")
  example = runpy.run_path(str(EXAMPLE))

  def call(*arguments):
    path = tmp_path / f"vectors{len(list(tmp_path.iterdir()))}.txt"
    example["main"]([*SMALL, "--out", str(path), *arguments])
    return path

  return call


def test_every_word_has_a_vector_that_train_reads(write):
  vocabulary = make_vocabulary(load_sample()["train"], lowercase=True, min_count=1)
  found = read_vectors(write(), vocabulary)
  assert found.size == 5 and found.is_found[1:].all()  # All but the unknown word.
  assert found.num_lines == vocabulary.size - 1
  # Trained and apart, not zeros: what words share is their sentences.
  assert len(np.unique(found.vectors[1:], axis=0)) == found.num_lines


def test_the_same_each_time_and_another_by_seed(write):
  first, again, other = (write(*seed).read_bytes() for seed in ((), (), ("--seed", "1")))
  assert first == again != other


def test_further_sentences_add_their_words(write, tmp_path):
  text = tmp_path / "more.txt"
  text.write_text("A zebra\n\n zebra Gnu\n", encoding="utf-8")
  words = [line.split()[0] for line in write("--text", str(text)).read_text().splitlines()[1:]]
  assert {"zebra", "gnu"} <= set(words) and "Gnu" not in words


def test_without_gensim_it_says_what_to_install(tmp_path):
  hidden = "import runpy, sys; sys.modules['gensim'] = None"
  program = f"{hidden}; runpy.run_path(sys.argv.pop(1), run_name='__main__')"
  command = [sys.executable, "-c", program, str(EXAMPLE), *SMALL, "--out", str(tmp_path / "v.txt")]
  done = subprocess.run(command, capture_output=True, text=True, check=False)
  assert done.returncode == 1 and done.stderr.endswith("Run `pip install gensim`.\n")
  assert not (tmp_path / "v.txt").exists()
