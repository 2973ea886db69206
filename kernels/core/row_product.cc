#include "kernels/core/row_product.h"

namespace recursive_tf {
namespace {

// So many rows are worked off at a time: what is copied of them stays in the
// near caches.
constexpr int64_t kBlockRows = 256;

// The columns that are copied at once, for the widest target: two vectors.
constexpr int64_t kPanelBytes = 128;

// Left is copied into the order in which it is read where more than so many
// bytes of a row of right meet it: where it is read for few panels, copying
// takes longer than it saves (measured: by half of the time of 25 columns).
constexpr int64_t kMaxUncopiedBytes = 256;

template <typename T>
bool CopiesLeft(const RowProductPart& part) {
  return (part.end - part.begin) * static_cast<int64_t>(sizeof(T)) >
         kMaxUncopiedBytes;
}

template <typename T>
int64_t BlockRows(const RowProduct<T>& args) {
  return args.rows < kBlockRows ? args.rows : kBlockRows;
}

}  // namespace
}  // namespace recursive_tf

#define RECURSIVE_TF_SIMD_FILE "kernels/core/row_product_loops.h"
#include "kernels/core/for_each_simd_target.h"

namespace recursive_tf {

template <typename T>
int64_t RowProductScratchBytes(const RowProduct<T>& args,
                               const RowProductPart& part) {
  const int64_t height = CopiesLeft<T>(part) ? part.bottom - part.top : 0;
  return BlockRows(args) *
         (kPanelBytes + height * static_cast<int64_t>(sizeof(T)));
}

template <typename T>
void ComputeRowProduct(const RowProduct<T>& args, const RowProductPart& part,
                       void* scratch, SimdTarget target) {
  const int64_t block = BlockRows(args);
  T* copies = static_cast<T*>(scratch);
#if RECURSIVE_TF_SIMD_X86
  if (target == SimdTarget::kAvx512) {
    return avx512::Product(args, part, block, copies);
  }
  if (target == SimdTarget::kAvx2) {
    return avx2::Product(args, part, block, copies);
  }
#endif
  (void)target;
  portable::Product(args, part, block, copies);
}

template int64_t RowProductScratchBytes(const RowProduct<float>&,
                                        const RowProductPart&);
template int64_t RowProductScratchBytes(const RowProduct<double>&,
                                        const RowProductPart&);
template void ComputeRowProduct(const RowProduct<float>&, const RowProductPart&,
                                void*, SimdTarget);
template void ComputeRowProduct(const RowProduct<double>&,
                                const RowProductPart&, void*, SimdTarget);

}  // namespace recursive_tf
