// Op definitions of the batched scheduler: LaunchBatched and its backward pass,
// and traces of its schedules.

#include "kernels/ops/shapes.h"
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"

namespace recursive_tf {

using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::NoOutputs;
using tensorflow::shape_inference::UnknownShape;

REGISTER_OP("RecursiveTf>LaunchBatched")
    .Input("args: Targs")
    .Input("captures: Tcaptures")
    .Output("results: Tresults")
    .Output("run: variant")
    .Attr("Targs: list(type) >= 0")
    .Attr("Tcaptures: list(type) >= 0")
    .Attr("Tresults: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("functions: list(func) >= 0")
    .Attr("body_names: list(string) >= 1")
    .Attr("block_names: list(string) >= 0")
    .Attr("program: list(int) >= 1")
    .Attr("entry: string")
    .Attr("mapped: bool = false")
    .Attr("keeps_residuals: bool = false")
    .Attr("max_depth: int = 100000")
    .Attr("policy: {'look_ahead', 'agenda', 'depth'} = 'look_ahead'")
    .Attr("num_shards: int >= 0 = 0")
    .Attr("frame_work: int >= 0 = 0")
    .Attr("frames_per_row: int >= 1 = 1")
    .Attr("merged: list(bool) = []")
    .SetIsStateful()
    .SetShapeFn(ResultShapes)
    .Doc(R"doc(
Calls a SubGraph from outside any body; ready work of all frames runs as one.

The bodies are cut into blocks. One execution of a block, a step, works on many
frames at once, as rows of its inputs. With `mapped` the rows of the arguments
are divided among the threads of the device, which work on their own.

args: The arguments of the entry body; with `mapped`, [N, ...] each.
captures: The outer references of all bodies.
results: The results of the entry body; with `mapped`, [N, ...] each.
run: Keeps the steps for the backward pass; empty without `keeps_residuals`.
functions: The functions of the blocks.
body_names: Names the bodies in messages.
block_names: Names the blocks in traces.
program: The bodies, as units and blocks; kernels/core/batched_program.h decodes
  it.
entry: The key of the body that is called.
mapped: Whether to call it once for each row.
keeps_residuals: Whether a backward pass may follow.
max_depth: The deepest allowed frame; the entry body's frame has depth 1.
policy: Which block runs next; kernels/core/agenda.h explains them.
num_shards: Into how many parts rows are divided, if there are as many; 0: at
  most as many as the pool has threads that the device computes on, each with
  enough work, as kernels/core/shards.h counts it.
frame_work: Multiplications of one frame, on average, or what takes as long; 0:
  not known, and divided among all threads.
frames_per_row: How many frames a row usually has.
merged: Which results are rows of one: the blocks return [...] for what a frame
  returns as [1, ...]. None if empty.
)doc");

REGISTER_OP("RecursiveTf>LaunchBatchedBackward")
    .Input("run: variant")
    .Input("gradients: Tgradients")
    .Output("arg_gradients: Targ_gradients")
    .Output("slots: Tslots")
    .Attr("Tgradients: list(type) >= 0")
    .Attr("Targ_gradients: list(type) >= 0")
    .Attr("Tslots: list(type) >= 0")
    .Attr("output_shapes: list(shape) >= 0")
    .Attr("functions: list(func) >= 0")
    .Attr("program: list(int) >= 1")
    .Attr("arg_positions: list(int) >= 0")
    .Attr("slot_kinds: list(string) >= 0")
    .Attr("slot_captures: list(int) >= 0")
    .Attr("slot_shapes: list(shape) >= 0")
    .Attr("entry: string")
    .Attr("mapped: bool = false")
    .Attr("has_made: bool = false")
    .SetIsStateful()
    .SetShapeFn(UnknownShape)
    .Doc(R"doc(
Runs the backward pass of a LaunchBatched: its steps in reverse.

run: The LaunchBatched's `run`.
gradients: Gradients of its float and complex results, in order.
arg_gradients: Gradients of the arguments `arg_positions`.
slots: The accumulated gradients of outer references, as LaunchBackward's.
functions: The gradients of the blocks.
program: Which function is the gradient of which block, and what it takes and
  returns; kernels/core/batched_program.h decodes it.
arg_positions: Arguments of the LaunchBatched.
slot_kinds: "dense", "slices", "product" or "rounded_product".
slot_captures: The LaunchBatched's capture that each slot is the gradient of.
slot_shapes: The shape of each slot's outer reference.
entry: As the LaunchBatched's.
mapped: As the LaunchBatched's.
has_made: As LaunchBackward's.
)doc");

REGISTER_OP("RecursiveTf>SetTracing")
    .Attr("is_enabled: bool")
    .SetIsStateful()
    .SetShapeFn(NoOutputs)
    .Doc(R"doc(
Turns the recording of batched schedules on or off, for the whole process.
)doc");

REGISTER_OP("RecursiveTf>RunTrace")
    .Output("block_names: string")
    .Output("steps: int64")
    .Output("row_splits: int64")
    .Output("rows: int64")
    .SetIsStateful()
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->set_output(0, ctx->Vector(InferenceContext::kUnknownDim));
      ctx->set_output(1, ctx->Matrix(InferenceContext::kUnknownDim, 8));
      ctx->set_output(2, ctx->Vector(InferenceContext::kUnknownDim));
      ctx->set_output(3, ctx->Matrix(InferenceContext::kUnknownDim, 2));
      return absl::OkStatus();
    })
    .Doc(R"doc(
Reads the schedule of the batched run that finished last with tracing on.

block_names: By block.
steps: [S, 8]: shard, block, number of rows, start and duration in microseconds,
  1 in a backward pass, least and greatest frame depth.
row_splits: [S + 1]: the rows of step s are rows[row_splits[s]:row_splits[s+1]];
  none in a backward pass.
rows: [R, 2]: the root row that the frame descends from, and its depth.
)doc");

}  // namespace recursive_tf
