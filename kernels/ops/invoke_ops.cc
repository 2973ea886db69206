// Op definitions of the forward pass: Launch, Invoke, InvokeMap.

#include "kernels/ops/shapes.h"
#include "tensorflow/core/framework/op.h"

namespace recursive_tf {

using tensorflow::shape_inference::InferenceContext;

REGISTER_OP("RecursiveTf>Launch")
    .Input("args: Targs")
    .Input("captures: Tcaptures")
    .Output("results: Tresults")
    .Output("run: variant")
    .Attr("Targs: list(type) >= 0")
    .Attr("Tcaptures: list(type) >= 0")
    .Attr("Tresults: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("bodies: list(func) >= 1")
    .Attr("body_keys: list(string) >= 1")
    .Attr("num_captures: list(int) >= 1")
    .Attr("num_results: list(int) >= 1")
    .Attr("entry: string")
    .Attr("mapped: bool = false")
    .Attr("keeps_residuals: bool = false")
    .Attr("max_depth: int = 100000")
    .Attr("policy: {'deepest_first', 'fifo'} = 'deepest_first'")
    .Attr("serialized: bool = false")
    .SetIsStateful()
    .SetShapeFn(ResultShapes)
    .Doc(R"doc(
Starts a run: calls a SubGraph from outside any body.

Makes the run object that all frames of this call share, and runs the body
`entry` on `args`: once, or with `mapped` once for every row of the leading
dimension, concurrently, with the results stacked.

args: The arguments of the entry body; with `mapped`, [N, ...] each.
captures: The outer references of all bodies, one body's after the other's.
results: The results of the entry body; with `mapped`, [N, ...] each.
run: Keeps the residuals for the backward pass; empty without `keeps_residuals`.
bodies: The functions of all bodies that can be reached, each taking
  (frame, args, captures) and returning its results, then its residuals.
body_keys: The names by which Invoke ops call the bodies.
num_captures: How many of `captures` belong to each body.
num_results: How many outputs of each body are results; the rest are residuals.
entry: The key of the body to run.
mapped: Whether to run one frame per row.
keeps_residuals: Whether a backward pass may follow.
max_depth: The deepest allowed frame; the entry body's frame has depth 1.
policy: Which ready work runs first.
serialized: Whether a frame runs alone until it waits for a call, because it
  reads and writes a variable.
)doc");

REGISTER_OP("RecursiveTf>Invoke")
    .Input("frame: variant")
    .Input("args: Targs")
    .Output("results: Tresults")
    .Output("key: int64")
    .Attr("Targs: list(type) >= 0")
    .Attr("Tresults: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("body_key: string")
    .SetIsStateful()
    .SetShapeFn(ResultShapes)
    .Doc(R"doc(
Calls a SubGraph from the body of one: runs a new frame of the caller's run.

frame: The caller's frame.
args: The arguments.
results: The results.
key: The new frame's key, under which its residuals are stashed.
body_key: The name of the body to run, looked up in the run.
)doc");

REGISTER_OP("RecursiveTf>InvokeMap")
    .Input("frame: variant")
    .Input("args: Targs")
    .Output("results: Tresults")
    .Output("key: int64")
    .Attr("Targs: list(type) >= 1")
    .Attr("Tresults: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("body_key: string")
    .SetIsStateful()
    .SetShapeFn([](InferenceContext* ctx) {
      absl::Status status = ResultShapes(ctx);
      ctx->set_output(ctx->num_outputs() - 1, ctx->Vector(2));
      return status;
    })
    .Doc(R"doc(
Calls a SubGraph once for every row of its arguments, concurrently.

frame: The caller's frame.
args: The arguments, [N, ...] each; N is known only at run time and may be 0.
results: The results, stacked to [N, ...] each.
key: [2], the first of N consecutive frame keys, and N.
body_key: The name of the body to run, looked up in the run.
)doc");

}  // namespace recursive_tf
