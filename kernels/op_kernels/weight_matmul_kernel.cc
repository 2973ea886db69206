// Kernel of WeightMatMul: checks and threads around core/weight_matmul.h.

#include <cstdint>

#include "kernels/core/weight_matmul.h"
#include "kernels/op_kernels/weight_matmul_util.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

namespace tf = tensorflow;

template <typename T>
class WeightMatMulOp final : public tf::OpKernel {
 public:
  explicit WeightMatMulOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_weights", &is_transposed_));
    OP_REQUIRES(ctx, ctx->num_inputs() <= 3,
                absl::InvalidArgumentError(
                    "recursive_tf: matmul: more than one number of rows"));
  }

  void Compute(tf::OpKernelContext* ctx) override {
    const tf::Tensor& x = ctx->input(0);
    const tf::Tensor& weights = ctx->input(1);
    MatMulSizes sizes = {};
    OP_REQUIRES_OK(
        ctx, FindMatMulSizes(x, weights,
                             ctx->num_inputs() > 2 ? &ctx->input(2) : nullptr,
                             is_transposed_, &sizes));
    tf::Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, sizes.shape, &y));
    const WeightMatMul<T> args = {sizes.rows,
                                  sizes.depth,
                                  sizes.width,
                                  static_cast<const T*>(x.data()),
                                  static_cast<const T*>(weights.data()),
                                  static_cast<T*>(y->data())};
    ForColumns(ctx, sizes, [&](int64_t begin, int64_t end) {
      if (is_transposed_) {
        ComputeTransposedWeightMatMul(args, begin, end);
      } else {
        ComputeWeightMatMul(args, begin, end);
      }
    });
  }

 private:
  bool is_transposed_ = false;
};

REGISTER_KERNEL_BUILDER(Name("RecursiveTf>WeightMatMul")
                            .Device(tf::DEVICE_CPU)
                            .TypeConstraint<float>("T"),
                        WeightMatMulOp<float>);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>WeightMatMul")
                            .Device(tf::DEVICE_CPU)
                            .TypeConstraint<double>("T"),
                        WeightMatMulOp<double>);

}  // namespace recursive_tf
