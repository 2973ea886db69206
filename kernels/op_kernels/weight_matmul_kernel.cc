// Kernel of WeightMatMul: checks and threads around core/weight_matmul.h.

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "kernels/core/weight_matmul.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/lib/core/threadpool.h"

namespace recursive_tf {

namespace tf = tensorflow;

// A thread is worth waking for this many multiplications: some 35 microseconds
// of work with AVX-512.
constexpr int64_t kMinProductsPerThread = 1 << 22;
// Threads get whole cache lines of columns, and not too few.
constexpr int64_t kMinColumnsPerThread = 64;

template <typename T>
class WeightMatMulOp final : public tf::OpKernel {
 public:
  explicit WeightMatMulOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_weights", &is_transposed_));
  }

  void Compute(tf::OpKernelContext* ctx) override {
    const tf::Tensor& x = ctx->input(0);
    const tf::Tensor& weights = ctx->input(1);
    const bool fits =
        x.dims() >= 1 && weights.dims() == 2 &&
        x.dim_size(x.dims() - 1) == weights.dim_size(is_transposed_ ? 1 : 0);
    OP_REQUIRES(
        ctx, fits,
        absl::InvalidArgumentError(absl::StrCat(
            "recursive_tf: matmul: x ", x.shape().DebugString(),
            is_transposed_ ? " and transposed weights " : " and weights ",
            weights.shape().DebugString(), " do not fit")));
    WeightMatMul<T> args = {};
    args.depth = weights.dim_size(is_transposed_ ? 1 : 0);
    args.width = weights.dim_size(is_transposed_ ? 0 : 1);
    tf::TensorShape shape = x.shape();
    shape.RemoveLastDims(1);
    args.rows = shape.num_elements();
    OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(args.width));
    tf::Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
    args.x = static_cast<const T*>(x.data());
    args.weights = static_cast<const T*>(weights.data());
    args.y = static_cast<T*>(y->data());

    const int64_t num_shards = NumShards(ctx, args);
    if (num_shards == 1) return Run(args, 0, args.width);
    const int64_t num_lines =
        (args.width + kMinColumnsPerThread - 1) / kMinColumnsPerThread;
    ctx->device()->tensorflow_cpu_worker_threads()->workers->ParallelFor(
        num_shards, tsl::thread::ThreadPool::SchedulingParams::Fixed(1),
        [&](int64_t begin, int64_t end) {
          const auto column = [&](int64_t shard) {
            return std::min(args.width, shard * num_lines / num_shards *
                                            kMinColumnsPerThread);
          };
          Run(args, column(begin), column(end));
        });
  }

 private:
  static int64_t NumShards(tf::OpKernelContext* ctx,
                           const WeightMatMul<T>& args) {
    const int64_t num_products = args.rows * args.depth * args.width;
    if (num_products < 2 * kMinProductsPerThread) return 1;
    const int64_t num_threads =
        ctx->device()->tensorflow_cpu_worker_threads()->num_threads;
    return std::max<int64_t>(
        1, std::min({num_threads, num_products / kMinProductsPerThread,
                     args.width / kMinColumnsPerThread}));
  }

  void Run(const WeightMatMul<T>& args, int64_t begin, int64_t end) const {
    if (is_transposed_) {
      ComputeTransposedWeightMatMul(args, begin, end);
    } else {
      ComputeWeightMatMul(args, begin, end);
    }
  }

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
