#include "kernels/runtime/process_stats.h"

namespace recursive_tf {

ProcessStats& ProcessStats::Get() {
  static ProcessStats* const stats = new ProcessStats;  // Never destroyed.
  return *stats;
}

void ProcessStats::Publish(const RunCountersSnapshot& last_run) {
  MutexLock lock(&mu_);
  last_run_ = last_run;
}

RunCountersSnapshot ProcessStats::last_run() const {
  MutexLock lock(&mu_);
  return last_run_;
}

}  // namespace recursive_tf
