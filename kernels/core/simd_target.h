// Which instructions the loops of this folder may use: decided when the process
// runs, because one library serves every x86-64.
#ifndef RECURSIVE_TF_KERNELS_CORE_SIMD_TARGET_H_
#define RECURSIVE_TF_KERNELS_CORE_SIMD_TARGET_H_

namespace recursive_tf {

// In order: each needs more of the processor than the one before.
enum class SimdTarget {
  kPortable,  // What the compiler takes for granted; SSE2 on x86-64.
  kAvx2,      // AVX2 and FMA.
  kAvx512,    // AVX-512 F, DQ, BW and VL.
};

// Returns the last target that this processor has and that was compiled.
SimdTarget BestSimdTarget();

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_SIMD_TARGET_H_
