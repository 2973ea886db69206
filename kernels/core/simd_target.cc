#include "kernels/core/simd_target.h"

namespace recursive_tf {

static SimdTarget FindBestSimdTarget() {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    return SimdTarget::kAvx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return SimdTarget::kAvx2;
  }
#endif
  return SimdTarget::kPortable;
}

SimdTarget BestSimdTarget() {
  static const SimdTarget best = FindBestSimdTarget();
  return best;
}

}  // namespace recursive_tf
