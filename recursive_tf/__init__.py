"""Recursion for TensorFlow's dataflow graphs.

`import recursive_tf as rtf`, then `with rtf.SubGraph() as f: ...`; see the README.
"""

import importlib as _importlib
from typing import TYPE_CHECKING

from recursive_tf import autodiff as _autodiff  # noqa: F401 - registers gradients
from recursive_tf import batching as _batching  # noqa: F401 - registers the scheduler
from recursive_tf import nn as nn
from recursive_tf._errors import CheckpointError as CheckpointError
from recursive_tf._errors import ConfigError as ConfigError
from recursive_tf._errors import CopyError as CopyError
from recursive_tf._errors import DataError as DataError
from recursive_tf._errors import DefinitionError as DefinitionError
from recursive_tf._errors import GraphScopeError as GraphScopeError
from recursive_tf._errors import KernelsMissingError as KernelsMissingError
from recursive_tf._errors import ProcessorError as ProcessorError
from recursive_tf._errors import RecursiveTFError as RecursiveTFError
from recursive_tf._errors import SignatureError as SignatureError
from recursive_tf._errors import UnsupportedGradientError as UnsupportedGradientError
from recursive_tf._errors import VersionError as VersionError
from recursive_tf._ops import build_info as _build_info
from recursive_tf.batching import record_schedule as record_schedule
from recursive_tf.convert import ConversionRefused as ConversionRefused
from recursive_tf.convert.function import function as function
from recursive_tf.convert.recursive import RecursiveFunction as RecursiveFunction
from recursive_tf.convert.recursive import recursive as recursive
from recursive_tf.subgraph import RunStats as RunStats
from recursive_tf.subgraph import SubGraph as SubGraph
from recursive_tf.subgraph import SubGraphFunction as SubGraphFunction
from recursive_tf.subgraph import last_run_stats as last_run_stats
from recursive_tf.subgraph import prepare as prepare
from recursive_tf.subgraph import subgraph as subgraph

if TYPE_CHECKING:
  from recursive_tf import datasets as datasets
  from recursive_tf import keras as keras
  from recursive_tf import models as models
  from recursive_tf.training.prediction import load_run as load_run
else:
  _PACKAGES = ("datasets", "keras", "models")
  _OURS = ("TYPE_CHECKING", "autodiff", "batching", "convert")

  def __getattr__(name):
    # The models use this package, so it cannot import them before it is complete.
    if name == "load_run":
      return _importlib.import_module("recursive_tf.training.prediction").load_run
    if name in _PACKAGES:
      return _importlib.import_module(f"recursive_tf.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

  def __dir__():
    return sorted({*globals(), "load_run", *_PACKAGES}.difference(_OURS))


__version__ = _build_info.VERSION
