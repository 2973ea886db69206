// Gradients of buffers, row by row.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_ROW_GRADIENTS_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_ROW_GRADIENTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "kernels/core/arena.h"
#include "kernels/core/chunked_vector.h"
#include "kernels/runtime/batched_run.h"
#include "tensorflow/core/framework/tensor.h"

namespace recursive_tf {

// Adds `source` to `*target`, which has the same type and number of elements.
absl::Status AddToTensor(const tensorflow::Tensor& source,
                         tensorflow::Tensor* target);

// The gradients of all buffers of one shard's tape. A gradient is made when the
// first row of it arrives: the first gradient of a row is copied, only further
// ones are added, and rows that got none are cleared when the gradient is
// taken. Not thread-safe.
class RowGradients final {
 public:
  // `shapes` must outlive it.
  explicit RowGradients(const ChunkedVector<BufferShape>& shapes)
      : shapes_(shapes), gradients_(shapes.size()) {}

  bool has(uint32_t buffer) const { return gradients_[buffer].exists; }

  // Adds row i of `gradient`, [size, ...], to the gradient of the row
  // column[i], for all i.
  absl::Status Add(const TapeColumn& column, int64_t size,
                   tensorflow::Tensor gradient);

  // Returns the gradient of a buffer, zeros if there is none, and forgets it.
  tensorflow::Tensor Take(uint32_t buffer);

 private:
  struct Gradient {
    tensorflow::Tensor tensor;
    bool exists = false;
    // By row, whether something has been written; null: all rows are.
    char* is_written = nullptr;
    int64_t num_missing = 0;  // Rows not written.
  };

  absl::Status AddRows(const tensorflow::Tensor& from, int64_t from_row,
                       RowRef to, int64_t size);

  const ChunkedVector<BufferShape>& shapes_;
  std::vector<Gradient> gradients_;
  Arena arena_;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_ROW_GRADIENTS_H_
