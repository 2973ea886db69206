// The run objects: all that the frames of one outermost call share.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_RUN_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_RUN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kernels/core/frame_key.h"
#include "kernels/core/mutex.h"
#include "kernels/core/ready_queue.h"
#include "kernels/core/run_counters.h"
#include "kernels/core/stash.h"
#include "kernels/runtime/accumulator.h"
#include "kernels/runtime/body_table.h"
#include "kernels/runtime/first_error.h"
#include "kernels/runtime/made_gradients.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"

namespace recursive_tf {

// Whether TensorFlow hands a gradient to a result of that type.
bool IsTrainable(tensorflow::DataType dtype);

// OK if gradients of results have the shapes of the results.
absl::Status CheckGradientShapes(
    absl::Span<const tensorflow::Tensor* const> gradients,
    absl::Span<const tensorflow::TensorShape> results);

// OK if there are at least as many results as `dtypes`, and of these types.
absl::Status CheckResultTypes(absl::Span<const tensorflow::Tensor> results,
                              absl::Span<const tensorflow::DataType> dtypes);

// What forward and backward runs have in common: bodies, the ready queue, the
// depth limit, counters and the first error. Thread-safe.
class RunCore final {
 public:
  RunCore(std::shared_ptr<const BodyTable> bodies,
          std::shared_ptr<ReadyQueue> queue, int max_depth, bool is_serialized)
      : queue(std::move(queue)),
        max_depth(max_depth),
        is_serialized(is_serialized),
        bodies_(std::move(bodies)) {}

  // Records the first real error of the run, with the SubGraph and depth where
  // it happened, and returns the short status that every other frame passes up.
  // A message that grew at each of 100,000 levels would take hours.
  absl::Status Fail(const absl::Status& status, int body, int depth);

  bool has_failed() const { return error_.has_failed(); }
  // The short status for frames that stop because another one failed.
  static absl::Status Aborted();
  // The recorded error; OK if nothing failed.
  absl::Status first_error() const { return error_.Get(); }

  // Lets go of the bodies once no frame is left: a run that a tape holds may
  // outlive the function library that they belong to.
  void ReleaseBodies();
  // The bodies, or an error when the run has ended: a frame that a body has
  // handed out may still be around. Let go of them before the run can end.
  absl::StatusOr<std::shared_ptr<const BodyTable>> PinBodies() const;
  // Returns the position of a body; `missing` is the error if there is none.
  absl::StatusOr<int> FindBody(absl::string_view key,
                               const absl::Status& missing) const;

  const std::shared_ptr<ReadyQueue> queue;
  const int max_depth;
  // Whether a frame runs alone until it waits for a call: nothing of another
  // frame comes between its ops, as far as no call does. The queue then has one
  // worker.
  const bool is_serialized;
  RunCounters counters;
  // That of the run's own frames; null if it is the caller's.
  tensorflow::ScopedStepContainer* step_container = nullptr;

 private:
  FirstError error_;
  mutable Mutex mu_;
  std::shared_ptr<const BodyTable> bodies_ ABSL_GUARDED_BY(mu_);
};

// One outermost forward call. Kept alive by the Launch op while frames run and,
// when it trains, by the `run` tensor that the tape holds for the backward
// pass.
class ForwardRun final {
 public:
  static constexpr char kFrameTypeName[] = "RecursiveTf>ForwardFrame";
  using Residuals = std::vector<tensorflow::Tensor>;
  using Shapes = absl::InlinedVector<tensorflow::TensorShape, 1>;
  // What the backward frame needs of the forward frame.
  struct FrameRecord {
    Residuals residuals;
    Shapes results;  // Of the results that can have a gradient.
  };

  ForwardRun(std::shared_ptr<const BodyTable> bodies,
             std::shared_ptr<ReadyQueue> queue, int max_depth,
             bool keeps_residuals, bool is_serialized);
  ~ForwardRun();
  ForwardRun(const ForwardRun&) = delete;
  ForwardRun& operator=(const ForwardRun&) = delete;

  // Stashes the record of frame `key`.
  absl::Status Stash(uint64_t key, FrameRecord record);
  // Returns the record of frame `key`, and forgets it if `consume`.
  bool Unstash(uint64_t key, bool consume, FrameRecord* record);

  size_t stash_entries() const { return stash_.num_entries(); }
  RunCountersSnapshot Snapshot() const;

  RunCore core;
  FrameKeys keys;
  const bool keeps_residuals;
  // Outer references of all bodies, one body's after the other's; body b's are
  // captures[capture_begin[b] .. capture_begin[b + 1]).
  std::vector<tensorflow::Tensor> captures;
  std::vector<int> capture_begin;
  // Result count of each body; outputs beyond it are residuals.
  std::vector<int> num_results;
  // Of the Launch's own results that can have a gradient; set when it is done.
  Shapes result_shapes;

 private:
  // Bytes of `residuals` not yet counted. Large buffers (weights, constants)
  // are shared by many frames and counted once.
  size_t CountBytes(const Residuals& residuals);

  recursive_tf::Stash<FrameRecord> stash_;
  Mutex mu_;
  std::unordered_set<const void*> large_buffers_ ABSL_GUARDED_BY(mu_);
};

// How one body's backward function takes its inputs:
//   (frame, result gradients, residuals, captures, extras).
struct BackwardLayout {
  std::vector<int> captures;  // Positions in ForwardRun::captures.
  int extras_begin = 0;       // Positions in BackwardRun::extras.
  int extras_end = 0;
  int slots_begin = 0;  // In BackwardRun::accumulators.
  int slots_end = 0;
};

// One outermost backward call.
class BackwardRun final {
 public:
  static constexpr char kFrameTypeName[] = "RecursiveTf>BackwardFrame";

  BackwardRun(std::shared_ptr<const BodyTable> bodies,
              std::shared_ptr<ReadyQueue> queue,
              std::shared_ptr<ForwardRun> forward, bool consumes)
      : core(std::move(bodies), std::move(queue), forward->core.max_depth,
             /*is_serialized=*/false),
        forward(std::move(forward)),
        consumes(consumes) {}

  RunCore core;
  const std::shared_ptr<ForwardRun> forward;
  // Whether stash entries are forgotten as they are read: true when nobody else
  // can ask for this run's gradients again.
  const bool consumes;

  // Lets the run add up gradients of objects, until it ends. `ctx` is that of
  // the op that makes the run.
  void MakeMadeGradients(tensorflow::OpKernelContext* ctx) {
    made_gradients_ = std::make_unique<MadeGradients>(ctx);
    core.step_container = made_gradients_->step_container();
  }
  void DropMadeGradients() { made_gradients_.reset(); }

  std::vector<BackwardLayout> layouts;  // By body.
  std::vector<tensorflow::Tensor> extras;
  std::vector<std::unique_ptr<Accumulator>> accumulators;

 private:
  std::unique_ptr<MadeGradients> made_gradients_;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_RUN_H_
