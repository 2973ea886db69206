// Kernel of RowProduct: checks and threads around core/row_product.h.

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/core/bfloat16_product.h"
#include "kernels/core/row_product.h"
#include "kernels/op_kernels/weight_matmul_util.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/lib/core/threadpool.h"

namespace recursive_tf {

namespace tf = tensorflow;

// A thread is worth waking for this many multiplications: some 35 microseconds
// of work with AVX-512.
constexpr int64_t kMinProductsPerThread = 1 << 22;
// Threads get whole vectors of columns and whole tiles of rows, of any target.
constexpr int64_t kMinColumnsPerThread = 64;
constexpr int64_t kMinRowsPerThread = 48;
constexpr int64_t kScratchAlignment = 64;

// Returns how many threads to use.
template <typename T>
static int64_t NumShards(tf::OpKernelContext* ctx, const RowProduct<T>& args) {
  const int64_t num_products = args.rows * args.height * args.width;
  if (num_products < 2 * kMinProductsPerThread) return 1;
  const int64_t num_threads =
      ctx->device()->tensorflow_cpu_worker_threads()->num_threads;
  return std::max<int64_t>(
      1, std::min({num_threads, num_products / kMinProductsPerThread,
                   std::max(args.width / kMinColumnsPerThread,
                            args.height / kMinRowsPerThread)}));
}

// Divides y, along the side that has more of the smallest parts.
template <typename T>
static std::vector<RowProductPart> Divide(const RowProduct<T>& args,
                                          int64_t num_shards) {
  const bool by_columns =
      args.width / kMinColumnsPerThread >= args.height / kMinRowsPerThread;
  const int64_t size = by_columns ? args.width : args.height;
  const int64_t unit = by_columns ? kMinColumnsPerThread : kMinRowsPerThread;
  const int64_t num_units = (size + unit - 1) / unit;
  std::vector<RowProductPart> parts(num_shards,
                                    {0, args.height, 0, args.width});
  for (int64_t shard = 0; shard < num_shards; ++shard) {
    const int64_t begin = shard * num_units / num_shards * unit;
    const int64_t end =
        std::min(size, (shard + 1) * num_units / num_shards * unit);
    RowProductPart& part = parts[shard];
    (by_columns ? part.begin : part.top) = begin;
    (by_columns ? part.end : part.bottom) = end;
  }
  return parts;
}

template <typename T>
class RowProductOp final : public tf::OpKernel {
 public:
  explicit RowProductOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("rounds_to_bfloat16", &is_rounded_));
    if (!is_rounded_) return;
    OP_REQUIRES(ctx, (std::is_same_v<T, float>),
                absl::InvalidArgumentError(
                    "recursive_tf: row product: only float is rounded"));
    OP_REQUIRES_OK(ctx, CheckBfloat16Products());
  }

  void Compute(tf::OpKernelContext* ctx) override {
    const tf::Tensor& left = ctx->input(0);
    const tf::Tensor& right = ctx->input(1);
    const bool fits = left.dims() == 2 && right.dims() == 2 &&
                      left.dim_size(0) == right.dim_size(0);
    OP_REQUIRES(
        ctx, fits,
        absl::InvalidArgumentError(absl::StrCat(
            "recursive_tf: row product: left ", left.shape().DebugString(),
            " and right ", right.shape().DebugString(),
            " are not matrices with the same number of rows")));
    RowProduct<T> args = {};
    args.rows = left.dim_size(0);
    args.height = left.dim_size(1);
    args.width = right.dim_size(1);
    tf::Tensor* y = nullptr;
    tf::TensorShape shape;
    OP_REQUIRES_OK(ctx, tf::TensorShape::BuildTensorShape(
                            {args.height, args.width}, &shape));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
    if (y->NumElements() == 0) return;
    args.left = static_cast<const T*>(left.data());
    args.right = static_cast<const T*>(right.data());
    args.y = static_cast<T*>(y->data());

    const std::vector<RowProductPart> parts =
        Divide(args, NumShards(ctx, args));
    int64_t stride = 0;
    for (const RowProductPart& part : parts) {
      stride = std::max(stride, ScratchBytes(args, part));
    }
    stride = (stride + kScratchAlignment - 1) / kScratchAlignment *
             kScratchAlignment;
    const int64_t num_parts = parts.size();
    tf::Tensor scratch;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_temp(
                 tf::DT_INT8, tf::TensorShape({num_parts * stride}), &scratch));
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Run(args, parts[i], static_cast<char*>(scratch.data()) + i * stride);
      }
    };
    if (num_parts == 1) return run(0, 1);
    ctx->device()->tensorflow_cpu_worker_threads()->workers->ParallelFor(
        num_parts, tsl::thread::ThreadPool::SchedulingParams::Fixed(1), run);
  }

 private:
  int64_t ScratchBytes(const RowProduct<T>& args,
                       const RowProductPart& part) const {
    if constexpr (std::is_same_v<T, float>) {
      if (is_rounded_) return Bfloat16RowProductScratchBytes(args, part);
    }
    return RowProductScratchBytes(args, part);
  }

  void Run(const RowProduct<T>& args, const RowProductPart& part,
           void* scratch) const {
    if constexpr (std::is_same_v<T, float>) {
      if (is_rounded_) return ComputeBfloat16RowProduct(args, part, scratch);
    }
    ComputeRowProduct(args, part, scratch);
  }

  bool is_rounded_ = false;
};

REGISTER_KERNEL_BUILDER(Name("RecursiveTf>RowProduct")
                            .Device(tf::DEVICE_CPU)
                            .TypeConstraint<float>("T"),
                        RowProductOp<float>);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>RowProduct")
                            .Device(tf::DEVICE_CPU)
                            .TypeConstraint<double>("T"),
                        RowProductOp<double>);

}  // namespace recursive_tf
