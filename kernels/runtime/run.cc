#include "kernels/runtime/run.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kernels/runtime/batched_plan.h"
#include "kernels/runtime/process_stats.h"

namespace recursive_tf {

namespace tf = tensorflow;

namespace {

// Buffers of at least this size are looked up before they are counted: a
// frame's own activations are smaller, weights and their zeros are larger.
constexpr size_t kLargeBufferBytes = 16 << 10;

}  // namespace

bool IsTrainable(tf::DataType dtype) {
  return IsDifferentiable(dtype) || dtype == tf::DT_VARIANT ||
         dtype == tf::DT_RESOURCE;
}

absl::Status CheckGradientShapes(absl::Span<const tf::Tensor* const> gradients,
                                 absl::Span<const tf::TensorShape> results) {
  if (gradients.size() != results.size()) {
    return absl::InternalError(absl::StrCat("recursive_tf: ", gradients.size(),
                                            " gradients for ", results.size(),
                                            " results"));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (gradients[i]->shape() == results[i]) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the gradient given for a result of shape ", results[i].DebugString(),
        " has shape ", gradients[i]->shape().DebugString(),
        "; it must have the result's. Look at `output_gradients` of the tape, "
        "and at what functions of tf.custom_gradient return."));
  }
  return absl::OkStatus();
}

absl::Status CheckResultTypes(absl::Span<const tf::Tensor> results,
                              absl::Span<const tf::DataType> dtypes) {
  if (results.size() < dtypes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("recursive_tf: ", results.size(), " results for ",
                     dtypes.size(), " outputs"));
  }
  for (size_t i = 0; i < dtypes.size(); ++i) {
    if (results[i].dtype() == dtypes[i]) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("recursive_tf: result ", i, " has type ",
                     tf::DataTypeString(results[i].dtype()), ", declared ",
                     tf::DataTypeString(dtypes[i])));
  }
  return absl::OkStatus();
}

absl::Status RunCore::Aborted() {
  return absl::AbortedError("recursive_tf: run stopped by an earlier error");
}

absl::Status RunCore::Fail(const absl::Status& status, int body, int depth) {
  const auto bodies = PinBodies();
  error_.Record(status, bodies.ok() ? (**bodies)[body].name : "?", depth);
  return Aborted();
}

void RunCore::ReleaseBodies() {
  std::shared_ptr<const BodyTable> bodies;  // Destroyed without the lock.
  MutexLock lock(&mu_);
  bodies.swap(bodies_);
}

absl::StatusOr<std::shared_ptr<const BodyTable>> RunCore::PinBodies() const {
  MutexLock lock(&mu_);
  if (bodies_ != nullptr) return bodies_;
  return absl::FailedPreconditionError(
      "recursive_tf: this frame's run has ended; a SubGraph can only be called "
      "from its own body while that body runs");
}

absl::StatusOr<int> RunCore::FindBody(absl::string_view key,
                                      const absl::Status& missing) const {
  const auto bodies = PinBodies();
  if (!bodies.ok()) return bodies.status();
  const int body = (*bodies)->Find(key);
  if (body < 0) return missing;
  return body;
}

ForwardRun::ForwardRun(std::shared_ptr<const BodyTable> bodies,
                       std::shared_ptr<ReadyQueue> queue, int max_depth,
                       bool keeps_residuals, bool is_serialized)
    : core(std::move(bodies), std::move(queue), max_depth, is_serialized),
      keeps_residuals(keeps_residuals) {
  ProcessStats::Get().AddRuns(1);
}

ForwardRun::~ForwardRun() {
  ProcessStats::Get().AddStashEntries(
      -static_cast<int64_t>(stash_.num_entries()));
  ProcessStats::Get().AddRuns(-1);
}

size_t ForwardRun::CountBytes(const Residuals& residuals) {
  size_t bytes = 0;
  for (const tf::Tensor& tensor : residuals) {
    const size_t size = tensor.TotalBytes();
    if (size >= kLargeBufferBytes) {
      MutexLock lock(&mu_);
      if (!large_buffers_.insert(tensor.tensor_data().data()).second) continue;
    }
    bytes += size;
  }
  return bytes;
}

absl::Status ForwardRun::Stash(uint64_t key, FrameRecord record) {
  const size_t bytes = CountBytes(record.residuals);
  if (!stash_.Insert(key, std::move(record), bytes)) {
    return absl::InternalError(
        absl::StrCat("recursive_tf: frame key ", key, " is stashed already"));
  }
  ProcessStats::Get().AddStashEntries(1);
  return absl::OkStatus();
}

bool ForwardRun::Unstash(uint64_t key, bool consume, FrameRecord* record) {
  if (!consume) return stash_.Peek(key, record);
  if (!stash_.Take(key, record)) return false;
  ProcessStats::Get().AddStashEntries(-1);
  return true;
}

RunCountersSnapshot ForwardRun::Snapshot() const {
  RunCountersSnapshot snapshot = core.counters.Snapshot();
  snapshot.stash_entries = stash_.num_entries();
  snapshot.stash_bytes = stash_.bytes();
  snapshot.stash_peak_bytes = stash_.peak_bytes();
  return snapshot;
}

}  // namespace recursive_tf
