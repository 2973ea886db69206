// The accumulators of a backward op, as its attributes describe them.
#ifndef RECURSIVE_TF_KERNELS_OP_KERNELS_GRADIENT_SLOTS_H_
#define RECURSIVE_TF_KERNELS_OP_KERNELS_GRADIENT_SLOTS_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/runtime/accumulator.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

// A slot is where the gradients of one outer reference of one kind are summed.
// Immutable once read.
class GradientSlots final {
 public:
  using Accumulators = std::vector<std::unique_ptr<Accumulator>>;

  // Reads `slot_kinds`, `slot_captures`, `slot_shapes` and `Tslots`.
  absl::Status Read(tensorflow::OpKernelConstruction* ctx);

  int size() const { return static_cast<int>(kinds_.size()); }
  // How many tensors a gradient function returns for a slot.
  int num_outputs(int slot) const {
    return kinds_[slot] == Accumulator::Kind::kDense ? 1 : 2;
  }
  Accumulators MakeAccumulators() const;

  // Sets the outputs from `first_output` on to what has been accumulated.
  // `captures` are the forward op's, for the shapes of zeros.
  absl::Status Emit(tensorflow::OpKernelContext* ctx,
                    const std::vector<tensorflow::Tensor>& captures,
                    int first_output, Accumulators* accumulators) const;

 private:
  // The shape of a slot's outer reference, which its gradient must have.
  absl::StatusOr<tensorflow::TensorShape> Shape(
      tensorflow::OpKernelContext* ctx,
      const std::vector<tensorflow::Tensor>& captures, size_t slot) const;

  std::vector<Accumulator::Kind> kinds_;
  std::vector<int> captures_;
  std::vector<tensorflow::PartialTensorShape> shapes_;
  tensorflow::DataTypeVector dtypes_;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_OP_KERNELS_GRADIENT_SLOTS_H_
