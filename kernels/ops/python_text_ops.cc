// Op definitions of FloatText and TextRanks.

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace recursive_tf {

REGISTER_OP("RecursiveTf>FloatText")
    .Input("x: double")
    .Output("text: string")
    .Attr("digits: int = -1")
    .Attr("style: {'f', 'e', 'g'} = 'f'")
    .SetShapeFn(tensorflow::shape_inference::UnchangedShape)
    .Doc(R"doc(
Writes floats as Python does.

x: numbers, of any shape.
text: repr(x) of each, or format(x, ".<digits><style>") if digits are given.
digits: from 0 to 100; -1 for repr.
style: how they are written with digits.
)doc");

REGISTER_OP("RecursiveTf>TextRanks")
    .Input("texts: string")
    .Output("ranks: int32")
    .SetShapeFn(tensorflow::shape_inference::UnchangedShape)
    .Doc(R"doc(
Finds the order of strings, which is Python's, by code points.

texts: strings in UTF-8, of any shape.
ranks: for each, how many different ones of all are before it.
)doc");

}  // namespace recursive_tf
