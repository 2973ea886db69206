// One function of a batched program, ready to run again and again.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_BLOCK_FUNCTION_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_BLOCK_FUNCTION_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tensorflow/core/common_runtime/device.h"
#include "tensorflow/core/common_runtime/executor.h"
#include "tensorflow/core/common_runtime/local_executor_params.h"
#include "tensorflow/core/framework/function.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"

namespace recursive_tf {

class BlockFunction;

// The error where a function of a program is given another type than it takes.
absl::Status WrongType(int function, tensorflow::DataType given,
                       tensorflow::DataType taken);

// What one execution of a BlockFunction works in. Made once and used for many
// executions, one at a time; in between it holds no tensors.
class BlockScratch final {
 public:
  // Fill these in before an execution. They are moved from: an argument whose
  // buffer nobody else refers to may be overwritten by the function.
  tensorflow::Tensor* args() { return values_.data(); }
  // Take these afterwards.
  std::vector<tensorflow::Tensor>& outputs() { return outputs_; }
  // Lets go of all tensors, after an error or when outputs were not taken.
  void Clear();

 private:
  friend class BlockFunction;
  class CallFrame;

  std::vector<tensorflow::Tensor> values_;  // Arguments, then values of nodes.
  // Second references to values with several consumers: kernels overwrite what
  // they think is theirs alone.
  std::vector<tensorflow::Tensor> pins_;
  std::vector<tensorflow::Tensor> outputs_;
  std::vector<tensorflow::TensorValue> inputs_;  // Of all kernels.
  std::shared_ptr<CallFrame> call_frame_;        // For the other executor.
};

// What an execution takes from the op that it runs for; per shard.
struct BlockEnvironment {
  tensorflow::OpKernelContext* ctx = nullptr;
  tensorflow::OpKernelContext::Params params;

  explicit BlockEnvironment(tensorflow::OpKernelContext* ctx);
  // Of a run of an executor; `runner` is that of `args`, and outlives this.
  BlockEnvironment(const tensorflow::Executor::Args& args,
                   tensorflow::Executor::Args::Runner* runner);
};

// Functions of synchronous kernels without control flow, which is nearly all of
// them, run on the calling thread along a schedule that is fixed beforehand: a
// kernel costs little more than the call to it. Others go through the executor
// of TensorFlow.
//
// Immutable. TensorFlow-private: OpKernelContext::Params, CreateNonCachedKernel
// and what body_executor.h uses.
class BlockFunction final {
 public:
  // `device` is the library's, or one that stands for it.
  static absl::StatusOr<std::unique_ptr<BlockFunction>> Make(
      tensorflow::FunctionLibraryRuntime* library, tensorflow::Device* device,
      const tensorflow::FunctionBody& function);
  // The same of a graph that TensorFlow would make an executor of, and always
  // synchronous: asynchronous kernels of this library are waited for. Null if
  // the graph has others, or anything that cannot run in order.
  static absl::StatusOr<std::unique_ptr<BlockFunction>> MakeOrdered(
      const tensorflow::LocalExecutorParams& params,
      const tensorflow::Graph& graph);
  ~BlockFunction();

  int num_args() const { return num_args_; }
  int num_outputs() const { return num_outputs_; }
  const tensorflow::DataTypeVector& arg_types() const { return arg_types_; }
  bool is_synchronous() const { return executor_ == nullptr; }

  std::unique_ptr<BlockScratch> MakeScratch() const;

  // Runs on this thread. Only if `is_synchronous()`.
  absl::Status Run(BlockEnvironment* environment, BlockScratch* scratch) const;

  // Only if not `is_synchronous()`. Calls `done` once, when it has ended, from
  // a closure given to `runner`.
  void RunAsync(BlockEnvironment* environment, BlockScratch* scratch,
                const tensorflow::Executor::Args::Runner& runner,
                std::function<void(const absl::Status&)> done) const;

 private:
  struct KernelDeleter {
    void operator()(tensorflow::OpKernel* kernel) const {
      tensorflow::DeleteNonCachedKernel(kernel);
    }
  };
  using KernelPtr = std::unique_ptr<tensorflow::OpKernel, KernelDeleter>;
  // Where a value comes from: a slot of BlockScratch::values_, or a constant.
  struct Source {
    bool is_constant = false;
    int index = -1;
  };
  // One kernel call.
  struct Step {
    KernelPtr kernel;
    int first_input = 0;  // In BlockScratch::inputs_.
    int num_inputs = 0;
    int first_value = 0;  // Its outputs, in BlockScratch::values_.
    int num_outputs = 0;
    std::vector<int> unpins;    // Last use of these: may be overwritten.
    std::vector<int> releases;  // Not used after this step.
    std::vector<int> pins;      // Outputs that several kernels use.
    // By output: whether anything uses it. Null: all of them are used.
    std::unique_ptr<bool[]> are_used;
  };
  struct Output {
    Source source;
    bool is_last_use = false;
  };

  BlockFunction() = default;
  bool CanRunInOrder(const tensorflow::Graph& graph) const;
  using CreateKernel = std::function<absl::Status(
      const std::shared_ptr<const tensorflow::NodeProperties>&,
      tensorflow::OpKernel**)>;
  // Makes the schedule; false if some kernel cannot run synchronously.
  absl::StatusOr<bool> MakeSchedule(const CreateKernel& create_kernel,
                                    const tensorflow::Graph& graph);
  void PlanReleases();

  tensorflow::Device* device_ = nullptr;                   // Not owned.
  tensorflow::FunctionLibraryRuntime* library_ = nullptr;  // Not owned.
  tensorflow::DataTypeVector arg_types_;
  int num_args_ = 0;
  int num_outputs_ = 0;
  bool waits_for_own_ = false;  // For asynchronous kernels of this library.

  std::vector<Step> steps_;
  std::vector<Source> inputs_;  // Of all steps.
  std::vector<Output> outputs_;
  std::vector<int> arg_pins_;
  std::vector<int> last_releases_;  // Arguments that nothing uses.
  // Two references each, so that no kernel overwrites one.
  std::vector<tensorflow::Tensor> constants_;
  std::vector<tensorflow::Tensor> constant_pins_;
  std::vector<KernelPtr> constant_kernels_;
  int num_values_ = 0;
  std::vector<tensorflow::AllocatorAttributes> attributes_;  // All defaults.

  std::unique_ptr<tensorflow::Executor> executor_;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_BLOCK_FUNCTION_H_
