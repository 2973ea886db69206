// Kernel of Launch: makes a run and calls its first body.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/op_kernels/kernel_util.h"
#include "kernels/runtime/activation.h"
#include "kernels/runtime/body_table.h"
#include "kernels/runtime/frame.h"
#include "kernels/runtime/process_stats.h"
#include "kernels/runtime/rows.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

namespace tf = tensorflow;

class LaunchOp final : public tf::AsyncOpKernel {
 public:
  explicit LaunchOp(tf::OpKernelConstruction* ctx)
      : AsyncOpKernel(ctx), bodies_(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Tresults", &result_dtypes_));
    OP_REQUIRES_OK(ctx,
                   ReadRowShapes(ctx, result_dtypes_.size(), &row_shapes_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_captures", &num_captures_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_results", &num_results_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("entry", &entry_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("mapped", &mapped_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("keeps_residuals", &keeps_residuals_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("max_depth", &max_depth_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("policy", &policy_));
    tf::DataTypeVector arg_dtypes, capture_dtypes;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Targs", &arg_dtypes));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Tcaptures", &capture_dtypes));
    num_args_ = static_cast<int>(arg_dtypes.size());
    OP_REQUIRES_OK(ctx,
                   CheckCounts(ctx, "num_captures", num_captures_,
                               bodies_.num_bodies(), capture_dtypes.size()));
    OP_REQUIRES(
        ctx, static_cast<int>(num_results_.size()) == bodies_.num_bodies(),
        Malformed(ctx, absl::StrCat(num_results_.size(), " num_results, ",
                                    bodies_.num_bodies(), " bodies")));
  }

  void ComputeAsync(tf::OpKernelContext* ctx, DoneCallback done) override {
    auto bodies = bodies_.Get(ctx->function_library());
    OP_REQUIRES_OK_ASYNC(ctx, bodies.status(), done);
    const int entry = (*bodies)->Find(entry_);
    OP_REQUIRES_ASYNC(ctx, entry >= 0,
                      absl::InvalidArgumentError(absl::StrCat(
                          "recursive_tf: no body '", entry_, "' to launch")),
                      done);
    const absl::Status checked = CheckResultCounts(**bodies);
    OP_REQUIRES_OK_ASYNC(ctx, checked, done);
    // Moved, so that the run alone holds the bodies and lets go of them in
    // time: this function may return after the op is done and its function
    // library gone.
    auto run = std::make_shared<ForwardRun>(
        *std::move(bodies),
        MakeReadyQueue(ctx, policy_, bodies_.is_serialized()), max_depth_,
        keeps_residuals_, bodies_.is_serialized());
    SetCaptures(ctx, run.get());
    const ArgPointers args = InputPointers(ctx, 0, num_args_);
    FrameCallback finish = [this, ctx, run, done = std::move(done)](
                               const absl::Status& status,
                               std::vector<tf::Tensor> results) {
      Finish(ctx, run, status, std::move(results));
      done();
    };
    if (!mapped_) {
      InvokeForward(ctx, run, entry, /*parent_depth=*/0, run->keys.Next(), args,
                    std::move(finish));
      return;
    }
    auto num_rows = NumRows(args);
    if (!num_rows.ok())
      return finish(run->core.Fail(num_rows.status(), entry, 0), {});
    const uint64_t first_key = run->keys.NextBlock(*num_rows);
    MapRows(
        *num_rows, args, result_dtypes_, row_shapes_,
        [&](int64_t row, const ArgPointers& row_args, FrameCallback row_done) {
          InvokeForward(ctx, run, entry, /*parent_depth=*/0, first_key + row,
                        row_args, std::move(row_done));
        },
        std::move(finish));
  }

 private:
  // Outputs of a body beyond its results are residuals.
  absl::Status CheckResultCounts(const BodyTable& bodies) const {
    for (int b = 0; b < bodies.size(); ++b) {
      if (num_results_[b] >= 0 && num_results_[b] <= bodies[b].num_outputs) {
        continue;
      }
      return absl::InvalidArgumentError(
          absl::StrCat("recursive_tf: SubGraph '", bodies[b].name, "' has ",
                       bodies[b].num_outputs, " outputs, num_results says ",
                       num_results_[b]));
    }
    return absl::OkStatus();
  }

  void SetCaptures(tf::OpKernelContext* ctx, ForwardRun* run) const {
    int input = num_args_;
    for (int count : num_captures_) {
      run->capture_begin.push_back(input - num_args_);
      for (int i = 0; i < count; ++i) {
        run->captures.push_back(ctx->input(input++));
      }
    }
    run->capture_begin.push_back(input - num_args_);
    run->num_results = num_results_;
  }

  // Sets outputs or the run's first error. Every frame has ended by now.
  void Finish(tf::OpKernelContext* ctx, const std::shared_ptr<ForwardRun>& run,
              absl::Status status, std::vector<tf::Tensor> results) const {
    ProcessStats::Get().Publish(run->Snapshot());
    run->core.ReleaseBodies();
    if (status.ok()) status = SetResults(ctx, results, result_dtypes_);
    if (!status.ok()) {
      const absl::Status first = run->core.first_error();
      ctx->SetStatus(first.ok() ? status : first);
      return;
    }
    for (const tf::Tensor& result : results) {
      if (!keeps_residuals_ || !IsTrainable(result.dtype())) continue;
      run->result_shapes.push_back(result.shape());
    }
    ctx->set_output(
        ctx->num_outputs() - 1,
        MakeVariantScalar(RunRef{keeps_residuals_ ? run : nullptr}));
  }

  BodyTableCache bodies_;
  std::vector<tf::DataType> result_dtypes_;
  std::vector<tf::PartialTensorShape> row_shapes_;
  std::vector<int> num_captures_;
  std::vector<int> num_results_;
  std::string entry_;
  std::string policy_;
  bool mapped_ = false;
  bool keeps_residuals_ = false;
  int max_depth_ = 0;
  int num_args_ = 0;
};

REGISTER_KERNEL_BUILDER(Name("RecursiveTf>Launch").Device(tf::DEVICE_CPU),
                        LaunchOp);

}  // namespace recursive_tf
