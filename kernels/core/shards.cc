#include "kernels/core/shards.h"

#include <algorithm>

namespace recursive_tf {

// In floating point: the product of the counts may be any number.
static double TotalWork(const CallWork& work) {
  const int64_t usual = std::max<int64_t>(1, work.frames_per_row);
  const int64_t seen = work.seen_frames_per_row;
  const bool is_unusual = seen / kUnusualFactor >= usual;
  return static_cast<double>(work.num_rows) *
         static_cast<double>(is_unusual ? seen : usual) *
         static_cast<double>(work.frame_work) *
         (work.is_training ? kTrainingFactor : 1);
}

int NumShards(const CallWork& work, int num_threads) {
  const int64_t most = std::min<int64_t>(num_threads, work.num_rows);
  if (most <= 1) return 1;
  if (work.frame_work <= 0) return static_cast<int>(most);
  const double parts = TotalWork(work) / kMinWorkPerShard;
  if (parts >= static_cast<double>(most)) return static_cast<int>(most);
  return std::max(1, static_cast<int>(parts));
}

bool IsWorthThreads(const CallWork& work) {
  return work.frame_work <= 0 || TotalWork(work) >= 2 * kMinWorkPerShard;
}

}  // namespace recursive_tf
