#include "kernels/runtime/batched_buffers.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/framework/variant.h"

namespace recursive_tf {

namespace tf = tensorflow;

namespace {

template <typename T>
void CopyElements(const tf::Tensor& from, int64_t from_row, int64_t size,
                  int64_t to_row, int64_t row_elements, tf::Tensor* to) {
  const T* source = from.flat<T>().data() + from_row * row_elements;
  T* target = to->flat<T>().data() + to_row * row_elements;
  for (int64_t i = 0; i < size * row_elements; ++i) target[i] = source[i];
}

// Copies rows of types that are more than their bytes.
absl::Status CopyObjects(const tf::Tensor& from, int64_t from_row, int64_t size,
                         int64_t to_row, tf::Tensor* to) {
  const int64_t row_elements = RowShape(from).num_elements();
  switch (from.dtype()) {
    case tf::DT_STRING:
      CopyElements<tf::tstring>(from, from_row, size, to_row, row_elements, to);
      return absl::OkStatus();
    case tf::DT_VARIANT:
      CopyElements<tf::Variant>(from, from_row, size, to_row, row_elements, to);
      return absl::OkStatus();
    case tf::DT_RESOURCE:
      CopyElements<tf::ResourceHandle>(from, from_row, size, to_row,
                                       row_elements, to);
      return absl::OkStatus();
    default:
      return absl::UnimplementedError(absl::StrCat(
          "recursive_tf: rows of type ", tf::DataTypeString(from.dtype())));
  }
}

// Eigen reads and writes tensors with aligned instructions.
bool IsAligned(const char* data) {
  constexpr uintptr_t kAlignment = 64;
  return reinterpret_cast<uintptr_t>(data) % kAlignment == 0;
}

char* Bytes(tf::Tensor* tensor) { return static_cast<char*>(tensor->data()); }

}  // namespace

bool IsConsecutive(const RowRef* refs, int64_t size) {
  const RowRef first = refs[0];
  // The last one first: it tells most of the time.
  if (refs[size - 1].row != first.row + size - 1) return false;
  for (int64_t i = 0; i < size; ++i) {
    if (refs[i].buffer != first.buffer || refs[i].row != first.row + i) {
      return false;
    }
  }
  return true;
}

tf::TensorShape RowShape(const tf::Tensor& tensor) {
  tf::TensorShape shape = tensor.shape();
  shape.RemoveDim(0);
  return shape;
}

bool HaveEqualRowShapes(const tf::Tensor& a, const tf::Tensor& b) {
  if (a.dims() != b.dims()) return false;
  for (int d = 1; d < a.dims(); ++d) {
    if (a.dim_size(d) != b.dim_size(d)) return false;
  }
  return true;
}

tf::Tensor AddLeadingDim(const tf::Tensor& tensor) {
  tf::TensorShape shape = tensor.shape();
  shape.InsertDim(0, 1);
  tf::Tensor result(tensor.dtype());
  CHECK(result.CopyFrom(tensor, shape));
  return result;
}

tf::Tensor DropLeadingDim(const tf::Tensor& tensor) {
  tf::Tensor result(tensor.dtype());
  CHECK(result.CopyFrom(tensor, RowShape(tensor)));
  return result;
}

uint32_t RowBuffers::Add(tf::Tensor tensor, int64_t num_refs) {
  uint32_t id = static_cast<uint32_t>(buffers_.size());
  if (free_.empty()) {
    buffers_.push_back(RowBuffer());
    counts_.push_back(0);
  } else {
    id = free_.back();
    free_.pop_back();
  }
  RowBuffer& buffer = buffers_[id];
  buffer.num_rows = tensor.dim_size(0);
  buffer.is_plain = tf::DataTypeCanUseMemcpy(tensor.dtype());
  buffer.data = static_cast<const char*>(tensor.data());
  const int64_t bytes = buffer.is_plain
                            ? static_cast<int64_t>(tensor.TotalBytes())
                            : tensor.NumElements();
  buffer.row_bytes = buffer.num_rows > 0 ? bytes / buffer.num_rows : 0;
  buffer.tensor = std::move(tensor);
  counts_[id] = static_cast<int32_t>(num_refs);
  live_bytes_ += buffer.num_rows * buffer.row_bytes;
  if (num_refs == 0) Drop(id);
  return id;
}

void RowBuffers::Drop(uint32_t id) {
  RowBuffer& buffer = buffers_[id];
  live_bytes_ -= buffer.num_rows * buffer.row_bytes;
  buffer.tensor = tf::Tensor();
  if (reuses_ids_) free_.push_back(id);
}

absl::Status RowBuffers::Gather(const RowRef* refs, int64_t size,
                                bool is_consecutive,
                                tf::Tensor* gathered) const {
  if (refs[0].buffer == RowRef::kNone) {
    return absl::InternalError("recursive_tf: a register was not set");
  }
  const RowBuffer& first = buffers_[refs[0].buffer];
  if (is_consecutive) {
    const int64_t begin = refs[0].row;
    if (!first.is_plain || IsAligned(first.data + begin * first.row_bytes)) {
      *gathered = size == first.num_rows
                      ? first.tensor
                      : first.tensor.Slice(begin, begin + size);
      return absl::OkStatus();
    }
  }
  tf::TensorShape shape = first.tensor.shape();
  shape.set_dim(0, size);
  *gathered = tf::Tensor(first.tensor.dtype(), shape);
  return CopyRows(refs, size, 0, gathered);
}

absl::Status RowBuffers::CheckRowShapes(const RowRef* refs, int64_t size,
                                        const tf::TensorShape& shape,
                                        int64_t result,
                                        int64_t first_row) const {
  uint32_t checked = RowRef::kNone;
  for (int64_t i = 0; i < size; ++i) {
    if (refs[i].buffer == checked) continue;
    if (refs[i].buffer == RowRef::kNone) {
      return absl::InternalError("recursive_tf: a result was not set");
    }
    checked = refs[i].buffer;
    const tf::TensorShape other = RowShapeOf(refs[i]);
    if (other == shape) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "f.map: result ", result, " of row ", first_row + i, " has shape ",
        other.DebugString(), ", that of row 0 has shape ", shape.DebugString(),
        "; all rows must have the same shape to be stacked."));
  }
  return absl::OkStatus();
}

