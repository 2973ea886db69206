// Op definition of AnyNonzero.

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"

namespace recursive_tf {

REGISTER_OP("RecursiveTf>AnyNonzero")
    .Input("value: T")
    .Output("found: bool")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(tensorflow::shape_inference::ScalarShape)
    .Doc(R"doc(
Tells whether any element is not zero.

As `Any(NotEqual(value, 0))`, but it looks no further than the first that is not: at a gradient, of
which nearly none is zero, no more than a few.

value: any tensor.
found: false of no elements, and of zeros of either sign; true where there is a NaN.
)doc");

}  // namespace recursive_tf
