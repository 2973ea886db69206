"""The options of all commands.

`bin/recursive-tf` reads this file before the package, so that help, the version and a typo are
answered at once. So it imports nothing but the standard library.
"""

from __future__ import annotations

import argparse
import difflib
import pathlib
import runpy
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

BAD_INPUT = 2  # Exit status for what the user can put right; argparse uses the same.
# As in training/registry.py, which would import TensorFlow.
MODELS = (
  *("treelstm", "treernn", "rntn", "mvrnn"),
  *("top-down-treelstm", "child-sum-treelstm", "nary-treelstm"),
)
_WIDE = argparse.RawDescriptionHelpFormatter

_EPILOG = """\
examples:
  recursive-tf train treelstm --data sample          half a minute; needs no data
  recursive-tf train treelstm --data sst             the Stanford Sentiment Treebank
  recursive-tf eval runs/treelstm-sst-binary         accuracies on its test split
  recursive-tf predict runs/treelstm-sst-binary "not good"      class of every phrase, as a tree
  recursive-tf export runs/treelstm-sst-binary DIR   a program that runs without Python
  recursive-tf plot runs/treelstm-sst-binary         curves, accuracy by length, confusions
  recursive-tf trace treelstm --out schedule.svg      what ran together, as a picture
  recursive-tf bench                                 how fast this machine is, in a minute
  recursive-tf COMMAND --help                        all options of a command

exit status: 0 done, 2 bad input, 75 another worker is gone (try again), 130 stopped by Ctrl-C
"""

_TRAIN_EPILOG = """\
examples:
  recursive-tf train treelstm --data sst --seed 1 --out runs/lstm1
  recursive-tf train treelstm --out runs/lstm1 --resume      after Ctrl-C, or a crash
  recursive-tf train treelstm --out runs/lstm1 --resume --epochs 6      two epochs more
  recursive-tf train treelstm --data sst --epochs 40 --early-stopping 4
  recursive-tf train treelstm --data sst --vectors glove.840B.300d.txt
  recursive-tf train rntn --data sst --epochs 3
  recursive-tf train treelstm --data my/trees --dry-run      is all as it should be?
  recursive-tf train top-down-treelstm                       generates sentences from meanings
  recursive-tf train child-sum-treelstm --data sick          how related two sentences are
  recursive-tf train child-sum-treelstm --data ud            relations of words to their heads
  recursive-tf train treelstm --data my/trees --task fine --skip-bad
  recursive-tf train treelstm --data sst --workers 4 --batch-size 100

Defaults are tuned for each model (models/*/README.md). A run directory holds config.json,
history.csv (one line an epoch), curves.png, test.json, vocabulary.txt and checkpoints. Ctrl-C
finishes the step under way, saves, and says how to go on.
"""

_PREDICT_EPILOG = """\
examples:
  recursive-tf predict runs/lstm1 "(not (very good))" "((not bad) .)"
  recursive-tf predict runs/lstm1 "The film is not good." --structure balanced --png film.png
  recursive-tf predict runs/lstm1 --file reviews.txt --brief
  recursive-tf predict runs/lstm1 --file reviews.txt --html reviews.html
  recursive-tf predict runs/sick "A man is singing" "Somebody sings"
  recursive-tf predict runs/ud --file parsed.conllu --json
  echo "(S (NP it) (VP (VBZ is) (JJ good)))" | recursive-tf predict runs/lstm1 --json

In a tree, a number or a label of the Penn Treebank that begins a bracket is a label; `_` is none,
so a number that begins a bracket is the word 7 in (_ 7 dwarfs). Labels are not used.
"""


