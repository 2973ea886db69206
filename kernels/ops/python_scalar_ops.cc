// Op definitions of PythonScalarUnary and PythonScalarBinary.

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace recursive_tf {

using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

// All inputs have one shape, or none; so have all outputs.
static absl::Status OneShape(InferenceContext* ctx) {
  ShapeHandle shape = ctx->Scalar();
  for (int i = 0; i < ctx->num_inputs(); ++i) {
    const ShapeHandle own = ctx->input(i);
    if (!ctx->RankKnown(own)) {
      shape = ctx->UnknownShape();
      break;
    }
    if (ctx->Rank(own) != 0) shape = own;
  }
  for (int i = 0; i < ctx->num_outputs(); ++i) ctx->set_output(i, shape);
  return absl::OkStatus();
}

REGISTER_OP("RecursiveTf>PythonScalarUnary")
    .Input("x_kind: int32")
    .Input("x_bits: int64")
    .Input("x_text: string")
    .Output("z_kind: int32")
    .Output("z_bits: int64")
    .Output("z_text: string")
    .Attr("op: string")
    .SetShapeFn(OneShape)
    .Doc(R"doc(
Computes with Python's scalars: what Python does, or the op fails as Check does.

x_kind: kinds: 0 of a bool, 1 of an int, 2 of a float, 3 of a string.
x_bits: numbers of the same shape: bools and ints as they are, floats by their
  bits.
x_text: strings of the same shape, as UTF-8. Each of the three may be a scalar.
z_kind: the kind of the result for each.
z_bits: the result, if it is a number.
z_text: the result, if it is a string.
op: USub, UAdd, Invert, Abs, Truth, Trunc, Cast (to float) or Round.
)doc");

REGISTER_OP("RecursiveTf>PythonScalarBinary")
    .Input("x_kind: int32")
    .Input("x_bits: int64")
    .Input("x_text: string")
    .Input("y_kind: int32")
    .Input("y_bits: int64")
    .Input("y_text: string")
    .Output("z_kind: int32")
    .Output("z_bits: int64")
    .Output("z_text: string")
    .Attr("op: string")
    .SetShapeFn(OneShape)
    .Doc(R"doc(
Computes with Python's scalars: what Python does, or the op fails as Check does.

It fails where Python raises an exception, and where an int has more than 64
bits.

x_kind: kinds: 0 of a bool, 1 of an int, 2 of a float, 3 of a string.
x_bits: numbers of the same shape: bools and ints as they are, floats by their
  bits.
x_text: strings of the same shape, as UTF-8. Each of the three may be a scalar.
y_kind: kinds of the same shape, or a scalar; so are all others of y.
y_bits: numbers.
y_text: strings.
z_kind: the kind of the result for each.
z_bits: the result, if it is a number.
z_text: the result, if it is a string.
op: the operator, by its name in Python's syntax trees, or Min or Max.
)doc");

REGISTER_OP("RecursiveTf>PythonScalarRanks")
    .Input("x_kind: int32")
    .Input("x_bits: int64")
    .Input("x_text: string")
    .Output("ranks: int32")
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->set_output(0, ctx->input(0));
      return absl::OkStatus();
    })
    .Doc(R"doc(
Counts how many different ones of all are before each in the order of sorted.

It fails as Check does if there are strings among numbers, or a NaN.

x_kind: kinds [N], as those of PythonScalarUnary.
x_bits: numbers [N]; may be a scalar, as x_text.
x_text: strings [N].
ranks: for each.
)doc");

}  // namespace recursive_tf
