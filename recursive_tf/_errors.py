"""Error types of recursive_tf: every error raised on purpose derives from `RecursiveTFError`."""


class RecursiveTFError(Exception):
  """Root of all errors that recursive_tf raises on purpose."""

  # By this AutoGraph knows that it can raise the same type again, with the user's lines added.
  __init__ = Exception.__init__


class CheckpointError(RecursiveTFError, ValueError):
  """A file of a run is missing, damaged, cannot be written, or is of another configuration."""


class ConfigError(RecursiveTFError, ValueError):
  """An option or environment variable has a value that is not allowed."""


class CopyError(RecursiveTFError, TypeError):
  """What holds a graph is to be pickled or copied."""


class DataError(RecursiveTFError, ValueError):
  """Input data is malformed or missing; the message names file, line and column."""


class DefinitionError(RecursiveTFError, ValueError):
  """A SubGraph is defined wrongly: output missing or given twice, or no base case."""


class GraphScopeError(RecursiveTFError, ValueError):
  """A SubGraph or one of its tensors is used outside the graph it belongs to."""


class KernelsMissingError(RecursiveTFError, ImportError):
  """The compiled kernels are not there, or cannot be loaded."""


class ProcessorError(RecursiveTFError, NotImplementedError):
  """What was asked for needs instructions that this processor does not have."""


class SignatureError(RecursiveTFError, ValueError):
  """A call site or an output does not match the declared signature."""


class UnsupportedGradientError(RecursiveTFError, NotImplementedError):
  """A gradient was asked for that recursive_tf does not define."""


class VersionError(RecursiveTFError, ImportError):
  """The installed TensorFlow is not one the kernels were built for."""


class WorkerLostError(RecursiveTFError, RuntimeError):
  """Another worker of the cluster is gone, or does not answer in time."""