class _Parser(argparse.ArgumentParser):
  """Says in one line what is wrong, and what may have been meant; a usage would be twenty."""

  def error(self, message: str) -> NoReturn:
    end = "" if message.endswith("?") else "."
    self.exit(BAD_INPUT, f"{self.prog}: error: {message}{end} See {self.prog} --help.\n")

  def _check_value(self, action: argparse.Action, value: Any) -> None:
    """Checks a value that is one of few; argparse's own message lists them only."""
    choices = [] if action.choices is None else list(action.choices)
    if choices and value not in choices:
      listed = ", ".join(map(str, choices))
      meant = _meant(str(value), choices)
      message = f"invalid choice: {value!r}, expected one of {listed}{meant}"
      raise argparse.ArgumentError(action, message)

  def option_names(self) -> list[str]:
    """Returns the options that help shows."""
    shown = (action for action in self._actions if action.help is not argparse.SUPPRESS)
    return [name for action in shown for name in action.option_strings if name.startswith("--")]


class _CommandParser(_Parser):
  """The parser of all commands."""

  commands: dict[str, _Parser]

  def parse_args(  # type: ignore[override]
    self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
  ) -> argparse.Namespace:
    """Parses all arguments; errors about an option name the command that does not have it."""
    found, others = self.parse_known_args(args, namespace)
    if others:
      command = self.commands[found.command]
      option = next((other.partition("=")[0] for other in others if other.startswith("-")), "")
      meant = _meant(option, command.option_names()) if option else ""
      command.error(f"unrecognized arguments: {' '.join(others)}{meant}")
    return found


class _ShowVersion(argparse.Action):
  """Prints the version, from the file that is written beside the kernels."""

  def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
    path = pathlib.Path(__file__).parents[1] / "_build_info.py"
    if not path.exists():
      parser.error(f"the kernels have not been built, so there is no {path}")
    info = runpy.run_path(str(path))
    built = f"kernels for TensorFlow {info['TENSORFLOW_VERSION']}"
    print(f"{parser.prog} {info['VERSION']} ({built})")
    parser.exit()


def _meant(given: str, names: Iterable[str]) -> str:
  """Returns a question about the name that is most like what was given; empty if none is."""
  close = difflib.get_close_matches(given.lower(), list(names), n=1)
  return f"; did you mean {close[0]}?" if close else ""


def make_parser() -> argparse.ArgumentParser:
  """Makes the parser of all commands.

  Each sets `handler`, the names of a module and of its function that takes the arguments.
  """
  parser = _CommandParser(
    prog="recursive-tf",
    description="Trains and evaluates recursive models of trees in TensorFlow.",
    epilog=_EPILOG,
    formatter_class=_WIDE,
  )
  parser.add_argument("--version", action=_ShowVersion, nargs=0, help="print the version")
  commands = parser.add_subparsers(
    dest="command", required=True, metavar="COMMAND", parser_class=_Parser
  )
  _add_train(commands)
  _add_eval(commands)
  _add_predict(commands)
  _add_export(commands)
  _add_plot(commands)
  _add_trace(commands)
  _add_bench(commands)
  _add_info(commands)
  parser.commands = dict(commands.choices)
  return parser


