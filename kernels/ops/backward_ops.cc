// Op definitions of the backward pass: LaunchBackward, InvokeBackward,
// InvokeMapBackward, and the ops that add to gradient accumulators.

#include "kernels/ops/shapes.h"
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"

namespace recursive_tf {

using tensorflow::shape_inference::NoOutputs;
using tensorflow::shape_inference::UnknownShape;

REGISTER_OP("RecursiveTf>LaunchBackward")
    .Input("run: variant")
    .Input("gradients: Tgradients")
    .Input("extras: Textras")
    .Output("arg_gradients: Targ_gradients")
    .Output("slots: Tslots")
    .Attr("Tgradients: list(type) >= 0")
    .Attr("Textras: list(type) >= 0")
    .Attr("Targ_gradients: list(type) >= 0")
    .Attr("Tslots: list(type) >= 0")
    .Attr("output_shapes: list(shape) >= 0")
    .Attr("bodies: list(func) >= 1")
    .Attr("body_keys: list(string) >= 1")
    .Attr("num_capture_inputs: list(int) >= 1")
    .Attr("capture_inputs: list(int) >= 0")
    .Attr("num_extras: list(int) >= 1")
    .Attr("num_slots: list(int) >= 1")
    .Attr("slot_kinds: list(string) >= 0")
    .Attr("slot_captures: list(int) >= 0")
    .Attr("slot_shapes: list(shape) >= 0")
    .Attr("entry: string")
    .Attr("mapped: bool = false")
    .Attr("policy: {'deepest_first', 'fifo'} = 'deepest_first'")
    .Attr("has_made: bool = false")
    .SetIsStateful()
    .SetShapeFn(UnknownShape)
    .Doc(R"doc(
Runs the backward pass of a Launch.

run: The Launch's `run`.
gradients: Gradients of its trainable results.
extras: What backward bodies use besides residuals and outer references.
arg_gradients: Gradients of its trainable arguments.
slots: The accumulated gradients of outer references: one tensor for a "dense"
  slot; values and indices for a "slices" slot; x [K, I] and dy [K, J], with the
  gradient x^T dy, for a "product" or "rounded_product" slot.
output_shapes: The row shapes of `arg_gradients`, used where there are no rows.
bodies: Backward functions, each taking (frame, result gradients, residuals,
  captures, extras) and returning the gradients of its trainable arguments.
body_keys: The keys of the forward bodies, in the same order.
num_capture_inputs: How many captures each backward body takes.
capture_inputs: Their positions among the Launch's captures.
num_extras: How many of `extras` belong to each body.
num_slots: How many accumulators belong to each body.
slot_kinds: "dense", "slices", "product" or "rounded_product".
slot_captures: The Launch capture that each accumulator is the gradient of.
slot_shapes: The shape of each accumulator's outer reference.
has_made: Whether gradients of objects that the run has made are added up.
)doc");

REGISTER_OP("RecursiveTf>InvokeBackward")
    .Input("frame: variant")
    .Input("key: int64")
    .Input("gradients: Tgradients")
    .Output("arg_gradients: Targ_gradients")
    .Attr("Tgradients: list(type) >= 0")
    .Attr("Targ_gradients: list(type) >= 0")
    .Attr("output_shapes: list(shape) >= 0")
    .Attr("body_key: string")
    .SetIsStateful()
    .SetShapeFn(ResultShapes)
    .Doc(R"doc(
Runs the backward pass of one Invoke in a new frame of the backward run.

frame: The backward frame of the caller.
key: The Invoke's `key`.
gradients: Gradients of its trainable results.
arg_gradients: Gradients of its trainable arguments.
body_key: The Invoke's `body_key`.
)doc");

REGISTER_OP("RecursiveTf>InvokeMapBackward")
    .Input("frame: variant")
    .Input("key: int64")
    .Input("gradients: Tgradients")
    .Output("arg_gradients: Targ_gradients")
    .Attr("Tgradients: list(type) >= 1")
    .Attr("Targ_gradients: list(type) >= 0")
    .Attr("output_shapes: list(shape) >= 0")
    .Attr("body_key: string")
    .SetIsStateful()
    .SetShapeFn(ResultShapes)
    .Doc(R"doc(
Runs the backward pass of one InvokeMap, one backward frame per row.

frame: The backward frame of the caller.
key: The InvokeMap's `key`.
gradients: Gradients of its trainable results, [N, ...] each.
arg_gradients: Gradients of its trainable arguments, [N, ...] each.
output_shapes: The shapes of `arg_gradients`, with the leading dimension.
body_key: The InvokeMap's `body_key`.
)doc");

REGISTER_OP("RecursiveTf>AccumulateDense")
    .Input("frame: variant")
    .Input("gradient: T")
    .Attr("T: type")
    .Attr("slot: int")
    .SetIsStateful()
    .SetShapeFn(NoOutputs)
    .Doc(R"doc(
Adds a dense gradient to an accumulator of the backward run.

slot: The accumulator, counted within the frame's body.
)doc");

REGISTER_OP("RecursiveTf>AccumulateSlices")
    .Input("frame: variant")
    .Input("values: T")
    .Input("indices: Tindices")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("slot: int")
    .SetIsStateful()
    .SetShapeFn(NoOutputs)
    .Doc(R"doc(
Adds rows of a sparse gradient to an accumulator of the backward run.

values: [K, ...] rows.
indices: [K], which rows of the outer reference they belong to.
slot: The accumulator, counted within the frame's body.
)doc");

REGISTER_OP("RecursiveTf>AccumulateProduct")
    .Input("frame: variant")
    .Input("left: T")
    .Input("right: T")
    .Attr("T: type")
    .Attr("slot: int")
    .SetIsStateful()
    .SetShapeFn(NoOutputs)
    .Doc(R"doc(
Adds left^T * right to an accumulator of the backward run, by its operands.

left: [K, I].
right: [K, J].
slot: The accumulator, counted within the frame's body.
)doc");

}  // namespace recursive_tf
