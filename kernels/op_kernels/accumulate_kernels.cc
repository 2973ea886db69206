// Kernels that add one frame's share to a gradient accumulator.

#include "absl/strings/str_cat.h"
#include "kernels/runtime/accumulator.h"
#include "kernels/runtime/frame.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

namespace tf = tensorflow;

// Finds the accumulator `slot` of the frame's body.
static absl::StatusOr<Accumulator*> FindAccumulator(tf::OpKernelContext* ctx,
                                                    int slot) {
  const Frame<BackwardRun>* frame = nullptr;
  auto run = PinRun(ctx->input(0), &frame);
  if (!run.ok()) return run.status();
  const BackwardLayout& layout = (*run)->layouts[frame->body];
  const int num_slots = layout.slots_end - layout.slots_begin;
  if (slot < 0 || slot >= num_slots) {
    return absl::InvalidArgumentError(
        absl::StrCat("recursive_tf: accumulator ", slot, " of ", num_slots));
  }
  // Outlives the frame.
  return (*run)->accumulators[layout.slots_begin + slot].get();
}

class AccumulateDenseOp final : public tf::OpKernel {
 public:
  explicit AccumulateDenseOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("slot", &slot_));
  }
  void Compute(tf::OpKernelContext* ctx) override {
    auto accumulator = FindAccumulator(ctx, slot_);
    OP_REQUIRES_OK(ctx, accumulator.status());
    OP_REQUIRES_OK(ctx, (*accumulator)->AddDense(ctx->input(1)));
  }

 private:
  int slot_ = 0;
};

template <Accumulator::Kind kKind>
class AccumulateRowsOp final : public tf::OpKernel {
 public:
  explicit AccumulateRowsOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("slot", &slot_));
  }
  void Compute(tf::OpKernelContext* ctx) override {
    auto accumulator = FindAccumulator(ctx, slot_);
    OP_REQUIRES_OK(ctx, accumulator.status());
    OP_REQUIRES_OK(
        ctx, (*accumulator)->AddRows(kKind, ctx->input(1), ctx->input(2)));
  }

 private:
  int slot_ = 0;
};

REGISTER_KERNEL_BUILDER(
    Name("RecursiveTf>AccumulateDense").Device(tf::DEVICE_CPU),
    AccumulateDenseOp);
REGISTER_KERNEL_BUILDER(
    Name("RecursiveTf>AccumulateSlices").Device(tf::DEVICE_CPU),
    AccumulateRowsOp<Accumulator::Kind::kSlices>);
REGISTER_KERNEL_BUILDER(
    Name("RecursiveTf>AccumulateProduct").Device(tf::DEVICE_CPU),
    AccumulateRowsOp<Accumulator::Kind::kProduct>);

}  // namespace recursive_tf
