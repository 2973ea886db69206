// The greatest value seen, from many threads.
#ifndef RECURSIVE_TF_KERNELS_CORE_ATOMIC_MAX_H_
#define RECURSIVE_TF_KERNELS_CORE_ATOMIC_MAX_H_

#include <atomic>

namespace recursive_tf {

// Raises `*maximum` to `value` if that is greater. Thread-safe.
template <typename T>
void UpdateMax(std::atomic<T>* maximum, T value) {
  T seen = maximum->load(std::memory_order_relaxed);
  while (value > seen && !maximum->compare_exchange_weak(
                             seen, value, std::memory_order_relaxed)) {
  }
}

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_ATOMIC_MAX_H_
