// Op definition of RowProduct.

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace recursive_tf {

using tensorflow::shape_inference::DimensionHandle;
using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

static absl::Status RowProductShape(InferenceContext* ctx) {
  ShapeHandle left, right;
  absl::Status status = ctx->WithRank(ctx->input(0), 2, &left);
  if (status.ok()) status = ctx->WithRank(ctx->input(1), 2, &right);
  if (!status.ok()) return status;
  DimensionHandle rows;
  if (!ctx->Merge(ctx->Dim(left, 0), ctx->Dim(right, 0), &rows).ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("recursive_tf: row product: left ", ctx->DebugString(left),
                     " and right ", ctx->DebugString(right),
                     " have different numbers of rows"));
  }
  ctx->set_output(0, ctx->Matrix(ctx->Dim(left, 1), ctx->Dim(right, 1)));
  return absl::OkStatus();
}

REGISTER_OP("RecursiveTf>RowProduct")
    .Input("left: T")
    .Input("right: T")
    .Output("y: T")
    .Attr("T: {float, double}")
    .Attr("rounds_to_bfloat16: bool = false")
    .SetShapeFn(RowProductShape)
    .Doc(R"doc(
Sums the outer products of the rows of two matrices: left^T right.

Any number of rows costs no more than its arithmetic, new ones included.

left: [N, K].
right: [N, M].
y: [K, M]; zeros where N is 0.
rounds_to_bfloat16: whether to round both operands, of type float, before they
  are multiplied. Sums stay sums of floats. Needs AVX512-BF16.
)doc");

}  // namespace recursive_tf
