// Op definition of Check.

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace recursive_tf {

using tensorflow::shape_inference::InferenceContext;

static absl::Status CheckShape(InferenceContext* ctx) {
  ctx->set_output(0, ctx->input(0));
  const auto* handle = ctx->input_handle_shapes_and_types(0);
  if (handle != nullptr) {
    ctx->set_output_handle_shapes_and_types(0, *handle);
  }
  return absl::OkStatus();
}

// Not stateful: it runs where its output is used, and only there.
REGISTER_OP("RecursiveTf>Check")
    .Input("value: T")
    .Input("ok: bool")
    .Output("checked: T")
    .Attr("T: type")
    .Attr("message: string")
    .SetShapeFn(CheckShape)
    .Doc(R"doc(
Returns a value as it is, or fails the run.

value: any tensor.
ok: of any shape. Unless all of it is true, the op fails with InvalidArgument.
checked: `value`, the same memory.
message: what the error says after "recursive_tf: check failed: ".
)doc");

}  // namespace recursive_tf
