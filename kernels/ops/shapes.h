// Shape functions shared by the op definitions.
#ifndef RECURSIVE_TF_KERNELS_OPS_SHAPES_H_
#define RECURSIVE_TF_KERNELS_OPS_SHAPES_H_

#include "tensorflow/core/framework/shape_inference.h"

namespace recursive_tf {

// Takes the leading outputs' shapes from the attribute `output_shapes`; any
// output beyond it is a scalar (a run, or a frame key).
absl::Status ResultShapes(tensorflow::shape_inference::InferenceContext* ctx);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_OPS_SHAPES_H_
