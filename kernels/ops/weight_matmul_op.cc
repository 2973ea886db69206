// Op definitions of WeightMatMul and Bfloat16MatMul.

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace recursive_tf {

using tensorflow::shape_inference::DimensionHandle;
using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

static absl::Status WeightMatMulShape(InferenceContext* ctx) {
  bool is_transposed = false;
  absl::Status status = ctx->GetAttr("transpose_weights", &is_transposed);
  ShapeHandle x, weights, y;
  if (status.ok()) status = ctx->WithRankAtLeast(ctx->input(0), 1, &x);
  if (status.ok()) status = ctx->WithRank(ctx->input(1), 2, &weights);
  if (!status.ok()) return status;
  if (!ctx->RankKnown(x)) {
    ctx->set_output(0, ctx->UnknownShape());
    return absl::OkStatus();
  }
  DimensionHandle depth;
  if (!ctx->Merge(ctx->Dim(x, -1), ctx->Dim(weights, is_transposed ? 1 : 0),
                  &depth)
           .ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "recursive_tf: matmul: x ", ctx->DebugString(x),
        is_transposed ? " and transposed weights " : " and weights ",
        ctx->DebugString(weights), " do not fit"));
  }
  status = ctx->ReplaceDim(x, -1, ctx->Dim(weights, is_transposed ? 0 : 1), &y);
  if (!status.ok()) return status;
  ctx->set_output(0, y);
  return absl::OkStatus();
}

REGISTER_OP("RecursiveTf>WeightMatMul")
    .Input("x: T")
    .Input("weights: T")
    .Output("y: T")
    .Attr("T: {float, double}")
    .Attr("transpose_weights: bool = false")
    .SetShapeFn(WeightMatMulShape)
    .Doc(R"doc(
Multiplies the rows of `x` with a matrix of weights: fast for few rows.

x: [..., K].
weights: [K, M]; with `transpose_weights`, [M, K].
y: [..., M].
)doc");

REGISTER_OP("RecursiveTf>Bfloat16MatMul")
    .Input("x: float")
    .Input("weights: float")
    .Input("rounded: bfloat16")
    .Output("y: float")
    .Attr("transpose_weights: bool = false")
    .SetShapeFn(WeightMatMulShape)
    .Doc(R"doc(
Multiplies the rows of `x`, rounded to bfloat16, with rounded weights.

Products of two elements and their sums are of type float. Needs AVX512-BF16.

x: [..., K].
weights: [K, M]; with `transpose_weights`, [M, K]. Only the gradient is theirs.
rounded: the weights as they are multiplied, of the same shape.
y: [..., M].
)doc");

}  // namespace recursive_tf
