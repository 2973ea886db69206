"""The front end: `@rtf.function`."""

from recursive_tf.convert.function._function import function as function
