// Products left^T right that sum over the rows of two matrices: the gradient of
// a matrix of weights.
//
// The number of rows is new in nearly every call, and often small: nothing is
// prepared or kept for it, and no row is padded.
#ifndef RECURSIVE_TF_KERNELS_CORE_ROW_PRODUCT_H_
#define RECURSIVE_TF_KERNELS_CORE_ROW_PRODUCT_H_

#include <cstdint>

#include "kernels/core/simd_target.h"

namespace recursive_tf {

// y [height, width] = left^T right, zeros where there are no rows. All arrays
// are dense, row after row, and do not overlap.
template <typename T>
struct RowProduct {
  int64_t rows;
  int64_t height;
  int64_t width;
  const T* left;   // [rows, height].
  const T* right;  // [rows, width].
  T* y;
};

// Rows [top, bottom) and columns [begin, end) of y.
struct RowProductPart {
  int64_t top, bottom;
  int64_t begin, end;
};

// How many bytes ComputeRowProduct needs for copies of the operands: those of
// 256 rows at most.
template <typename T>
int64_t RowProductScratchBytes(const RowProduct<T>& args,
                               const RowProductPart& part);

// Computes a part of y. T: float or double. `scratch` is aligned to 64 bytes.
// `target` must be one that the processor has. Thread-safe for disjoint parts,
// each with a scratch of its own.
template <typename T>
void ComputeRowProduct(const RowProduct<T>& args, const RowProductPart& part,
                       void* scratch, SimdTarget target = BestSimdTarget());

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_ROW_PRODUCT_H_
