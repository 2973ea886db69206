// Kernels of LstmGates and LstmGatesGrad: checks, buffers and threads around
// the loops of core/lstm_gates.h.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/core/lstm_gates.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/lib/core/threadpool.h"

namespace recursive_tf {

namespace tf = tensorflow;

// A thread is worth waking for this many gates: some 15 microseconds of work.
constexpr int64_t kMinGatesPerThread = 1 << 16;

// The sizes of one call.
struct GateSizes {
  int64_t num_memories = 0;
  int64_t num_rows = 0;
  int64_t width = 0;
  tf::TensorShape own;  // [..., D]
};

static absl::Status CheckShape(const char* what, const tf::Tensor& tensor,
                               const tf::TensorShape& expected) {
  if (tensor.shape() == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "recursive_tf: LSTM gates: ", what, " has shape ",
      tensor.shape().DebugString(), ", expected ", expected.DebugString()));
}

static absl::StatusOr<GateSizes> CheckGates(const tf::Tensor& gates,
                                            int64_t num_memories) {
  const int64_t num_gates = 3 + num_memories;
  const int rank = gates.dims();
  if (rank == 0 || gates.dim_size(rank - 1) % num_gates != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "recursive_tf: LSTM gates: gates has shape ",
        gates.shape().DebugString(), "; with ", num_memories,
        " memories its last dimension must be a multiple of ", num_gates));
  }
  GateSizes sizes;
  sizes.num_memories = num_memories;
  sizes.width = gates.dim_size(rank - 1) / num_gates;
  sizes.own = gates.shape();
  sizes.own.set_dim(rank - 1, sizes.width);
  sizes.num_rows =
      sizes.width == 0 ? 0 : sizes.own.num_elements() / sizes.width;
  return sizes;
}

// How many threads work on the rows.
static int64_t NumShards(tf::OpKernelContext* ctx, const GateSizes& sizes) {
  const int64_t num_gates =
      sizes.num_rows * sizes.width * (3 + sizes.num_memories);
  if (num_gates < 2 * kMinGatesPerThread) return 1;
  const int64_t num_threads =
      ctx->device()->tensorflow_cpu_worker_threads()->num_threads;
  return std::min(
      {num_threads, num_gates / kMinGatesPerThread, sizes.num_rows});
}

// Calls work(shard, first row, end) for equal parts of the rows.
static void ForEachShard(
    tf::OpKernelContext* ctx, int64_t num_shards, int64_t num_rows,
    const std::function<void(int64_t, int64_t, int64_t)>& work) {
  if (num_shards == 1) return work(0, 0, num_rows);
  ctx->device()->tensorflow_cpu_worker_threads()->workers->ParallelFor(
      num_shards, tsl::thread::ThreadPool::SchedulingParams::Fixed(1),
      [&](int64_t begin, int64_t end) {
        for (int64_t shard = begin; shard < end; ++shard) {
          work(shard, shard * num_rows / num_shards,
               (shard + 1) * num_rows / num_shards);
        }
      });
}

template <typename T>
static const T* Data(const tf::Tensor& tensor) {
  return static_cast<const T*>(tensor.data());
}

template <typename T>
static T* MutableData(tf::Tensor* tensor) {
  return static_cast<T*>(tensor->data());
}

template <typename T>
class LstmGatesOp final : public tf::OpKernel {
 public:
  explicit LstmGatesOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("N", &num_memories_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_biases", &num_biases_));
    OP_REQUIRES(ctx, num_biases_ <= 1,
                absl::InvalidArgumentError(
                    "recursive_tf: LSTM gates: more than one bias"));
    for (int k = 0; k < num_memories_; ++k) memory_inputs_.push_back(1 + k);
  }

  void Compute(tf::OpKernelContext* ctx) override {
    const tf::Tensor& gates = ctx->input(0);
    const auto sizes = CheckGates(gates, num_memories_);
    OP_REQUIRES_OK(ctx, sizes.status());
    std::vector<const T*> memories(num_memories_);
    for (int k = 0; k < num_memories_; ++k) {
      const tf::Tensor& memory = ctx->input(1 + k);
      OP_REQUIRES_OK(ctx, CheckShape("a memory", memory, sizes->own));
      memories[k] = Data<T>(memory);
    }
    LstmGates<T> args = {};
    if (num_biases_ > 0) {
      const tf::Tensor& bias = ctx->input(1 + num_memories_);
      const tf::TensorShape row({(3 + num_memories_) * sizes->width});
      OP_REQUIRES_OK(ctx, CheckShape("bias", bias, row));
      args.bias = Data<T>(bias);
    }
    args.num_memories = num_memories_;
    args.width = sizes->width;
    args.gates = Data<T>(gates);
    args.memories = memories.data();
    tf::Tensor *h = nullptr, *c = nullptr, *activations = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(memory_inputs_, 0,
                                                              sizes->own, &h));
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(memory_inputs_, 1,
                                                              sizes->own, &c));
    args.h = MutableData<T>(h);
    args.c = MutableData<T>(c);
    if (ctx->output_required(2)) {  // Not by a graph without a gradient.
      OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                              {0}, 2, gates.shape(), &activations));
      args.activations = MutableData<T>(activations);
    }
    ForEachShard(ctx, NumShards(ctx, *sizes), sizes->num_rows,
                 [&](int64_t, int64_t begin, int64_t end) {
                   ComputeLstmGates(args, begin, end);
                 });
  }

 private:
  int num_memories_ = 0;
  int num_biases_ = 0;
  std::vector<int> memory_inputs_;
};

