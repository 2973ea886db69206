#include "kernels/op_kernels/weight_matmul_util.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "kernels/core/bfloat16_product.h"
#include "tensorflow/core/lib/core/threadpool.h"

namespace recursive_tf {

namespace tf = tensorflow;

// A thread is worth waking for this many multiplications: some 35 microseconds
// of work with AVX-512.
static constexpr int64_t kMinProductsPerThread = 1 << 22;
// Threads get whole cache lines of columns, and not too few.
static constexpr int64_t kMinColumnsPerThread = 64;

absl::Status FindMatMulSizes(const tf::Tensor& x, const tf::Tensor& weights,
                             const tf::Tensor* num_rows, bool is_transposed,
                             MatMulSizes* sizes) {
  bool fits = x.dims() >= 1 && weights.dims() == 2;
  int64_t rows = fits ? weights.dim_size(0) : 0;
  if (fits && num_rows != nullptr) {
    const int64_t count =
        num_rows->dims() == 0 ? num_rows->scalar<int32_t>()() : -1;
    if (count < 0 || count > rows) {
      return absl::InvalidArgumentError(
          absl::StrCat("recursive_tf: matmul: the first ",
                       num_rows->DebugString(), " rows of weights ",
                       weights.shape().DebugString(), " were asked for"));
    }
    rows = count;
  }
  if (fits) {
    sizes->depth = is_transposed ? weights.dim_size(1) : rows;
    sizes->width = is_transposed ? rows : weights.dim_size(1);
    fits = x.dim_size(x.dims() - 1) == sizes->depth;
  }
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat(
        "recursive_tf: matmul: x ", x.shape().DebugString(),
        is_transposed ? " and transposed weights " : " and weights ",
        weights.shape().DebugString(), " do not fit",
        num_rows == nullptr
            ? ""
            : absl::StrCat("; of the weights ", rows, " rows are used")));
  }
  sizes->shape = x.shape();
  sizes->shape.RemoveLastDims(1);
  sizes->rows = sizes->shape.num_elements();
  return sizes->shape.AddDimWithStatus(sizes->width);
}

static int64_t NumShards(tf::OpKernelContext* ctx, const MatMulSizes& sizes) {
  const int64_t num_products = sizes.rows * sizes.depth * sizes.width;
  if (num_products < 2 * kMinProductsPerThread) return 1;
  const int64_t num_threads =
      ctx->device()->tensorflow_cpu_worker_threads()->num_threads;
  return std::max<int64_t>(
      1, std::min({num_threads, num_products / kMinProductsPerThread,
                   sizes.width / kMinColumnsPerThread}));
}

void ForColumns(tf::OpKernelContext* ctx, const MatMulSizes& sizes,
                absl::FunctionRef<void(int64_t, int64_t)> run) {
  const int64_t num_shards = NumShards(ctx, sizes);
  if (num_shards == 1) return run(0, sizes.width);
  const int64_t num_lines =
      (sizes.width + kMinColumnsPerThread - 1) / kMinColumnsPerThread;
  ctx->device()->tensorflow_cpu_worker_threads()->workers->ParallelFor(
      num_shards, tsl::thread::ThreadPool::SchedulingParams::Fixed(1),
      [&](int64_t begin, int64_t end) {
        const auto column = [&](int64_t shard) {
          return std::min(sizes.width, shard * num_lines / num_shards *
                                           kMinColumnsPerThread);
        };
        run(column(begin), column(end));
      });
}

absl::Status CheckBfloat16Products() {
  if (HasBfloat16Products()) return absl::OkStatus();
  return absl::UnimplementedError(
      "recursive_tf: products in bfloat16 need a processor with AVX512-BF16, "
      "which this one is not. Make the model with products in float32: its "
      "weights are the same.");
}

}  // namespace recursive_tf
