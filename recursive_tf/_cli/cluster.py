"""`recursive-tf train` with several processes: starts them, or joins those that others started."""

from __future__ import annotations

import argparse
import os
import pathlib
import sys

import tensorflow as tf

from recursive_tf._cli.progress import warn
from recursive_tf._cli.quiet import without_start_notes
from recursive_tf._cli.threads import choose_threads
from recursive_tf._config import tf_config
from recursive_tf._errors import ConfigError, WorkerLostError
from recursive_tf.distribute.addresses import (
  Addresses,
  check_port,
  parse_tf_config,
)
from recursive_tf.distribute.launcher import Launcher, worker_command
from recursive_tf.distribute.slurm import slurm_addresses
from recursive_tf.distribute.watchdog import stop_with_launcher
from recursive_tf.distribute.workers import Cluster
from recursive_tf.training.config import RunConfig

_MOST_WORKERS = 256  # On one machine: each takes half a gigabyte, and more than that are a mistake.
_SHORTEST_TIMEOUT = 5.0
_SAVE_SECONDS = 30.0


def find_cluster(args: argparse.Namespace) -> Addresses | None:
  """Returns the workers that this process is one of, None if it is alone.

  Raises:
    ConfigError: If what the environment says is no cluster, or contradicts the options.
  """
  if not args.timeout >= _SHORTEST_TIMEOUT:
    raise ConfigError(f"--timeout is {args.timeout:g}, expected at least {_SHORTEST_TIMEOUT:g} s.")
  if args.max_restarts < 0:
    raise ConfigError(f"--max-restarts is {args.max_restarts}, expected 0 or more.")
  addresses = slurm_addresses() if args.cluster == "slurm" else parse_tf_config(tf_config())
  if args.launched:
    return addresses
  if args.cluster and addresses is None:
    raise ConfigError(f"--cluster {args.cluster}: TF_CONFIG is not set, or names no cluster.")
  if args.workers is not None and addresses is not None:
    source = "--cluster slurm" if args.cluster == "slurm" else "environment variable TF_CONFIG"
    raise ConfigError(
      f"--workers {args.workers}: {source} already makes this process one of "
      f"{len(addresses.workers)} workers. Leave one of the two out."
    )
  if args.workers is not None and not 1 <= args.workers <= _MOST_WORKERS:
    raise ConfigError(f"--workers is {args.workers}, expected 1 to {_MOST_WORKERS}.")
  return addresses if addresses and len(addresses.workers) > 1 else None


def check_batch_size(config: RunConfig, num_workers: int) -> None:
  """Checks that there is a sentence for each worker.

  Raises:
    ConfigError: If there is not.
  """
  batch_size = config.hyperparameters["batch_size"]
  if num_workers > batch_size:
    raise ConfigError(
      f"--batch-size is {batch_size}, which is that of all workers together: there is not a "
      f"sentence for each of {num_workers} workers. Give a larger --batch-size, or fewer workers."
    )


def join_cluster(args: argparse.Namespace, addresses: Addresses, num_threads: int) -> Cluster:
  """Starts TensorFlow as one worker of a cluster, and waits for the others.

  Raises:
    ConfigError: If its port is taken, or TensorFlow already runs in this process.
    WorkerLostError: If that is so of a worker that was launched here, with a port that was free.
  """
  if args.launched:
    stop_with_launcher(sys.stdin.fileno(), _SAVE_SECONDS)
  try:
    check_port(addresses)
  except ConfigError as error:
    if args.launched:
      raise WorkerLostError(str(error)) from error
    raise
  choose_threads(num_threads)
  args.is_worker = True
  with without_start_notes():
    cluster = Cluster(addresses, args.timeout)
    tf.config.list_logical_devices()
  return cluster


def launch_workers(args: argparse.Namespace, config: RunConfig, directory: pathlib.Path) -> int:
  """Runs `--workers N` processes of the same command; returns the exit status.

  Args:
    args: the command's.
    config: the run.
    directory: where it is, or will be.

  Raises:
    ConfigError: If there is not a sentence for each.
  """
  num_workers = args.workers
  check_batch_size(config, num_workers)
  threads = args.threads
  if threads is None:
    threads = max(1, len(os.sched_getaffinity(0)) // num_workers)
  options = ["--launched", "--out", str(directory), "--threads", str(threads)]

  def command(is_restart: bool) -> list[str]:
    again = ["--resume-or-start"] if is_restart else []
    return worker_command([*args.argv, *options, *again])

  return Launcher(command, num_workers, args.max_restarts, warn).run()