def _add_train(commands: Any) -> None:
  parser = commands.add_parser(
    "train",
    help="train a model, or go on training it",
    description="Trains a model of trees.",
    epilog=_TRAIN_EPILOG,
    formatter_class=_WIDE,
  )
  parser.add_argument("model", metavar="MODEL", choices=MODELS, help=", ".join(MODELS))
  data = parser.add_argument_group("data")
  data.add_argument(
    "--data",
    metavar="NAME|DIR",
    help="sample (bundled; default), sst (downloaded once), or a directory of train, dev and test; "
    "for top-down-treelstm: grammar (default), ud, or a directory of CoNLL-U files; for "
    "child-sum-treelstm and nary-treelstm: sick (default), ud, or a directory of either",
  )
  data.add_argument(
    "--task",
    choices=("binary", "fine", "generation", "relatedness", "relation"),
    help="positive against negative (treelstm's default), or five classes (that of treernn, rntn, "
    "mvrnn); child-sum-treelstm, nary-treelstm: relatedness of two sentences, or the relation of "
    "each word to its head",
  )
  data.add_argument(
    "--limit",
    type=int,
    metavar="N",
    help="use a sample of N sentences of each split, the same in all runs (0: all)",
  )
  data.add_argument(
    "--skip-bad", action="store_true", default=None, help="leave out malformed lines, count them"
  )
  data.add_argument(
    "--cased", dest="lowercase", action="store_false", default=None, help="keep upper case"
  )
  data.add_argument(
    "--vectors",
    metavar="FILE",
    help="pretrained word vectors to begin with: text in GloVe's or word2vec's format",
  )
  data.add_argument(
    "--min-count", type=int, metavar="N", help="rarer words are unknown (1; ud: 3, 2)"
  )
  run = parser.add_argument_group("run")
  run.add_argument("--out", metavar="DIR", help="where to write (a new directory below runs/)")
  run.add_argument(
    "--resume",
    action="store_true",
    help="go on with the run in --out, or the last; --epochs may be more than before",
  )
  run.add_argument(
    "--early-stopping",
    type=int,
    metavar="N",
    help="stop when the dev score has not improved for N epochs (with --resume: may be larger than "
    "before)",
  )
  run.add_argument("--seed", type=int, metavar="N", help="of weights, order and dropout (0)")
  run.add_argument(
    "--save-every",
    type=int,
    default=0,
    metavar="N",
    help="a checkpoint every N steps, too, not only after each epoch",
  )
  run.add_argument(
    "--tensorboard",
    nargs="?",
    const="",
    metavar="DIR",
    help="write losses, scores, speed and learning rate of each epoch for TensorBoard, into "
    "DIR (tensorboard in the run's directory)",
  )
  run.add_argument(
    "--dry-run",
    action="store_true",
    help="read the data (sst is downloaded if it is missing), say what would be trained and where, "
    "take one step, and write nothing",
  )
  run.add_argument(
    "--threads", type=int, metavar="N", help="to compute on (2; of --workers: the cores, divided)"
  )
  _add_output(parser, "no bars and no line an epoch: the test alone", "an epoch, one for the test")
  _add_workers(parser.add_argument_group("several processes or machines (docs/distributed.md)"))
  _add_hyperparameters(parser.add_argument_group("hyperparameters (default: the model's)"))
  parser.set_defaults(handler=("recursive_tf._cli.train", "train"))


def _add_output(parser: Any, quiet: str, objects: str) -> None:
  """Adds how to say what comes out."""
  output = parser.add_argument_group("output")
  output.add_argument("--json", action="store_true", help=f"one JSON object a line for {objects}")
  output.add_argument("--quiet", action="store_true", help=quiet)


def _add_workers(group: Any) -> None:
  group.add_argument(
    "--workers",
    type=int,
    metavar="N",
    help="processes on this machine that divide each batch; the result is that of one",
  )
  group.add_argument(
    "--cluster",
    choices=("tf-config", "slurm"),
    help="where this worker learns of the others: TF_CONFIG (default, if it is set), or Slurm",
  )
  group.add_argument(
    "--max-restarts",
    type=int,
    default=3,
    metavar="N",
    help="with --workers: how often all start anew, from the last checkpoint, when one is lost (3)",
  )
  group.add_argument(
    "--timeout",
    type=float,
    default=60.0,
    metavar="SECONDS",
    help="how long a worker waits for another before it gives it up (60)",
  )
  group.add_argument(
    "--resume-or-start",
    action="store_true",
    help="go on with the run in --out if there is one, else start it: for jobs that are restarted",
  )
  group.add_argument("--launched", action="store_true", help=argparse.SUPPRESS)


def _add_hyperparameters(group: Any) -> None:
  options: list[tuple[str, Callable[[str], Any], str]] = [
    ("epochs", int, "passes over the training data"),
    ("decay-epochs", int, "those of them in which the learning rates fall to a tenth (all)"),
    ("batch-size", int, "sentences in a step"),
    ("learning-rate", float, "of the weights, at the start"),
    ("embedding-learning-rate", float, "of the word vectors, at the start"),
    ("tensor-learning-rate", float, "of rntn's tensor, at the start"),
    ("l2", float, "regularisation of the weight matrices"),
    ("dropout", float, "share of a state that the softmax layer does not see"),
    ("state-size", int, "width of a node's state"),
    ("embedding-size", int, "width of a word's vector (all but treernn, rntn, mvrnn)"),
    ("hidden-size", int, "width of the layer over the states (child-sum-, nary-treelstm)"),
    ("max-children", int, "most words that depend on one (nary-treelstm)"),
    ("rank", int, "of the words' matrices beside their diagonals (mvrnn)"),
  ]
  group.add_argument(
    "--products",
    choices=("float32", "bfloat16"),
    help="precision of products with weights; bfloat16 is faster, on processors with AVX512-BF16 "
    "(float32)",
  )
  short = {"learning-rate": ["--lr"]}
  for name, kind, text in options:
    metavar = "N" if kind is int else "X"
    group.add_argument(f"--{name}", *short.get(name, ()), type=kind, metavar=metavar, help=text)


