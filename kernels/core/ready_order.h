// Ready policies: the order in which ready closures run.
#ifndef RECURSIVE_TF_KERNELS_CORE_READY_ORDER_H_
#define RECURSIVE_TF_KERNELS_CORE_READY_ORDER_H_

#include <cstddef>
#include <functional>
#include <memory>

namespace recursive_tf {

enum class ReadyPolicy {
  // The greatest depth first, and the latest first among equals. Finishes
  // subtrees before it opens new ones, so that few frames are alive.
  kDeepestFirst,
  // The earliest first, whatever its depth: level by level.
  kFifo,
};

// The closures that wait, in the order of one policy. Not thread-safe.
class ReadyOrder {
 public:
  using Closure = std::function<void()>;

  virtual ~ReadyOrder() = default;

  virtual size_t size() const = 0;
  virtual void Push(int depth, Closure closure) = 0;
  // Removes the next closure; there must be one.
  virtual Closure Pop() = 0;
};

// A new policy is a new case here and a new class in the .cc file.
std::unique_ptr<ReadyOrder> MakeReadyOrder(ReadyPolicy policy);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_READY_ORDER_H_
