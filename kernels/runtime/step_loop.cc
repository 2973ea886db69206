#include "kernels/runtime/step_loop.h"

#include <utility>

#include "tensorflow/core/framework/cancellation.h"
#include "tensorflow/core/platform/denormal.h"
#include "tensorflow/core/platform/setround.h"

namespace recursive_tf {

namespace tf = tensorflow;

StepLoop::StepLoop(tf::OpKernelContext* ctx) : environment_(ctx) {}

bool StepLoop::is_cancelled() const {
  tf::CancellationManager* cancellation = ctx()->cancellation_manager();
  return cancellation != nullptr && cancellation->IsCancelled();
}

void StepLoop::Run() {
  // As on all threads of TensorFlow's pools; eager calls come from others.
  const tf::port::ScopedFlushDenormal flush;
  const tf::port::ScopedSetRound round(FE_TONEAREST);
  while (Prepare()) {
    if (function_->is_synchronous()) {
      Complete(function_->Run(&environment_, scratch_));
    } else {
      if (!RunAsync()) return;
      Complete(async_status_);
    }
  }
  Finish();
}

void StepLoop::Schedule(std::function<void()> drain) {
  if (is_starting_) {
    drain_ = std::move(drain);
  } else {
    (*ctx()->runner())(std::move(drain));
  }
}

bool StepLoop::RunAsync() {
  if (queue_ == nullptr) {
    queue_ = std::make_shared<ReadyQueue>(
        ReadyPolicy::kFifo, /*max_workers=*/1,
        [this](std::function<void()> drain) { Schedule(std::move(drain)); });
  }
  // The queue outlives the function: until that has ended, this loop lives.
  ReadyQueue* queue = queue_.get();
  num_arrived_.store(0, std::memory_order_relaxed);
  is_starting_ = true;
  function_->RunAsync(
      &environment_, scratch_,
      [queue](std::function<void()> closure) {
        queue->Push(0, std::move(closure));
      },
      [this](const absl::Status& status) {
        async_status_ = status;
        if (num_arrived_.fetch_add(1, std::memory_order_acq_rel) == 0) return;
        Complete(async_status_);
        Run();
      });
  is_starting_ = false;
  if (drain_ != nullptr) std::exchange(drain_, nullptr)();
  return num_arrived_.fetch_add(1, std::memory_order_acq_rel) == 1;
}

}  // namespace recursive_tf
