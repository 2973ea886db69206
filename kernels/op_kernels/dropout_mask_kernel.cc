// Kernel of DropoutMask: TensorFlow's Philox generator, started anew at each
// row.

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/lib/core/threadpool.h"
#include "tensorflow/core/lib/random/philox_random.h"
#include "tensorflow/core/lib/random/random_distributions_utils.h"

namespace recursive_tf {

namespace tf = tensorflow;

using Philox = tf::random::PhiloxRandom;

// Numbers of one counter.
constexpr int64_t kGroup = Philox::kResultElementCount;
// An element's share of the ten rounds of its group.
constexpr int64_t kNanosecondsPerElement = 4;
constexpr uint64_t kHalf = 32;

static Philox MakePhilox(const uint64_t* key, const uint64_t* counter) {
  Philox::Key key_words;
  key_words[0] = static_cast<uint32_t>(key[0]);
  key_words[1] = static_cast<uint32_t>(key[0] >> kHalf);
  Philox::ResultType counter_words;
  for (int i = 0; i < 2; ++i) {
    counter_words[2 * i] = static_cast<uint32_t>(counter[i]);
    counter_words[2 * i + 1] = static_cast<uint32_t>(counter[i] >> kHalf);
  }
  return Philox(counter_words, key_words);
}

template <typename T>
class DropoutMaskOp final : public tf::OpKernel {
 public:
  explicit DropoutMaskOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("width", &width_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("rate", &rate_));
    OP_REQUIRES(ctx, rate_ >= 0 && rate_ < 1,
                absl::InvalidArgumentError(
                    absl::StrCat("recursive_tf: dropout mask: rate ", rate_,
                                 " is not at least 0 and below 1")));
  }

  void Compute(tf::OpKernelContext* ctx) override {
    const tf::Tensor& key = ctx->input(0);
    const tf::Tensor& counter = ctx->input(1);
    const tf::Tensor& rows = ctx->input(2);
    const tf::Tensor& kept = ctx->input(3);
    const bool fits = key.dims() == 1 && key.NumElements() == 1 &&
                      counter.dims() == 1 && counter.NumElements() == 2 &&
                      rows.dims() == 1 && kept.dims() == 0;
    OP_REQUIRES(
        ctx, fits,
        absl::InvalidArgumentError(absl::StrCat(
            "recursive_tf: dropout mask: key ", key.shape().DebugString(),
            ", counter ", counter.shape().DebugString(), ", rows ",
            rows.shape().DebugString(), " and kept ",
            kept.shape().DebugString(), ", expected [1], [2], [N] and []")));
    const auto row = rows.flat<int32_t>();
    for (int64_t i = 0; i < row.size(); ++i) {
      OP_REQUIRES(
          ctx, row(i) >= 0,
          absl::InvalidArgumentError(absl::StrCat(
              "recursive_tf: dropout mask: row ", row(i), " is negative")));
    }
    tf::Tensor* mask = nullptr;
    tf::TensorShape shape;
    OP_REQUIRES_OK(
        ctx, tf::TensorShape::BuildTensorShape({row.size(), width_}, &shape));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &mask));
    if (mask->NumElements() == 0) return;
    const Philox start = MakePhilox(key.flat<uint64_t>().data(),
                                    counter.flat<uint64_t>().data());
    const T kept_value = kept.scalar<T>()();
    T* const out = mask->flat<T>().data();
    ctx->device()->tensorflow_cpu_worker_threads()->workers->ParallelFor(
        row.size(),
        tsl::thread::ThreadPool::SchedulingParams::Adaptive(
            kNanosecondsPerElement * width_),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            DrawRow(start, row(i), kept_value, out + i * width_);
          }
        });
  }

 private:
  // Draws elements row * width .. (row + 1) * width - 1 of the whole stream.
  void DrawRow(Philox philox, int64_t row, T kept, T* out) const {
    const int64_t first = row * width_;
    philox.Skip(first / kGroup);
    int64_t lane = first % kGroup;
    for (int64_t j = 0; j < width_; lane = 0) {
      const Philox::ResultType numbers = philox();
      for (; lane < kGroup && j < width_; ++lane, ++j) {
        const bool keeps = tf::random::Uint32ToFloat(numbers[lane]) >= rate_;
        out[j] = keeps ? kept : T(0);
      }
    }
  }

  int64_t width_ = 0;
  float rate_ = 0;
};

REGISTER_KERNEL_BUILDER(Name("RecursiveTf>DropoutMask")
                            .Device(tf::DEVICE_CPU)
                            .TypeConstraint<float>("T"),
                        DropoutMaskOp<float>);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>DropoutMask")
                            .Device(tf::DEVICE_CPU)
                            .TypeConstraint<double>("T"),
                        DropoutMaskOp<double>);

}  // namespace recursive_tf
