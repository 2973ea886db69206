// Kernels of Invoke and InvokeMap: calls from inside a body.

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

absl::Status UnknownBody(const std::string& key) {
  return absl::NotFoundError(absl::StrCat(
      "SubGraph '", key, "' is called by a body but is not part of the run"));
}

}  // namespace

class InvokeOp final : public tf::AsyncOpKernel {
 public:
  explicit InvokeOp(tf::OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("body_key", &body_key_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Tresults", &result_dtypes_));
  }

  void ComputeAsync(tf::OpKernelContext* ctx, DoneCallback done) override {
    const Frame<ForwardRun>* frame = nullptr;
    auto run = PinRun(ctx->input(0), &frame);
    OP_REQUIRES_OK_ASYNC(ctx, run.status(), done);
    const auto body = (*run)->core.FindBody(body_key_, UnknownBody(body_key_));
    OP_REQUIRES_OK_ASYNC(ctx, body.status(), done);
    const uint64_t key = (*run)->keys.Next();
    tf::Tensor output(tf::DT_INT64, {});
    output.scalar<int64_t>()() = static_cast<int64_t>(key);
    InvokeForward(ctx, *run, *body, frame->depth, key,
                  InputPointers(ctx, 1, ctx->num_inputs() - 1),
                  SetOutputsThen(ctx, result_dtypes_, std::move(output),
                                 std::move(done)));
  }

 private:
  std::string body_key_;
  std::vector<tf::DataType> result_dtypes_;
};

class InvokeMapOp final : public tf::AsyncOpKernel {
 public:
  explicit InvokeMapOp(tf::OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("body_key", &body_key_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Tresults", &result_dtypes_));
    OP_REQUIRES_OK(ctx,
                   ReadRowShapes(ctx, result_dtypes_.size(), &row_shapes_));
  }

  void ComputeAsync(tf::OpKernelContext* ctx, DoneCallback done) override {
    const Frame<ForwardRun>* frame = nullptr;
    auto run = PinRun(ctx->input(0), &frame);
    OP_REQUIRES_OK_ASYNC(ctx, run.status(), done);
    const auto body = (*run)->core.FindBody(body_key_, UnknownBody(body_key_));
    OP_REQUIRES_OK_ASYNC(ctx, body.status(), done);
    const ArgPointers args = InputPointers(ctx, 1, ctx->num_inputs() - 1);
    auto num_rows = NumRows(args);
    OP_REQUIRES_OK_ASYNC(ctx, num_rows.status(), done);
    const uint64_t first_key = (*run)->keys.NextBlock(*num_rows);
    tf::Tensor keys(tf::DT_INT64, {2});
    keys.vec<int64_t>()(0) = static_cast<int64_t>(first_key);
    keys.vec<int64_t>()(1) = *num_rows;
    const int depth = frame->depth;
    MapRows(
        *num_rows, args, result_dtypes_, row_shapes_,
        [&](int64_t row, const ArgPointers& row_args, FrameCallback row_done) {
          InvokeForward(ctx, *run, *body, depth, first_key + row, row_args,
                        std::move(row_done));
        },
        SetOutputsThen(ctx, result_dtypes_, std::move(keys), std::move(done)));
  }

 private:
  std::string body_key_;
  std::vector<tf::DataType> result_dtypes_;
  std::vector<tf::PartialTensorShape> row_shapes_;
};

REGISTER_KERNEL_BUILDER(Name("RecursiveTf>Invoke").Device(tf::DEVICE_CPU),
                        InvokeOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>InvokeMap").Device(tf::DEVICE_CPU),
                        InvokeMapOp);

}  // namespace recursive_tf
