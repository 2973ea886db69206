// The frames of one shard.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_FRAME_STORE_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_FRAME_STORE_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/core/arena.h"
#include "kernels/runtime/batched_buffers.h"
#include "kernels/runtime/batched_frame.h"
#include "kernels/runtime/batched_plan.h"

namespace recursive_tf {

// Makes frames and mapped calls, takes them back to use their memory again, and
// counts them. All are gone when the store goes. Not thread-safe: each shard of
// a run has its own.
class FrameStore final {
 public:
  // Both must outlive the store. The registers refer to rows of `buffers`.
  FrameStore(const BatchedPlan* plan, RowBuffers* buffers)
      : plan_(plan), buffers_(buffers), free_(plan->program.bodies.size()) {}
  FrameStore(const FrameStore&) = delete;
  FrameStore& operator=(const FrameStore&) = delete;

  // A root frame with empty registers, in which its first event is active.
  BatchedFrame* Make(int body, int depth) {
    const FrameLayout& layout = plan_->layouts[body];
    BatchedFrame* frame = free_[body];
    if (frame != nullptr) {
      free_[body] = frame->caller;
    } else {
      frame = static_cast<BatchedFrame*>(arena_.Allocate(layout.bytes));
    }
    std::memcpy(static_cast<void*>(frame), layout.initial.data(), layout.bytes);
    frame->depth = depth;
    ++num_made_;
    ++num_live_;
    max_depth_ = std::max(max_depth_, depth);
    return frame;
  }

  // Takes back a frame in which nothing can happen any more.
  void Free(BatchedFrame* frame) {
    const int num_registers = plan_->program.bodies[frame->body].num_registers;
    RowRef* registers = frame->registers();
    for (int i = 0; i < num_registers; ++i) buffers_->Release(registers[i]);
    frame->caller = free_[frame->body];
    free_[frame->body] = frame;
    --num_live_;
  }

  // Lets the units that `unit` resets wait for all their inputs again.
  void Reset(const BatchedUnit& unit, BatchedFrame* frame) const {
    const FrameLayout& layout = plan_->layouts[frame->body];
    int32_t* pending = frame->pending(layout.pending_offset);
    const std::vector<BatchedUnit>& units =
        plan_->program.bodies[frame->body].units;
    for (int u : unit.resets) {
      const int slot = layout.pending_slots[u];
      if (slot != FrameLayout::kStartsAtOnce) pending[slot] = units[u].pending;
    }
  }

  void LetGo(const std::vector<int>& registers, BatchedFrame* frame) {
    for (int reg : registers) {
      buffers_->Replace(&frame->registers()[reg], RowRef());
    }
  }
  // In the frames from `begin` on.
  void LetGo(const std::vector<int>& registers,
             const std::vector<BatchedFrame*>& frames, size_t begin = 0) {
    for (int reg : registers) {
      RowReleaser releaser(buffers_);
      for (size_t i = begin; i < frames.size(); ++i) {
        releaser.Release(std::exchange(frames[i]->registers()[reg], RowRef()));
      }
    }
  }

  // What a register holds, with a reference to it: its own if it `moves`.
  RowRef TakeRef(RowRef* reg, bool moves) {
    if (moves) return std::exchange(*reg, RowRef());
    buffers_->Retain(*reg);
    return *reg;
  }

  void CopyRegisters(const BatchedUnit& unit, const std::vector<bool>& moves,
                     BatchedFrame* frame) {
    // All are read before any is written: loop variables may swap places.
    RowRef* registers = frame->registers();
    moving_.clear();
    for (size_t i = 0; i < unit.copies.size(); ++i) {
      const bool is_moved = !moves.empty() && moves[i];
      moving_.push_back(TakeRef(&registers[unit.copies[i].source], is_moved));
    }
    for (size_t i = 0; i < unit.copies.size(); ++i) {
      buffers_->Replace(&registers[unit.copies[i].target], moving_[i]);
    }
  }

  // A mapped call of `unit` over `num_rows` rows. Its results are empty.
  BatchedMapCall* MakeMapCall(BatchedFrame* caller, const BatchedUnit& unit,
                              int64_t num_rows) {
    if (free_map_calls_.empty()) {
      map_calls_.push_back(std::make_unique<BatchedMapCall>());
      free_map_calls_.push_back(map_calls_.back().get());
    }
    BatchedMapCall* map = free_map_calls_.back();
    free_map_calls_.pop_back();
    map->caller = caller;
    map->unit = &unit;
    map->num_rows = num_rows;
    map->num_pending = num_rows * plan_->program.bodies[unit.callee].num_groups;
    map->results.assign(num_rows * unit.results.size(), RowRef());
    return map;
  }
  void FreeMapCall(BatchedMapCall* map) { free_map_calls_.push_back(map); }

  int64_t num_live() const { return num_live_; }
  int64_t num_made() const { return num_made_; }
  int max_depth() const { return max_depth_; }

 private:
  const BatchedPlan* const plan_;
  RowBuffers* const buffers_;
  Arena arena_;
  std::vector<BatchedFrame*> free_;  // By body; linked by `caller`.
  std::vector<std::unique_ptr<BatchedMapCall>> map_calls_;
  std::vector<BatchedMapCall*> free_map_calls_;
  std::vector<RowRef> moving_;
  int64_t num_live_ = 0;
  int64_t num_made_ = 0;
  int max_depth_ = 0;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_FRAME_STORE_H_
