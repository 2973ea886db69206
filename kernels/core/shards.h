// Into how many parts the rows of a call are divided.
#ifndef RECURSIVE_TF_KERNELS_CORE_SHARDS_H_
#define RECURSIVE_TF_KERNELS_CORE_SHARDS_H_

#include <cstdint>

namespace recursive_tf {

// Work is counted in multiplications of numbers, or what takes as long. A part
// with less of it, under a millisecond on one core, does not make up for a
// second thread: waking it, and the steps that both then take with half of the
// rows each.
constexpr int64_t kMinWorkPerShard = 14'000'000;
// A backward pass takes twice as long as the forward pass before it.
constexpr int64_t kTrainingFactor = 3;
// Frames of a row as a multiple of what the program was thought to have, from
// which on they are believed. Below, the program alone decides, so that a
// training that goes on in a new process divides its first batch as it did all
// before: with other parts sums are rounded differently.
constexpr int64_t kUnusualFactor = 16;

// What is known of a call before it runs.
struct CallWork {
  int64_t num_rows = 0;
  int64_t frame_work = 0;           // Of one frame, on average; 0: not known.
  int64_t frames_per_row = 1;       // As usual for such a program.
  int64_t seen_frames_per_row = 0;  // In the last call; 0: there was none.
  bool is_training = false;
};

// Returns how many parts to make, at least 1 and at most `num_threads`. Where
// the work is not known, as many as there are threads and rows.
int NumShards(const CallWork& work, int num_threads);

// Whether the kernels of a call that is one part may use more threads. In a
// small call they would, here and there, for less than it takes to wake them.
bool IsWorthThreads(const CallWork& work);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_SHARDS_H_
