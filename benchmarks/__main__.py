"""Runs the benchmarks: `python -m benchmarks [NAME ...]`; without names, all of them."""

from __future__ import annotations

import argparse
import importlib
import os
import pathlib
import sys
import time

from benchmarks import worker
from benchmarks.options import Options

BENCHMARKS = {
  "frame_overhead": "time and memory of empty frames: chains, wide recursion, ready policies",
  "memory": "resident memory and live runs over 2,000 training steps",
  "errors": "time from a failure or a cancellation to the error",
  "sst_throughput": "sentences/s of three models on SST against eager, tf.while_loop and PyTorch",
  "top_down": "sentences/s of the top-down TreeLSTM, which generates its trees, against loops",
  "concurrency": "speed-up of recursion by a second thread",
  "batched_throughput": "TreeLSTM sentences/s of both schedulers against what others batch by hand",
  "zoo": "samples/s of other recursive models: ours, PyTorch and JAX by hand, DyNet",
  "against": "samples/s of the models by this checkout and by another one, in turn",
  "shards": "whether any model at any batch size is slower with two threads than with one",
  "kernels_alone": "own kernels against TensorFlow's (Eigen, oneDNN) and XLA's, shape by shape",
  "large": "time and memory of a frame in very wide and very deep recursion, batched",
  "bfloat16": "products in bfloat16 against float32's, alone and in training and inference",
  "prepared": "one tree a call: `rtf.prepare` against `tf.function`",
  "serving": "trees/s of the C++ program that serves an exported model against Python",
  "tree_shapes": "sentences/s of both schedulers on balanced, moderate and linear trees",
  "sentence_length": "time for a sentence against its length, schedulers and tf.while_loop",
  "loss_curve": "whether both schedulers learn the same, in float64",
  "distributed": "processor time, bytes and waiting of training on several workers",
  "training_time": "the wall time of `recursive-tf train treelstm` against a PyTorch program's",
  "keras_fit": "trees/s of the models' Keras `fit` against the loop of `recursive-tf train`",
  "step_profile": "where the time of a training step goes",
  "policies": "steps and time of the batched scheduler's policies",
  "batched_memory": "bytes a frame and resident memory of both schedulers",
  "recursive_python": "sentences/s of plain recursive Python: eager, `rtf.recursive`, hand-written",
  "verification": "what it costs that runs of `rtf.recursive` are compared with plain Python",
  "converter": "steps/s of imperative training: eager, `rtf.function`, by hand, AutoGraph",
  "converter_convergence": "whether programs learn by `rtf.function` what they do eagerly",
  "converter_ablation": "what unrolling, constants and parallel ops give `rtf.function`",
  "converter_checks": "what it costs a graph to check what Python would raise for",
  "converter_directions": "what assumed directions of branches and numbers of turns would give",
  "function_calls": "what a call of `rtf.function` costs above its graph; growth over 100,000",
  "command_line": "how soon help, the version and a typo are answered",
  "conversion": "what `rtf.recursive` costs: first calls, walk over objects, growth",
}


def main(argv: list[str] | None = None) -> int:
  """Runs what the command line asks for; returns the exit code."""
  args = _parser().parse_args(argv)
  if args.list:
    for name, summary in BENCHMARKS.items():
      print(f"{name:21s} {summary}")
    return 0
  unknown = sorted(set(args.names) - set(BENCHMARKS))
  if unknown:
    print(f"No benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}.", file=sys.stderr)
    return 2
  options = _options(args)
  if options.clock == "processor" and options.threads != (1,):
    print("--clock processor counts all threads: it needs --threads 1.", file=sys.stderr)
    return 2
  os.environ[worker.CLOCK] = options.clock  # Workers inherit it.
  for name in args.names or BENCHMARKS:
    # The tables are the answer: bars and library messages go to stderr.
    print(f"\n== {name}: {BENCHMARKS[name]} ({options.size}, threads {list(options.threads)})")
    start = time.perf_counter()
    report = importlib.import_module(f"benchmarks.{name}").run(options)
    report.print()
    print(f"{report.write()} ({time.perf_counter() - start:.0f} s)")
  return 0


def _parser() -> argparse.ArgumentParser:
  names = "\n".join(f"  {name:21s} {summary}" for name, summary in BENCHMARKS.items())
  parser = argparse.ArgumentParser(
    prog="python -m benchmarks",
    description=f"Benchmarks, run one after the other:\n{names}",
    formatter_class=argparse.RawDescriptionHelpFormatter,
  )
  add = parser.add_argument
  add("names", nargs="*", metavar="NAME", help="which to run; default: all")
  add("--list", action="store_true", help="list the benchmarks and stop")
  add("--quick", action="store_true", help="fewer and smaller; figures are a first look only")
  add("--threads", type=int, nargs="+", help="thread counts; default: 1 2 (2 with --quick)")
  add("--repetitions", type=int, help="timings of each arm; default: 9 (3 with --quick)")
  add("--seed", type=int, default=0)
  add("--seeds", type=int, nargs="+", help="of training_time, a run each; default: that of --seed")
  add("--models", nargs="+", help="of the zoo, batched_throughput, converter...; default: all")
  add("--old", type=pathlib.Path, help="the other checkout of against; `make setup` was run there")
  add("--sizes", nargs="+", choices=("small", "large"), help="of converter; default: both")
  add("--batches", type=int, nargs="+", help="of the zoo and batched_throughput; default: all")
  add("--clock", choices=("wall", "processor"), default="wall", help="what a worker's timings read")
  add("--verify", action="store_true", help="converter_convergence: compare each step with Python")
  add("--out", type=pathlib.Path, default=Options.out, help="folder for JSON and plots")
  add("--data", default="sst", help="trees: sst, sample (bundled), or a folder with train.txt")
  return parser


def _options(args: argparse.Namespace) -> Options:
  cpus = len(os.sched_getaffinity(0))
  threads = args.threads or ([min(2, cpus)] if args.quick else sorted({1, min(2, cpus)}))
  return Options(
    size="quick" if args.quick else "full",
    threads=tuple(threads),
    repetitions=args.repetitions or (3 if args.quick else 9),
    seed=args.seed,
    out=args.out,
    data=args.data,
    seeds=tuple(args.seeds or ()),
    models=tuple(args.models or ()),
    sizes=tuple(args.sizes or ()),
    batches=tuple(args.batches or ()),
    clock=args.clock,
    verify=args.verify,
    old=args.old,
  )


if __name__ == "__main__":
  sys.exit(main())
