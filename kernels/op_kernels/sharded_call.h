// One execution of a batched op: its shards, and what happens at the end.
#ifndef RECURSIVE_TF_KERNELS_OP_KERNELS_SHARDED_CALL_H_
#define RECURSIVE_TF_KERNELS_OP_KERNELS_SHARDED_CALL_H_

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/runtime/step_loop.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

// Lives from ComputeAsync until the last shard has ended, and is gone, with all
// that it holds, before the op is done: executors and kernels must not outlive
// the function library, which may go away then.
class ShardedCall {
 public:
  virtual ~ShardedCall() = default;
  ShardedCall(const ShardedCall&) = delete;
  ShardedCall& operator=(const ShardedCall&) = delete;

  // Runs the shards: the first on this thread, the others on the pool that
  // kernels compute on. Those that no thread of the pool has begun with by then
  // are run on this one too. The op may be done when this returns.
  static void Start(std::unique_ptr<ShardedCall> call);

  // How many threads there are for shards.
  static int NumThreads(tensorflow::OpKernelContext* ctx);

 protected:
  ShardedCall(tensorflow::OpKernelContext* ctx,
              tensorflow::AsyncOpKernel::DoneCallback done)
      : ctx_(ctx), done_(std::move(done)) {}

  // All shards; the same ones whenever it is called.
  virtual std::vector<StepLoop*> Shards() = 0;
  // Sets the op's outputs or its status. No shard runs any more.
  virtual void Finish() = 0;

  // For the shards to call when they have ended.
  std::function<void()> ShardDoneCallback() {
    return [this] { ShardDone(); };
  }
  tensorflow::OpKernelContext* ctx() const { return ctx_; }

 private:
  class Claims;

  void ShardDone();

  tensorflow::OpKernelContext* const ctx_;
  tensorflow::AsyncOpKernel::DoneCallback done_;
  std::atomic<int> num_running_{0};
  std::unique_ptr<ShardedCall> self_;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_OP_KERNELS_SHARDED_CALL_H_