tf::TensorShape RowBuffers::RowShapeOf(RowRef ref) const {
  if (ref.buffer == RowRef::kNone) return tf::TensorShape();
  return RowShape(buffers_[ref.buffer].tensor);
}

absl::Status RowBuffers::CopyRows(const RowRef* refs, int64_t size,
                                  int64_t first_row, tf::Tensor* target) const {
  const tf::DataType dtype = target->dtype();
  int64_t row_bytes = 0;
  uint32_t checked = RowRef::kNone;
  const RowBuffer* buffer = nullptr;
  char* to = nullptr;
  for (int64_t i = 0; i < size;) {
    const RowRef start = refs[i];
    if (start.buffer != checked || buffer == nullptr) {
      if (start.buffer == RowRef::kNone) {
        return absl::InternalError("recursive_tf: a register was not set");
      }
      buffer = &buffers_[start.buffer];
      if (i == 0) {
        row_bytes = buffer->row_bytes;
        to = Bytes(target) + first_row * row_bytes;
      }
      if (buffer->row_bytes != row_bytes || buffer->tensor.dtype() != dtype) {
        return absl::InternalError(absl::StrCat(
            "recursive_tf: rows of shapes ",
            RowShape(buffer->tensor).DebugString(), " and ",
            RowShape(*target).DebugString(), " cannot share a step"));
      }
      checked = start.buffer;
    }
    int64_t end = i + 1;
    while (end < size && refs[end].buffer == start.buffer &&
           refs[end].row == start.row + (end - i)) {
      ++end;
    }
    if (!buffer->is_plain) {
      absl::Status status = CopyObjects(buffer->tensor, start.row, end - i,
                                        first_row + i, target);
      if (!status.ok()) return status;
    } else {
      const char* from = buffer->data + start.row * row_bytes;
      const int64_t bytes = (end - i) * row_bytes;
      // Indices, predicates: a call of memcpy would cost more than the copy.
      if (bytes == 4) {
        std::memcpy(to, from, 4);
      } else if (bytes == 8) {
        std::memcpy(to, from, 8);
      } else {
        std::memcpy(to, from, bytes);
      }
      to += bytes;
    }
    i = end;
  }
  return absl::OkStatus();
}

}  // namespace recursive_tf
