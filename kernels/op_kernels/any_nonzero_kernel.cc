// Kernel of AnyNonzero.

#include <algorithm>
#include <complex>

#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

namespace tf = tensorflow;

template <typename T>
class AnyNonzeroOp final : public tf::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(tf::OpKernelContext* ctx) override {
    const auto values = ctx->input(0).flat<T>();
    tf::Tensor* found = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {}, &found));
    const T* end = values.data() + values.size();
    found->scalar<bool>()() = std::any_of(
        values.data(), end, [](const T& value) { return value != T(0); });
  }

  bool IsExpensive() override { return false; }
};

#define RECURSIVE_TF_REGISTER(T)                         \
  REGISTER_KERNEL_BUILDER(Name("RecursiveTf>AnyNonzero") \
                              .Device(tf::DEVICE_CPU)    \
                              .TypeConstraint<T>("T"),   \
                          AnyNonzeroOp<T>)
RECURSIVE_TF_REGISTER(tf::bfloat16);
RECURSIVE_TF_REGISTER(Eigen::half);
RECURSIVE_TF_REGISTER(float);
RECURSIVE_TF_REGISTER(double);
RECURSIVE_TF_REGISTER(std::complex<float>);
RECURSIVE_TF_REGISTER(std::complex<double>);
#undef RECURSIVE_TF_REGISTER

}  // namespace recursive_tf
