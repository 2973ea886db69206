"""The front end: `@rtf.recursive`."""

from recursive_tf.convert.decorated._decorated import RecursionDepthError as RecursionDepthError
from recursive_tf.convert.recursive._decorator import recursive as recursive
from recursive_tf.convert.recursive._function import RecursiveFunction as RecursiveFunction
