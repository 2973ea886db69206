#include "kernels/runtime/row_tensors.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/framework/variant.h"

namespace recursive_tf {

namespace tf = tensorflow;

namespace {

// Not Tensor::flat, which wants aligned memory: a slice may begin anywhere.
template <typename T>
void CopyElements(const tf::Tensor& from, int64_t from_begin, int64_t size,
                  int64_t to_begin, tf::Tensor* to) {
  const T* source = static_cast<const T*>(from.data()) + from_begin;
  std::copy(source, source + size, static_cast<T*>(to->data()) + to_begin);
}

}  // namespace

tf::TensorShape RowShape(const tf::Tensor& tensor) {
  tf::TensorShape shape = tensor.shape();
  shape.RemoveDim(0);
  return shape;
}

absl::StatusOr<tf::TensorShape> StackedShape(int64_t num_rows,
                                             const tf::TensorShape& row) {
  tf::TensorShape shape = row;
  absl::Status status = shape.InsertDimWithStatus(0, num_rows);
  if (!status.ok()) return status;
  return shape;
}

absl::StatusOr<tf::Tensor> AllocateRows(tf::DataType dtype, int64_t num_rows,
                                        const tf::TensorShape& row) {
  auto shape = StackedShape(num_rows, row);
  if (!shape.ok()) return shape.status();
  tf::Tensor tensor(dtype, *shape);
  if (tensor.IsInitialized()) return tensor;
  return absl::ResourceExhaustedError(absl::StrCat(
      "recursive_tf: no memory for a tensor of shape ", shape->DebugString(),
      " and type ", tf::DataTypeString(dtype)));
}

absl::StatusOr<tf::Tensor> NoRows(tf::DataType dtype,
                                  const tf::PartialTensorShape& row) {
  tf::TensorShape shape;
  for (int d = 0; d < row.dims(); ++d) {
    absl::Status status =
        shape.AddDimWithStatus(std::max<int64_t>(0, row.dim_size(d)));
    if (!status.ok()) return status;
  }
  return AllocateRows(dtype, 0, shape);
}

absl::StatusOr<tf::Tensor> AddLeadingDim(const tf::Tensor& tensor) {
  auto shape = StackedShape(1, tensor.shape());
  if (!shape.ok()) return shape.status();
  tf::Tensor result(tensor.dtype());
  CHECK(result.CopyFrom(tensor, *shape));  // Of as many elements.
  return result;
}

tf::Tensor DropLeadingDim(const tf::Tensor& tensor) {
  tf::Tensor result(tensor.dtype());
  CHECK(result.CopyFrom(tensor, RowShape(tensor)));  // Of as many elements.
  return result;
}

absl::Status CopyRows(const tf::Tensor& from, int64_t from_row, int64_t size,
                      int64_t to_row, tf::Tensor* to) {
  const int64_t num_rows = from.dim_size(0);
  if (size == 0 || num_rows == 0) return absl::OkStatus();
  const int64_t row_elements = from.NumElements() / num_rows;
  const int64_t from_begin = from_row * row_elements;
  const int64_t to_begin = to_row * row_elements;
  const int64_t num_elements = size * row_elements;
  switch (from.dtype()) {
    case tf::DT_STRING:
      CopyElements<tf::tstring>(from, from_begin, num_elements, to_begin, to);
      return absl::OkStatus();
    case tf::DT_VARIANT:
      CopyElements<tf::Variant>(from, from_begin, num_elements, to_begin, to);
      return absl::OkStatus();
    case tf::DT_RESOURCE:
      CopyElements<tf::ResourceHandle>(from, from_begin, num_elements, to_begin,
                                       to);
      return absl::OkStatus();
    default:
      break;
  }
  if (!tf::DataTypeCanUseMemcpy(from.dtype())) {
    return absl::UnimplementedError(absl::StrCat(
        "recursive_tf: rows of type ", tf::DataTypeString(from.dtype())));
  }
  const int64_t bytes = tf::DataTypeSize(from.dtype());
  std::memcpy(static_cast<char*>(to->data()) + to_begin * bytes,
              static_cast<const char*>(from.data()) + from_begin * bytes,
              num_elements * bytes);
  return absl::OkStatus();
}

}  // namespace recursive_tf
