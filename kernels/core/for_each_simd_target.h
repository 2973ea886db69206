// Compiles the file RECURSIVE_TF_SIMD_FILE once for each SimdTarget, in the
// namespaces `portable`, `avx2` and `avx512` of recursive_tf. No include guard:
// a .cc file defines the macro, then includes this.
//
// The file sees kernels/core/simd_vectors.h, and may use nothing that another
// file could share (no standard headers, no inline functions from outside its
// namespace): the linker would keep one copy of such a function, perhaps the
// one that older processors cannot run.
//
// RECURSIVE_TF_SIMD_BYTES is the width of a vector register there.

#ifndef RECURSIVE_TF_SIMD_FILE
#error "Define RECURSIVE_TF_SIMD_FILE first."
#endif

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define RECURSIVE_TF_SIMD_X86 1
#else
#define RECURSIVE_TF_SIMD_X86 0
#endif

#include <cstdint>
#include <cstring>

#define RECURSIVE_TF_SIMD_BYTES 16
namespace recursive_tf::portable {
#include "kernels/core/simd_vectors.h"
#include RECURSIVE_TF_SIMD_FILE
}  // namespace recursive_tf::portable
#undef RECURSIVE_TF_SIMD_BYTES

#if RECURSIVE_TF_SIMD_X86

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define RECURSIVE_TF_SIMD_BYTES 32
namespace recursive_tf::avx2 {
#include "kernels/core/simd_vectors.h"
#include RECURSIVE_TF_SIMD_FILE
}  // namespace recursive_tf::avx2
#undef RECURSIVE_TF_SIMD_BYTES
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#ifdef __clang__
#pragma clang attribute push(                                               \
    __attribute__((target("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl"))), \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl")
#endif
#define RECURSIVE_TF_SIMD_BYTES 64
namespace recursive_tf::avx512 {
#include "kernels/core/simd_vectors.h"
#include RECURSIVE_TF_SIMD_FILE
}  // namespace recursive_tf::avx512
#undef RECURSIVE_TF_SIMD_BYTES
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // RECURSIVE_TF_SIMD_X86
