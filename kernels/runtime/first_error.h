// The error that a run ends with: the first one, and where it happened.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_FIRST_ERROR_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_FIRST_ERROR_H_

#include <atomic>
#include <string>

#include "absl/status/status.h"
#include "kernels/core/mutex.h"

namespace recursive_tf {

// Thread-safe.
class FirstError final {
 public:
  // Records the first real error of the run, with the SubGraph and depth where
  // it happened. What only follows from an error or a cancellation gives way to
  // a real error that comes later.
  void Record(const absl::Status& status, const std::string& body_name,
              int depth);

  bool has_failed() const { return failed_.load(std::memory_order_acquire); }
  // The recorded error; OK if nothing failed.
  absl::Status Get() const;

 private:
  std::atomic<bool> failed_{false};
  mutable Mutex mu_;
  absl::Status status_ ABSL_GUARDED_BY(mu_);
};

// OK if a frame of that body may be entered at `depth`.
absl::Status CheckDepth(const std::string& body_name, int depth, int max_depth);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_FIRST_ERROR_H_
