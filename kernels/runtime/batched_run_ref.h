// A batched run as a tensor.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_RUN_REF_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_RUN_REF_H_

#include <memory>
#include <string>

#include "kernels/runtime/batched_run.h"
#include "tensorflow/core/framework/variant_tensor_data.h"

namespace recursive_tf {

// Keeps a finished run, and so its tape, alive for the backward pass. Empty
// where the call kept no residuals.
struct BatchedRunRef {
  std::shared_ptr<BatchedRun> run;

  std::string TypeName() const { return "RecursiveTf>BatchedRun"; }
  void Encode(tensorflow::VariantTensorData*) const {}
  bool Decode(tensorflow::VariantTensorData) { return false; }
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_RUN_REF_H_
