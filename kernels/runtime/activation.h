// Running one body once: the bridge from an op to the TF executor.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_ACTIVATION_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_ACTIVATION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "kernels/runtime/frame.h"
#include "kernels/runtime/run.h"
#include "tensorflow/core/framework/function.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

// The results of one frame, or the status every caller passes up unread.
using FrameCallback = std::function<void(
    const absl::Status& status, std::vector<tensorflow::Tensor> results)>;

using ArgPointers = absl::InlinedVector<const tensorflow::Tensor*, 8>;

// Runs body `body` of `run` one level below `parent_depth` and calls `done`
// once when it has finished or could not be started, on whichever thread
// finished it. Always from the run's ready queue and so never inline: neither
// calls nor completions grow the C++ stack. (A thread pool that runs what it is
// given at once drains the queue inline, but no deeper than that.) Its results
// are the body's outputs without the residuals, which go to the stash under
// `key`.
//
// `ctx` and the tensors behind `args` must live until `done` is called. The
// body runs with the caller's rendezvous, step container, collective executor
// and cancellation manager.
void InvokeForward(tensorflow::OpKernelContext* ctx,
                   const std::shared_ptr<ForwardRun>& run, int body,
                   int parent_depth, uint64_t key, const ArgPointers& args,
                   FrameCallback done);

// The same for the backward function of the frame whose residuals are stashed
// under `key`; `args` are the gradients of its results, the results are the
// gradients of its arguments.
void InvokeBackward(tensorflow::OpKernelContext* ctx,
                    const std::shared_ptr<BackwardRun>& run, int body,
                    int parent_depth, uint64_t key, const ArgPointers& args,
                    FrameCallback done);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_ACTIVATION_H_
