// The instruction sets that tests of multiversioned loops go through.
#ifndef RECURSIVE_TF_TESTS_CC_SIMD_TARGETS_H_
#define RECURSIVE_TF_TESTS_CC_SIMD_TARGETS_H_

#include <vector>

#include "kernels/core/simd_target.h"

namespace recursive_tf {

// All targets that this processor has.
inline std::vector<SimdTarget> Targets() {
  std::vector<SimdTarget> targets;
  for (SimdTarget target :
       {SimdTarget::kPortable, SimdTarget::kAvx2, SimdTarget::kAvx512}) {
    if (target <= BestSimdTarget()) targets.push_back(target);
  }
  return targets;
}

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_TESTS_CC_SIMD_TARGETS_H_
