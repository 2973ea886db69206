// Op definition of DropoutMask.

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace recursive_tf {

using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

static absl::Status DropoutMaskShape(InferenceContext* ctx) {
  ShapeHandle unused, rows;
  absl::Status status = ctx->WithRank(ctx->input(0), 1, &unused);
  if (status.ok()) status = ctx->WithRank(ctx->input(1), 1, &unused);
  if (status.ok()) status = ctx->WithRank(ctx->input(2), 1, &rows);
  if (status.ok()) status = ctx->WithRank(ctx->input(3), 0, &unused);
  int64_t width = 0;
  if (status.ok()) status = ctx->GetAttr("width", &width);
  if (!status.ok()) return status;
  ctx->set_output(0, ctx->Matrix(ctx->Dim(rows, 0), width));
  return absl::OkStatus();
}

REGISTER_OP("RecursiveTf>DropoutMask")
    .Input("key: uint64")
    .Input("counter: uint64")
    .Input("rows: int32")
    .Input("kept: T")
    .Output("mask: T")
    .Attr("T: {float, double}")
    .Attr("width: int >= 1")
    .Attr("rate: float")
    .SetShapeFn(DropoutMaskShape)
    .Doc(R"doc(
Draws rows of a dropout mask whose other rows nobody need draw.

Element (i, j) depends on the seed, rows[i] and j alone: it is 0 where element (rows[i], j) of
StatelessRandomUniformV2, of floats [R, width] with the same key and counter, is below the rate.

key: [1], of StatelessRandomGetKeyCounter.
counter: [2], of StatelessRandomGetKeyCounter.
rows: [N], not negative; repeats are allowed.
kept: [], what stands where an element is not 0.
mask: [N, width], 0 or kept.
rate: at least 0 and below 1.
)doc");

}  // namespace recursive_tf
