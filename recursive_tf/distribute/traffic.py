"""Which way gradients go from worker to worker. It imports nothing of TensorFlow."""

from __future__ import annotations

# A message costs about as much processor time as sending so much.
BYTES_PER_MESSAGE = 200_000


def gathers_dense(
  num_workers: int, dense_bytes: float, bytes_per_message: float = BYTES_PER_MESSAGE
) -> bool:
  """Tells whether to gather dense gradients, beside the rows: a reduction has fewer bytes.

  In a ring of N a gather takes N - 1 messages of all bytes, a reduction 2 (N - 1) of their Nth.
  With a gather, rows need no messages of their own.

  Args:
    num_workers: N.
    dense_bytes: of one worker.
    bytes_per_message: how many bytes more are worth a message less.
  """
  return dense_bytes * (1 - 2 / num_workers) <= 2 * bytes_per_message
