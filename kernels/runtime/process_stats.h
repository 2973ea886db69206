// Counters of this process: runs alive, stash entries alive, the last run.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_PROCESS_STATS_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_PROCESS_STATS_H_

#include <atomic>
#include <cstdint>

#include "kernels/core/mutex.h"
#include "kernels/core/run_counters.h"

namespace recursive_tf {

// What `rtf.last_run_stats()` reads. Observes and never steers: no run behaves
// differently for what stands here. Thread-safe.
class ProcessStats final {
 public:
  static ProcessStats& Get();

  void AddRuns(int64_t count) { live_runs_.fetch_add(count); }
  void AddStashEntries(int64_t count) { live_entries_.fetch_add(count); }
  void Publish(const RunCountersSnapshot& last_run);

  int64_t live_runs() const { return live_runs_.load(); }
  int64_t live_stash_entries() const { return live_entries_.load(); }
  RunCountersSnapshot last_run() const;

 private:
  std::atomic<int64_t> live_runs_{0};
  std::atomic<int64_t> live_entries_{0};
  mutable Mutex mu_;
  RunCountersSnapshot last_run_ ABSL_GUARDED_BY(mu_);
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_PROCESS_STATS_H_
