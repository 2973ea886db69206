// The ready queue that all frames of a run share.
#ifndef RECURSIVE_TF_KERNELS_CORE_READY_QUEUE_H_
#define RECURSIVE_TF_KERNELS_CORE_READY_QUEUE_H_

#include <functional>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "kernels/core/mutex.h"
#include "kernels/core/ready_order.h"

namespace recursive_tf {

// Runs closures on a caller's thread pool, at most `max_workers` at a time, in
// the order of a policy. Thread-safe. No thread ever waits for work, and chains
// of closures of any length use constant C++ stack.
//
// Owned by shared_ptrs; the drain loops it has scheduled are among the owners.
class ReadyQueue final : public std::enable_shared_from_this<ReadyQueue> {
 public:
  using Closure = std::function<void()>;
  // Hands a drain loop to a thread pool, which runs it exactly once. It may run
  // before this returns.
  using Schedule = std::function<void(Closure)>;

  // `max_workers` is at least 1.
  ReadyQueue(ReadyPolicy policy, int max_workers, Schedule schedule);
  ReadyQueue(const ReadyQueue&) = delete;
  ReadyQueue& operator=(const ReadyQueue&) = delete;

  // Adds work of a frame at `depth`.
  void Push(int depth, Closure closure);

 private:
  // A worker is a drain loop: it takes closures until none waits, then ends.
  // What a closure pushes is taken by the same loop when the closure returns (a
  // trampoline), so a chain stays on its thread. Another worker is started when
  // more waits than the pushing loop will take next, or when the pusher is no
  // loop of this queue. No closure is lost: a worker ends under the lock that
  // saw the queue empty, so a push either finds it still counted, or starts
  // one.
  void Drain();
  // Moves the next closure to `*closure`, or ends the worker and returns false.
  bool Next(Closure* closure);

  const int max_workers_;
  const Schedule schedule_;

  Mutex mu_;  // A leaf; never held while a closure or `schedule_` runs.
  const std::unique_ptr<ReadyOrder> waiting_ ABSL_PT_GUARDED_BY(mu_);
  int num_workers_ ABSL_GUARDED_BY(mu_) = 0;  // Scheduled and not yet ended.
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_READY_QUEUE_H_
