#include "kernels/runtime/accumulator.h"

#include <cstring>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/runtime/row_gradients.h"
#include "kernels/runtime/row_tensors.h"
#include "tensorflow/core/framework/tensor_util.h"
#include "tensorflow/core/framework/types.h"

namespace recursive_tf {

namespace tf = tensorflow;

namespace {

// The operands of a product are padded with rows of zeros to a multiple of
// this. RowProduct takes any number of rows, but has no kernel for other types:
// they go to oneDNN, which keeps compiled code for each shape that a matmul has
// had. With a new number of rows in nearly every step, memory would grow by
// hundreds of MiB.
int64_t ProductRowMultiple(tf::DataType dtype) {
  return dtype == tf::DT_FLOAT || dtype == tf::DT_DOUBLE ? 1 : 64;
}

absl::Status WrongShape(const tf::TensorShape& gradient,
                        const tf::TensorShape& shape) {
  return absl::InvalidArgumentError(
      absl::StrCat("the gradient of an outer reference of shape ",
                   shape.DebugString(), " has shape ", gradient.DebugString(),
                   "; it must have the reference's. Look at what functions of "
                   "tf.custom_gradient return."));
}

absl::Status NotOfBytes(tf::DataType dtype) {
  return absl::UnimplementedError(absl::StrCat(
      "recursive_tf: gradients of type ", tf::DataTypeString(dtype)));
}

absl::Status SetZeros(tf::OpKernelContext* ctx, int output,
                      const tf::TensorShape& shape) {
  const tf::DataType dtype = ctx->expected_output_dtype(output);
  if (!tf::DataTypeCanUseMemcpy(dtype)) return NotOfBytes(dtype);
  tf::Tensor* zeros = nullptr;
  absl::Status status = ctx->allocate_output(output, shape, &zeros);
  if (!status.ok()) return status;
  std::memset(zeros->data(), 0, zeros->TotalBytes());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Accumulator::Kind> Accumulator::ParseKind(
    const std::string& kind) {
  if (kind == "dense") return Kind::kDense;
  if (kind == "slices") return Kind::kSlices;
  if (kind == "product" || kind == "rounded_product") return Kind::kProduct;
  return absl::InvalidArgumentError(
      absl::StrCat("recursive_tf: accumulator kind '", kind, "'"));
}

absl::Status Accumulator::AddDense(tf::Tensor gradient) {
  if (kind_ != Kind::kDense || gradient.dtype() != dtype_) {
    return absl::InternalError("recursive_tf: not a dense accumulator");
  }
  MutexLock lock(&mu_);
  if (dense_.empty()) {
    dense_.push_back(gradient.RefCountIsOne() ? std::move(gradient)
                                              : tf::tensor::DeepCopy(gradient));
    return absl::OkStatus();
  }
  tf::Tensor& sum = dense_.front();
  if (sum.shape() != gradient.shape()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "recursive_tf: gradients of one outer reference have shapes ",
        sum.shape().DebugString(), " and ", gradient.shape().DebugString()));
  }
  return AddToTensor(gradient, &sum);
}

absl::Status Accumulator::AddRows(Kind kind, tf::Tensor first,
                                  tf::Tensor second) {
  if (kind_ != kind || first.dtype() != dtype_ || first.dims() < 1 ||
      second.dims() < 1 || first.dim_size(0) != second.dim_size(0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "recursive_tf: cannot collect gradient rows of shapes ",
        first.shape().DebugString(), " and ", second.shape().DebugString()));
  }
  MutexLock lock(&mu_);
  first_.push_back(std::move(first));
  second_.push_back(std::move(second));
  return absl::OkStatus();
}

absl::Status Accumulator::AddAll(Accumulator* other) {
  std::vector<tf::Tensor> dense, first, second;
  {
    MutexLock lock(&other->mu_);
    dense.swap(other->dense_);
    first.swap(other->first_);
    second.swap(other->second_);
  }
  for (tf::Tensor& gradient : dense) {
    absl::Status status = AddDense(std::move(gradient));
    if (!status.ok()) return status;
  }
  MutexLock lock(&mu_);
  std::move(first.begin(), first.end(), std::back_inserter(first_));
  std::move(second.begin(), second.end(), std::back_inserter(second_));
  return absl::OkStatus();
}

