// Numbers that stand in cells for what has no value.
#ifndef RECURSIVE_TF_KERNELS_PYTHON_CELLS_H_
#define RECURSIVE_TF_KERNELS_PYTHON_CELLS_H_

#include <cstdint>

namespace recursive_tf {

// In handle columns, in items, and as the length of an items column.
inline constexpr int32_t kNoneHandle = -1;
inline constexpr int32_t kMissingHandle = -2;

// In the status column of an optional column.
inline constexpr int32_t kStatusOk = 0;
inline constexpr int32_t kStatusNone = 1;
inline constexpr int32_t kStatusMissing = 2;

// Where a tensor column has no tensor.
inline constexpr int32_t kNoPosition = -1;

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_PYTHON_CELLS_H_
