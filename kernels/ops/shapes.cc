#include "kernels/ops/shapes.h"

#include <vector>

#include "tensorflow/core/framework/tensor_shape.h"

namespace recursive_tf {

absl::Status ResultShapes(tensorflow::shape_inference::InferenceContext* ctx) {
  std::vector<tensorflow::PartialTensorShape> shapes;
  absl::Status status = ctx->GetAttr("output_shapes", &shapes);
  if (!status.ok()) return status;
  for (int i = 0; i < ctx->num_outputs(); ++i) {
    tensorflow::shape_inference::ShapeHandle shape = ctx->Scalar();
    if (i < static_cast<int>(shapes.size())) {
      status = ctx->MakeShapeFromPartialTensorShape(shapes[i], &shape);
      if (!status.ok()) return status;
    }
    ctx->set_output(i, shape);
  }
  return absl::OkStatus();
}

}  // namespace recursive_tf
