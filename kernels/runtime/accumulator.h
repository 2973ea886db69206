// Gradient accumulators: where frames add the gradients of outer references.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_ACCUMULATOR_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_ACCUMULATOR_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/core/mutex.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"

namespace recursive_tf {

// The gradient of one outer reference, summed over all frames of a run without
// travelling up the recursion.
//
//  * "dense": one tensor, added to in place.
//  * "slices": rows and their indices, collected and concatenated once, so that
//    an embedding's gradient is never as large as its vocabulary.
//  * "product": the operands of x^T * dy, collected as rows. The sum over
//  frames
//    of n products of one row each is one product of n rows, so the frames
//    store two short rows in place of adding a whole weight matrix.
//  * "rounded_product": the same to an accumulator; what multiplies the rows
//    rounds them to bfloat16.
//
// Thread-safe.
class Accumulator final {
 public:
  enum class Kind { kDense, kSlices, kProduct };
  static absl::StatusOr<Kind> ParseKind(const std::string& kind);

  Accumulator(Kind kind, tensorflow::DataType dtype,
              tensorflow::DataType index_dtype)
      : kind_(kind), dtype_(dtype), index_dtype_(index_dtype) {}

  Kind kind() const { return kind_; }

  // Adds the share of one frame, or of one step of many: (gradient), (values,
  // indices) or (x, dy). The first dense gradient is added to in place if
  // nobody else refers to it.
  absl::Status AddDense(tensorflow::Tensor gradient);
  absl::Status AddRows(Kind kind, tensorflow::Tensor first,
                       tensorflow::Tensor second);

  // Adds all that `other`, of the same kind and types, has collected, and
  // leaves it empty.
  absl::Status AddAll(Accumulator* other);

  // Writes the sum as outputs from `*output` on, and advances it. `shape` is
  // the outer reference's shape, for zeros where no frame added anything.
  // Call once, after all frames.
  absl::Status Emit(tensorflow::OpKernelContext* ctx, int* output,
                    const tensorflow::TensorShape& shape);

 private:
  absl::Status EmitDense(tensorflow::OpKernelContext* ctx, int output,
                         const tensorflow::TensorShape& shape);
  static absl::Status EmitConcat(tensorflow::OpKernelContext* ctx, int output,
                                 std::vector<tensorflow::Tensor> rows,
                                 tensorflow::DataType dtype,
                                 tensorflow::TensorShape row_shape,
                                 int64_t row_multiple);

  const Kind kind_;
  const tensorflow::DataType dtype_;
  const tensorflow::DataType index_dtype_;
  Mutex mu_;
  std::vector<tensorflow::Tensor> dense_ ABSL_GUARDED_BY(mu_);  // None or one.
  std::vector<tensorflow::Tensor> first_ ABSL_GUARDED_BY(mu_);
  std::vector<tensorflow::Tensor> second_ ABSL_GUARDED_BY(mu_);
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_ACCUMULATOR_H_
