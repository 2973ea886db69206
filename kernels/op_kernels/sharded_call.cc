#include "kernels/op_kernels/sharded_call.h"

#include <algorithm>
#include <utility>

#include "tensorflow/core/framework/device_base.h"

namespace recursive_tf {

namespace tf = tensorflow;

int ShardedCall::NumThreads(tf::OpKernelContext* ctx) {
  const auto* workers = ctx->device()->tensorflow_cpu_worker_threads();
  return workers == nullptr ? 1 : std::max(1, workers->num_threads);
}

void ShardedCall::Start(std::unique_ptr<ShardedCall> call) {
  ShardedCall* raw = call.get();
  const std::vector<StepLoop*> shards = raw->Shards();
  tf::OpKernelContext* ctx = raw->ctx_;
  raw->num_running_.store(static_cast<int>(shards.size()));
  raw->self_ = std::move(call);
  // The call may be gone as soon as the last shard is started.
  if (shards.size() == 1) {
    StepLoop* shard = shards[0];
    (*ctx->runner())([shard] { shard->Run(); });
    return;
  }
  const auto* workers = ctx->device()->tensorflow_cpu_worker_threads();
  const int num_pooled = workers == nullptr ? 0 : workers->num_threads;
  for (int s = 0; s < static_cast<int>(shards.size()); ++s) {
    StepLoop* shard = shards[s];
    if (s < num_pooled) {
      workers->workers->Schedule([shard] { shard->Run(); });
    } else {
      (*ctx->runner())([shard] { shard->Run(); });
    }
  }
}

void ShardedCall::ShardDone() {
  if (num_running_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  Finish();
  const tf::AsyncOpKernel::DoneCallback done = std::move(done_);
  std::unique_ptr<ShardedCall> self = std::move(self_);
  self.reset();
  done();
}

}  // namespace recursive_tf
