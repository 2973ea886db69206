// Kernel of HeapOrder: a tensor around core/heap_order.h.

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/core/heap_order.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

namespace tf = tensorflow;

class HeapOrderOp final : public tf::OpKernel {
 public:
  explicit HeapOrderOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string step;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("step", &step));
    step_ = step == "push"      ? HeapStep::kPush
            : step == "pop"     ? HeapStep::kPop
            : step == "replace" ? HeapStep::kReplace
            : step == "pushpop" ? HeapStep::kPushPop
                                : HeapStep::kHeapify;
  }

  void Compute(tf::OpKernelContext* ctx) override {
    const tf::Tensor& given = ctx->input(0);
    OP_REQUIRES(
        ctx, given.dims() == 1,
        absl::InvalidArgumentError("recursive_tf: ranks have to be a vector"));
    tf::Tensor* order = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, given.shape(), &order));
    const auto ranks = given.flat<int32_t>();
    const std::vector<int32_t> found = HeapOrder(
        std::vector<int32_t>(ranks.data(), ranks.data() + ranks.size()), step_);
    std::copy(found.begin(), found.end(), order->flat<int32_t>().data());
  }

 private:
  HeapStep step_ = HeapStep::kHeapify;
};

REGISTER_KERNEL_BUILDER(Name("RecursiveTf>HeapOrder").Device(tf::DEVICE_CPU),
                        HeapOrderOp);

}  // namespace recursive_tf
