// Op definitions of PythonUnary and PythonBinary.

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace recursive_tf {

using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

static absl::Status BinaryShape(InferenceContext* ctx) {
  const ShapeHandle x = ctx->input(0), y = ctx->input(1);
  ShapeHandle z = ctx->UnknownShape();
  if (ctx->RankKnown(x) && ctx->RankKnown(y)) {
    if (ctx->Rank(x) == 0) {
      z = y;
    } else if (ctx->Rank(y) == 0) {
      z = x;
    } else if (absl::Status status = ctx->Merge(x, y, &z); !status.ok()) {
      return status;
    }
  }
  ctx->set_output(0, z);
  return absl::OkStatus();
}

REGISTER_OP("RecursiveTf>PythonUnary")
    .Input("x: X")
    .Output("z: Z")
    .Attr("X: {bool, int32, int64, float, double}")
    .Attr(
        "Z: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, float, "
        "double}")
    .Attr("op: string")
    .SetShapeFn(tensorflow::shape_inference::UnchangedShape)
    .Doc(R"doc(
Computes with Python's numbers: what Python does, or the op fails as Check does.

It fails where Python raises an exception, and where the result does not fit Z.

x: numbers, of any shape.
z: the result for each.
op: Neg, Abs or Cast; from float to int also Trunc, Floor, Ceil, Round; from
  float to float also functions of Python's math, such as sqrt.
)doc");

REGISTER_OP("RecursiveTf>PythonBinary")
    .Input("x: X")
    .Input("y: Y")
    .Output("z: Z")
    .Attr("X: {bool, int32, int64, double}")
    .Attr("Y: {bool, int32, int64, double}")
    .Attr("Z: {bool, int64, double}")
    .Attr("op: string")
    .SetShapeFn(BinaryShape)
    .Doc(R"doc(
Computes with Python's numbers: what Python does, or the op fails as Check does.

It fails where Python raises an exception, and where the result does not fit Z.

x: numbers, of any shape.
y: numbers of the same shape; either may also be a scalar.
z: the result for each.
op: the operator, by its name in Python's syntax trees, or Min or Max; of floats
  also atan2, copysign and hypot, and RoundTo (y digits).
)doc");

REGISTER_OP("RecursiveTf>PythonMultiplyMod")
    .Input("x: int64")
    .Input("y: int64")
    .Input("z: int64")
    .Output("result: int64")
    .SetShapeFn([](InferenceContext* ctx) {
      ShapeHandle shape = ctx->Scalar();
      for (int i = 0; i < 3; ++i) {
        const ShapeHandle own = ctx->input(i);
        if (!ctx->RankKnown(own)) {
          ctx->set_output(0, ctx->UnknownShape());
          return absl::OkStatus();
        }
        if (ctx->Rank(own) != 0) shape = own;
      }
      ctx->set_output(0, shape);
      return absl::OkStatus();
    })
    .Doc(R"doc(
Computes x * y % z of Python's ints, also where x * y has more than 64 bits.

It fails as Check does where z is 0.

x: numbers, of any shape.
y: numbers of the same shape; each may also be a scalar.
z: numbers of the same shape.
result: for each.
)doc");

}  // namespace recursive_tf
