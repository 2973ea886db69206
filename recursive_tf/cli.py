"""The command line, `recursive-tf`: train, eval, predict, export, plot, trace, bench, info."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import traceback
from collections.abc import Sequence

from recursive_tf._cli.options import BAD_INPUT, make_parser
from recursive_tf._errors import RecursiveTFError, WorkerLostError

LOST_WORKER = 75  # sysexits.h: EX_TEMPFAIL. The same command, given again, may well go on.


def main(argv: Sequence[str] | None = None) -> int:
  """Runs `recursive-tf`.

  Args:
    argv: arguments, those of the process if None.

  Returns:
    Exit status: 0 done, 2 bad input, 75 another worker is gone, 130 interrupted. A process that
    has joined a cluster ends here.
  """
  os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
  _open_missing_streams()
  args = make_parser().parse_args(argv)
  args.argv = sys.argv[1:] if argv is None else list(argv)  # For processes that do the same.
  args.is_worker = False  # Set by a process that has joined a cluster.
  try:
    status = _run(args)
  except Exception:
    if not args.is_worker:
      raise
    traceback.print_exc()
    status = 1
  if args.is_worker:
    # TensorFlow's threads would wait for workers that are gone while Python ends.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
  return status


def _run(args: argparse.Namespace) -> int:
  """Imports a command and runs it; returns the exit status, also of what the user can put right."""
  try:
    module, function = args.handler
    status = getattr(importlib.import_module(module), function)(args)
    sys.stdout.flush()
    return status
  except WorkerLostError as error:
    return _fail(str(error), LOST_WORKER)
  except RecursiveTFError as error:
    return _fail(str(error))
  except KeyboardInterrupt:
    print("\nrecursive-tf: stopped.", file=sys.stderr)
    return 130
  except BrokenPipeError:  # `recursive-tf info | head -1`
    _drop_output()
    return 1
  except OSError as error:
    if error.filename is None:  # Such as a full disk that standard output goes to.
      _drop_output()
    return _fail(f"{error.filename or 'output'}: {error.strerror or error}.")
  except Exception as error:
    if not _is_out_of_memory(error):
      raise  # A bug of ours: the traceback tells where.
    sizes = "--batch-size, --state-size or --embedding-size"
    return _fail(f"there is not enough memory. Lower {sizes}.")


def _open_missing_streams() -> None:
  """Gives a process that was started without standard streams (`<&-`) empty ones."""
  for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
    if getattr(sys, name) is None:
      setattr(sys, name, open(os.devnull, mode))


def _fail(message: str, status: int = BAD_INPUT) -> int:
  print(f"recursive-tf: error: {message}", file=sys.stderr)
  return status


def _drop_output() -> None:
  """Sends what is still to be written nowhere, so that Python does not fail at it in the end."""
  os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_out_of_memory(error: Exception) -> bool:
  # TensorFlow's error, without its import.
  return isinstance(error, MemoryError) or type(error).__name__ == "ResourceExhaustedError"


if __name__ == "__main__":
  sys.exit(main())
