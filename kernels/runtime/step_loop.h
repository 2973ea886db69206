// The loop of a shard: one step after the other, on whichever thread.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_STEP_LOOP_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_STEP_LOOP_H_

#include <atomic>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "kernels/core/ready_queue.h"
#include "kernels/runtime/block_function.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

// Runs functions one after the other without ever blocking a thread: where a
// function ends on another thread, the loop goes on there. No number of steps
// grows the C++ stack. One thread is in the loop at a time, so that what
// derives from it needs no locks.
class StepLoop {
 public:
  explicit StepLoop(tensorflow::OpKernelContext* ctx);
  virtual ~StepLoop() = default;
  StepLoop(const StepLoop&) = delete;
  StepLoop& operator=(const StepLoop&) = delete;

  // Has all functions run in a step container that is not the op's own.
  void set_step_container(tensorflow::ScopedStepContainer* container) {
    environment_.params.step_container = container;
  }

  // Works until all is done, or until a function is left to end elsewhere.
  // The loop may be gone when this returns.
  void Run();

 protected:
  // Sets `function_`, and `scratch_` with its arguments, for the next step.
  // Returns false if there is none.
  virtual bool Prepare() = 0;
  // Takes the outputs of the step from `scratch_`.
  virtual void Complete(const absl::Status& status) = 0;
  // Called at the end; may destroy the loop.
  virtual void Finish() = 0;

  tensorflow::OpKernelContext* ctx() const { return environment_.ctx; }
  bool is_cancelled() const;

  const BlockFunction* function_ = nullptr;
  BlockScratch* scratch_ = nullptr;

 private:
  // A function on TensorFlow's executor. Its closures go through a queue, which
  // makes a trampoline of them, and which this thread works off itself before
  // it returns: mostly the function has ended then. If it has not, a closure
  // of it that runs elsewhere takes the loop over. The two agree by
  // `num_arrived_`: the second one to count goes on.
  bool RunAsync();
  void Schedule(std::function<void()> drain);

  BlockEnvironment environment_;
  std::shared_ptr<ReadyQueue> queue_;  // Made when first needed.
  bool is_starting_ = false;
  std::function<void()> drain_;
  std::atomic<int> num_arrived_{0};
  absl::Status async_status_;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_STEP_LOOP_H_
