// What the kernels share: reading inputs, starting queues, setting outputs.
#ifndef RECURSIVE_TF_KERNELS_OP_KERNELS_KERNEL_UTIL_H_
#define RECURSIVE_TF_KERNELS_OP_KERNELS_KERNEL_UTIL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "kernels/core/ready_queue.h"
#include "kernels/runtime/activation.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/variant.h"

namespace recursive_tf {

// Points at `count` inputs from `begin` on; valid until the kernel is done.
ArgPointers InputPointers(tensorflow::OpKernelContext* ctx, int begin,
                          int count);

// Sets the leading outputs to `results`, which must be of the declared types.
absl::Status SetResults(tensorflow::OpKernelContext* ctx,
                        const std::vector<tensorflow::Tensor>& results,
                        const std::vector<tensorflow::DataType>& dtypes);

// Returns the callback that ends a kernel: sets the outputs to a frame's
// results, the last output to `key` if there is one, or the status, and calls
// `done`. `dtypes` must outlive it.
FrameCallback SetOutputsThen(tensorflow::OpKernelContext* ctx,
                             const std::vector<tensorflow::DataType>& dtypes,
                             std::optional<tensorflow::Tensor> key,
                             tensorflow::AsyncOpKernel::DoneCallback done);

// Makes the ready queue of one run, worked off by the caller's thread pool;
// with `is_serialized`, by one thread of it at a time.
std::shared_ptr<ReadyQueue> MakeReadyQueue(tensorflow::OpKernelContext* ctx,
                                           const std::string& policy,
                                           bool is_serialized);

// What a graph may hold that no SubGraph makes: the op is wrong by itself.
absl::Status Malformed(tensorflow::OpKernelConstruction* ctx,
                       absl::string_view reason);

// Reads the attribute `output_shapes`, one for each result, and drops the
// leading dimension of each.
absl::Status ReadRowShapes(tensorflow::OpKernelConstruction* ctx,
                           size_t num_results,
                           std::vector<tensorflow::PartialTensorShape>* rows);

// OK if the attribute `what` counts, body by body, `total` things.
absl::Status CheckCounts(tensorflow::OpKernelConstruction* ctx,
                         const char* what, const std::vector<int>& counts,
                         size_t num_bodies, size_t total);

// Reads the key of one call.
absl::StatusOr<int64_t> ReadKey(const tensorflow::Tensor& key);

// Reads the `run` that the forward op `entry` has returned: a RunRef or a
// BatchedRunRef that is not empty, valid as long as the tensor.
template <typename Ref>
absl::StatusOr<const Ref*> ReadRun(const tensorflow::Tensor& tensor,
                                   const std::string& entry) {
  const Ref* ref =
      tensor.dims() == 0
          ? tensor.scalar<tensorflow::Variant>()().template get<Ref>()
          : nullptr;
  if (ref == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "recursive_tf: SubGraph '", entry,
        "': expected the run that the forward call has returned, got another "
        "tensor, of shape ",
        tensor.shape().DebugString()));
  }
  if (ref->run == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        "SubGraph '", entry,
        "': the forward call kept no residuals, so it has no gradient"));
  }
  return ref;
}

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_OP_KERNELS_KERNEL_UTIL_H_
