// Op definitions of the optimizer's steps: ApplyAdagrad and ApplyAdagradRows.

#include <vector>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace recursive_tf {

using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeAndType;
using tensorflow::shape_inference::ShapeHandle;

// Returns the shape of the variable behind the handle `index`, if known.
static ShapeHandle VariableShape(InferenceContext* ctx, int index) {
  const std::vector<ShapeAndType>* data =
      ctx->input_handle_shapes_and_types(index);
  const bool is_known = data != nullptr && !data->empty();
  return is_known ? data->front().shape : ctx->UnknownShape();
}

// Merges `given`, which `what` names, into `expected`.
static absl::Status Merge(InferenceContext* ctx, const char* what,
                          ShapeHandle given, ShapeHandle* expected) {
  ShapeHandle merged;
  if (ctx->Merge(given, *expected, &merged).ok()) {
    *expected = merged;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "recursive_tf: Adagrad: ", what, " has shape ", ctx->DebugString(given),
      ", expected ", ctx->DebugString(*expected)));
}

// Checks the scalars [begin, end), and that var and accum have one `shape`.
static absl::Status CommonShapes(InferenceContext* ctx, int begin, int end,
                                 ShapeHandle* shape) {
  *shape = VariableShape(ctx, 0);
  absl::Status status = Merge(ctx, "accum", VariableShape(ctx, 1), shape);
  for (int i = begin; i < end && status.ok(); ++i) {
    ShapeHandle unused;
    status = ctx->WithRank(ctx->input(i), 0, &unused);
  }
  return status;
}

static absl::Status ApplyAdagradShapes(InferenceContext* ctx) {
  ShapeHandle shape;
  absl::Status status = CommonShapes(ctx, 2, 5, &shape);
  if (status.ok()) status = Merge(ctx, "grad", ctx->input(5), &shape);
  return status;
}

static absl::Status ApplyAdagradRowsShapes(InferenceContext* ctx) {
  ShapeHandle shape, row, indices, expected;
  absl::Status status = CommonShapes(ctx, 2, 4, &shape);
  if (status.ok()) status = ctx->WithRankAtLeast(shape, 1, &shape);
  if (status.ok()) status = ctx->Subshape(shape, 1, &row);
  if (status.ok()) status = ctx->WithRank(ctx->input(5), 1, &indices);
  if (status.ok()) status = ctx->Concatenate(indices, row, &expected);
  if (status.ok()) status = Merge(ctx, "values", ctx->input(4), &expected);
  return status;
}

REGISTER_OP("RecursiveTf>ApplyAdagrad")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("lr: T")
    .Input("epsilon: T")
    .Input("l2: T")
    .Input("grad: T")
    .Attr("T: {float, double}")
    .SetIsStateful()
    .SetShapeFn(ApplyAdagradShapes)
    .Doc(R"doc(
Takes one step of Adagrad with L2 regularisation, in one pass over memory:

    g = grad + l2 * var
    accum += g * g
    var -= lr * g / (sqrt(accum) + epsilon)

Tensors that were read from the variables before keep their values.

var: A variable.
accum: Another, of the same shape.
lr: The learning rate, a scalar.
epsilon: Keeps the division finite, a scalar.
l2: The regularisation, a scalar. 0 for none.
grad: The gradient, of the shape of `var`.
)doc");

REGISTER_OP("RecursiveTf>ApplyAdagradRows")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("lr: T")
    .Input("epsilon: T")
    .Input("values: T")
    .Input("indices: Tindices")
    .Attr("T: {float, double}")
    .Attr("Tindices: {int32, int64}")
    .SetIsStateful()
    .SetShapeFn(ApplyAdagradRowsShapes)
    .Doc(R"doc(
Takes one step of Adagrad for some rows of a variable; the others are not read.

The values of a row that occurs several times are added first, in their order:
g is the sum, and its square is that of the sum.

    accum[row] += g * g
    var[row] -= lr * g / (sqrt(accum[row]) + epsilon)

An index out of range is an error, and nothing is changed. Tensors that were
read from the variables before keep their values.

var: A variable [R, ...].
accum: Another, of the same shape.
lr: The learning rate, a scalar.
epsilon: Keeps the division finite, a scalar.
values: [N, ...], gradients of rows.
indices: [N], the row of each.
)doc");

}  // namespace recursive_tf
