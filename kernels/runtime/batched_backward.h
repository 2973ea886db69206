// One shard of a batched backward run: the tape, replayed in reverse.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_BACKWARD_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_BACKWARD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "kernels/core/batched_program.h"
#include "kernels/runtime/accumulator.h"
#include "kernels/runtime/batched_run.h"
#include "kernels/runtime/batched_trace.h"
#include "kernels/runtime/row_gradients.h"
#include "kernels/runtime/step_loop.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

using Accumulators = std::vector<std::unique_ptr<Accumulator>>;

// Replays the steps of one shard's tape. The order in which they ran is a legal
// order of the gradients, reversed: no agenda is needed.
class BackwardShard final : public StepLoop {
 public:
  // With `consumes` residuals are let go of as they are used, so that the
  // memory of the forward pass is free for the backward pass. An error is in
  // `error` when `done` is called. All pointers must outlive the shard.
  BackwardShard(tensorflow::OpKernelContext* ctx, BatchedRun* run,
                const BatchedBackwardProgram* program, BlockTable* table,
                int shard, bool consumes, Accumulators accumulators,
                FirstError* error, std::function<void()> done);
  ~BackwardShard() override;

  // Adds the gradient of a column of the results, [rows of this shard, ...].
  absl::Status Seed(int result, tensorflow::Tensor gradient);

  // To be called after `done`: the gradient of an argument's rows.
  tensorflow::Tensor TakeArgGradient(int arg);
  Accumulators& accumulators() { return accumulators_; }
  std::vector<TracedStep> TakeTrace() { return std::move(trace_); }

 private:
  bool Prepare() override;
  void Complete(const absl::Status& status) override;
  void Finish() override;

  bool PrepareBlock(const TapeStep& step);
  absl::Status ReplayMove(const TapeStep& step);
  absl::Status TakeOutputs(const TapeStep& step);
  void Fail(const absl::Status& status, const TapeStep& step);

  BatchedRun* const run_;
  const BatchedBackwardProgram* const program_;
  BlockTable* const table_;
  ShardTape* const tape_;
  const int shard_;
  const bool consumes_;
  FirstError* const error_;
  const std::function<void()> done_;
  BlockTable::Scratches scratches_;
  RowGradients gradients_;
  Accumulators accumulators_;
  size_t next_step_;  // Counts down.
  int64_t step_start_us_ = 0;
  const bool is_traced_;
  std::vector<TracedStep> trace_;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_BACKWARD_H_
