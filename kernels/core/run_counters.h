// Counters of one run.
#ifndef RECURSIVE_TF_KERNELS_CORE_RUN_COUNTERS_H_
#define RECURSIVE_TF_KERNELS_CORE_RUN_COUNTERS_H_

#include <atomic>
#include <cstdint>

#include "kernels/core/atomic_max.h"

namespace recursive_tf {

// The counters at one moment; plain data.
struct RunCountersSnapshot {
  int64_t frames = 0;
  int64_t max_depth = 0;
  int64_t stash_entries = 0;
  int64_t stash_bytes = 0;
  int64_t stash_peak_bytes = 0;
  // Of the batched scheduler only: executions of blocks, and frames in them.
  int64_t steps = 0;
  int64_t rows = 0;
};

// Counts frames as they start and end. Thread-safe.
class RunCounters final {
 public:
  void EnterFrame(int64_t depth) {
    frames_.fetch_add(1, std::memory_order_relaxed);
    live_frames_.fetch_add(1, std::memory_order_relaxed);
    UpdateMax(&max_depth_, depth);
  }
  void LeaveFrame() { live_frames_.fetch_sub(1, std::memory_order_relaxed); }

  int64_t live_frames() const {
    return live_frames_.load(std::memory_order_relaxed);
  }

  // Fills in the frame counters; the stash tells its own.
  RunCountersSnapshot Snapshot() const {
    RunCountersSnapshot snapshot;
    snapshot.frames = frames_.load(std::memory_order_relaxed);
    snapshot.max_depth = max_depth_.load(std::memory_order_relaxed);
    return snapshot;
  }

 private:
  std::atomic<int64_t> frames_{0};
  std::atomic<int64_t> live_frames_{0};
  std::atomic<int64_t> max_depth_{0};
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_RUN_COUNTERS_H_