template <typename T>
class LstmGatesGradOp final : public tf::OpKernel {
 public:
  explicit LstmGatesGradOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("N", &num_memories_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_biases", &num_biases_));
    OP_REQUIRES(ctx, num_biases_ <= 1,
                absl::InvalidArgumentError(
                    "recursive_tf: LSTM gates: more than one bias"));
  }

  void Compute(tf::OpKernelContext* ctx) override {
    const tf::Tensor& activations = ctx->input(0);
    const auto sizes = CheckGates(activations, num_memories_);
    OP_REQUIRES_OK(ctx, sizes.status());
    const int c = 1 + num_memories_, dh = c + 1, dc = c + 2;
    const char* const names[] = {"c", "dh", "dc"};
    for (int i = 1; i <= dc; ++i) {
      OP_REQUIRES_OK(ctx, CheckShape(i < c ? "a memory" : names[i - c],
                                     ctx->input(i), sizes->own));
    }
    std::vector<const T*> memories(num_memories_);
    std::vector<T*> dmemories(num_memories_);
    LstmGatesGrad<T> args = {};
    args.num_memories = num_memories_;
    args.width = sizes->width;
    args.activations = Data<T>(activations);
    args.memories = memories.data();
    args.c = Data<T>(ctx->input(c));
    args.dh = Data<T>(ctx->input(dh));
    args.dc = Data<T>(ctx->input(dc));
    args.dmemories = dmemories.data();
    for (int k = 0; k < num_memories_; ++k) {
      memories[k] = Data<T>(ctx->input(1 + k));
      tf::Tensor* dmemory = nullptr;
      OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                              {dc, dh, c, 1 + k}, 1 + k, sizes->own, &dmemory));
      dmemories[k] = MutableData<T>(dmemory);
    }
    tf::Tensor* dgates = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0}, 0, activations.shape(), &dgates));
    args.dgates = MutableData<T>(dgates);

    const int64_t num_shards = NumShards(ctx, *sizes);
    const int64_t num_columns = (3 + num_memories_) * sizes->width;
    T* dbias = nullptr;
    std::vector<T> partial;  // Of the shards but the first.
    if (num_biases_ > 0) {
      tf::Tensor* output = nullptr;
      OP_REQUIRES_OK(
          ctx, ctx->allocate_output(1 + num_memories_, {num_columns}, &output));
      dbias = MutableData<T>(output);
      std::fill_n(dbias, num_columns, T{0});
      partial.resize((num_shards - 1) * num_columns);
    }
    ForEachShard(ctx, num_shards, sizes->num_rows,
                 [&](int64_t shard, int64_t begin, int64_t end) {
                   LstmGatesGrad<T> own = args;
                   own.dbias = shard == 0 || dbias == nullptr
                                   ? dbias
                                   : &partial[(shard - 1) * num_columns];
                   ComputeLstmGatesGrad(own, begin, end);
                 });
    for (size_t i = 0; i < partial.size(); ++i) {
      dbias[i % num_columns] += partial[i];
    }
  }

 private:
  int num_memories_ = 0;
  int num_biases_ = 0;
};

#define REGISTER_LSTM_GATES(T)                              \
  REGISTER_KERNEL_BUILDER(Name("RecursiveTf>LstmGates")     \
                              .Device(tf::DEVICE_CPU)       \
                              .TypeConstraint<T>("T"),      \
                          LstmGatesOp<T>);                  \
  REGISTER_KERNEL_BUILDER(Name("RecursiveTf>LstmGatesGrad") \
                              .Device(tf::DEVICE_CPU)       \
                              .TypeConstraint<T>("T"),      \
                          LstmGatesGradOp<T>)

REGISTER_LSTM_GATES(float);
REGISTER_LSTM_GATES(double);

}  // namespace recursive_tf
