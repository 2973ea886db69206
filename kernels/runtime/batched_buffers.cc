#include "kernels/runtime/batched_buffers.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/runtime/row_tensors.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/framework/variant.h"

namespace recursive_tf {

namespace tf = tensorflow;

namespace {

// What one element takes in a tensor's memory. Tensor::TotalBytes counts what
// strings hold, too.
int64_t ElementBytes(tf::DataType dtype) {
  switch (dtype) {
    case tf::DT_STRING:
      return sizeof(tf::tstring);
    case tf::DT_VARIANT:
      return sizeof(tf::Variant);
    case tf::DT_RESOURCE:
      return sizeof(tf::ResourceHandle);
    default:
      return tf::DataTypeSize(dtype);
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
  const int64_t bytes = tensor.NumElements() * ElementBytes(tensor.dtype());
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
    if (IsAligned(first.data + begin * first.row_bytes)) {
      *gathered = size == first.num_rows
                      ? first.tensor
                      : first.tensor.Slice(begin, begin + size);
      return absl::OkStatus();
    }
  }
  auto rows = AllocateRows(first.tensor.dtype(), size, RowShape(first.tensor));
  if (!rows.ok()) return rows.status();
  *gathered = *std::move(rows);
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
      absl::Status status = recursive_tf::CopyRows(
          buffer->tensor, start.row, end - i, first_row + i, target);
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