def _add_eval(commands: Any) -> None:
  parser = commands.add_parser(
    "eval",
    help="scores of a trained model",
    description="Prints the scores of the best epoch: accuracies, and of a generator perplexities.",
    epilog="examples:\n  recursive-tf eval runs/treelstm-sst-binary --split dev\n"
    "  recursive-tf eval runs/treelstm-sst-binary --data my/reviews.txt --json",
    formatter_class=_WIDE,
  )
  _add_tested(parser)
  _add_output(parser, "no bars", "the scores")
  parser.set_defaults(handler=("recursive_tf._cli.evaluate", "evaluate"))


def _add_tested(parser: Any) -> None:
  """Adds what names a run and the data to test it on."""
  parser.add_argument("run", metavar="RUN_DIR", help="directory that `train` wrote")
  parser.add_argument(
    "--data",
    metavar="NAME|DIR|FILE",
    help="other data than it was trained on: of a directory only the split is needed",
  )
  parser.add_argument(
    "--split", choices=("train", "dev", "test"), help="which part of the data (test)"
  )
  parser.add_argument(
    "--limit",
    type=int,
    metavar="N",
    help="use a sample of N sentences, 0 for all (as in training; of other data, all)",
  )
  parser.add_argument("--skip-bad", action="store_true", help="leave out malformed lines")
  _add_threads(parser)


def _add_predict(commands: Any) -> None:
  parser = commands.add_parser(
    "predict",
    help="what a trained model says about sentences or trees",
    description="Predicts the class of every phrase, and draws the tree. TREE is a tree in\n"
    "brackets, with labels or without, or a sentence as plain text, which has no parse: a\n"
    "right-branching tree is assumed then. Without TREE and --file, standard input is read.\n\n"
    "A run of child-sum-treelstm or nary-treelstm on SICK compares sentences: TREE TREE, two\n"
    "sentences as plain text; or a file with two a line and a tab between, a file of CoNLL-U, or\n"
    "a folder of SICK. One trained on ud labels the words of CoNLL-U with their relations.",
    epilog=_PREDICT_EPILOG,
    formatter_class=_WIDE,
  )
  parser.add_argument("run", metavar="RUN_DIR", help="directory that `train` wrote")
  parser.add_argument(
    "trees",
    metavar="TREE",
    nargs="*",
    default=(),  # Else argparse names it as required, where RUN_DIR is missing.
    help='such as "(not good)" or "not good"',
  )
  parser.add_argument(
    "--file", metavar="FILE", help="a sentence or tree a line, or as above; may be gzipped"
  )
  parser.add_argument(
    "--structure",
    choices=("right", "left", "balanced"),
    help="tree of plain text, and of nodes with more than two children (right; of pairs: balanced)",
  )
  parser.add_argument(
    "--skip-bad", action="store_true", help="leave out malformed lines, count them"
  )
  output = parser.add_argument_group("output")
  output.add_argument("--svg", metavar="FILE", help="draw all trees as one picture")
  output.add_argument("--png", metavar="FILE", help="the same, of pixels")
  output.add_argument("--html", metavar="FILE", help="a page of all trees that needs nothing else")
  form = output.add_mutually_exclusive_group()
  form.add_argument("--json", action="store_true", help="one JSON object a line for each tree")
  form.add_argument("--brief", action="store_true", help="class, probability, sentence: one line")
  output.add_argument(
    "--color",
    choices=("auto", "always", "never"),
    default="auto",
    help="auto: in a terminal, unless NO_COLOR is set",
  )
  _add_threads(parser)
  parser.set_defaults(handler=("recursive_tf._cli.predict", "predict"))


