// Frames as tensors: what a body receives to call itself again.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_FRAME_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_FRAME_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "kernels/runtime/run.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/variant.h"
#include "tensorflow/core/framework/variant_tensor_data.h"

namespace recursive_tf {

// One running instance of a body, as the Variant tensor that is its first
// input. The run is held weakly: a frame tensor may be stashed in its own run,
// and a strong reference would keep both alive forever.
template <typename RunType>
struct Frame {
  std::weak_ptr<RunType> run;
  int body = 0;
  int depth = 0;

  std::string TypeName() const { return RunType::kFrameTypeName; }
  void Encode(tensorflow::VariantTensorData*) const {}
  bool Decode(tensorflow::VariantTensorData) { return false; }
};

// The run of a finished forward call, as the tensor that keeps it, and so its
// stash, alive for the backward pass. Empty where the call kept no residuals.
struct RunRef {
  std::shared_ptr<ForwardRun> run;

  std::string TypeName() const { return "RecursiveTf>Run"; }
  void Encode(tensorflow::VariantTensorData*) const {}
  bool Decode(tensorflow::VariantTensorData) { return false; }
};

template <typename Value>
tensorflow::Tensor MakeVariantScalar(Value value) {
  tensorflow::Tensor tensor(tensorflow::DT_VARIANT, {});
  tensor.scalar<tensorflow::Variant>()() = std::move(value);
  return tensor;
}

// Reads a frame tensor and pins its run. `frame` points into `tensor`.
template <typename RunType>
absl::StatusOr<std::shared_ptr<RunType>> PinRun(
    const tensorflow::Tensor& tensor, const Frame<RunType>** frame) {
  *frame = tensor.dims() == 0 ? tensor.scalar<tensorflow::Variant>()()
                                    .template get<Frame<RunType>>()
                              : nullptr;
  if (*frame == nullptr) {
    return absl::InvalidArgumentError(
        "recursive_tf: expected a frame, got another tensor; frames are made "
        "by SubGraph calls only");
  }
  std::shared_ptr<RunType> run = (*frame)->run.lock();
  if (run == nullptr) {
    return absl::FailedPreconditionError(
        "recursive_tf: this frame's run has ended; a SubGraph can only be "
        "called from its own body while that body runs");
  }
  return run;
}

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_FRAME_H_
