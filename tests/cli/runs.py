"""Runs that are small enough for tests, and how they are looked at and stopped."""

from recursive_tf.training.config import RunConfig
from recursive_tf.training.data import load_splits
from recursive_tf.training.trainer import Trainer

TINY = ["--limit", "24", "--state-size", "4", "--batch-size", "5", "--epochs", "2"]
_TIMES = ("sentences_per_second", "seconds")


class Silent:
  """Reports nothing, and counts steps."""

  def __init__(self):
    self.num_steps = 0

  def start_epoch(self, epoch, num_trees, trees_done):
    pass

  def step(self, num_trees, loss, metrics):
    self.num_steps += 1

  def end_epoch(self, row, is_best):
    pass


def trainer_of(directory, should_stop=lambda: False):
  """Makes the trainer that goes on with a run of a classifier."""
  config = RunConfig.load(directory)
  splits = load_splits(config.data, config.task_object, limit=config.limit)
  return Trainer(config, splits, directory, should_stop)


def interrupt_after(directory, num_steps):
  """Goes on with a run for some steps, as if Ctrl-C came then."""
  reporter = Silent()
  trainer = trainer_of(directory, lambda: reporter.num_steps >= num_steps)
  assert not trainer.run(reporter)
  return trainer


def without_times(rows):
  return [{name: v for name, v in row.items() if name not in _TIMES} for row in rows]


def contents(directory):
  """Returns all files below a directory with their bytes."""
  files = (path for path in directory.rglob("*") if path.is_file())
  return {str(path.relative_to(directory)): path.read_bytes() for path in files}


def assert_one_line(error, *parts):
  """Checks that an error is one clear line with all `parts` in it."""
  assert error.startswith("recursive-tf"), error
  assert error.count("\n") == 1 and error.endswith("\n"), error
  for part in parts:
    assert part in error, error
