"""Which code is called as it is, and which is looked into."""

from __future__ import annotations

import inspect
import sys
import sysconfig
import types
from typing import TypeGuard

import keras
import numpy as np
import tensorflow as tf

LIBRARIES = frozenset(["tensorflow", "keras", "numpy", "math", "recursive_tf", "operator"])
# Part of a library, but programs like the user's: looked into.
_LOOKED_INTO = (
  "recursive_tf.convert.values._stand_ins",
  "recursive_tf.datasets",
  "recursive_tf.models",
)
# What gives another value each time must not be called once and kept.
_CHANGING = ("numpy.random", "random", "time", "datetime", "secrets", "uuid", "os")


def is_users(method: object) -> TypeGuard[types.FunctionType]:
  """Tells whether it is a function written in Python, and not one of a library."""
  return isinstance(method, types.FunctionType) and not is_library(method)


def is_library(thing: object) -> bool:
  """Tells whether a module, class, function, or an object by its class, belongs to a library."""
  if isinstance(thing, types.ModuleType):
    name = thing.__name__
  else:
    name = getattr(thing, "__module__", None) or ""
    if not isinstance(thing, (type, types.FunctionType, types.BuiltinFunctionType)):
      is_bound = isinstance(thing, (types.MethodType, types.MethodWrapperType))
      if is_bound:
        return is_library(thing.__func__) if isinstance(thing, types.MethodType) else True
      name = name if isinstance(name, str) and _is_function_like(thing) else type(thing).__module__
  if not isinstance(name, str):
    name = type(thing).__module__
  if name.startswith(_LOOKED_INTO):
    return False
  return name.partition(".")[0] in LIBRARIES


def is_standard(thing: type | types.FunctionType) -> bool:
  """Tells whether a class or function is of Python's standard library."""
  name = thing.__module__
  if not isinstance(name, str) or name.partition(".")[0] not in sys.stdlib_module_names:
    return False
  file = getattr(sys.modules.get(name), "__file__", None)  # The user's may have the same name.
  return file is None or file.startswith(_STANDARD)


_STANDARD = sysconfig.get_paths()["stdlib"]


def why_no_tensor(value: object) -> str | None:
  """Returns why a scalar of NumPy's is no tensor that becomes the same again; None of all else."""
  if not isinstance(value, np.generic):
    return None
  try:
    is_one = tf.as_dtype(value.dtype) != tf.string
  except TypeError:
    is_one = False
  name = type(value).__name__
  return None if is_one else f"A {name} of NumPy's is used, of which TensorFlow has none."


def _is_function_like(thing: object) -> bool:
  missing = object()  # Objects of the user's may have a `__getattr__`, which is not to be run.
  has_wrapped = inspect.getattr_static(thing, "__wrapped__", missing) is not missing
  return isinstance(thing, np.ufunc) or has_wrapped


def is_changing(function: object) -> bool:
  """Tells whether a function gives another value each time."""
  module = getattr(function, "__module__", None) or ""
  owner = getattr(function, "__self__", None)
  if owner is not None and not isinstance(owner, types.ModuleType):
    module = type(owner).__module__ or module
  return isinstance(module, str) and module.startswith(_CHANGING)


def makes_state(function: object) -> bool:
  """Tells whether a class of a library makes variables or layers, which a graph cannot."""
  return isinstance(function, type) and issubclass(
    function, (tf.Variable, tf.Module, keras.layers.Layer, tf.GradientTape)
  )


