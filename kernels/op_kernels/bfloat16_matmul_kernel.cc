// Kernel of Bfloat16MatMul: checks and threads around core/bfloat16_product.h.

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "kernels/core/bfloat16_product.h"
#include "kernels/op_kernels/weight_matmul_util.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

namespace tf = tensorflow;

class Bfloat16MatMulOp final : public tf::OpKernel {
 public:
  explicit Bfloat16MatMulOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_weights", &is_transposed_));
    OP_REQUIRES_OK(ctx, CheckBfloat16Products());
  }

  void Compute(tf::OpKernelContext* ctx) override {
    const tf::Tensor& x = ctx->input(0);
    const tf::Tensor& weights = ctx->input(1);
    const tf::Tensor& rounded = ctx->input(2);
    MatMulSizes sizes = {};
    OP_REQUIRES_OK(
        ctx, FindMatMulSizes(x, rounded, nullptr, is_transposed_, &sizes));
    OP_REQUIRES(
        ctx, weights.shape() == rounded.shape(),
        absl::InvalidArgumentError(absl::StrCat(
            "recursive_tf: matmul: weights ", weights.shape().DebugString(),
            ", rounded weights ", rounded.shape().DebugString())));
    tf::Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, sizes.shape, &y));
    // The product of the sizes is that of tensors that exist.
    tf::Tensor rows;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_temp(
                 tf::DT_BFLOAT16,
                 tf::TensorShape({sizes.rows, Bfloat16RowSize(sizes.depth)}),
                 &rows));
    uint16_t* x_rounded = static_cast<uint16_t*>(rows.data());
    ComputeBfloat16Rows(static_cast<const float*>(x.data()), sizes.rows,
                        sizes.depth, x_rounded);
    const Bfloat16MatMul args = {sizes.rows,
                                 sizes.depth,
                                 sizes.width,
                                 x_rounded,
                                 static_cast<const uint16_t*>(rounded.data()),
                                 static_cast<float*>(y->data())};
    ForColumns(ctx, sizes, [&](int64_t begin, int64_t end) {
      if (is_transposed_) {
        ComputeTransposedBfloat16MatMul(args, begin, end);
      } else {
        ComputeBfloat16MatMul(args, begin, end);
      }
    });
  }

 private:
  bool is_transposed_ = false;
};

REGISTER_KERNEL_BUILDER(
    Name("RecursiveTf>Bfloat16MatMul").Device(tf::DEVICE_CPU),
    Bfloat16MatMulOp);
}  // namespace recursive_tf

// For Python, by ctypes: an op would start TensorFlow, whose threads can then
// not be set any more.
extern "C" bool recursive_tf_has_bfloat16_products() {
  return recursive_tf::HasBfloat16Products();
}
