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

// Who runs which shard. The threads that were asked for help may come when all
// is over: this is theirs too, and then the only thing that is still there.
class ShardedCall::Claims {
 public:
  explicit Claims(std::vector<StepLoop*> shards)
      : shards_(std::move(shards)), are_taken_(shards_.size()) {}

  void Run(size_t shard) {
    if (!are_taken_[shard].exchange(true)) shards_[shard]->Run();
  }

 private:
  const std::vector<StepLoop*> shards_;  // Only valid until taken.
  std::vector<std::atomic<bool>> are_taken_;
};

void ShardedCall::Start(std::unique_ptr<ShardedCall> call) {
  ShardedCall* raw = call.get();
  const std::vector<StepLoop*> shards = raw->Shards();
  const size_t num_shards = shards.size();
  const auto* workers = raw->ctx_->device()->tensorflow_cpu_worker_threads();
  raw->num_running_.store(static_cast<int>(num_shards));
  raw->self_ = std::move(call);
  // The call may be gone as soon as the last shard is started.
  if (num_shards == 1) return shards[0]->Run();
  const auto claims = std::make_shared<Claims>(shards);
  for (size_t s = 1; workers != nullptr && s < num_shards; ++s) {
    workers->workers->Schedule([claims, s] { claims->Run(s); });
  }
  for (size_t s = 0; s < num_shards; ++s) claims->Run(s);
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
