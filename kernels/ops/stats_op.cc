// Op definition of RunStats.

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace recursive_tf {

REGISTER_OP("RecursiveTf>RunStats")
    .Output("stats: int64")
    .SetIsStateful()
    .SetShapeFn([](tensorflow::shape_inference::InferenceContext* ctx) {
      ctx->set_output(0, ctx->Vector(9));
      return absl::OkStatus();
    })
    .Doc(R"doc(
Reads the counters of the run that finished last, and of this process.

stats: [9]: frames, deepest frame, stash entries, stash bytes and peak stash
  bytes of the last forward run; runs alive and stash entries alive in this
  process; steps of the last forward run and rows of all its steps, both 0 if it
  was not batched.
)doc");

}  // namespace recursive_tf
