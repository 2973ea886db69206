#include "kernels/runtime/batched_trace.h"

#include <iterator>
#include <utility>

namespace recursive_tf {

TraceRecorder& TraceRecorder::Get() {
  static TraceRecorder* const recorder = new TraceRecorder;  // Never destroyed.
  return *recorder;
}

void TraceRecorder::SetEnabled(bool is_enabled) {
  if (is_enabled) {
    MutexLock lock(&mu_);
    last_ = BatchedTrace();
  }
  is_enabled_.store(is_enabled);
}

void TraceRecorder::Publish(BatchedTrace trace, bool is_backward) {
  MutexLock lock(&mu_);
  if (!is_backward) {
    last_ = std::move(trace);
    return;
  }
  if (trace.block_names != last_.block_names) return;
  last_.steps.insert(last_.steps.end(),
                     std::make_move_iterator(trace.steps.begin()),
                     std::make_move_iterator(trace.steps.end()));
}

BatchedTrace TraceRecorder::last() const {
  MutexLock lock(&mu_);
  return last_;
}

}  // namespace recursive_tf
