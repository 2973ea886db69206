// Products of matrices whose elements are rounded to bfloat16: the products of
// elements and their sums are float's. By the instructions of AVX512-BF16,
// which multiply twice as many numbers at a time as those of float do.
//
// Numbers below the normal ones (2^-126) count as zeros. NaN and infinities
// stay what they are; numbers from about 3.39e38 on are rounded to infinity.
#ifndef RECURSIVE_TF_KERNELS_CORE_BFLOAT16_PRODUCT_H_
#define RECURSIVE_TF_KERNELS_CORE_BFLOAT16_PRODUCT_H_

#include <cstdint>

#include "kernels/core/row_product.h"

namespace recursive_tf {

// Whether this processor has the instructions, and the compiler had. Where not,
// no other function of this file may be called.
bool HasBfloat16Products();

// How many elements a row of `depth` takes in ComputeBfloat16Rows' result.
inline int64_t Bfloat16RowSize(int64_t depth) { return (depth + 1) / 2 * 2; }

// Rounds rows [rows, depth] to nearest, ties to even: each with a zero behind
// it where depth is odd. bfloat16 is the upper half of a float.
void ComputeBfloat16Rows(const float* from, int64_t rows, int64_t depth,
                         uint16_t* to);

// y [rows, width] = x times the weights. All arrays are dense, row after row,
// and do not overlap.
struct Bfloat16MatMul {
  int64_t rows;
  int64_t depth;
  int64_t width;
  const uint16_t* x;        // Of ComputeBfloat16Rows.
  const uint16_t* weights;  // [depth, width]; transposed [width, depth].
  float* y;
};

// Compute columns [begin, end) of y. Thread-safe for disjoint columns.
void ComputeBfloat16MatMul(const Bfloat16MatMul& args, int64_t begin,
                           int64_t end);
void ComputeTransposedBfloat16MatMul(const Bfloat16MatMul& args, int64_t begin,
                                     int64_t end);

// As RowProductScratchBytes and ComputeRowProduct, with operands that are
// rounded as they are copied.
int64_t Bfloat16RowProductScratchBytes(const RowProduct<float>& args,
                                       const RowProductPart& part);
void ComputeBfloat16RowProduct(const RowProduct<float>& args,
                               const RowProductPart& part, void* scratch);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_BFLOAT16_PRODUCT_H_
