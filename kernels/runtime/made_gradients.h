// Gradients of what the objects of a run are made of, while a backward run adds
// them up.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_MADE_GRADIENTS_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_MADE_GRADIENTS_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "kernels/core/mutex.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/tensor.h"

namespace recursive_tf {

// Those of one backward run: by an object's handle, the sum of the gradients of
// each of its parts that can have one. The kernels of a run find them by its
// step container, which each run has one of its own of, and which is handed on
// to all that a kernel calls. Thread-safe.
class MadeGradients final {
 public:
  // `ctx` is that of the op that makes the run.
  explicit MadeGradients(tensorflow::OpKernelContext* ctx);
  ~MadeGradients();
  MadeGradients(const MadeGradients&) = delete;
  MadeGradients& operator=(const MadeGradients&) = delete;

  // Those of the run that `ctx` is in; null if it is in none.
  static MadeGradients* Find(tensorflow::OpKernelContext* ctx);

  tensorflow::ScopedStepContainer* step_container() { return &container_; }

  // Adds to the gradients of an object. Tensors are shared.
  absl::Status Add(int32_t handle, std::vector<tensorflow::Tensor> gradients);

  // Returns the gradients of an object and forgets them; none if there are
  // none.
  std::vector<tensorflow::Tensor> Take(int32_t handle);

 private:
  tensorflow::ScopedStepContainer container_;
  Mutex mu_;
  std::unordered_map<int32_t, std::vector<tensorflow::Tensor>> sums_
      ABSL_GUARDED_BY(mu_);
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_MADE_GRADIENTS_H_
