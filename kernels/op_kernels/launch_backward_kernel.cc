// Kernel of LaunchBackward: makes a backward run, calls the backward body of
// the Launch's first frame, and emits the accumulated gradients.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/op_kernels/gradient_slots.h"
#include "kernels/op_kernels/kernel_util.h"
#include "kernels/runtime/activation.h"
#include "kernels/runtime/body_table.h"
#include "kernels/runtime/frame.h"
#include "kernels/runtime/rows.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

namespace tf = tensorflow;

namespace {

// The first key a run hands out belongs to its first frame, or to its first
// row.
constexpr uint64_t kFirstKey = 1;

}  // namespace

class LaunchBackwardOp final : public tf::AsyncOpKernel {
 public:
  explicit LaunchBackwardOp(tf::OpKernelConstruction* ctx)
      : AsyncOpKernel(ctx), bodies_(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Targ_gradients", &result_dtypes_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Tgradients", &gradient_dtypes_));
    OP_REQUIRES_OK(ctx,
                   ReadRowShapes(ctx, result_dtypes_.size(), &row_shapes_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("entry", &entry_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("mapped", &mapped_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("policy", &policy_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("has_made", &has_made_));
    OP_REQUIRES_OK(ctx, slots_.Read(ctx));
    OP_REQUIRES_OK(ctx, ReadLayouts(ctx));
  }

  void ComputeAsync(tf::OpKernelContext* ctx, DoneCallback done) override {
    auto bodies = bodies_.Get(ctx->function_library());
    OP_REQUIRES_OK_ASYNC(ctx, bodies.status(), done);
    const int entry = (*bodies)->Find(entry_);
    OP_REQUIRES_ASYNC(
        ctx, entry >= 0,
        absl::InvalidArgumentError("recursive_tf: no backward entry"), done);
    const auto ref = ReadRun<RunRef>(ctx->input(0), entry_);
    OP_REQUIRES_OK_ASYNC(ctx, ref.status(), done);
    const absl::Status fits = CheckCaptures(*(*ref)->run);
    OP_REQUIRES_OK_ASYNC(ctx, fits, done);
    // The input is the only reference left exactly when no tape, graph edge or
    // other gradient can ask for this run again.
    const bool consumes = ctx->input(0).RefCountIsOne();
    // Moved, so that the run alone holds the bodies and lets go of them in
    // time: this function may return after the op is done and its function
    // library gone.
    auto run = std::make_shared<BackwardRun>(
        *std::move(bodies), MakeReadyQueue(ctx, policy_, false), (*ref)->run,
        consumes);
    run->layouts = layouts_;
    if (has_made_) run->MakeMadeGradients(ctx);
    const int num_gradients = static_cast<int>(gradient_dtypes_.size());
    for (int i = 1 + num_gradients; i < ctx->num_inputs(); ++i) {
      run->extras.push_back(ctx->input(i));
    }
    run->accumulators = slots_.MakeAccumulators();

    const ArgPointers args = InputPointers(ctx, 1, num_gradients);
    FrameCallback finish = [this, ctx, run, done = std::move(done)](
                               const absl::Status& status,
                               std::vector<tf::Tensor> results) {
      Finish(ctx, run.get(), status, results);
      results.clear();
      done();
    };
    const absl::Status checked =
        CheckGradientShapes(args, run->forward->result_shapes);
    if (!checked.ok()) {
      return finish(run->core.Fail(checked, entry, 0), {});
    }
    if (!mapped_) {
      InvokeBackward(ctx, run, entry, /*parent_depth=*/0, kFirstKey, args,
                     std::move(finish));
      return;
    }
    auto num_rows = NumRows(args);
    if (!num_rows.ok()) {
      return finish(run->core.Fail(num_rows.status(), entry, 0), {});
    }
    MapRows(
        *num_rows, args, result_dtypes_, row_shapes_,
        [&](int64_t row, const ArgPointers& row_args, FrameCallback row_done) {
          InvokeBackward(ctx, run, entry, /*parent_depth=*/0, kFirstKey + row,
                         row_args, std::move(row_done));
        },
        std::move(finish));
  }

 private:
  absl::Status ReadLayouts(tf::OpKernelConstruction* ctx) {
    std::vector<int> num_capture_inputs, capture_inputs, num_extras, num_slots;
    TF_RETURN_IF_ERROR(ctx->GetAttr("num_capture_inputs", &num_capture_inputs));
    TF_RETURN_IF_ERROR(ctx->GetAttr("capture_inputs", &capture_inputs));
    TF_RETURN_IF_ERROR(ctx->GetAttr("num_extras", &num_extras));
    TF_RETURN_IF_ERROR(ctx->GetAttr("num_slots", &num_slots));
    tf::DataTypeVector extras;
    TF_RETURN_IF_ERROR(ctx->GetAttr("Textras", &extras));
    const size_t num_bodies = bodies_.num_bodies();
    TF_RETURN_IF_ERROR(CheckCounts(ctx, "num_capture_inputs",
                                   num_capture_inputs, num_bodies,
                                   capture_inputs.size()));
    TF_RETURN_IF_ERROR(
        CheckCounts(ctx, "num_extras", num_extras, num_bodies, extras.size()));
    TF_RETURN_IF_ERROR(
        CheckCounts(ctx, "num_slots", num_slots, num_bodies, slots_.size()));
    size_t capture = 0;
    BackwardLayout next;
    for (size_t body = 0; body < num_capture_inputs.size(); ++body) {
      next.captures.clear();
      for (int i = 0; i < num_capture_inputs[body]; ++i) {
        next.captures.push_back(capture_inputs[capture++]);
      }
      next.extras_end = next.extras_begin + num_extras[body];
      next.slots_end = next.slots_begin + num_slots[body];
      layouts_.push_back(next);
      next.extras_begin = next.extras_end;
      next.slots_begin = next.slots_end;
    }
    return absl::OkStatus();
  }

  absl::Status CheckCaptures(const ForwardRun& forward) const {
    const int num_captures = static_cast<int>(forward.captures.size());
    for (const BackwardLayout& layout : layouts_) {
      for (int capture : layout.captures) {
        if (0 <= capture && capture < num_captures) continue;
        return absl::InvalidArgumentError(absl::StrCat(
            "recursive_tf: SubGraph '", entry_,
            "': its gradient takes capture ", capture, " of ", num_captures));
      }
    }
    return absl::OkStatus();
  }

  void Finish(tf::OpKernelContext* ctx, BackwardRun* run, absl::Status status,
              const std::vector<tf::Tensor>& results) const {
    run->core.ReleaseBodies();
    run->DropMadeGradients();
    if (status.ok()) status = SetResults(ctx, results, result_dtypes_);
    if (status.ok()) {
      status = slots_.Emit(ctx, run->forward->captures,
                           static_cast<int>(result_dtypes_.size()),
                           &run->accumulators);
    }
    if (status.ok()) return;
    const absl::Status first = run->core.first_error();
    ctx->SetStatus(first.ok() ? status : first);
  }

  BodyTableCache bodies_;
  std::vector<tf::DataType> result_dtypes_;
  tf::DataTypeVector gradient_dtypes_;
  std::vector<tf::PartialTensorShape> row_shapes_;
  std::vector<BackwardLayout> layouts_;
  GradientSlots slots_;
  std::string entry_;
  std::string policy_;
  bool mapped_ = false;
  bool has_made_ = false;
};

REGISTER_KERNEL_BUILDER(
    Name("RecursiveTf>LaunchBackward").Device(tf::DEVICE_CPU),
    LaunchBackwardOp);

}  // namespace recursive_tf
