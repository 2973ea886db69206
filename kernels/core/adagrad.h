// Adagrad's step in one pass over memory, on whole arrays or on some of their
// rows.
//
// Duchi, Hazan and Singer, "Adaptive Subgradient Methods", JMLR 12, 2011.
#ifndef RECURSIVE_TF_KERNELS_CORE_ADAGRAD_H_
#define RECURSIVE_TF_KERNELS_CORE_ADAGRAD_H_

#include <cstdint>

#include "kernels/core/simd_target.h"

namespace recursive_tf {

// For each element, g being its gradient:
//
//   g += l2 weight
//   sum += g^2
//   weight -= rate g / (sqrt(sum) + epsilon)
//
// Square root and division are those of the processor, correctly rounded.
template <typename T>
struct Adagrad {
  T rate;
  T epsilon;
  T l2;                // 0: no such term, not even of an infinite weight.
  const T* gradients;  // [S]
  T* sums;             // [S]
  T* weights;          // [S]
};

// The same without `l2`, for the rows that occur among N: see RowGroups.
template <typename T>
struct AdagradRows {
  T rate;
  T epsilon;
  int64_t width;           // D
  const int64_t* rows;     // [G]: of sums and weights, each once
  const int64_t* starts;   // [G + 1]: of the groups, in members
  const int64_t* members;  // [N]: rows of the gradients
  const T* gradients;      // [N, D]
  T* sums;                 // [R, D]
  T* weights;              // [R, D]
};

// Work off elements [begin, end). T: float or double. `target` must be one that
// the processor has. Thread-safe for disjoint elements.
template <typename T>
void ApplyAdagrad(const Adagrad<T>& args, int64_t begin, int64_t end,
                  SimdTarget target = BestSimdTarget());

// Works off groups [begin, end): adds the gradients of a group in their order,
// then takes the step. Thread-safe for disjoint groups.
template <typename T>
void ApplyAdagradRows(const AdagradRows<T>& args, int64_t begin, int64_t end,
                      SimdTarget target = BestSimdTarget());

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_ADAGRAD_H_
