// What is left of a batched forward run, for the backward pass: the tape.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_RUN_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_RUN_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/core/arena.h"
#include "kernels/core/chunked_vector.h"
#include "kernels/core/run_counters.h"
#include "kernels/runtime/batched_buffers.h"
#include "kernels/runtime/batched_plan.h"
#include "kernels/runtime/batched_trace.h"
#include "kernels/runtime/first_error.h"
#include "tensorflow/core/framework/tensor.h"

namespace recursive_tf {

// The rows that one input of a step was gathered from.
struct TapeColumn {
  RowRef first;
  const RowRef* refs = nullptr;  // Null: consecutive rows from `first` on.

  RowRef operator[](int64_t i) const {
    if (refs != nullptr) return refs[i];
    return {first.buffer, static_cast<uint32_t>(first.row + i)};
  }
};

struct TapeStep {
  enum class Kind : int8_t {
    kBlock,
    kStack,    // Rows of a mapped call's results became one row [1, k, ...].
    kUnstack,  // One row [k, ...] became the k rows of a buffer.
  };
  Kind kind = Kind::kBlock;
  int32_t block = -1;
  int32_t num_rows = 0;
  int32_t depth = 0;  // Of its deepest frame.
  uint32_t first_column = 0;
  uint32_t first_output = 0;
  uint32_t first_residual = 0;
  uint32_t num_residuals = 0;
};

struct BufferShape {
  tensorflow::DataType dtype = tensorflow::DT_INVALID;
  tensorflow::TensorShape shape;
};

// The steps of one shard in the order in which they ran, flat. Where the refs
// of its columns lie, and all else, goes at once when the tape goes: nothing
// here is a chain that a destructor would have to follow.
struct ShardTape {
  std::vector<TapeStep> steps;
  std::vector<TapeColumn> columns;  // Inputs of steps.
  std::vector<uint32_t> outputs;    // Buffers.
  ChunkedVector<tensorflow::Tensor> residuals;
  ChunkedVector<BufferShape> buffers;  // Shapes, the tensors may be gone.
  std::vector<uint32_t> args;          // The buffer of each argument's rows.
  std::vector<TapeColumn> results;     // Of the root frames.
  // The frames of each step, for a trace of the backward pass; else empty.
  std::vector<std::vector<TracedRow>> traced_rows;
  Arena arena;

  // Returns a column of `refs`, copied unless they are consecutive.
  TapeColumn MakeColumn(const RowRef* refs, int64_t size, bool is_consecutive);
};

// The entry arguments, as the backward pass needs them.
struct ArgShape {
  tensorflow::DataType dtype;
  tensorflow::TensorShape shape;
};

// One outermost call under the batched scheduler. Kept alive by the
// LaunchBatched op while it runs and, when it trains, by the `run` tensor.
class BatchedRun final {
 public:
  BatchedRun(std::shared_ptr<const BatchedPlan> plan, int num_shards,
             int64_t num_rows, bool is_mapped, int max_depth);
  ~BatchedRun();
  BatchedRun(const BatchedRun&) = delete;
  BatchedRun& operator=(const BatchedRun&) = delete;

  int num_shards() const { return static_cast<int>(tapes.size()); }
  // Shard s has the root rows [shard_begin(s), shard_begin(s + 1)).
  int64_t shard_begin(int shard) const {
    return num_rows * shard / num_shards();
  }

  // Counts what the tapes hold; call once, when the shards have ended.
  void CountTape(RunCountersSnapshot* snapshot);
  // Lets go of the tape of one shard.
  void DropTape(int shard);
  // Whether all tapes are there, for a backward pass.
  bool has_tapes() const;

  bool is_merged(size_t result) const {
    return !are_merged.empty() && are_merged[result];
  }

  const std::shared_ptr<const BatchedPlan> plan;
  const int64_t num_rows;
  const bool is_mapped;
  const int max_depth;
  FirstError error;
  std::vector<tensorflow::Tensor> captures;
  std::vector<ArgShape> args;
  tensorflow::DataTypeVector result_dtypes;
  // As the op has returned them; set when the run has ended.
  std::vector<tensorflow::TensorShape> result_shapes;
  std::vector<bool> are_merged;  // Results that are rows of one; empty: none.
  bool has_one_thread = false;   // Each part: its kernels use no other one.
  // One for each shard, empty unless the run keeps residuals. Written by the
  // shard's thread, then immutable until dropped.
  std::vector<ShardTape> tapes;

 private:
  std::vector<int64_t> num_counted_;  // Steps, by shard.
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_RUN_H_
