// Mapping over rows: one frame per row of the leading dimension.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_ROWS_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_ROWS_H_

#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "kernels/runtime/activation.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"

namespace recursive_tf {

// Starts the frame of one row, given the row's arguments.
using StartRow = std::function<void(int64_t row, const ArgPointers& args,
                                    FrameCallback done)>;
// Receives the stacked results, [N, ...] each.
using StackedCallback = FrameCallback;

// The most rows of one call. A tensor may have any number of rows that are
// empty, but each would be a frame.
constexpr int64_t kMaxRows = int64_t{1} << 27;

// Returns N, the leading dimension that all `args` share; at most kMaxRows.
absl::StatusOr<int64_t> NumRows(
    absl::Span<const tensorflow::Tensor* const> args);

// Starts one frame per row, all at once, and calls `done` once with the results
// stacked along a new leading dimension, which are `dtypes` or else it is an
// error. With no rows, the results are empty tensors of `dtypes` and of
// `row_shapes`, unknown dimensions taken as 0. `done` may be called before this
// returns, as kernels may call theirs.
void MapRows(int64_t num_rows, absl::Span<const tensorflow::Tensor* const> args,
             const std::vector<tensorflow::DataType>& dtypes,
             const std::vector<tensorflow::PartialTensorShape>& row_shapes,
             const StartRow& start, StackedCallback done);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_ROWS_H_