def _add_export(commands: Any) -> None:
  parser = commands.add_parser(
    "export",
    help="a trained model as a program that runs without Python",
    description="Writes a SavedModel of the best epoch's weights, from packed trees to the\n"
    "probabilities of all nodes and roots, the relatedness of pairs, or the relations of words,\n"
    "with its words and classes beside it. It needs TensorFlow and the kernel library, and no\n"
    "Python: see docs/serving.md.",
    epilog="examples:\n  recursive-tf export runs/lstm1 exported/lstm1",
    formatter_class=_WIDE,
  )
  parser.add_argument("run", metavar="RUN_DIR", help="directory that `train` wrote")
  parser.add_argument("out", metavar="OUT_DIR", help="a new directory")
  parser.add_argument("--force", action="store_true", help="replace an earlier export")
  parser.set_defaults(handler=("recursive_tf._cli.export", "export"))


def _add_plot(commands: Any) -> None:
  parser = commands.add_parser(
    "plot",
    help="pictures of how a model was trained and where it is right",
    description="Draws the curves of a run with its best epoch; and, of a classifier, accuracy by\n"
    "sentence length and by height of the tree, and which classes are taken for which.",
    epilog="examples:\n  recursive-tf plot runs/treelstm-sst-binary --split dev\n\n"
    "Writes curves.png, accuracy.png and confusion.png.",
    formatter_class=_WIDE,
  )
  _add_tested(parser)
  parser.add_argument("--out", metavar="DIR", help="where to write (plots in the run's directory)")
  parser.set_defaults(handler=("recursive_tf._cli.plot", "plot"))


def _add_trace(commands: Any) -> None:
  parser = commands.add_parser(
    "trace",
    help="a picture of a batched schedule",
    description="Draws which frames ran together at which step of the batched scheduler, for one\n"
    "batch of training data and random weights.",
    epilog="examples:\n  recursive-tf trace treelstm --batch-size 5 --out schedule.svg\n"
    "  recursive-tf trace top-down-treelstm --backward --out schedule.json\n\n"
    "A .json file is a Chrome trace, for chrome://tracing or ui.perfetto.dev.",
    formatter_class=_WIDE,
  )
  parser.add_argument("model", metavar="MODEL", choices=MODELS, help=", ".join(MODELS))
  parser.add_argument("--data", metavar="NAME|DIR", help="as for train")
  parser.add_argument("--batch-size", type=int, default=5, metavar="N", help="trees (5)")
  parser.add_argument("--backward", action="store_true", help="with the backward pass")
  parser.add_argument("--out", default="schedule.svg", metavar="FILE", help="(schedule.svg)")
  _add_threads(parser, default=1)
  parser.set_defaults(handler=("recursive_tf._cli.trace", "trace"))


def _add_bench(commands: Any) -> None:
  parser = commands.add_parser(
    "bench",
    help="how fast this machine trains and predicts",
    description="Times the models on the bundled sample, in about a minute: trees a second in\n"
    "training and prediction, in batches of 1 and of 25, packed inside the time. The median of\n"
    "nine timings, and what lies between the quartiles as a share of it.",
    formatter_class=_WIDE,
  )
  parser.add_argument(
    "--seconds", type=float, default=40.0, metavar="X", help="of all timings together (40)"
  )
  _add_output(parser, "no bar", "each timing")
  _add_threads(parser)
  parser.set_defaults(handler=("recursive_tf._cli.bench", "bench"))


def _add_info(commands: Any) -> None:
  parser = commands.add_parser(
    "info",
    help="versions, kernels, threads, data",
    description="Prints versions, where kernels and data are, and options in force.",
  )
  parser.set_defaults(handler=("recursive_tf._cli.info", "info"))


def _add_threads(group: Any, default: int = 2) -> None:
  group.add_argument(
    "--threads", type=int, default=default, metavar="N", help=f"to compute on ({default})"
  )
