// Op definitions of the rows that gradients have of a table: RowToken, TapRows,
// TapTable, ListRows, ListedRows.

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace recursive_tf {

using tensorflow::shape_inference::ScalarShape;
using tensorflow::shape_inference::UnchangedShape;

REGISTER_OP("RecursiveTf>RowToken")
    .Output("token: variant")
    .SetIsStateful()
    .SetShapeFn(ScalarShape)
    .Doc(R"doc(
Makes what the reads of a table are led past, and whose gradient is the list of
rows that theirs have. Stateful so that it is no constant.

token: an empty list of rows.
)doc");

REGISTER_OP("RecursiveTf>TapRows")
    .Input("rows: T")
    .Input("indices: Tindices")
    .Input("table: resource")
    .Input("token: variant")
    .Output("tapped: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Attr("Tindices: {int32, int64}")
    .SetShapeFn(UnchangedShape)
    .Doc(R"doc(
Gives rows of a variable on. Its gradient is that of the read, for the variable,
and a list of it for the token; none goes on to `rows`.

rows: what was read, [..., row].
indices: where, [...].
table: the variable.
token: of the table and a tape.
tapped: the rows.
)doc");

REGISTER_OP("RecursiveTf>TapTable")
    .Input("table: T")
    .Input("token: variant")
    .Output("tapped: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(UnchangedShape)
    .Doc(R"doc(
Gives what a variable holds on, to an op that takes rows of it. Its gradient is
what comes, for the table, and a list of its rows for the token.

table: what the variable holds.
token: of the table and a tape.
tapped: the same.
)doc");

REGISTER_OP("RecursiveTf>ListRows")
    .Input("values: T")
    .Input("indices: Tindices")
    .Output("list: variant")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Attr("Tindices: {int32, int64}")
    .SetShapeFn(ScalarShape)
    .Doc(R"doc(
Makes a list of rows. Lists are added by AddN, one after the other.

values: the rows, [..., row].
indices: their numbers, [...].
list: a list of one part.
)doc");

REGISTER_OP("RecursiveTf>ListedRows")
    .Input("list: variant")
    .Output("values: T")
    .Output("indices: int64")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .Attr("row_shape: shape")
    .SetShapeFn([](tensorflow::shape_inference::InferenceContext* ctx) {
      tensorflow::PartialTensorShape row;
      TF_RETURN_IF_ERROR(ctx->GetAttr("row_shape", &row));
      tensorflow::shape_inference::ShapeHandle known, rows;
      TF_RETURN_IF_ERROR(ctx->MakeShapeFromPartialTensorShape(row, &known));
      TF_RETURN_IF_ERROR(
          ctx->Concatenate(ctx->Vector(ctx->UnknownDim()), known, &rows));
      ctx->set_output(0, rows);
      ctx->set_output(1, ctx->Vector(ctx->UnknownDim()));
      return absl::OkStatus();
    })
    .Doc(R"doc(
Gives the rows of a list, in its order.

list: of N rows.
values: the rows, [N, row].
indices: their numbers, [N].
row_shape: the shape of a row.
)doc");

}  // namespace recursive_tf
