// Kernel of RunStats.

#include "kernels/runtime/process_stats.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

namespace tf = tensorflow;

class RunStatsOp final : public tf::OpKernel {
 public:
  explicit RunStatsOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {}
  void Compute(tf::OpKernelContext* ctx) override {
    tf::Tensor* stats = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {9}, &stats));
    const ProcessStats& process = ProcessStats::Get();
    const RunCountersSnapshot last = process.last_run();
    auto values = stats->vec<int64_t>();
    values(0) = last.frames;
    values(1) = last.max_depth;
    values(2) = last.stash_entries;
    values(3) = last.stash_bytes;
    values(4) = last.stash_peak_bytes;
    values(5) = process.live_runs();
    values(6) = process.live_stash_entries();
    values(7) = last.steps;
    values(8) = last.rows;
  }
};

REGISTER_KERNEL_BUILDER(Name("RecursiveTf>RunStats").Device(tf::DEVICE_CPU),
                        RunStatsOp);

}  // namespace recursive_tf
