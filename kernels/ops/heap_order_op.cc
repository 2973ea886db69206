// Op definition of HeapOrder.

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace recursive_tf {

REGISTER_OP("RecursiveTf>HeapOrder")
    .Input("ranks: int32")
    .Output("order: int32")
    .Attr("step: {'push', 'pop', 'replace', 'pushpop', 'heapify'}")
    .SetShapeFn([](tensorflow::shape_inference::InferenceContext* c) {
      tensorflow::shape_inference::ShapeHandle ranks;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &ranks));
      c->set_output(0, ranks);
      return absl::OkStatus();
    })
    .Doc(R"doc(
Does to a list what a function of Python's heapq does.

ranks: the elements in their order, equal ones the same, [N]; for "push",
  "replace" and "pushpop" the last one is the item that is put in.
order: where the elements of the list come from, [N]; for "pop", "replace" and
  "pushpop" the last one is the item that is taken out.
step: which function.
)doc");

}  // namespace recursive_tf
