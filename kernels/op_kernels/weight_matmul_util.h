// What the kernels of products with weights share: checks, and threads.
#ifndef RECURSIVE_TF_KERNELS_OP_KERNELS_WEIGHT_MATMUL_UTIL_H_
#define RECURSIVE_TF_KERNELS_OP_KERNELS_WEIGHT_MATMUL_UTIL_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

// y [rows, width] = x [rows, depth] times weights. `shape` is that of y.
struct MatMulSizes {
  int64_t rows;
  int64_t depth;
  int64_t width;
  tensorflow::TensorShape shape;
};

// Reads the sizes of a product of `x` [..., K] with weights [K, M], or, where
// `is_transposed`, [M, K]; an error where they do not fit. `num_rows`, a scalar
// or null: the weights are only their first rows, so many.
absl::Status FindMatMulSizes(const tensorflow::Tensor& x,
                             const tensorflow::Tensor& weights,
                             const tensorflow::Tensor* num_rows,
                             bool is_transposed, MatMulSizes* sizes);

// Calls `run` with ranges [begin, end) of the columns of y, on as many threads
// as the product is worth.
void ForColumns(tensorflow::OpKernelContext* ctx, const MatMulSizes& sizes,
                absl::FunctionRef<void(int64_t, int64_t)> run);

// An error where the processor has no AVX512-BF16.
absl::Status CheckBfloat16Products();

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_OP_KERNELS_WEIGHT_MATMUL_UTIL_H_
