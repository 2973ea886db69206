// Op definitions of methods of Python's strings: one text of UTF-8 each.

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace recursive_tf {

using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ScalarShape;

namespace {

absl::Status UnknownVector(InferenceContext* ctx) {
  ctx->set_output(0, ctx->Vector(InferenceContext::kUnknownDim));
  return absl::OkStatus();
}

}  // namespace

REGISTER_OP("RecursiveTf>TextCharacters")
    .Input("text: string")
    .Output("characters: string")
    .SetShapeFn(UnknownVector)
    .Doc(R"doc(
Takes a text apart.

text: a text [].
characters: its code points [N], one by one.
)doc");

REGISTER_OP("RecursiveTf>TextCode")
    .Input("text: string")
    .Output("code: int64")
    .SetShapeFn(ScalarShape)
    .Doc(R"doc(
Returns the number of a character.

text: a text [].
code: its code point []; -1 if it is not one character.
)doc");

REGISTER_OP("RecursiveTf>TextSearch")
    .Input("text: string")
    .Input("part: string")
    .Input("start: int64")
    .Input("stop: int64")
    .Output("found: int64")
    .Attr("search: {'find', 'rfind', 'count', 'startswith', 'endswith'}")
    .SetShapeFn(ScalarShape)
    .Doc(R"doc(
Looks for a text in another one.

text: a text [].
part: what is looked for [].
start: from which place on, in code points [].
stop: up to which place [].
found: what the method of Python's strings gives [], truths as 0 and 1.
search: the method.
)doc");

REGISTER_OP("RecursiveTf>TextReplace")
    .Input("text: string")
    .Input("old: string")
    .Input("new: string")
    .Input("count: int64")
    .Output("replaced: string")
    .SetShapeFn(ScalarShape)
    .Doc(R"doc(
Replaces parts of a text.

text: a text [].
old: what is replaced [].
new: by what [].
count: how often at most []; below 0 without a bound.
replaced: the text then [].
)doc");

REGISTER_OP("RecursiveTf>TextStrip")
    .Input("text: string")
    .Input("characters: string")
    .Output("stripped: string")
    .Attr("at_start: bool")
    .Attr("at_end: bool")
    .SetShapeFn(ScalarShape)
    .Doc(R"doc(
Takes characters off the ends of a text.

text: a text [].
characters: which ones [].
stripped: the text without them [].
at_start: whether they are taken off the start.
at_end: whether they are taken off the end.
)doc");

REGISTER_OP("RecursiveTf>TextSplit")
    .Input("text: string")
    .Input("separator: string")
    .Input("most: int64")
    .Output("parts: string")
    .Attr("at_spaces: bool")
    .Attr("from_right: bool")
    .SetShapeFn(UnknownVector)
    .Doc(R"doc(
Splits a text.

text: a text [].
separator: what is between the parts []; with `at_spaces` the characters that
  are spaces.
most: how many times it is split at most []; below 0 without a bound.
parts: the parts [N].
at_spaces: whether it is split as with no separator.
from_right: whether the last places count.
)doc");

REGISTER_OP("RecursiveTf>TextHas")
    .Input("text: string")
    .Input("some: int32")
    .Input("none: int32")
    .Output("has: bool")
    .SetShapeFn(ScalarShape)
    .Doc(R"doc(
Tells of which characters a text is made.

text: a text [].
some: ranges of code points [2N], where each begins and ends, in order.
none: such ranges [2M].
has: whether a character is in `some` and none in `none` [].
)doc");

}  // namespace recursive_tf
