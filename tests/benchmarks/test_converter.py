"""The imperative programs do under `rtf.function` what they do in Python."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from benchmarks import converter
from benchmarks.options import Options
from benchmarks.peers import imperative_agents, imperative_images, imperative_trees
from benchmarks.peers.program import Missing
from benchmarks.report import Report
from benchmarks.workloads.converter import Converter
from recursive_tf.convert.validation._compare import Comparison, Difference


class Pole:
  """A stand-in for gymnasium's CartPole: the same interface, less physics."""

  def reset(self, seed=None):
    del seed
    self.turn, self.state = 0, np.full(4, 0.1, np.float32)
    return self.state, {}

  def step(self, action):
    self.turn += 1
    self.state = np.tanh(self.state * 1.1 + np.float32([0.1, -0.2, 0.3, -0.1]) * (2 * action - 1))
    return self.state, 1.0, bool(abs(self.state[2]) > 0.9), self.turn == 10, {}


def test_ppo_plays_and_learns_the_same():
  iterations = {}
  functions = []
  for is_converted in (False, True):
    tf.keras.utils.set_random_seed(0)
    made = imperative_agents.ppo("small", Pole, num_epochs=2)

    def decorate(function, is_converted=is_converted):
      if not is_converted:
        return function
      functions.append(rtf.function(function, strict=True, verify=False))
      return functions[-1]

    iteration = made.around(decorate, made.step)
    iterations[is_converted] = [float(iteration()) for _ in range(3)], made.variables
  np.testing.assert_allclose(iterations[True][0], iterations[False][0], rtol=1e-4)
  for ours, eager in zip(iterations[True][1], iterations[False][1], strict=True):
    np.testing.assert_allclose(ours, eager, rtol=1e-4, atol=1e-6)
  assert all(function.stats.num_fallback_runs == 0 for function in functions)


def test_advantages_are_sums_of_discounted_surprises():
  found = imperative_agents.advantages_of([1.0, 1.0, 1.0], [0.5, 0.2, 0.1], [False, True, False], 2)
  last = 1 + 0.99 * 2 - 0.1
  ended = 1 - 0.2
  first = 1 + 0.99 * 0.2 - 0.5 + 0.99 * 0.95 * ended
  np.testing.assert_allclose(found, [first, ended, last], rtol=1e-6)


def test_pairs_of_facades_are_labels_and_photo(tmp_path, monkeypatch):
  folder = tmp_path / "facades" / "pairs"
  folder.mkdir(parents=True)
  pair = np.zeros([8, 16, 3], np.uint8)
  pair[:, :8] = 255  # The photo, on the left.
  (folder / "image_001.jpg").write_bytes(tf.io.encode_jpeg(pair, quality=100).numpy())
  monkeypatch.setenv("RECURSIVE_TF_DATA", str(tmp_path))
  ((labels, photo),) = imperative_images.facades(4)
  np.testing.assert_allclose(labels, np.full([1, 4, 4, 3], -1.0), atol=0.05)
  np.testing.assert_allclose(photo, np.full([1, 4, 4, 3], 1.0), atol=0.05)


def test_a_program_without_its_data_says_why(tmp_path, monkeypatch):
  monkeypatch.setenv("RECURSIVE_TF_DATA", str(tmp_path))
  with pytest.raises(Missing, match="RECURSIVE_TF_DATA"):
    imperative_images.facades(64)
  options = Options(size="smoke", threads=(1,), repetitions=1, out=tmp_path, in_process=True)
  report = Report("converter", options)
  assert converter.measured("pix2pix", "small", 1, report) == []
  assert "no images" in report.notes[0]


@pytest.mark.slow
@pytest.mark.parametrize("program", ["inception", "pix2pix"])
def test_models_of_images_learn_the_same(program, data_dir, monkeypatch):
  monkeypatch.setenv("RECURSIVE_TF_DATA", str(data_dir))
  if program == "pix2pix" and not (data_dir / "facades").is_dir():
    pytest.skip(f"no facades in {data_dir}")
  steps = Converter(program, "small")
  losses = {arm: steps.train(arm, 3)[0] for arm in ("eager", "rtf.function")}
  np.testing.assert_allclose(losses["rtf.function"], losses["eager"], rtol=1e-4)
  num_graph, num_plain = steps.runs()
  assert (num_graph, num_plain) == (3, 0)


@pytest.mark.parametrize("size", [pytest.param("small", marks=pytest.mark.slow), "large"])
@pytest.mark.parametrize("program", ["treernn", pytest.param("treelstm", marks=pytest.mark.slow)])
def test_trees_are_learnt_the_same_in_each_way(program, size, tmp_path, monkeypatch):
  monkeypatch.setenv("RECURSIVE_TF_DATA", str(tmp_path))  # Without a treebank: the sample's.
  monkeypatch.setitem(imperative_trees._BATCH, "large", 3)
  steps = Converter(program, size)
  found = {arm: steps.train(arm, 3) for arm in steps.arms() if arm != "AutoGraph"}
  assert list(found) == ["eager", "rtf.function", "by hand", "by hand, packed"]
  for losses, weights, error in found.values():
    np.testing.assert_allclose(losses, found["eager"][0], rtol=1e-5)
    assert weights < 1e-6
    assert error is None
  assert steps.runs() == (3, 0)
  number, seconds = steps.guards()
  assert number > 10
  assert 0 < seconds < 1
  assert steps.first_seconds("rtf.function") > 0


@pytest.mark.parametrize("is_wrong", [False, True])
def test_runs_that_are_compared_and_those_that_differ_are_counted(is_wrong, monkeypatch):
  def check(*_):
    if is_wrong:
      raise Difference("on purpose")

  monkeypatch.setattr(Comparison, "check", check)
  steps = Converter("a3c", "small", verify=True)
  for arm in ("eager", "rtf.function"):
    steps.train(arm, 3)
  num_graph, _ = steps.runs()
  num_compared, num_different, notes = steps.verified()
  assert (num_graph, num_different) == ((0, 3) if is_wrong else (3, 0))
  assert num_compared == (1 if is_wrong else 3)
  assert notes == []


def test_trees_become_rows_children_before_parents():
  leaf, other = imperative_trees.Node(3, word=7), imperative_trees.Node(1, word=5)
  trees = [imperative_trees.Node(4, None, leaf, other), leaf]
  nodes, roots = imperative_trees.arrays_of(trees)
  assert nodes.numpy().tolist() == [[3, 7, -1, -1], [1, 5, -1, -1], [4, -1, 0, 1], [3, 7, -1, -1]]
  assert roots.numpy().tolist() == [2, 3]


@pytest.mark.slow
def test_programs_and_sizes_are_chosen(tmp_path):
  options = Options(
    size="smoke",
    threads=(1,),
    repetitions=1,
    out=tmp_path,
    in_process=True,
    models=("lm", "no such program"),
    sizes=("small",),
  )
  report = converter.run(options)
  assert {timing.labels["program"] for timing in report.timings} == {"lm"}
  assert options.named(converter.PROGRAMS) == ("lm",)
  assert len(converter.PROGRAMS) == 11


def test_what_is_no_number_differs():
  found = converter.differences([1.0, float("nan"), 2.0], [1.0, 1.0, 1.0])
  assert found == [0.0, float("inf"), 1.0]
