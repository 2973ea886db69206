// Op definitions of the objects that runs make: NewMade, Make, MakeRows,
// MadeSite, MadeParts, MadeSites, MadeColumns, DropMade, and of their
// gradients: AddMadeGradients, TakeMadeGradients.
//
// Handles that are made and read are float64, which holds each exactly, so that
// a gradient goes back from whoever reads an object to whoever made it.

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace recursive_tf {

using tensorflow::shape_inference::NoOutputs;
using tensorflow::shape_inference::ScalarShape;
using tensorflow::shape_inference::UnknownShape;

REGISTER_OP("RecursiveTf>NewMade")
    .Output("table: int64")
    .SetIsStateful()
    .SetShapeFn(ScalarShape)
    .Doc(R"doc(
Makes a table for the objects that the runs of one call make.

table: its number.
)doc");

REGISTER_OP("RecursiveTf>Make")
    .Input("table: int64")
    .Input("parts: Tparts")
    .Output("handle: float64")
    .Attr("Tparts: list(type) >= 0")
    .Attr("site: int >= 0")
    .SetIsStateful()
    .SetShapeFn(ScalarShape)
    .Doc(R"doc(
Makes an object: another one each time.

table: the table of the call, a scalar.
parts: what the object is made of.
handle: the object; below -2.
site: what kind of object it is.
)doc");

REGISTER_OP("RecursiveTf>MakeRows")
    .Input("table: int64")
    .Input("length: int32")
    .Input("parts: Tparts")
    .Output("handles: float64")
    .Attr("Tparts: list(type) >= 0")
    .Attr("site: int >= 0")
    .SetIsStateful()
    .SetShapeFn([](tensorflow::shape_inference::InferenceContext* ctx) {
      ctx->set_output(0, ctx->Vector(ctx->UnknownDim()));
      return absl::OkStatus();
    })
    .Doc(R"doc(
Makes an object of each row: others each time.

table: the table of the call, a scalar.
length: the number of rows N, a scalar.
parts: what the objects are made of, each [N, ...].
handles: the objects [N]; below -2.
site: what kind of objects they are.
)doc");

REGISTER_OP("RecursiveTf>MadeSite")
    .Input("table: int64")
    .Input("handle: float64")
    .Output("site: int32")
    .SetShapeFn(ScalarShape)
    .Doc(R"doc(
Reads what kind of object one is. What was made does not change.

table: the table of the call, a scalar.
handle: the object, a scalar.
site: its kind; -1 if it was not made.
)doc");

REGISTER_OP("RecursiveTf>MadeParts")
    .Input("table: int64")
    .Input("handle: float64")
    .Output("parts: Tparts")
    .Attr("Tparts: list(type) >= 1")
    .Attr("site: int >= 0")
    .SetShapeFn(UnknownShape)
    .Doc(R"doc(
Reads what an object is made of, which does not change.

table: the table of the call, a scalar.
handle: the object, a scalar; it is an error if it was not made as one of this kind.
parts: what it is made of.
site: its kind.
)doc");

REGISTER_OP("RecursiveTf>MadeSites")
    .Input("table: int64")
    .Output("sites: int32")
    .SetIsStateful()
    .SetShapeFn([](tensorflow::shape_inference::InferenceContext* ctx) {
      ctx->set_output(0, ctx->Vector(ctx->UnknownDim()));
      return absl::OkStatus();
    })
    .Doc(R"doc(
Reads what was made.

table: the table of the call, a scalar.
sites: the kind of each object, in the order in which they were made.
)doc");

REGISTER_OP("RecursiveTf>MadeColumns")
    .Input("table: int64")
    .Output("values: T")
    .Output("shapes: num_columns * int32")
    .Attr("T: list(type) >= 1")
    .Attr("num_columns: int >= 1")
    .Attr("site: int >= 0")
    .SetIsStateful()
    .SetShapeFn(UnknownShape)
    .Doc(R"doc(
Reads the parts of all objects of one kind, in the order in which they were made.

table: the table of the call, a scalar.
values: of each part the elements of all objects, one after the other.
shapes: of each part the sizes [n, rank], by object. All objects of a kind have
  the same rank there.
num_columns: the number of parts.
site: the kind.
)doc");

REGISTER_OP("RecursiveTf>AddMadeGradients")
    .Input("handle: float64")
    .Input("gradients: Tparts")
    .Output("token: float64")
    .Attr("Tparts: list({half, bfloat16, float, double}) >= 1")
    .SetIsStateful()
    .SetShapeFn(ScalarShape)
    .Doc(R"doc(
Adds to the gradients of an object's parts, those of the backward run.

handle: the object, a scalar.
gradients: of those of its parts that can have one.
token: the gradient of the handle: zero. What it comes to knows that all is added.
)doc");

REGISTER_OP("RecursiveTf>TakeMadeGradients")
    .Input("handles: float64")
    .Input("token: float64")
    .Input("shapes: num_parts * int32")
    .Output("gradients: Tparts")
    .Attr("Tparts: list({half, bfloat16, float, double}) >= 1")
    .Attr("num_parts: int >= 1")
    .SetIsStateful()
    .SetShapeFn(UnknownShape)
    .Doc(R"doc(
Takes out the gradients of the parts of an object, or of those of rows.

handles: the object, a scalar; or the objects [N].
token: the gradient of the handles.
shapes: the shape of each part that can have a gradient; of rows, of all rows.
gradients: of each such part, zeros where nothing has been added.
num_parts: the number of these parts.
)doc");

REGISTER_OP("RecursiveTf>DropMade")
    .Input("table: int64")
    .SetIsStateful()
    .SetShapeFn(NoOutputs)
    .Doc(R"doc(
Forgets what the runs of a call have made.

table: the table of the call, a scalar.
)doc");

}  // namespace recursive_tf
