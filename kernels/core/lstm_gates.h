// The gates of LSTM-type cells with any number of memories, forward and
// backward: one pass over each row, which all of a cell's elementwise work is.
//
// Hochreiter and Schmidhuber, "Long Short-Term Memory", Neural Computation
// 9(8), 1997; Tai, Socher and Manning, ACL 2015, arXiv:1503.00075, section 3.2.
#ifndef RECURSIVE_TF_KERNELS_CORE_LSTM_GATES_H_
#define RECURSIVE_TF_KERNELS_CORE_LSTM_GATES_H_

#include <cstdint>

#include "kernels/core/simd_target.h"

namespace recursive_tf {

// B rows of N memories of width D. All arrays are dense, row after row. A row
// of gates has 3 + N parts of D columns: i, o, f_1 .. f_N, u.
//
//   i, o, f_k = sigmoid(gates + bias)
//   u = tanh(gates + bias)
//   c = i u + sum over k of f_k c_k
//   h = o tanh(c)
//
// An output may be the very array of an input with the same row length.
template <typename T>
struct LstmGates {
  int64_t num_memories;      // N
  int64_t width;             // D
  const T* gates;            // [B, (3 + N) D]
  const T* bias;             // [(3 + N) D], or null: none.
  const T* const* memories;  // N times [B, D]: c_1 .. c_N
  T* h;                      // [B, D]
  T* c;                      // [B, D]
  T* activations;            // [B, (3 + N) D]: i, o, f, u; or null.
};

// What the backward pass reads and makes; `d` marks gradients.
template <typename T>
struct LstmGatesGrad {
  int64_t num_memories;
  int64_t width;
  const T* activations;      // [B, (3 + N) D]
  const T* const* memories;  // N times [B, D]
  const T* c;                // [B, D]
  const T* dh;               // [B, D]
  const T* dc;               // [B, D]
  T* dgates;                 // [B, (3 + N) D]
  T* const* dmemories;       // N times [B, D]
  T* dbias;                  // [(3 + N) D], added to; or null.
};

// Work off rows [begin, end). T: float or double. `target` must be one that the
// processor has. Thread-safe for disjoint rows, each with a `dbias` of its own.
template <typename T>
void ComputeLstmGates(const LstmGates<T>& args, int64_t begin, int64_t end,
                      SimdTarget target = BestSimdTarget());
template <typename T>
void ComputeLstmGatesGrad(const LstmGatesGrad<T>& args, int64_t begin,
                          int64_t end, SimdTarget target = BestSimdTarget());

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_LSTM_GATES_H_