# Where the functions are that only compute with what they are given: what else such a function does
# is an op of the graph, which shows. All others may read, or change, what a run cannot see.
_COMPUTING = (
  "keras.src.activations",
  "keras.src.backend",
  "keras.src.constraints",
  "keras.src.initializers",
  "keras.src.legacy.backend",
  "keras.src.losses",
  "keras.src.metrics",
  "keras.src.ops",
  "keras.src.random",
  "keras.src.regularizers",
  "keras.src.tree",
  "keras.src.utils.numerical_utils",
  "math",
  "numpy",
  "recursive_tf",
  "tensorflow.python.eager.polymorphic_function",
  "tensorflow.python.framework.constant_op",
  "tensorflow.python.framework.dtypes",
  "tensorflow.python.framework.indexed_slices",
  "tensorflow.python.framework.sparse_tensor",
  "tensorflow.python.framework.tensor",
  "tensorflow.python.framework.tensor_conversion",
  "tensorflow.python.framework.tensor_shape",
  "tensorflow.python.ops",
  "tensorflow.python.trackable",
  "tensorflow.python.util",
)
# Parts of these that are not so.
_NOT_COMPUTING = (
  "keras.src.backend.common.global_state",
  "numpy.random",
  "tensorflow.python.eager.polymorphic_function.eager_function_run",
  "tensorflow.python.framework.tensor_util",
  "tensorflow.python.ops.data_flow_ops",
  "tensorflow.python.ops.numpy_ops.np_config",
  "tensorflow.python.ops.numpy_ops.np_random",
  "tensorflow.python.ops.script_ops",
  "tensorflow.python.ops.summary_ops",
  "tensorflow.python.ops.tensor_array_ops",
)
# Whose Python asks for axes of size 1.
_DECIDING_BY_SHAPES = ("keras.src.losses", "keras.src.metrics")
# Which read a variable that they are given row by row, not as a whole.
_READING_ROWS = frozenset(
  [tf.gather, tf.nn.embedding_lookup, tf.compat.v1.gather, tf.compat.v1.nn.embedding_lookup]
)
_ACTING_NAMES = frozenset(
  """apply_along_axis apply_over_axes array2string array_repr array_str clear_session copyto empty
  empty_like errstate fill_diagonal fromfile fromfunction frompyfunc fromiter genfromtxt
  get_global_generator get_printoptions get_uid getbufsize geterr geterrcall load loadtxt memmap
  place printoptions put put_along_axis putmask reset_uids save savetxt savez savez_compressed
  set_epsilon set_floatx set_global_generator set_image_data_format set_printoptions set_value
  setbufsize seterr seterrcall vectorize""".split()
)
# Of objects of libraries: what their methods do, by the class, and which methods of it.
_METHODS: tuple[tuple[type, frozenset[str] | None], ...] = (
  (tf.Tensor, None),
  (tf.Variable, None),
  (keras.Variable, None),
  (tf.TensorShape, None),
  (tf.DType, None),
  (tf.TypeSpec, None),
  (tf.IndexedSlices, None),
  (tf.SparseTensor, None),
  (tf.RaggedTensor, None),
  (np.generic, None),
  (np.dtype, None),
  (np.ufunc, frozenset(["reduce", "accumulate", "outer", "__call__"])),
  (tf.lookup.StaticHashTable, None),
  (tf.lookup.StaticVocabularyTable, None),
  (tf.lookup.experimental.MutableHashTable, None),
  (tf.lookup.experimental.DenseHashTable, None),
  (tf.random.Generator, frozenset(["normal", "uniform", "truncated_normal", "uniform_full_int"])),
  (keras.Loss, frozenset(["__call__", "call"])),
  # What these change are variables.
  (keras.Metric, frozenset(["__call__", "update_state", "result", "reset_state"])),
  (keras.optimizers.Optimizer, frozenset(["apply", "apply_gradients"])),
  (keras.random.SeedGenerator, frozenset(["next"])),
  (keras.initializers.Initializer, frozenset(["__call__"])),
  (keras.regularizers.Regularizer, frozenset(["__call__"])),
  (keras.layers.Layer, frozenset(["call", "get_initial_state", "compute_output_shape"])),
)
# Classes of libraries whose objects only hold what they are made of.
_VALUES = (
  np.generic,
  np.dtype,
  tf.DType,
  tf.TypeSpec,
  tf.TensorShape,
  tf.IndexedSlices,
  tf.SparseTensor,
  tf.RaggedTensor,
  tf.name_scope,
  keras.Loss,
)


def _getters() -> frozenset[object]:
  """Returns the functions behind properties of modules and layers that only say what these hold."""
  kinds = tf.Module, keras.layers.Layer, keras.Model, keras.Sequential
  names = (
    *("variables", "trainable_variables", "non_trainable_variables", "submodules"),
    *("weights", "trainable_weights", "non_trainable_weights", "metrics_variables", "layers"),
    *("dtype", "compute_dtype", "variable_dtype", "trainable", "name"),
  )
  found = (inspect.getattr_static(kind, name, None) for kind in kinds for name in names)
  return frozenset(each.fget for each in found if isinstance(each, property))


_GETTERS = _getters()


def only_computes(function: object) -> bool:
  """Tells whether what a library does when it is called shows in its result and in ops alone.

  Then it may be called once, for the graph. All others read or change state of the process: files,
  settings, generators of random numbers, objects of the library.
  """
  if isinstance(function, types.FunctionType) and function in _GETTERS:
    return True
  owner = getattr(function, "__self__", None)
  if owner is not None and not isinstance(owner, (types.ModuleType, type)):
    return _has_computing_method(owner, getattr(function, "__name__", ""))
  if isinstance(function, type):
    return issubclass(function, _VALUES)
  if isinstance(function, np.ufunc):
    return True
  name = getattr(function, "__name__", None)
  if name is None:
    return _has_computing_method(function, "__call__")
  module = getattr(function, "__module__", None)
  if not isinstance(module, str) or name in _ACTING_NAMES:
    return False
  if function in (tf.device, tf.control_dependencies):
    return True
  return _is_in(module, _COMPUTING) and not _is_in(module, _NOT_COMPUTING)


def _has_computing_method(owner: object, name: str) -> bool:
  return any(
    isinstance(owner, kind) and (names is None or name in names) for kind, names in _METHODS
  )


def _is_in(module: str, modules: tuple[str, ...]) -> bool:
  return any(module == one or module.startswith((f"{one}.", f"{one}_v")) for one in modules)


def is_of(function: object, library: str) -> bool:
  """Tells whether a function, or what is called as one, belongs to a library."""
  owner = getattr(function, "__self__", None)
  if owner is not None and not isinstance(owner, (types.ModuleType, type)):
    function = type(owner)
  module = getattr(function, "__module__", None) or type(function).__module__
  return isinstance(module, str) and module.partition(".")[0] == library


def decides_by_shapes(function: object) -> bool:
  """Tells whether it is a loss or metric of Keras, a function or an object."""
  own = getattr(function, "__module__", None) or ""
  of_object = type(getattr(function, "__self__", function)).__module__
  return any(_is_in(module, _DECIDING_BY_SHAPES) for module in (own, of_object))


def reads_rows(function: object) -> bool:
  """Tells whether a library's function reads a variable that it is given row by row."""
  return isinstance(function, types.FunctionType) and function in _READING_ROWS


def returns_python(function: object) -> bool:
  """Tells whether a library's function gives Python's values back, not tensors made of them."""
  module = getattr(function, "__module__", None) or type(function).__module__
  return module.startswith(("math", "operator", "keras.src.tree", "tensorflow.python.util.nest"))
