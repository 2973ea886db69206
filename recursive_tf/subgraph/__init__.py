"""Recursive graph functions: signature, forward declaration, tracing a body, calls."""

from recursive_tf import _tf_internals as _tfi
from recursive_tf.subgraph._calls import order_by_effects as order_by_effects
from recursive_tf.subgraph._decorator import SubGraphFunction as SubGraphFunction
from recursive_tf.subgraph._decorator import subgraph as subgraph
from recursive_tf.subgraph._ordered import may_run_in_order as may_run_in_order
from recursive_tf.subgraph._prepared import Prepared as Prepared
from recursive_tf.subgraph._prepared import prepare as prepare
from recursive_tf.subgraph._scheduling import (
  register_batched_scheduler as register_batched_scheduler,
)
from recursive_tf.subgraph._stats import RunStats as RunStats
from recursive_tf.subgraph._stats import last_run_stats as last_run_stats
from recursive_tf.subgraph._subgraph import SubGraph as SubGraph

_tfi.keep_out_of_autograph("recursive_tf.subgraph")
