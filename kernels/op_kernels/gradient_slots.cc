#include "kernels/op_kernels/gradient_slots.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/op_kernels/kernel_util.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/resource_var.h"
#include "tensorflow/core/platform/mutex.h"

namespace recursive_tf {

namespace tf = tensorflow;

absl::Status GradientSlots::Read(tf::OpKernelConstruction* ctx) {
  std::vector<std::string> kinds;
  TF_RETURN_IF_ERROR(ctx->GetAttr("slot_kinds", &kinds));
  TF_RETURN_IF_ERROR(ctx->GetAttr("slot_captures", &captures_));
  TF_RETURN_IF_ERROR(ctx->GetAttr("slot_shapes", &shapes_));
  TF_RETURN_IF_ERROR(ctx->GetAttr("Tslots", &dtypes_));
  size_t num_outputs = 0;
  for (const std::string& name : kinds) {
    auto kind = Accumulator::ParseKind(name);
    if (!kind.ok()) return kind.status();
    kinds_.push_back(*kind);
    num_outputs += *kind == Accumulator::Kind::kDense ? 1 : 2;
  }
  if (captures_.size() != kinds_.size() || shapes_.size() != kinds_.size() ||
      dtypes_.size() != num_outputs) {
    return Malformed(
        ctx, absl::StrCat(kinds_.size(), " slot_kinds, ", captures_.size(),
                          " slot_captures, ", shapes_.size(), " slot_shapes, ",
                          dtypes_.size(), " Tslots"));
  }
  return absl::OkStatus();
}

GradientSlots::Accumulators GradientSlots::MakeAccumulators() const {
  Accumulators accumulators;
  size_t output = 0;
  for (Accumulator::Kind kind : kinds_) {
    const tf::DataType dtype = dtypes_[output++];
    const tf::DataType second =
        kind == Accumulator::Kind::kDense ? dtype : dtypes_[output++];
    accumulators.push_back(std::make_unique<Accumulator>(kind, dtype, second));
  }
  return accumulators;
}

absl::StatusOr<tf::TensorShape> GradientSlots::Shape(
    tf::OpKernelContext* ctx, const std::vector<tf::Tensor>& captures,
    size_t slot) const {
  tf::TensorShape shape;
  if (shapes_[slot].AsTensorShape(&shape)) return shape;
  const int index = captures_[slot];
  if (index < 0 || index >= static_cast<int>(captures.size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "recursive_tf: gradient of capture ", index, " of ", captures.size()));
  }
  const tf::Tensor& capture = captures[index];
  if (capture.dtype() != tf::DT_RESOURCE) return capture.shape();
  if (capture.dims() != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("recursive_tf: a variable is one handle, got shape ",
                     capture.shape().DebugString()));
  }
  // A variable of unknown static shape has that of its value.
  tf::core::RefCountPtr<tf::Var> variable;
  absl::Status status = tf::LookupResource(
      ctx, capture.scalar<tf::ResourceHandle>()(), &variable);
  if (!status.ok()) return status;
  tf::tf_shared_lock lock(*variable->mu());
  return variable->tensor()->shape();
}

absl::Status GradientSlots::Emit(tf::OpKernelContext* ctx,
                                 const std::vector<tf::Tensor>& captures,
                                 int first_output,
                                 Accumulators* accumulators) const {
  int output = first_output;
  for (size_t slot = 0; slot < accumulators->size(); ++slot) {
    auto shape = Shape(ctx, captures, slot);
    if (!shape.ok()) return shape.status();
    absl::Status status = (*accumulators)[slot]->Emit(ctx, &output, *shape);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace recursive_tf
