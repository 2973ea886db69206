// The agenda: ready frames by block, and the policy that picks the next step.
#ifndef RECURSIVE_TF_KERNELS_CORE_AGENDA_H_
#define RECURSIVE_TF_KERNELS_CORE_AGENDA_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/core/batched_program.h"

namespace recursive_tf {

struct BatchedFrame;  // The agenda only hands them on.

// Keeps what is ready and says what runs together next. Not thread-safe: each
// shard of a run has its own.
//
// The ready items of a block are divided into groups that cannot share a step.
// A block has either the one group 0, or any groups but 0.
//
// Policies:
//  * "depth" (TensorFlow Fold; DyNet's by-depth): a step takes one block's
//    frames of one recursion depth, the deepest first.
//  * "agenda" (DyNet's by-agenda): the block whose ready frames are deepest on
//    average; all of them at once.
//  * "look_ahead": a block waits while another block is ready that can still
//    make frames ready for it, and for which it can do nothing in return. So
//    leaves wait for the descent to end, and a loss at each node for the whole
//    ascent. Between the others it decides as "agenda" does.
class Agenda {
 public:
  using Item = BatchedFrame*;

  virtual ~Agenda() = default;

  // Adds `items`, of frames at `depths`, to the ready items of `block`.
  virtual void Add(int block, int group, const std::vector<Item>& items,
                   const std::vector<int>& depths) = 0;

  // Takes the items of the next step into `*items`, in the order in which they
  // were added; their block is returned, or -1 if nothing is ready. Of a serial
  // block one item is taken at a time.
  virtual int Take(std::vector<Item>* items, std::vector<int>* depths) = 0;

  // As Take, but whatever the policy is, takes some `max_items` of the block
  // with the deepest item, its deepest, and of these the ones that were added
  // last. A recursion then goes depth first, so that few new frames are alive
  // at a time: shallower ones are taken only to fill a step up. The items are
  // in the order of their depths.
  virtual int TakeDeepest(int64_t max_items, std::vector<Item>* items,
                          std::vector<int>* depths) = 0;

  // The depth of the deepest frame that TakeDeepest takes; -1 if nothing is
  // ready.
  virtual int deepest() const = 0;
  virtual int64_t size() const = 0;
};

// How many items a step may take, at least 1, when frames and their values take
// the memory of `load` frames, `num_ready` items are ready, and each of them
// may make `fanout` frames. No limit holds while that is little: wide steps are
// what batching is for. Beyond, the limit shrinks with what is left, so that a
// recursion of any width and depth stays within some kFrameLimit frames, and
// `fanout` more for each level.
constexpr int64_t kFrameBudget = int64_t{1} << 18;
constexpr int64_t kFrameLimit = 2 * kFrameBudget;
constexpr int64_t kNoStepLimit = INT64_MAX;
int64_t StepLimit(int64_t load, int64_t num_ready, int fanout);

// What of a program an agenda needs, computed once for all its runs.
class AgendaPlan final {
 public:
  enum class Policy { kDepth, kAgenda, kLookAhead };

  // Returns false if there is no policy of that name.
  static bool ParsePolicy(const std::string& name, Policy* policy);

  AgendaPlan(Policy policy, const BatchedProgram& program);

  // The plan must outlive the agenda.
  std::unique_ptr<Agenda> MakeAgenda() const;

  Policy policy() const { return policy_; }
  int num_blocks() const { return static_cast<int>(is_serial_.size()); }
  bool is_serial(int block) const { return is_serial_[block]; }
  // The blocks that `block` waits for while they are ready.
  const std::vector<int>& waits_for(int block) const {
    return waits_for_[block];
  }

 private:
  Policy policy_;
  std::vector<bool> is_serial_;
  std::vector<std::vector<int>> waits_for_;  // Empty but for kLookAhead.
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_AGENDA_H_
