// Variant functions that TensorFlow's gradients ask of frames and runs: zeros
// for those that are loop variables or function outputs, and sums of such
// zeros. Neither has a gradient, so a frame's zero is the frame, a run's the
// empty run.

#include "kernels/runtime/batched_run_ref.h"
#include "kernels/runtime/frame.h"
#include "tensorflow/core/framework/variant_op_registry.h"

namespace recursive_tf {

namespace tf = tensorflow;

using ForwardFrame = Frame<ForwardRun>;

static absl::Status FrameZeros(tf::OpKernelContext*, const ForwardFrame& frame,
                               ForwardFrame* zeros) {
  *zeros = frame;
  return absl::OkStatus();
}

static absl::Status FrameSum(tf::OpKernelContext*, const ForwardFrame& a,
                             const ForwardFrame&, ForwardFrame* sum) {
  *sum = a;
  return absl::OkStatus();
}

static absl::Status RunZeros(tf::OpKernelContext*, const RunRef&,
                             RunRef* zeros) {
  *zeros = RunRef();
  return absl::OkStatus();
}

static absl::Status RunSum(tf::OpKernelContext*, const RunRef&, const RunRef&,
                           RunRef* sum) {
  *sum = RunRef();
  return absl::OkStatus();
}

static absl::Status BatchedRunZeros(tf::OpKernelContext*, const BatchedRunRef&,
                                    BatchedRunRef* zeros) {
  *zeros = BatchedRunRef();
  return absl::OkStatus();
}

static absl::Status BatchedRunSum(tf::OpKernelContext*, const BatchedRunRef&,
                                  const BatchedRunRef&, BatchedRunRef* sum) {
  *sum = BatchedRunRef();
  return absl::OkStatus();
}

}  // namespace recursive_tf

namespace tensorflow {  // The macros name TensorFlow's types unqualified.

REGISTER_UNARY_VARIANT_UNARY_OP_FUNCTION(ZEROS_LIKE_VARIANT_UNARY_OP,
                                         DEVICE_CPU, recursive_tf::ForwardFrame,
                                         recursive_tf::FrameZeros);
REGISTER_UNARY_VARIANT_BINARY_OP_FUNCTION(ADD_VARIANT_BINARY_OP, DEVICE_CPU,
                                          recursive_tf::ForwardFrame,
                                          recursive_tf::FrameSum);
REGISTER_UNARY_VARIANT_UNARY_OP_FUNCTION(ZEROS_LIKE_VARIANT_UNARY_OP,
                                         DEVICE_CPU, recursive_tf::RunRef,
                                         recursive_tf::RunZeros);
REGISTER_UNARY_VARIANT_BINARY_OP_FUNCTION(ADD_VARIANT_BINARY_OP, DEVICE_CPU,
                                          recursive_tf::RunRef,
                                          recursive_tf::RunSum);
REGISTER_UNARY_VARIANT_UNARY_OP_FUNCTION(ZEROS_LIKE_VARIANT_UNARY_OP,
                                         DEVICE_CPU,
                                         recursive_tf::BatchedRunRef,
                                         recursive_tf::BatchedRunZeros);
REGISTER_UNARY_VARIANT_BINARY_OP_FUNCTION(ADD_VARIANT_BINARY_OP, DEVICE_CPU,
                                          recursive_tf::BatchedRunRef,
                                          recursive_tf::BatchedRunSum);

}  // namespace tensorflow
