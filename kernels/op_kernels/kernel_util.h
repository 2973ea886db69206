// What the kernels share: reading inputs, starting queues, setting outputs.
#ifndef RECURSIVE_TF_KERNELS_OP_KERNELS_KERNEL_UTIL_H_
#define RECURSIVE_TF_KERNELS_OP_KERNELS_KERNEL_UTIL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "kernels/core/ready_queue.h"
#include "kernels/runtime/activation.h"
#include "tensorflow/core/framework/op_kernel.h"

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

// Drops the leading dimension of each shape.
std::vector<tensorflow::PartialTensorShape> RowShapes(
    const std::vector<tensorflow::PartialTensorShape>& shapes);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_OP_KERNELS_KERNEL_UTIL_H_
