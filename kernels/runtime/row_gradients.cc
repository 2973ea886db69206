#include "kernels/runtime/row_gradients.h"

#include <complex>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/runtime/row_tensors.h"
#include "tensorflow/core/framework/tensor_util.h"
#include "tensorflow/core/framework/types.h"

namespace recursive_tf {

namespace tf = tensorflow;

namespace {

char* Bytes(tf::Tensor* tensor) { return static_cast<char*>(tensor->data()); }
const char* Bytes(const tf::Tensor& tensor) {
  return static_cast<const char*>(tensor.data());
}

template <typename T>
void AddElements(const char* from, char* to, int64_t bytes) {
  const T* source = reinterpret_cast<const T*>(from);
  T* target = reinterpret_cast<T*>(to);
  const int64_t size = bytes / static_cast<int64_t>(sizeof(T));
  for (int64_t i = 0; i < size; ++i) target[i] += source[i];
}

// Adds `bytes` bytes of elements of `dtype`.
absl::Status AddBytes(tf::DataType dtype, const char* from, char* to,
                      int64_t bytes) {
  switch (dtype) {
    case tf::DT_FLOAT:
      AddElements<float>(from, to, bytes);
      return absl::OkStatus();
    case tf::DT_DOUBLE:
      AddElements<double>(from, to, bytes);
      return absl::OkStatus();
    case tf::DT_HALF:
      AddElements<Eigen::half>(from, to, bytes);
      return absl::OkStatus();
    case tf::DT_BFLOAT16:
      AddElements<tf::bfloat16>(from, to, bytes);
      return absl::OkStatus();
    case tf::DT_COMPLEX64:
      AddElements<std::complex<float>>(from, to, bytes);
      return absl::OkStatus();
    case tf::DT_COMPLEX128:
      AddElements<std::complex<double>>(from, to, bytes);
      return absl::OkStatus();
    default:
      return absl::UnimplementedError(absl::StrCat(
          "recursive_tf: gradients of type ", tf::DataTypeString(dtype)));
  }
}

}  // namespace

absl::Status AddToTensor(const tf::Tensor& source, tf::Tensor* target) {
  return AddBytes(source.dtype(), Bytes(source), Bytes(target),
                  static_cast<int64_t>(source.TotalBytes()));
}

absl::Status RowGradients::Add(const TapeColumn& column, int64_t size,
                               tf::Tensor gradient) {
  if (size == 0) return absl::OkStatus();
  if (gradient.dims() < 1 || gradient.dim_size(0) != size) {
    return absl::InternalError(absl::StrCat("recursive_tf: a gradient of ",
                                            size, " rows has shape ",
                                            gradient.shape().DebugString()));
  }
  if (column.refs == nullptr) {
    const RowRef first = column.first;
    if (first.buffer == RowRef::kNone) {
      return absl::InternalError("recursive_tf: a gradient of nothing");
    }
    // Its rows are all there is: no copy.
    if (!has(first.buffer) && shapes_[first.buffer].shape.dim_size(0) == size &&
        gradient.shape() == shapes_[first.buffer].shape &&
        gradient.dtype() == shapes_[first.buffer].dtype &&
        gradient.IsAligned()) {
      gradients_[first.buffer].tensor = std::move(gradient);
      gradients_[first.buffer].exists = true;
      return absl::OkStatus();
    }
    return AddRows(gradient, 0, first, size);
  }
  for (int64_t i = 0; i < size;) {
    const RowRef start = column.refs[i];
    int64_t end = i + 1;
    while (end < size && column.refs[end].buffer == start.buffer &&
           column.refs[end].row == start.row + (end - i)) {
      ++end;
    }
    absl::Status status = AddRows(gradient, i, start, end - i);
    if (!status.ok()) return status;
    i = end;
  }
  return absl::OkStatus();
}

absl::Status RowGradients::AddRows(const tf::Tensor& from, int64_t from_row,
                                   RowRef to, int64_t size) {
  Gradient& gradient = gradients_[to.buffer];
  const BufferShape& shape = shapes_[to.buffer];
  const int64_t num_rows = shape.shape.dim_size(0);
  if (!gradient.exists) {
    gradient.tensor = tf::Tensor(shape.dtype, shape.shape);
    if (!gradient.tensor.IsInitialized()) {
      return absl::ResourceExhaustedError(
          absl::StrCat("recursive_tf: no memory for a gradient of shape ",
                       shape.shape.DebugString()));
    }
    gradient.exists = true;
    if (size < num_rows) {
      gradient.is_written = arena_.AllocateArray<char>(num_rows);
      std::memset(gradient.is_written, 0, num_rows);
    }
    gradient.num_missing = num_rows;
  } else if (gradient.is_written == nullptr && gradient.num_missing == 0 &&
             !gradient.tensor.RefCountIsOne()) {
    // A tensor that some step returned, and that others see, too.
    gradient.tensor = tf::tensor::DeepCopy(gradient.tensor);
  }
  const int64_t row_bytes =
      static_cast<int64_t>(gradient.tensor.TotalBytes()) / num_rows;
  const int64_t from_row_bytes =
      static_cast<int64_t>(from.TotalBytes()) / from.dim_size(0);
  if (row_bytes != from_row_bytes || from.dtype() != shape.dtype) {
    return absl::InternalError(
        absl::StrCat("recursive_tf: a gradient has rows of shape ",
                     RowShape(from).DebugString(), ", the value of shape ",
                     shape.shape.DebugString()));
  }
  const char* source = Bytes(from) + from_row * row_bytes;
  char* target = Bytes(&gradient.tensor) + to.row * row_bytes;
  if (gradient.num_missing == 0) {
    return AddBytes(shape.dtype, source, target, size * row_bytes);
  }
  if (gradient.is_written == nullptr) {  // Just made, and covered.
    std::memcpy(target, source, size * row_bytes);
    gradient.num_missing = 0;
    return absl::OkStatus();
  }
  char* is_written = gradient.is_written + to.row;
  for (int64_t i = 0; i < size;) {
    int64_t end = i + 1;
    while (end < size && is_written[end] == is_written[i]) ++end;
    const int64_t offset = i * row_bytes;
    const int64_t bytes = (end - i) * row_bytes;
    if (is_written[i]) {
      absl::Status status =
          AddBytes(shape.dtype, source + offset, target + offset, bytes);
      if (!status.ok()) return status;
    } else {
      std::memcpy(target + offset, source + offset, bytes);
      std::memset(is_written + i, 1, end - i);
      gradient.num_missing -= end - i;
    }
    i = end;
  }
  return absl::OkStatus();
}

tf::Tensor RowGradients::Take(uint32_t buffer) {
  const BufferShape& shape = shapes_[buffer];
  Gradient& gradient = gradients_[buffer];
  if (!has(buffer)) {
    tf::Tensor zeros(shape.dtype, shape.shape);
    std::memset(zeros.data(), 0, zeros.TotalBytes());
    return zeros;
  }
  if (gradient.num_missing > 0) {
    const int64_t num_rows = shape.shape.dim_size(0);
    const int64_t row_bytes =
        static_cast<int64_t>(gradient.tensor.TotalBytes()) / num_rows;
    for (int64_t i = 0; i < num_rows; ++i) {
      if (gradient.is_written[i]) continue;
      std::memset(Bytes(&gradient.tensor) + i * row_bytes, 0, row_bytes);
    }
  }
  tf::Tensor tensor = std::move(gradient.tensor);
  gradient = Gradient();
  return tensor;
}

}  // namespace recursive_tf
