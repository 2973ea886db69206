#include "kernels/runtime/made_gradients.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/types.h"

namespace recursive_tf {

namespace tf = tensorflow;

template <typename T>
static void SetSum(const tf::Tensor& a, const tf::Tensor& b, tf::Tensor* sum) {
  const auto left = a.flat<T>();
  const auto right = b.flat<T>();
  auto out = sum->flat<T>();
  std::transform(left.data(), left.data() + left.size(), right.data(),
                 out.data(), std::plus<T>());
}

static absl::Status AddTo(const tf::Tensor& gradient, tf::Tensor* sum) {
  if (gradient.dtype() != sum->dtype() || gradient.shape() != sum->shape()) {
    return absl::InternalError(absl::StrCat(
        "recursive_tf: gradients of one object have shapes ",
        sum->shape().DebugString(), " and ", gradient.shape().DebugString()));
  }
  tf::Tensor both(sum->dtype(), sum->shape());
  if (!both.IsInitialized()) {
    return absl::ResourceExhaustedError(
        "recursive_tf: no memory for the gradient of an object");
  }
  switch (sum->dtype()) {
#define ADD(T)                        \
  case tf::DataTypeToEnum<T>::value:  \
    SetSum<T>(*sum, gradient, &both); \
    break;
    TF_CALL_half(ADD);
    TF_CALL_bfloat16(ADD);
    TF_CALL_float(ADD);
    TF_CALL_double(ADD);
#undef ADD
    default:
      return absl::InternalError(
          absl::StrCat("recursive_tf: a gradient of an object is of type ",
                       tf::DataTypeString(sum->dtype())));
  }
  *sum = std::move(both);
  return absl::OkStatus();
}

namespace {

// All backward runs under way, by step container.
struct Runs {
  Mutex mu;
  std::unordered_map<const void*, MadeGradients*> by_container
      ABSL_GUARDED_BY(mu);
};

Runs& AllRuns() {
  static auto* const runs = new Runs;  // Never destroyed.
  return *runs;
}

int64_t NextStep() {
  static std::atomic<int64_t> last{0};
  return ++last;
}

}  // namespace

MadeGradients::MadeGradients(tf::OpKernelContext* ctx)
    : container_(
          NextStep(),
          [manager = ctx->resource_manager()](const std::string& name) {
            manager->Cleanup(name).IgnoreError();
          },
          "recursive_tf_backward") {
  const MutexLock lock(&AllRuns().mu);
  AllRuns().by_container[&container_] = this;
}

MadeGradients::~MadeGradients() {
  const MutexLock lock(&AllRuns().mu);
  AllRuns().by_container.erase(&container_);
}

MadeGradients* MadeGradients::Find(tf::OpKernelContext* ctx) {
  const MutexLock lock(&AllRuns().mu);
  const auto found = AllRuns().by_container.find(ctx->step_container());
  return found == AllRuns().by_container.end() ? nullptr : found->second;
}

absl::Status MadeGradients::Add(int32_t handle,
                                std::vector<tf::Tensor> gradients) {
  const MutexLock lock(&mu_);
  std::vector<tf::Tensor>& sums = sums_[handle];
  if (sums.empty()) {
    sums = std::move(gradients);
    return absl::OkStatus();
  }
  if (sums.size() != gradients.size()) {
    return absl::InternalError(
        "recursive_tf: gradients of one object are of several numbers");
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    const absl::Status status = AddTo(gradients[i], &sums[i]);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

std::vector<tf::Tensor> MadeGradients::Take(int32_t handle) {
  const MutexLock lock(&mu_);
  const auto found = sums_.find(handle);
  if (found == sums_.end()) return {};
  std::vector<tf::Tensor> sums = std::move(found->second);
  sums_.erase(found);
  return sums;
}

}  // namespace recursive_tf
