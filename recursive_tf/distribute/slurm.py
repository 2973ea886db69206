"""The workers of a Slurm job step: one for each task of `srun`."""

from __future__ import annotations

import tensorflow as tf

from recursive_tf._errors import ConfigError
from recursive_tf.distribute.addresses import Addresses

FIRST_PORT = 8888


def slurm_addresses(first_port: int = FIRST_PORT) -> Addresses:
  """Returns the workers of this job step, as TensorFlow's resolver reads them.

  Args:
    first_port: port of the first task of each node; the others have the ports that follow.

  Raises:
    ConfigError: If this process is no task of a job step.
  """
  try:
    resolver = tf.distribute.cluster_resolver.SlurmClusterResolver(
      port_base=first_port,
      # It makes one address for each share of GPUs: on nodes without any, say that there are as
      # many as tasks, or it divides by zero. Nothing is set by them.
      gpus_per_node=_MOST_TASKS,
      gpus_per_task=1,
      auto_set_gpu=False,
    )
    spec = resolver.cluster_spec()
  except (RuntimeError, ValueError, KeyError, AssertionError) as error:
    raise ConfigError(
      f"--cluster slurm: {error} Start the command with srun: srun --ntasks 4 recursive-tf train "
      "... --cluster slurm"
    ) from error
  task_type, index = resolver.get_task_info()
  if task_type is None:
    raise ConfigError("--cluster slurm: SLURM_PROCID is none of the tasks of this job step.")
  return Addresses(tuple(spec.job_tasks(task_type)), int(index))


_MOST_TASKS = 1024  # Of one node.
