// Tensors whose leading dimension counts rows: their shapes, memory and copies.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_ROW_TENSORS_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_ROW_TENSORS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"

namespace recursive_tf {

// The shape of one row, of a tensor of at least one dimension.
tensorflow::TensorShape RowShape(const tensorflow::Tensor& tensor);

// The shape of `num_rows` rows; an error where TensorFlow has no such shape.
absl::StatusOr<tensorflow::TensorShape> StackedShape(
    int64_t num_rows, const tensorflow::TensorShape& row);

// Makes a tensor of `num_rows` rows that are yet to be written; an error where
// there is no memory for it.
absl::StatusOr<tensorflow::Tensor> AllocateRows(
    tensorflow::DataType dtype, int64_t num_rows,
    const tensorflow::TensorShape& row);

// Makes a tensor of no rows; dimensions that are not known are 0.
absl::StatusOr<tensorflow::Tensor> NoRows(
    tensorflow::DataType dtype, const tensorflow::PartialTensorShape& row);

// The same memory with a leading dimension of 1; an error where there are as
// many dimensions as there may be. Without the leading dimension, which is 1.
absl::StatusOr<tensorflow::Tensor> AddLeadingDim(
    const tensorflow::Tensor& tensor);
tensorflow::Tensor DropLeadingDim(const tensorflow::Tensor& tensor);

// Copies `size` rows between tensors of one type with rows of one shape. Rows
// that are plain bytes are copied as such, others (strings, resources,
// variants) element by element; other types are an error.
absl::Status CopyRows(const tensorflow::Tensor& from, int64_t from_row,
                      int64_t size, int64_t to_row, tensorflow::Tensor* to);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_ROW_TENSORS_H_
