// Buffers: the outputs of steps, and registers that refer to their rows.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_BUFFERS_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_BUFFERS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "kernels/core/chunked_vector.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"

namespace recursive_tf {

// What a register holds: one row of a buffer.
struct RowRef {
  static constexpr uint32_t kNone = ~uint32_t{0};
  uint32_t buffer = kNone;
  uint32_t row = 0;
};

// One output of one step, [rows, ...]. A step output that is the same for all
// its frames has one row.
struct RowBuffer {
  tensorflow::Tensor tensor;
  const char* data = nullptr;
  int64_t row_bytes = 0;
  int64_t num_rows = 0;
  bool is_plain = true;  // Rows can be copied by memcpy.
};

// Whether refs[i] is row refs[0].row + i of one buffer, for all i.
bool IsConsecutive(const RowRef* refs, int64_t size);

// The buffers of one shard. A buffer's tensor is dropped when no register
// refers to it any more. Not thread-safe.
class RowBuffers final {
 public:
  // Without `reuses_ids` an id never means a second buffer, as the backward
  // pass needs it.
  explicit RowBuffers(bool reuses_ids) : reuses_ids_(reuses_ids) {}

  // Adds a tensor of at least one dimension, to which `num_refs` registers
  // will refer. With none, its tensor is dropped at once.
  uint32_t Add(tensorflow::Tensor tensor, int64_t num_refs);

  void Retain(RowRef ref) {
    if (ref.buffer != RowRef::kNone) ++counts_[ref.buffer];
  }
  void Release(RowRef ref) {
    if (ref.buffer != RowRef::kNone && --counts_[ref.buffer] == 0) {
      Drop(ref.buffer);
    }
  }
  // As Release, of `num_refs` references to one buffer.
  void ReleaseAll(uint32_t buffer, int32_t num_refs) {
    if (buffer == RowRef::kNone || num_refs == 0) return;
    counts_[buffer] -= num_refs;
    if (counts_[buffer] == 0) Drop(buffer);
  }
  // Lets `*target` refer to what `ref` does, whose reference it takes over.
  void Replace(RowRef* target, RowRef ref) {
    Release(*target);
    *target = ref;
  }

  const RowBuffer& operator[](uint32_t id) const { return buffers_[id]; }
  int64_t size() const { return static_cast<int64_t>(buffers_.size()); }
  // What the tensors take that were not dropped yet.
  int64_t live_bytes() const { return live_bytes_; }

  // Makes one tensor [size, ...] of the rows `refs`; `size` is at least 1. No
  // copy is made of a whole buffer, nor of consecutive rows where Eigen can use
  // them in place. All rows must be of one shape.
  absl::Status Gather(const RowRef* refs, int64_t size, bool is_consecutive,
                      tensorflow::Tensor* gathered) const;

  // Checks that the rows have `shape`, before they are stacked as a result of a
  // mapped call. The rows are those from `first_row` on; an error tells which
  // one of which result is different.
  absl::Status CheckRowShapes(const RowRef* refs, int64_t size,
                              const tensorflow::TensorShape& shape,
                              int64_t result, int64_t first_row) const;
  tensorflow::TensorShape RowShapeOf(RowRef ref) const;

  // Copies the rows into those of `target` from `first_row` on.
  absl::Status CopyRows(const RowRef* refs, int64_t size, int64_t first_row,
                        tensorflow::Tensor* target) const;

 private:
  void Drop(uint32_t id);

  const bool reuses_ids_;
  ChunkedVector<RowBuffer> buffers_;
  std::vector<int32_t> counts_;  // Of references; apart, to stay in the cache.
  std::vector<uint32_t> free_;
  int64_t live_bytes_ = 0;
};

// Releases references, which are mostly to the same buffer, one after the
// other: counting each of them in memory would have each wait for the one
// before.
class RowReleaser final {
 public:
  explicit RowReleaser(RowBuffers* buffers) : buffers_(buffers) {}
  RowReleaser(const RowReleaser&) = delete;
  RowReleaser& operator=(const RowReleaser&) = delete;
  ~RowReleaser() { buffers_->ReleaseAll(buffer_, num_refs_); }

  void Release(RowRef ref) {
    if (ref.buffer != buffer_) {
      buffers_->ReleaseAll(buffer_, num_refs_);
      buffer_ = ref.buffer;
      num_refs_ = 0;
    }
    ++num_refs_;
  }

 private:
  RowBuffers* const buffers_;
  uint32_t buffer_ = RowRef::kNone;
  int32_t num_refs_ = 0;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_BUFFERS_H_
