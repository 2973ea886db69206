"""How each op serves many frames at once.

A value of n frames is stacked: [n, ...]. Where a frame's value is itself a row of one, [1, D], the
rows are not stacked but put below one another, [n, D]: merged. Most bodies are written for rows of
one, as a Python function over one example of a batch would be; merged, their ops are what a
hand-batched program would run, with no reshapes in between. Converters for merged and stacked
values are here, by kind of op; what they leave is done by TensorFlow's own converters, those of
`tf.vectorized_map`, which are made for any shapes and take many small ops where they are unknown.
"""

# Imported for the converters they register.
from recursive_tf.batching._converters import _elementwise as _elementwise
from recursive_tf.batching._converters import _layout as _layout
from recursive_tf.batching._converters import _lookups as _lookups
from recursive_tf.batching._converters import _products as _products
from recursive_tf.batching._converters import _reductions as _reductions
from recursive_tf.batching._converters import _texts as _texts
from recursive_tf.batching._converters._batch import MERGED as MERGED
from recursive_tf.batching._converters._batch import SHARED as SHARED
from recursive_tf.batching._converters._batch import STACKED as STACKED
from recursive_tf.batching._converters._batch import Batch as Batch
from recursive_tf.batching._converters._batch import NoConverterError as NoConverterError
from recursive_tf.batching._converters._convert import convert as convert
from recursive_tf.batching._converters._convert import from_border as from_border
from recursive_tf.batching._converters._convert import reshape_batch as reshape_batch
from recursive_tf.batching._converters._convert import to_border as to_border
