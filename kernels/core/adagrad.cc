#include "kernels/core/adagrad.h"

#define RECURSIVE_TF_SIMD_FILE "kernels/core/adagrad_loops.h"
#include "kernels/core/for_each_simd_target.h"

namespace recursive_tf {

template <typename T>
void ApplyAdagrad(const Adagrad<T>& args, int64_t begin, int64_t end,
                  SimdTarget target) {
#if RECURSIVE_TF_SIMD_X86
  if (target == SimdTarget::kAvx512) return avx512::Elements(args, begin, end);
  if (target == SimdTarget::kAvx2) return avx2::Elements(args, begin, end);
#endif
  (void)target;
  portable::Elements(args, begin, end);
}

template <typename T>
void ApplyAdagradRows(const AdagradRows<T>& args, int64_t begin, int64_t end,
                      SimdTarget target) {
#if RECURSIVE_TF_SIMD_X86
  if (target == SimdTarget::kAvx512) return avx512::Groups(args, begin, end);
  if (target == SimdTarget::kAvx2) return avx2::Groups(args, begin, end);
#endif
  (void)target;
  portable::Groups(args, begin, end);
}

template void ApplyAdagrad(const Adagrad<float>&, int64_t, int64_t, SimdTarget);
template void ApplyAdagrad(const Adagrad<double>&, int64_t, int64_t,
                           SimdTarget);
template void ApplyAdagradRows(const AdagradRows<float>&, int64_t, int64_t,
                               SimdTarget);
template void ApplyAdagradRows(const AdagradRows<double>&, int64_t, int64_t,
                               SimdTarget);

}  // namespace recursive_tf
