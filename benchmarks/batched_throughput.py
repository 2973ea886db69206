"""Sentences a second on SST: both schedulers against what is batched by hand elsewhere.

Arms: recursive_tf under each scheduler; PyTorch batched by hand, with autograd and with a backward
pass written out; JAX padded to an envelope and compiled; DyNet's automatic batching; DGL's message
passing, where BENCHMARKS_DGL_PYTHON names a Python that has it; tf.while_loop and eager recursion,
where they do not take for ever. `peers/` says what each of them runs; compile times of JAX are in
the JSON, not in a timing. TreeLSTM, unless told otherwise: memory 150, word vectors 300; TreeRNN
and RNTN, which not all arms have: 25. Five classes, loss at every node, Adagrad with sparse rows,
no dropout, no L2.

"products alone" is a bound and no arm: the model's matrix products at the sizes of these steps and
nothing else, by numpy's OpenBLAS, PyTorch's MKL or TensorFlow, whichever is fastest; "of products"
is the share of it that the batched scheduler reaches (above 1: it has faster products than these).
"""

from __future__ import annotations

from benchmarks import arms, throughput
from benchmarks.harness import Timing
from benchmarks.options import Options
from benchmarks.peers import weights as w
from benchmarks.report import Report, print_table
from benchmarks.treebanks import load_trees

PRODUCTS = ("products_numpy", "products_torch", "products_tensorflow")
ARMS = (
  *arms.SCHEDULERS,
  "torch_level_batched",
  "torch_hand_backward",
  "jax_level_batched",
  "dynet_autobatch",
  "dgl_propagation",
  "while_loop",
  "eager",
  *PRODUCTS,
)
# What `scheduler="auto"` runs, the batched one, has to be at least so fast as the other.
AUTO_GOAL = 0.95
# How many times the speed of PyTorch's level-batched autograd, by batch size.
GOALS = {1: 2.5, 25: 1.25, 256: 1.1}


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("batched_throughput", options)
  names = arms.present(ARMS, report)
  num_trees = num_trees_of(options)
  trees = load_trees(options, max(num_trees.values()))
  models = options.models or ("treelstm",)
  if unknown := sorted(set(models) - set(w.MODELS)):
    raise ValueError(f"no model {', '.join(unknown)}; there are {', '.join(w.MODELS)}.")
  for threads in options.threads:
    for model in models:
      timings = throughput.measure_model(names, model, trees, num_trees, threads, report)
      title = f"{model}, {threads} threads"
      of_models = [t for t in timings if t.labels["arm"] not in PRODUCTS]
      throughput.print_rates(of_models, "batched", title, "mode", "batch")
      _check_auto(timings, f"{model}, {threads} threads", report)
      if model == "treelstm":
        _print_products(timings, title)
        _check_goals(timings, threads, report)
  if options.size != "smoke":
    for mode in throughput.MODES:
      throughput.plot_rates(report, mode)
  return report


def num_trees_of(options: Options) -> dict[int, int]:
  """Returns how many trees a timing takes, by batch size."""
  return options.pick({1: 50, 25: 100, 256: 512}, {1: 20, 25: 50, 256: 256}, {3: 3})


def _print_products(timings: list[Timing], title: str) -> None:
  rows = []
  for (mode, batch), group in throughput.groups_of(timings, "mode", "batch").items():
    bound = max((group[arm] for arm in PRODUCTS if arm in group), key=lambda t: t.per_second)
    by = str(bound.labels["arm"]).removeprefix("products_")
    ours = group["batched"].per_second
    best = max(
      (t for arm, t in group.items() if arm not in (*PRODUCTS, *arms.SCHEDULERS)),
      key=lambda t: t.per_second,
    )
    rows.append(
      [mode, batch, throughput.rate(bound), by, ours / bound.per_second]
      + [str(best.labels["arm"]), ours / best.per_second]
    )
  header = ["mode", "batch", "products alone", "by", "of products", "best peer", "x best peer"]
  print_table(header, rows, f"{title}: the batched scheduler against the bound and the best")


def _check_auto(timings: list[Timing], title: str, report: Report) -> None:
  for (mode, batch), group in throughput.groups_of(timings, "mode", "batch").items():
    value = throughput.ratio(group, "batched", "concurrent")
    if value is not None:
      claim = f"{title}, {mode}, batch {batch}: auto is at least {AUTO_GOAL} x concurrent"
      report.goal(claim, value, value >= AUTO_GOAL)


def _check_goals(timings: list[Timing], threads: int, report: Report) -> None:
  for (mode, batch), group in throughput.groups_of(timings, "mode", "batch").items():
    value = throughput.ratio(group, "batched", "torch_level_batched")
    if batch in GOALS and value is not None:
      goal = GOALS[batch]
      claim = f"{mode}, batch {batch}, {threads} threads: at least {goal} x torch_level_batched"
      report.goal(claim, value, value >= goal)
