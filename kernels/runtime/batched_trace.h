// What ran together, step by step: for pictures of a schedule, and for tests.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_TRACE_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_TRACE_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/core/mutex.h"

namespace recursive_tf {

struct TracedRow {
  int32_t root_row = -1;  // The root frame it descends from; -1: not known.
  int32_t depth = 0;
};

struct TracedStep {
  int32_t shard = 0;
  int32_t block = 0;
  bool is_backward = false;
  int64_t start_us = 0;
  int64_t duration_us = 0;
  int64_t num_rows = 0;
  // In a backward pass empty, if the forward pass was not traced.
  std::vector<TracedRow> rows;
};

struct BatchedTrace {
  std::vector<std::string> block_names;
  std::vector<TracedStep> steps;
};

// The trace of the batched run that finished last in this process, followed by
// the backward passes since. Kept only while tracing is on. Thread-safe.
class TraceRecorder final {
 public:
  static TraceRecorder& Get();

  // What was recorded before is forgotten when it is switched on.
  void SetEnabled(bool is_enabled);
  bool is_enabled() const {
    return is_enabled_.load(std::memory_order_relaxed);
  }
  // Replaces the trace; or with `is_backward` adds to it, if it is of the same
  // program, whose blocks the steps name.
  void Publish(BatchedTrace trace, bool is_backward);
  BatchedTrace last() const;

 private:
  std::atomic<bool> is_enabled_{false};
  mutable Mutex mu_;
  BatchedTrace last_ ABSL_GUARDED_BY(mu_);
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_TRACE_H_
