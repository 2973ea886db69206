// An executor for graphs whose ops have nothing to do at the same time: it runs
// them one after the other on the thread that calls, in place of handing them
// to another thread of a pool, and the end to a third. TensorFlow finds it by
// the `executor_type` "RECURSIVE_TF_ORDERED" of a call.
//
// TensorFlow's own SINGLE_THREADED_EXECUTOR does nearly that, but its errors do
// not say in which op they arose, and its runs are handed over once.
//
// The calling thread waits for our asynchronous kernels, as it would for the
// end of the call. Graphs with others, with control flow or with communication
// run on TensorFlow's executor: there, one op may wait for a later one.

#include <memory>
#include <utility>
#include <vector>

#include "kernels/core/mutex.h"
#include "kernels/runtime/block_function.h"
#include "tensorflow/core/common_runtime/executor.h"
#include "tensorflow/core/common_runtime/executor_factory.h"
#include "tensorflow/core/common_runtime/local_executor_params.h"
#include "tensorflow/core/platform/denormal.h"
#include "tensorflow/core/platform/setround.h"

namespace recursive_tf {

namespace tf = tensorflow;

namespace {

// Any number of threads may run it at a time.
class OrderedExecutor final : public tf::Executor {
 public:
  OrderedExecutor(const tf::LocalExecutorParams& params,
                  std::unique_ptr<BlockFunction> function)
      : session_metadata_(params.session_metadata),
        function_(std::move(function)) {}

 private:
  void RunAsyncInternal(const Args& args, DoneCallback done) override {
    // When it is done, this executor may be gone.
    const absl::Status status = RunInOrder(args);
    done(status);
  }

  absl::Status RunInOrder(const Args& args) {
    // As on all threads of TensorFlow's pools; eager calls come from others.
    const tf::port::ScopedFlushDenormal flush;
    const tf::port::ScopedSetRound round(FE_TONEAREST);
    std::unique_ptr<BlockScratch> scratch = TakeScratch();
    const absl::Status status = RunIn(scratch.get(), args);
    scratch->Clear();
    MutexLock lock(&mu_);
    scratches_.push_back(std::move(scratch));
    return status;
  }

  absl::Status RunIn(BlockScratch* scratch, const Args& args) {
    tf::CallFrameInterface* frame = args.call_frame;
    const int num_given = frame == nullptr ? 0 : frame->num_args();
    if (num_given < function_->num_args()) {
      return absl::InvalidArgumentError("recursive_tf: too few arguments");
    }
    for (int i = 0; i < function_->num_args(); ++i) {
      if (frame->CanConsumeArg(i)) {
        frame->ConsumeArg(i, &scratch->args()[i]);
        continue;
      }
      const tf::Tensor* value = nullptr;
      TF_RETURN_IF_ERROR(frame->GetArg(i, &value));
      scratch->args()[i] = *value;
    }
    tf::Executor::Args::Runner runner = args.runner;
    BlockEnvironment environment(args, &runner);
    environment.params.session_metadata = session_metadata_;
    TF_RETURN_IF_ERROR(function_->Run(&environment, scratch));
    for (int i = 0; i < function_->num_outputs(); ++i) {
      TF_RETURN_IF_ERROR(frame->SetRetval(i, scratch->outputs()[i]));
    }
    return absl::OkStatus();
  }

  std::unique_ptr<BlockScratch> TakeScratch() {
    {
      MutexLock lock(&mu_);
      if (!scratches_.empty()) {
        auto scratch = std::move(scratches_.back());
        scratches_.pop_back();
        return scratch;
      }
    }
    return function_->MakeScratch();
  }

  const tf::SessionMetadata* const session_metadata_;
  const std::unique_ptr<BlockFunction> function_;
  Mutex mu_;
  std::vector<std::unique_ptr<BlockScratch>> scratches_ ABSL_GUARDED_BY(mu_);
};

class OrderedExecutorFactory final : public tf::ExecutorFactory {
 public:
  absl::Status NewExecutor(const tf::LocalExecutorParams& params,
                           const tf::Graph& graph,
                           std::unique_ptr<tf::Executor>* executor) override {
    auto function = BlockFunction::MakeOrdered(params, graph);
    if (!function.ok()) return function.status();
    if (*function != nullptr) {
      *executor =
          std::make_unique<OrderedExecutor>(params, *std::move(function));
      return absl::OkStatus();
    }
    tf::Executor* made = nullptr;
    const absl::Status status = tf::NewLocalExecutor(params, graph, &made);
    if (status.ok()) executor->reset(made);
    return status;
  }
};

[[maybe_unused]] const bool is_registered = [] {
  static OrderedExecutorFactory* const factory = new OrderedExecutorFactory;
  tf::ExecutorFactory::Register("RECURSIVE_TF_ORDERED", factory);
  return true;
}();

}  // namespace

}  // namespace recursive_tf
