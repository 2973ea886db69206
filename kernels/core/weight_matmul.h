// Products of few rows with a matrix of weights, on one thread, at any number
// of rows close to the time that the arithmetic takes.
//
// A general matrix product first copies the weights into the order in which it
// reads them; with 2 to 100 rows that is a large part of the work. These loops
// read them where they lie, each once for up to 14 rows. Only where many rows
// share them are they copied, and then a panel at a time, which stays near.
#ifndef RECURSIVE_TF_KERNELS_CORE_WEIGHT_MATMUL_H_
#define RECURSIVE_TF_KERNELS_CORE_WEIGHT_MATMUL_H_

#include <cstdint>

#include "kernels/core/simd_target.h"

namespace recursive_tf {

// y [rows, width] = x [rows, depth] times the weights. All arrays are dense,
// row after row, and do not overlap.
template <typename T>
struct WeightMatMul {
  int64_t rows;
  int64_t depth;
  int64_t width;
  const T* x;
  const T* weights;  // [depth, width]; transposed [width, depth].
  T* y;
};

// Compute columns [begin, end) of y. T: float or double. `target` must be one
// that the processor has. Thread-safe for disjoint columns.
template <typename T>
void ComputeWeightMatMul(const WeightMatMul<T>& args, int64_t begin,
                         int64_t end, SimdTarget target = BestSimdTarget());
template <typename T>
void ComputeTransposedWeightMatMul(const WeightMatMul<T>& args, int64_t begin,
                                   int64_t end,
                                   SimdTarget target = BestSimdTarget());

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_WEIGHT_MATMUL_H_
