// Op definitions of the cells' fused gates: LstmGates and its gradient.

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace recursive_tf {

using tensorflow::shape_inference::DimensionHandle;
using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

// Checks the input `index`, which `what` names, against `expected`, and adds to
// `expected` what the input knows.
static absl::Status MergeInput(InferenceContext* ctx, int index,
                               const char* what, ShapeHandle* expected) {
  const ShapeHandle given = ctx->input(index);
  ShapeHandle merged;
  if (ctx->Merge(given, *expected, &merged).ok()) {
    *expected = merged;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "recursive_tf: LSTM gates: ", what, " has shape ",
      ctx->DebugString(given), ", expected ", ctx->DebugString(*expected)));
}

// Reads the shape of the gates from input 0: `gates` [..., (3+N)*D], and `own`
// [..., D], the shape of everything else that has rows.
static absl::Status GateShapes(InferenceContext* ctx, int num_memories,
                               ShapeHandle* gates, ShapeHandle* own) {
  *gates = ctx->input(0);
  if (!ctx->RankKnown(*gates)) {
    *own = ctx->UnknownShape();
    return absl::OkStatus();
  }
  const int64_t num_gates = 3 + num_memories;
  DimensionHandle width;
  if (ctx->Rank(*gates) == 0 || !ctx->Divide(ctx->Dim(*gates, -1), num_gates,
                                             /*evenly_divisible=*/true, &width)
                                     .ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "recursive_tf: LSTM gates: gates has shape ", ctx->DebugString(*gates),
        "; with ", num_memories,
        " memories its last dimension must be a multiple of ", num_gates));
  }
  return ctx->ReplaceDim(*gates, -1, width, own);
}

// Returns [(3+N)*D].
static ShapeHandle BiasShape(InferenceContext* ctx, ShapeHandle gates) {
  return ctx->Vector(ctx->RankKnown(gates) ? ctx->Dim(gates, -1)
                                           : ctx->UnknownDim());
}

static absl::Status LstmGatesShapes(InferenceContext* ctx) {
  int num_memories = 0, num_biases = 0;
  absl::Status status = ctx->GetAttr("N", &num_memories);
  if (status.ok()) status = ctx->GetAttr("num_biases", &num_biases);
  ShapeHandle gates, own;
  if (status.ok()) status = GateShapes(ctx, num_memories, &gates, &own);
  for (int k = 0; k < num_memories && status.ok(); ++k) {
    status = MergeInput(ctx, 1 + k, "a memory", &own);
  }
  if (status.ok() && num_biases > 0) {
    ShapeHandle bias = BiasShape(ctx, gates);
    status = MergeInput(ctx, 1 + num_memories, "bias", &bias);
  }
  if (!status.ok()) return status;
  ctx->set_output(0, own);
  ctx->set_output(1, own);
  ctx->set_output(2, gates);
  return absl::OkStatus();
}

static absl::Status LstmGatesGradShapes(InferenceContext* ctx) {
  int num_memories = 0, num_biases = 0;
  absl::Status status = ctx->GetAttr("N", &num_memories);
  if (status.ok()) status = ctx->GetAttr("num_biases", &num_biases);
  ShapeHandle gates, own;
  if (status.ok()) status = GateShapes(ctx, num_memories, &gates, &own);
  for (int k = 0; k < num_memories && status.ok(); ++k) {
    status = MergeInput(ctx, 1 + k, "a memory", &own);
  }
  const char* const names[] = {"c", "dh", "dc"};
  for (int j = 0; j < 3 && status.ok(); ++j) {
    status = MergeInput(ctx, 1 + num_memories + j, names[j], &own);
  }
  if (!status.ok()) return status;
  ctx->set_output(0, gates);
  for (int k = 0; k < num_memories; ++k) ctx->set_output(1 + k, own);
  for (int i = 0; i < num_biases; ++i) {
    ctx->set_output(1 + num_memories + i, BiasShape(ctx, gates));
  }
  return absl::OkStatus();
}

REGISTER_OP("RecursiveTf>LstmGates")
    .Input("gates: T")
    .Input("memories: N * T")
    .Input("bias: num_biases * T")
    .Output("h: T")
    .Output("c: T")
    .Output("activations: T")
    .Attr("T: {float, double}")
    .Attr("N: int >= 0")
    .Attr("num_biases: int >= 0")
    .SetShapeFn(LstmGatesShapes)
    .Doc(R"doc(
Computes the gates of an LSTM-type cell with N memories, all rows at once.

The columns of `gates` are those of i, o, f_1 .. f_N, u, each of width D:

    i, o, f_k = sigmoid(gates + bias),  u = tanh(gates + bias)
    c = i u + sum over k of f_k c_k
    h = o tanh(c)

gates: [..., (3+N)*D], before the nonlinearities.
memories: c_1 .. c_N, [..., D] each.
bias: One of [(3+N)*D], or none.
h: [..., D].
c: [..., D].
activations: [..., (3+N)*D], for the gradient: i, o, f_1 .. f_N, u.
)doc");

REGISTER_OP("RecursiveTf>LstmGatesGrad")
    .Input("activations: T")
    .Input("memories: N * T")
    .Input("c: T")
    .Input("dh: T")
    .Input("dc: T")
    .Output("dgates: T")
    .Output("dmemories: N * T")
    .Output("dbias: num_biases * T")
    .Attr("T: {float, double}")
    .Attr("N: int >= 0")
    .Attr("num_biases: int >= 0")
    .SetShapeFn(LstmGatesGradShapes)
    .Doc(R"doc(
Computes the gradients of an LstmGates.

activations: Of the LstmGates, [..., (3+N)*D].
memories: As given to it, [..., D] each.
c: Of the LstmGates, [..., D].
dh: The gradient of its `h`, [..., D].
dc: The gradient of its `c`, [..., D].
dgates: [..., (3+N)*D].
dmemories: [..., D] each.
dbias: [(3+N)*D], the sum of all rows of `dgates`, where there is a bias.
)doc");

}  // namespace recursive_tf
