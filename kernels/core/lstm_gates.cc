#include "kernels/core/lstm_gates.h"

#define RECURSIVE_TF_SIMD_FILE "kernels/core/lstm_gates_loops.h"
#include "kernels/core/for_each_simd_target.h"

namespace recursive_tf {

template <typename T>
void ComputeLstmGates(const LstmGates<T>& args, int64_t begin, int64_t end,
                      SimdTarget target) {
#if RECURSIVE_TF_SIMD_X86
  if (target == SimdTarget::kAvx512) return avx512::GateRows(args, begin, end);
  if (target == SimdTarget::kAvx2) return avx2::GateRows(args, begin, end);
#endif
  (void)target;
  portable::GateRows(args, begin, end);
}

template <typename T>
void ComputeLstmGatesGrad(const LstmGatesGrad<T>& args, int64_t begin,
                          int64_t end, SimdTarget target) {
#if RECURSIVE_TF_SIMD_X86
  if (target == SimdTarget::kAvx512) {
    return avx512::GateGradRows(args, begin, end);
  }
  if (target == SimdTarget::kAvx2) return avx2::GateGradRows(args, begin, end);
#endif
  (void)target;
  portable::GateGradRows(args, begin, end);
}

template void ComputeLstmGates(const LstmGates<float>&, int64_t, int64_t,
                               SimdTarget);
template void ComputeLstmGates(const LstmGates<double>&, int64_t, int64_t,
                               SimdTarget);
template void ComputeLstmGatesGrad(const LstmGatesGrad<float>&, int64_t,
                                   int64_t, SimdTarget);
template void ComputeLstmGatesGrad(const LstmGatesGrad<double>&, int64_t,
                                   int64_t, SimdTarget);

}  // namespace recursive_tf
