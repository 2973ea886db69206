#include "kernels/core/bfloat16_product.h"

#include <cstdlib>
#include <cstring>

// The names of AVX512-BF16 came with GCC 10 and clang 9.
#if defined(__x86_64__) && \
    (defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 10))
#define RECURSIVE_TF_BFLOAT16 1
#else
#define RECURSIVE_TF_BFLOAT16 0
#endif

#if RECURSIVE_TF_BFLOAT16

#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(                                               \
    __attribute__((                                                         \
        target("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl,avx512bf16"))), \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl,avx512bf16")
#endif
namespace recursive_tf::bfloat16 {
#include "kernels/core/bfloat16_loops.h"
#include "kernels/core/bfloat16_row_product_loops.h"
}  // namespace recursive_tf::bfloat16
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace recursive_tf {

// As ComputeRowProduct does: so many rows at a time.
static constexpr int64_t kBlockRows = 256;

static bool FindBfloat16Products() {
  __builtin_cpu_init();
  return BestSimdTarget() == SimdTarget::kAvx512 &&
         __builtin_cpu_supports("avx512bf16");
}

bool HasBfloat16Products() {
  static const bool has = FindBfloat16Products();
  return has;
}

void ComputeBfloat16Rows(const float* from, int64_t rows, int64_t depth,
                         uint16_t* to) {
  bfloat16::RoundRows(from, rows, depth, to);
}

void ComputeBfloat16MatMul(const Bfloat16MatMul& args, int64_t begin,
                           int64_t end) {
  bfloat16::Product(args, begin, end);
}

void ComputeTransposedBfloat16MatMul(const Bfloat16MatMul& args, int64_t begin,
                                     int64_t end) {
  bfloat16::TransposedProduct(args, begin, end);
}

// [pairs of rows, 32 columns, 2] of one operand, [pairs, columns, 2] of the
// other.
int64_t Bfloat16RowProductScratchBytes(const RowProduct<float>& args,
                                       const RowProductPart& part) {
  const int64_t rows = args.rows < kBlockRows ? args.rows : kBlockRows;
  const int64_t columns = 32 + part.bottom - part.top;
  return (rows + 1) / 2 * columns * 2 * static_cast<int64_t>(sizeof(uint16_t));
}

void ComputeBfloat16RowProduct(const RowProduct<float>& args,
                               const RowProductPart& part, void* scratch) {
  bfloat16::RowProductOfRounded(args, part, kBlockRows,
                                static_cast<uint16_t*>(scratch));
}

}  // namespace recursive_tf

#else

namespace recursive_tf {

bool HasBfloat16Products() { return false; }
void ComputeBfloat16Rows(const float*, int64_t, int64_t, uint16_t*) {
  std::abort();
}
void ComputeBfloat16MatMul(const Bfloat16MatMul&, int64_t, int64_t) {
  std::abort();
}
void ComputeTransposedBfloat16MatMul(const Bfloat16MatMul&, int64_t, int64_t) {
  std::abort();
}
int64_t Bfloat16RowProductScratchBytes(const RowProduct<float>&,
                                       const RowProductPart&) {
  std::abort();
}
void ComputeBfloat16RowProduct(const RowProduct<float>&, const RowProductPart&,
                               void*) {
  std::abort();
}

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_BFLOAT16
