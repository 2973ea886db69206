// Op definitions of WeightMatMul and Bfloat16MatMul.

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace recursive_tf {

using tensorflow::shape_inference::DimensionHandle;
using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

// Of x and weights, `num_operands` inputs, and maybe a number of rows.
static absl::Status MatMulShape(InferenceContext* ctx, int num_operands) {
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
  // Rows of the weights, as many as are used.
  DimensionHandle rows = ctx->Dim(weights, 0);
  if (ctx->num_inputs() > num_operands) {
    status = ctx->MakeDimForScalarInput(num_operands, &rows);
    if (!status.ok()) return status;
    const DimensionHandle all = ctx->Dim(weights, 0);
    if (ctx->ValueKnown(rows) && ctx->ValueKnown(all) &&
        ctx->Value(rows) > ctx->Value(all)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "recursive_tf: matmul: the first ", ctx->Value(rows), " rows of ",
          ctx->DebugString(weights), " were asked for"));
    }
  }
  const DimensionHandle columns = ctx->Dim(weights, 1);
  DimensionHandle depth;
  if (!ctx->Merge(ctx->Dim(x, -1), is_transposed ? columns : rows, &depth)
           .ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "recursive_tf: matmul: x ", ctx->DebugString(x),
        is_transposed ? " and transposed weights " : " and weights ",
        ctx->DebugString(weights), " do not fit"));
  }
  status = ctx->ReplaceDim(x, -1, is_transposed ? rows : columns, &y);
  if (!status.ok()) return status;
  ctx->set_output(0, y);
  return absl::OkStatus();
}

static absl::Status WeightMatMulShape(InferenceContext* ctx) {
  int num_counts = 0;
  absl::Status status = ctx->GetAttr("num_counts", &num_counts);
  if (!status.ok()) return status;
  if (num_counts > 1) {
    return absl::InvalidArgumentError(
        "recursive_tf: matmul: more than one number of rows");
  }
  return MatMulShape(ctx, 2);
}

static absl::Status Bfloat16MatMulShape(InferenceContext* ctx) {
  return MatMulShape(ctx, 3);
}

REGISTER_OP("RecursiveTf>WeightMatMul")
    .Input("x: T")
    .Input("weights: T")
    .Input("num_rows: num_counts * int32")
    .Output("y: T")
    .Attr("T: {float, double}")
    .Attr("transpose_weights: bool = false")
    .Attr("num_counts: int >= 0 = 0")
    .SetShapeFn(WeightMatMulShape)
    .Doc(R"doc(
Multiplies the rows of `x` with a matrix of weights: fast for few rows.

x: [..., K].
weights: [K, M]; with `transpose_weights`, [M, K].
num_rows: one scalar, or none: only the first `num_rows` rows of `weights` are
  used, as if there were no others. K, or with `transpose_weights` M, is that.
y: [..., M].
)doc");

REGISTER_OP("RecursiveTf>Bfloat16MatMul")
    .Input("x: float")
    .Input("weights: float")
    .Input("rounded: bfloat16")
    .Output("y: float")
    .Attr("transpose_weights: bool = false")
    .SetShapeFn(Bfloat16MatMulShape)
    .Doc(R"doc(
Multiplies the rows of `x`, rounded to bfloat16, with rounded weights.

Products of two elements and their sums are of type float. Needs AVX512-BF16.

x: [..., K].
weights: [K, M]; with `transpose_weights`, [M, K]. Only the gradient is theirs.
rounded: the weights as they are multiplied, of the same shape.
y: [..., M].
)doc");

}  // namespace recursive_tf
