#include "kernels/core/ready_queue.h"

#include <algorithm>
#include <utility>

namespace recursive_tf {

namespace {

// The queue whose closure this thread is running; of several nested ones, the
// innermost.
thread_local const ReadyQueue* draining = nullptr;

}  // namespace

ReadyQueue::ReadyQueue(ReadyPolicy policy, int max_workers, Schedule schedule)
    : max_workers_(std::max(1, max_workers)),
      schedule_(std::move(schedule)),
      waiting_(MakeReadyOrder(policy)) {}

void ReadyQueue::Push(int depth, Closure closure) {
  // A thread outside of the drain loops holds no share of the queue, and the
  // closure may be the last one of the run: taken by a worker before this
  // function returns.
  std::shared_ptr<ReadyQueue> self;
  if (draining != this) self = shared_from_this();
  {
    MutexLock lock(&mu_);
    waiting_->Push(depth, std::move(closure));
    const bool caller_takes_it = draining == this && waiting_->size() == 1;
    if (caller_takes_it || num_workers_ == max_workers_) return;
    ++num_workers_;
  }
  schedule_([self = shared_from_this()] { self->Drain(); });
}

void ReadyQueue::Drain() {
  const ReadyQueue* const outer = std::exchange(draining, this);
  Closure closure;
  while (Next(&closure)) {
    closure();
    closure = nullptr;  // What it captured goes now, not after the next one.
  }
  draining = outer;
}

bool ReadyQueue::Next(Closure* closure) {
  MutexLock lock(&mu_);
  if (waiting_->size() == 0) {
    --num_workers_;
    return false;
  }
  *closure = waiting_->Pop();
  return true;
}

}  // namespace recursive_tf
