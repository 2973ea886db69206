// A frame of the batched scheduler.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_FRAME_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_FRAME_H_

#include <cstdint>
#include <vector>

#include "kernels/core/batched_program.h"
#include "kernels/runtime/batched_buffers.h"

namespace recursive_tf {

struct BatchedMapCall;

// Plain data in an arena, followed by the registers and by the pending counts
// of units (FrameLayout).
struct BatchedFrame {
  BatchedFrame* caller;     // Null in a root frame.
  const BatchedUnit* call;  // The caller's unit; null in a root frame.
  BatchedMapCall* map;      // Where a mapped call's rows meet, or null.
  int32_t body;
  int32_t depth;
  int32_t row;       // Of the mapped call; in a root frame, of the launch.
  int32_t root_row;  // Of the launch: which root frame it descends from.
  // Events fired and not yet seen to, blocks ready or running, and result
  // groups to come. At 0 nothing can happen in the frame any more.
  int32_t num_active;
  int32_t num_groups_left;  // Of results, that have not been returned.

  RowRef* registers() { return reinterpret_cast<RowRef*>(this + 1); }
  int32_t* pending(size_t offset) {
    return reinterpret_cast<int32_t*>(reinterpret_cast<char*>(this) + offset);
  }
};
static_assert(sizeof(BatchedFrame) % alignof(RowRef) == 0);

// A mapped call: one frame for each row of the arguments.
struct BatchedMapCall {
  BatchedFrame* caller = nullptr;
  const BatchedUnit* unit = nullptr;
  int64_t num_rows = 0;
  int64_t num_pending = 0;      // Result groups of rows that are not back.
  std::vector<RowRef> results;  // [result][row]
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_FRAME_H_
