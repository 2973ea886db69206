// Kernel of Check.

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

namespace tf = tensorflow;

class CheckOp final : public tf::OpKernel {
 public:
  explicit CheckOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("message", &message_));
  }

  void Compute(tf::OpKernelContext* ctx) override {
    const tf::Tensor& ok = ctx->input(1);
    const bool* begin = static_cast<const bool*>(ok.data());
    const bool* end = begin + ok.NumElements();
    OP_REQUIRES(ctx, std::find(begin, end, false) == end,
                absl::InvalidArgumentError(
                    absl::StrCat("recursive_tf: check failed: ", message_)));
    ctx->set_output(0, ctx->input(0));
  }

  bool IsExpensive() override { return false; }

 private:
  std::string message_;
};

REGISTER_KERNEL_BUILDER(Name("RecursiveTf>Check").Device(tf::DEVICE_CPU),
                        CheckOp);

}  // namespace recursive_tf