absl::Status Accumulator::EmitDense(tf::OpKernelContext* ctx, int output,
                                    const tf::TensorShape& shape) {
  MutexLock lock(&mu_);
  if (dense_.empty()) return SetZeros(ctx, output, shape);
  if (dense_.front().shape() != shape) {
    return WrongShape(dense_.front().shape(), shape);
  }
  ctx->set_output(output, dense_.front());
  return absl::OkStatus();
}

absl::Status Accumulator::EmitConcat(tf::OpKernelContext* ctx, int output,
                                     std::vector<tf::Tensor> rows,
                                     tf::DataType dtype,
                                     tf::TensorShape row_shape,
                                     int64_t row_multiple) {
  int64_t num_rows = 0;
  for (const tf::Tensor& part : rows) num_rows += part.dim_size(0);
  num_rows = (num_rows + row_multiple - 1) / row_multiple * row_multiple;
  if (!tf::DataTypeCanUseMemcpy(dtype)) return NotOfBytes(dtype);
  auto shape = StackedShape(num_rows, row_shape);
  if (!shape.ok()) return shape.status();
  // One step has all rows, as that of a batch's leaves has: they are there.
  if (rows.size() == 1 && rows[0].shape() == *shape &&
      rows[0].dtype() == ctx->expected_output_dtype(output) &&
      rows[0].IsAligned()) {
    ctx->set_output(output, rows[0]);
    return absl::OkStatus();
  }
  tf::Tensor* all = nullptr;
  absl::Status status = ctx->allocate_output(output, *shape, &all);
  if (!status.ok()) return status;
  if (all->dtype() != dtype) {
    return absl::InternalError("recursive_tf: slot type differs from output");
  }
  char* to = const_cast<char*>(all->tensor_data().data());
  for (const tf::Tensor& part : rows) {
    tf::TensorShape part_shape = part.shape();
    part_shape.RemoveDim(0);
    if (part_shape != row_shape || part.dtype() != dtype) {
      return WrongShape(part_shape, row_shape);
    }
    std::memcpy(to, part.tensor_data().data(), part.TotalBytes());
    to += part.TotalBytes();
  }
  const char* end = all->tensor_data().data() + all->TotalBytes();
  std::memset(to, 0, end - to);
  return absl::OkStatus();
}

absl::Status Accumulator::Emit(tf::OpKernelContext* ctx, int* output,
                               const tf::TensorShape& shape) {
  if (kind_ == Kind::kDense) return EmitDense(ctx, (*output)++, shape);
  std::vector<tf::Tensor> first;
  std::vector<tf::Tensor> second;
  {
    MutexLock lock(&mu_);
    first = std::move(first_);
    second = std::move(second_);
  }
  tf::TensorShape first_row;
  tf::TensorShape second_row;
  if (shape.dims() < (kind_ == Kind::kSlices ? 1 : 2)) {
    return absl::InvalidArgumentError(
        absl::StrCat("recursive_tf: an outer reference of shape ",
                     shape.DebugString(), " has a gradient of rows"));
  }
  if (kind_ == Kind::kSlices) {
    first_row = shape;
    first_row.RemoveDim(0);
  } else {
    first_row.AddDim(shape.dim_size(0));
    second_row.AddDim(shape.dim_size(1));
  }
  const int64_t row_multiple =
      kind_ == Kind::kProduct ? ProductRowMultiple(dtype_) : 1;
  absl::Status status = EmitConcat(ctx, (*output)++, std::move(first), dtype_,
                                   first_row, row_multiple);
  if (!status.ok()) return status;
  return EmitConcat(ctx, (*output)++, std::move(second),
                    kind_ == Kind::kSlices ? index_dtype_ : dtype_, second_row,
                    row_multiple);
}

}  // namespace recursive_tf
