"""All uses of TensorFlow's private Python API, one reason each, by subject.

Nothing else in recursive_tf imports from `tensorflow.python`. tests/test_tf_internals.py uses each
name for what it is here for, so that a TensorFlow release that moves one fails there, by name.
"""

from tensorflow.python.eager import context as context
from tensorflow.python.eager.polymorphic_function import concrete_function as concrete_function

from recursive_tf._tf_internals._building import building as building
from recursive_tf._tf_internals._calls import call_exactly as call_exactly
from recursive_tf._tf_internals._calls import call_flat as call_flat
from recursive_tf._tf_internals._calls import fixed_captures as fixed_captures
from recursive_tf._tf_internals._calls import glance_of as glance_of
from recursive_tf._tf_internals._calls import scalar as scalar
from recursive_tf._tf_internals._calls import sizes_of as sizes_of
from recursive_tf._tf_internals._calls import tensor_of as tensor_of
from recursive_tf._tf_internals._graphs import BACKWARD_FUNCTION as BACKWARD_FUNCTION
from recursive_tf._tf_internals._graphs import CONDITIONALS as CONDITIONALS
from recursive_tf._tf_internals._graphs import FUNCTION_CALLS as FUNCTION_CALLS
from recursive_tf._tf_internals._graphs import LOOPS as LOOPS
from recursive_tf._tf_internals._graphs import PFOR_ERRORS as PFOR_ERRORS
from recursive_tf._tf_internals._graphs import (
  READ_ONLY_RESOURCE_INPUTS as READ_ONLY_RESOURCE_INPUTS,
)
from recursive_tf._tf_internals._graphs import FuncGraph as FuncGraph
from recursive_tf._tf_internals._graphs import Function as Function
from recursive_tf._tf_internals._graphs import Graph as Graph
from recursive_tf._tf_internals._graphs import Operation as Operation
from recursive_tf._tf_internals._graphs import acd_run_independently as acd_run_independently
from recursive_tf._tf_internals._graphs import add_control_input as add_control_input
from recursive_tf._tf_internals._graphs import add_function as add_function
from recursive_tf._tf_internals._graphs import begin_branch as begin_branch
from recursive_tf._tf_internals._graphs import called_graph as called_graph
from recursive_tf._tf_internals._graphs import captured as captured
from recursive_tf._tf_internals._graphs import clear_attr as clear_attr
from recursive_tf._tf_internals._graphs import cond_code as cond_code
from recursive_tf._tf_internals._graphs import copy_handle_data as copy_handle_data
from recursive_tf._tf_internals._graphs import copy_op as copy_op
from recursive_tf._tf_internals._graphs import extract_stack as extract_stack
from recursive_tf._tf_internals._graphs import finish_cond as finish_cond
from recursive_tf._tf_internals._graphs import from_func_graph as from_func_graph
from recursive_tf._tf_internals._graphs import (
  function_def_to_func_graph as function_def_to_func_graph,
)
from recursive_tf._tf_internals._graphs import function_graph as function_graph
from recursive_tf._tf_internals._graphs import get_gradient_function as get_gradient_function
from recursive_tf._tf_internals._graphs import get_handle_data as get_handle_data
from recursive_tf._tf_internals._graphs import gradients as gradients
from recursive_tf._tf_internals._graphs import graphs_being_built as graphs_being_built
from recursive_tf._tf_internals._graphs import is_compiled_by_xla as is_compiled_by_xla
from recursive_tf._tf_internals._graphs import is_stateful as is_stateful
from recursive_tf._tf_internals._graphs import is_trainable as is_trainable
from recursive_tf._tf_internals._graphs import load_branches as load_branches
from recursive_tf._tf_internals._graphs import make_pfor as make_pfor
from recursive_tf._tf_internals._graphs import making_ops as making_ops
from recursive_tf._tf_internals._graphs import nested_graphs as nested_graphs
from recursive_tf._tf_internals._graphs import note_read_only_op as note_read_only_op
from recursive_tf._tf_internals._graphs import op_types as op_types
from recursive_tf._tf_internals._graphs import outermost as outermost
from recursive_tf._tf_internals._graphs import pfor_convert as pfor_convert
from recursive_tf._tf_internals._graphs import plain_residuals as plain_residuals
from recursive_tf._tf_internals._graphs import (
  read_only_resource_inputs as read_only_resource_inputs,
)
from recursive_tf._tf_internals._graphs import register_vectorizer as register_vectorizer
from recursive_tf._tf_internals._graphs import renew_functions as renew_functions
from recursive_tf._tf_internals._graphs import set_attr as set_attr
from recursive_tf._tf_internals._graphs import set_function_list as set_function_list
from recursive_tf._tf_internals._graphs import standing_in as standing_in
from recursive_tf._tf_internals._graphs import trace_branch as trace_branch
from recursive_tf._tf_internals._graphs import update_input as update_input
from recursive_tf._tf_internals._keras import is_in_call as is_in_call
from recursive_tf._tf_internals._keras import keras_seed_generator as keras_seed_generator
from recursive_tf._tf_internals._keras import layer_call as layer_call
from recursive_tf._tf_internals._keras import training_of_call as training_of_call
from recursive_tf._tf_internals._own_graphs import ControlDependencies as ControlDependencies
from recursive_tf._tf_internals._own_graphs import OwnGraph as OwnGraph
from recursive_tf._tf_internals._own_graphs import constant as constant
from recursive_tf._tf_internals._own_graphs import ensured as ensured
from recursive_tf._tf_internals._own_graphs import placeholder as placeholder
from recursive_tf._tf_internals._own_graphs import share_stack as share_stack
from recursive_tf._tf_internals._own_graphs import while_loop as while_loop
from recursive_tf._tf_internals._process import abort_collective_ops as abort_collective_ops
from recursive_tf._tf_internals._process import before_saving as before_saving
from recursive_tf._tf_internals._process import has_strategy as has_strategy
from recursive_tf._tf_internals._process import keep_out_of_autograph as keep_out_of_autograph
from recursive_tf._tf_internals._process import (
  leave_out_coordination_service as leave_out_coordination_service,
)
from recursive_tf._tf_internals._process import set_chunk_bytes as set_chunk_bytes
from recursive_tf._tf_internals._reads import Reads as Reads
from recursive_tf._tf_internals._reads import Source as Source
from recursive_tf._tf_internals._reads import reads_of_variables as reads_of_variables
from recursive_tf._tf_internals._reads import resources_used as resources_used
from recursive_tf._tf_internals._tapes import anonymous_variable as anonymous_variable
from recursive_tf._tf_internals._tapes import is_gradient_of_python as is_gradient_of_python
from recursive_tf._tf_internals._tapes import is_plain_variable as is_plain_variable
from recursive_tf._tf_internals._tapes import is_recording as is_recording
from recursive_tf._tf_internals._tapes import records as records
from recursive_tf._tf_internals._tapes import resume_recording as resume_recording
from recursive_tf._tf_internals._tapes import spec_of_variable as spec_of_variable
from recursive_tf._tf_internals._tapes import stop_recording as stop_recording
from recursive_tf._tf_internals._tapes import variable_accessed as variable_accessed
from recursive_tf._tf_internals._tapes import watched_variables as watched_variables
