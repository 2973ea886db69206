"""Batched scheduling: ready work of all frames is grouped and run as one.

Importing this package registers it as the scheduler behind `SubGraph(scheduler="batched")`.
"""

from recursive_tf.batching._explain import Explanation as Explanation
from recursive_tf.batching._schedule import Schedule as Schedule
from recursive_tf.batching._schedule import ScheduleStep as ScheduleStep
from recursive_tf.batching._schedule import record_schedule as record_schedule
from recursive_tf.batching._scheduler import Scheduler as _Scheduler
from recursive_tf.subgraph import register_batched_scheduler as _register

_register(_Scheduler())
