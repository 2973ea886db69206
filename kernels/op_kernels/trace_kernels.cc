// Kernels of SetTracing and RunTrace.

#include <algorithm>

#include "kernels/runtime/batched_trace.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

namespace tf = tensorflow;

class SetTracingOp final : public tf::OpKernel {
 public:
  explicit SetTracingOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("is_enabled", &is_enabled_));
  }
  void Compute(tf::OpKernelContext*) override {
    TraceRecorder::Get().SetEnabled(is_enabled_);
  }

 private:
  bool is_enabled_ = false;
};

class RunTraceOp final : public tf::OpKernel {
 public:
  explicit RunTraceOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {}
  void Compute(tf::OpKernelContext* ctx) override {
    const BatchedTrace trace = TraceRecorder::Get().last();
    const int64_t num_steps = static_cast<int64_t>(trace.steps.size());
    int64_t num_rows = 0;
    for (const TracedStep& step : trace.steps) {
      num_rows += static_cast<int64_t>(step.rows.size());
    }
    tf::Tensor* names = nullptr;
    tf::Tensor* steps = nullptr;
    tf::Tensor* splits = nullptr;
    tf::Tensor* rows = nullptr;
    const int64_t num_names = static_cast<int64_t>(trace.block_names.size());
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {num_names}, &names));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, {num_steps, 8}, &steps));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(2, {num_steps + 1}, &splits));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(3, {num_rows, 2}, &rows));
    for (int64_t i = 0; i < num_names; ++i) {
      names->vec<tf::tstring>()(i) = trace.block_names[i];
    }
    auto row_matrix = rows->matrix<int64_t>();
    int64_t next_row = 0;
    for (int64_t s = 0; s < num_steps; ++s) {
      splits->vec<int64_t>()(s) = next_row;
      WriteStep(trace.steps[s], s, steps);
      for (const TracedRow& row : trace.steps[s].rows) {
        row_matrix(next_row, 0) = row.root_row;
        row_matrix(next_row++, 1) = row.depth;
      }
    }
    splits->vec<int64_t>()(num_steps) = next_row;
  }

 private:
  static void WriteStep(const TracedStep& step, int64_t index,
                        tf::Tensor* steps) {
    auto matrix = steps->matrix<int64_t>();
    matrix(index, 0) = step.shard;
    matrix(index, 1) = step.block;
    matrix(index, 2) = step.num_rows;
    matrix(index, 3) = step.start_us;
    matrix(index, 4) = step.duration_us;
    matrix(index, 5) = step.is_backward ? 1 : 0;
    int64_t least = step.rows.empty() ? 0 : step.rows[0].depth;
    int64_t greatest = least;
    for (const TracedRow& row : step.rows) {
      least = std::min<int64_t>(least, row.depth);
      greatest = std::max<int64_t>(greatest, row.depth);
    }
    matrix(index, 6) = least;
    matrix(index, 7) = greatest;
  }
};

REGISTER_KERNEL_BUILDER(Name("RecursiveTf>SetTracing").Device(tf::DEVICE_CPU),
                        SetTracingOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>RunTrace").Device(tf::DEVICE_CPU),
                        RunTraceOp);

}  // namespace recursive_tf
