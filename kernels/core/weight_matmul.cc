#include "kernels/core/weight_matmul.h"

#define RECURSIVE_TF_SIMD_FILE "kernels/core/weight_matmul_loops.h"
#include "kernels/core/for_each_simd_target.h"

namespace recursive_tf {

template <typename T>
void ComputeWeightMatMul(const WeightMatMul<T>& args, int64_t begin,
                         int64_t end, SimdTarget target) {
#if RECURSIVE_TF_SIMD_X86
  if (target == SimdTarget::kAvx512) return avx512::Product(args, begin, end);
  if (target == SimdTarget::kAvx2) return avx2::Product(args, begin, end);
#endif
  (void)target;
  portable::Product(args, begin, end);
}

template <typename T>
void ComputeTransposedWeightMatMul(const WeightMatMul<T>& args, int64_t begin,
                                   int64_t end, SimdTarget target) {
#if RECURSIVE_TF_SIMD_X86
  if (target == SimdTarget::kAvx512) {
    return avx512::TransposedProduct(args, begin, end);
  }
  if (target == SimdTarget::kAvx2) {
    return avx2::TransposedProduct(args, begin, end);
  }
#endif
  (void)target;
  portable::TransposedProduct(args, begin, end);
}

template void ComputeWeightMatMul(const WeightMatMul<float>&, int64_t, int64_t,
                                  SimdTarget);
template void ComputeWeightMatMul(const WeightMatMul<double>&, int64_t, int64_t,
                                  SimdTarget);
template void ComputeTransposedWeightMatMul(const WeightMatMul<float>&, int64_t,
                                            int64_t, SimdTarget);
template void ComputeTransposedWeightMatMul(const WeightMatMul<double>&,
                                            int64_t, int64_t, SimdTarget);

}  // namespace recursive_tf
