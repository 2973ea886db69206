#include "kernels/runtime/first_error.h"

#include "absl/strings/str_cat.h"

namespace recursive_tf {

static bool IsConsequence(const absl::Status& status) {
  return absl::IsCancelled(status) || absl::IsAborted(status);
}

void FirstError::Record(const absl::Status& status,
                        const std::string& body_name, int depth) {
  failed_.store(true, std::memory_order_release);
  MutexLock lock(&mu_);
  if (status_.ok() || (IsConsequence(status_) && !IsConsequence(status))) {
    status_ = absl::Status(
        status.code(), absl::StrCat(status.message(), " [SubGraph '", body_name,
                                    "', frame at depth ", depth, "]"));
  }
}

absl::Status FirstError::Get() const {
  MutexLock lock(&mu_);
  return status_;
}

absl::Status CheckDepth(const std::string& body_name, int depth,
                        int max_depth) {
  if (depth <= max_depth) return absl::OkStatus();
  // Not ResourceExhausted, to which TensorFlow adds advice about memory.
  return absl::InvalidArgumentError(absl::StrCat(
      "SubGraph '", body_name,
      "': the recursion is deeper than max_depth=", max_depth,
      " frames. Either its base case is never reached for this input, or the "
      "limit is too low: raise it with SubGraph('",
      body_name, "', max_depth=N)."));
}

}  // namespace recursive_tf
