import pathlib
import re
import runpy

import numpy as np
import pytest

from tests.datasets.test_sick import FILES

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "sick_relatedness.py"


@pytest.fixture(scope="module")
def example():
  return runpy.run_path(str(EXAMPLE))


def test_it_learns_the_pairs_it_sees(example, tmp_path, capsys):
  # The same two pairs in all splits: what was learnt has to show.
  for split in ("train", "dev", "test"):
    (tmp_path / split).mkdir()
    for name, text in FILES.items():
      (tmp_path / split / name).write_text(text)
  example["main"](["--data", str(tmp_path), "--epochs", "12"])
  errors = re.findall(r"dev .* MSE ([0-9.]+)", capsys.readouterr().out)
  # The least that an answer has that is the same for both.
  assert len(errors) == 12 and float(errors[-1]) < np.var([4.7, 3.0])


def test_scores_are_those_of_the_paper(example):
  predicted, expected = np.array([1.0, 2.0, 2.0, 4.0]), np.array([1.0, 3.0, 4.0, 5.0])
  found = example["scores_of"](predicted, expected)
  assert found["MSE"] == pytest.approx((0 + 1 + 4 + 1) / 4)
  assert found["Pearson"] == pytest.approx(
    np.cov(predicted, expected)[0, 1] / predicted.std(ddof=1) / expected.std(ddof=1)
  )
  # Equal values share a rank: 1, 2.5, 2.5, 4 against 1, 2, 3, 4.
  assert found["Spearman"] == pytest.approx(4.5 / np.sqrt(4.5 * 5))
