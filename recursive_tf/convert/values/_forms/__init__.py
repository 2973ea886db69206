"""Forms: what several values of one place have in common, and how they travel as tensors.

Two branches of a conditional, the calls of one function and the turns of a loop each give values of
one form: the same nest, with the same kind at each leaf. `join` finds the form, `flatten` brings a
value into it in the graph that is being built, `unflatten` makes a value of tensors again.
"""

from recursive_tf.convert.values._forms.base import EAGER_TENSOR as EAGER_TENSOR
from recursive_tf.convert.values._forms.base import NUMBERS as NUMBERS
from recursive_tf.convert.values._forms.base import SCALARS as SCALARS
from recursive_tf.convert.values._forms.base import BaseForm as BaseForm
from recursive_tf.convert.values._forms.base import DoesNotFit as DoesNotFit
from recursive_tf.convert.values._forms.base import Form as Form
from recursive_tf.convert.values._forms.base import Mismatch as Mismatch
from recursive_tf.convert.values._forms.base import NoneType as NoneType
from recursive_tf.convert.values._forms.base import Reader as Reader
from recursive_tf.convert.values._forms.base import Source as Source
from recursive_tf.convert.values._forms.base import as_int_or_float as as_int_or_float
from recursive_tf.convert.values._forms.base import as_number as as_number
from recursive_tf.convert.values._forms.base import checked_ints as checked_ints
from recursive_tf.convert.values._forms.base import dtype_of_number as dtype_of_number
from recursive_tf.convert.values._forms.base import is_exact as is_exact
from recursive_tf.convert.values._forms.base import is_heap_object as is_heap_object
from recursive_tf.convert.values._forms.base import is_number as is_number
from recursive_tf.convert.values._forms.base import is_tensor_like as is_tensor_like
from recursive_tf.convert.values._forms.base import join_shapes as join_shapes
from recursive_tf.convert.values._forms.base import number_of as number_of
from recursive_tf.convert.values._forms.base import same_static as same_static
from recursive_tf.convert.values._forms.data import AlikeForm as AlikeForm
from recursive_tf.convert.values._forms.data import ArrayForm as ArrayForm
from recursive_tf.convert.values._forms.data import ClosureForm as ClosureForm
from recursive_tf.convert.values._forms.data import IntOrFloatForm as IntOrFloatForm
from recursive_tf.convert.values._forms.data import NumberForm as NumberForm
from recursive_tf.convert.values._forms.data import RefForm as RefForm
from recursive_tf.convert.values._forms.data import StaticForm as StaticForm
from recursive_tf.convert.values._forms.data import TensorForm as TensorForm
from recursive_tf.convert.values._forms.data import WeakForm as WeakForm
from recursive_tf.convert.values._forms.either import scalar_of_numpy as scalar_of_numpy
from recursive_tf.convert.values._forms.finding import form_of as form_of
from recursive_tf.convert.values._forms.finding import is_trackable as is_trackable
from recursive_tf.convert.values._forms.joining import arrays as arrays
from recursive_tf.convert.values._forms.joining import can_be_made as can_be_made
from recursive_tf.convert.values._forms.joining import can_be_none as can_be_none
from recursive_tf.convert.values._forms.joining import classes_of_parts as classes_of_parts
from recursive_tf.convert.values._forms.joining import constants as constants
from recursive_tf.convert.values._forms.joining import depth as depth
from recursive_tf.convert.values._forms.joining import describe as describe
from recursive_tf.convert.values._forms.joining import ended as ended
from recursive_tf.convert.values._forms.joining import flatten as flatten
from recursive_tf.convert.values._forms.joining import generalized as generalized
from recursive_tf.convert.values._forms.joining import has_containers as has_containers
from recursive_tf.convert.values._forms.joining import (
  has_containers_in_rows as has_containers_in_rows,
)
from recursive_tf.convert.values._forms.joining import has_gradients as has_gradients
from recursive_tf.convert.values._forms.joining import has_made as has_made
from recursive_tf.convert.values._forms.joining import has_own_factories as has_own_factories
from recursive_tf.convert.values._forms.joining import has_rows as has_rows
from recursive_tf.convert.values._forms.joining import has_sets as has_sets
from recursive_tf.convert.values._forms.joining import has_views as has_views
from recursive_tf.convert.values._forms.joining import holds_numbers as holds_numbers
from recursive_tf.convert.values._forms.joining import is_stackable as is_stackable
from recursive_tf.convert.values._forms.joining import join as join
from recursive_tf.convert.values._forms.joining import met as met
from recursive_tf.convert.values._forms.joining import met_by_rank as met_by_rank
from recursive_tf.convert.values._forms.joining import number_type as number_type
from recursive_tf.convert.values._forms.joining import part_of as part_of
from recursive_tf.convert.values._forms.joining import parts_of_form as parts_of_form
from recursive_tf.convert.values._forms.joining import sequence_type as sequence_type
from recursive_tf.convert.values._forms.joining import specs as specs
from recursive_tf.convert.values._forms.joining import unflatten as unflatten
from recursive_tf.convert.values._forms.made import NUMBER as NUMBER
from recursive_tf.convert.values._forms.made import MadeForm as MadeForm
from recursive_tf.convert.values._forms.maybe import MaybeForm as MaybeForm
from recursive_tf.convert.values._forms.maybe import UndefinedForm as UndefinedForm
from recursive_tf.convert.values._forms.maybe import UnsetForm as UnsetForm
from recursive_tf.convert.values._forms.nest import NestForm as NestForm
from recursive_tf.convert.values._forms.nest import build as build
from recursive_tf.convert.values._forms.nest import parts_of as parts_of
from recursive_tf.convert.values._forms.rows import RowsForm as RowsForm
from recursive_tf.convert.values._forms.rows import check_shapes as check_shapes
from recursive_tf.convert.values._forms.scalars import ScalarForm as ScalarForm
from recursive_tf.convert.values._forms.table import TableForm as TableForm
from recursive_tf.convert.values._forms.text import TextForm as TextForm
