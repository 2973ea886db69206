// Kernels of InvokeBackward and InvokeMapBackward: calls from inside a backward
// body.

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/op_kernels/kernel_util.h"
#include "kernels/runtime/activation.h"
#include "kernels/runtime/frame.h"
#include "kernels/runtime/rows.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

namespace tf = tensorflow;

namespace {

absl::Status NoBackwardBody(const std::string& key) {
  return absl::NotFoundError(
      absl::StrCat("SubGraph '", key, "' has no backward body in this run"));
}

}  // namespace

class InvokeBackwardOp final : public tf::AsyncOpKernel {
 public:
  explicit InvokeBackwardOp(tf::OpKernelConstruction* ctx)
      : AsyncOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("body_key", &body_key_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Targ_gradients", &result_dtypes_));
  }

  void ComputeAsync(tf::OpKernelContext* ctx, DoneCallback done) override {
    const Frame<BackwardRun>* frame = nullptr;
    auto run = PinRun(ctx->input(0), &frame);
    OP_REQUIRES_OK_ASYNC(ctx, run.status(), done);
    const auto body =
        (*run)->core.FindBody(body_key_, NoBackwardBody(body_key_));
    OP_REQUIRES_OK_ASYNC(ctx, body.status(), done);
    const auto key = ReadKey(ctx->input(1));
    OP_REQUIRES_OK_ASYNC(ctx, key.status(), done);
    InvokeBackward(
        ctx, *run, *body, frame->depth, *key,
        InputPointers(ctx, 2, ctx->num_inputs() - 2),
        SetOutputsThen(ctx, result_dtypes_, std::nullopt, std::move(done)));
  }

 private:
  std::string body_key_;
  std::vector<tf::DataType> result_dtypes_;
};

class InvokeMapBackwardOp final : public tf::AsyncOpKernel {
 public:
  explicit InvokeMapBackwardOp(tf::OpKernelConstruction* ctx)
      : AsyncOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("body_key", &body_key_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Targ_gradients", &result_dtypes_));
    OP_REQUIRES_OK(ctx,
                   ReadRowShapes(ctx, result_dtypes_.size(), &row_shapes_));
  }

  void ComputeAsync(tf::OpKernelContext* ctx, DoneCallback done) override {
    const Frame<BackwardRun>* frame = nullptr;
    auto run = PinRun(ctx->input(0), &frame);
    OP_REQUIRES_OK_ASYNC(ctx, run.status(), done);
    const auto body =
        (*run)->core.FindBody(body_key_, NoBackwardBody(body_key_));
    OP_REQUIRES_OK_ASYNC(ctx, body.status(), done);
    const tf::Tensor& keys = ctx->input(1);
    OP_REQUIRES_ASYNC(
        ctx, keys.dims() == 1 && keys.NumElements() == 2,
        absl::InvalidArgumentError(absl::StrCat(
            "recursive_tf: the keys of a mapped call are [2], got shape ",
            keys.shape().DebugString())),
        done);
    const uint64_t first_key = keys.vec<int64_t>()(0);
    const int64_t num_rows = keys.vec<int64_t>()(1);
    const ArgPointers args = InputPointers(ctx, 2, ctx->num_inputs() - 2);
    const int depth = frame->depth;
    for (const tf::Tensor* gradient : args) {
      if (gradient->dims() > 0 && gradient->dim_size(0) == num_rows) continue;
      const absl::Status failed = (*run)->core.Fail(
          absl::InvalidArgumentError(absl::StrCat(
              "the gradient given for a result of ", num_rows,
              " rows has shape ", gradient->shape().DebugString(),
              "; it must have the result's. Look at what functions of "
              "tf.custom_gradient return.")),
          *body, depth);
      ctx->SetStatus(failed);
      return done();
    }
    OP_REQUIRES_OK_ASYNC(ctx, NumRows(args).status(), done);
    MapRows(
        num_rows, args, result_dtypes_, row_shapes_,
        [&](int64_t row, const ArgPointers& row_args, FrameCallback row_done) {
          InvokeBackward(ctx, *run, *body, depth, first_key + row, row_args,
                         std::move(row_done));
        },
        SetOutputsThen(ctx, result_dtypes_, std::nullopt, std::move(done)));
  }

 private:
  std::string body_key_;
  std::vector<tf::DataType> result_dtypes_;
  std::vector<tf::PartialTensorShape> row_shapes_;
};

REGISTER_KERNEL_BUILDER(
    Name("RecursiveTf>InvokeBackward").Device(tf::DEVICE_CPU),
    InvokeBackwardOp);
REGISTER_KERNEL_BUILDER(
    Name("RecursiveTf>InvokeMapBackward").Device(tf::DEVICE_CPU),
    InvokeMapBackwardOp);

}  // namespace recursive_tf
