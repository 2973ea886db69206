// Kernels of PythonScalarUnary and PythonScalarBinary: tensors around
// core/python_scalars.h.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/core/python_scalars.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/platform/denormal.h"

namespace recursive_tf {

namespace tf = tensorflow;

// Three tensors of kinds, bits and texts; one of a scalar again and again.
class ScalarReader {
 public:
  ScalarReader(const tf::Tensor& kinds, const tf::Tensor& bits,
               const tf::Tensor& texts)
      : kinds_(kinds.flat<int32_t>().data()),
        bits_(bits.flat<int64_t>().data()),
        texts_(texts.flat<tf::tstring>().data()),
        kind_stride_(kinds.dims() == 0 ? 0 : 1),
        bits_stride_(bits.dims() == 0 ? 0 : 1),
        text_stride_(texts.dims() == 0 ? 0 : 1) {}

  PythonScalar operator[](int64_t i) const {
    PythonScalar found;
    found.kind = static_cast<ScalarKind>(kinds_[i * kind_stride_]);
    if (found.kind == ScalarKind::kStr) {
      const tf::tstring& text = texts_[i * text_stride_];
      found.text = std::string_view(text.data(), text.size());
    } else {
      found.bits = bits_[i * bits_stride_];
    }
    return found;
  }

 private:
  const int32_t* const kinds_;
  const int64_t* const bits_;
  const tf::tstring* const texts_;
  const int64_t kind_stride_, bits_stride_, text_stride_;
};

class PythonScalarOp : public tf::OpKernel {
 public:
  explicit PythonScalarOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("op", &op_));
  }

  bool IsExpensive() override { return false; }

 protected:
  const std::string& op() const { return op_; }

  absl::Status Unknown() const {
    return absl::InvalidArgumentError(
        absl::StrCat("recursive_tf: no Python operation ", op_));
  }

  // Computes all results: `function` sets one and returns null, or why not.
  template <typename Function>
  void ForEach(tf::OpKernelContext* ctx, const Function& function) const {
    tf::TensorShape shape;  // Of all that are no scalars.
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      const tf::TensorShape& own = ctx->input(i).shape();
      if (shape.dims() == 0) shape = own;
      OP_REQUIRES(ctx, own.dims() == 0 || own == shape,
                  absl::InvalidArgumentError(absl::StrCat(
                      "recursive_tf: ", op_, " of several shapes")));
    }
    tf::Tensor *kinds = nullptr, *bits = nullptr, *texts = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &kinds));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, shape, &bits));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(2, shape, &texts));
    // TensorFlow's threads take very small numbers for zero, Python does not.
    const tf::port::ScopedDontFlushDenormal exact;
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      PythonScalarResult found;
      const char* reason = function(i, &found);
      OP_REQUIRES(ctx, reason == nullptr,
                  absl::InvalidArgumentError(absl::StrCat(
                      "recursive_tf: check failed: ", op_, ": ", reason)));
      kinds->flat<int32_t>()(i) = static_cast<int32_t>(found.kind);
      bits->flat<int64_t>()(i) = found.bits;
      texts->flat<tf::tstring>()(i) = std::move(found.text);
    }
  }

 private:
  std::string op_;
};

class PythonScalarUnaryOp final : public PythonScalarOp {
 public:
  explicit PythonScalarUnaryOp(tf::OpKernelConstruction* ctx)
      : PythonScalarOp(ctx) {
    if (!ctx->status().ok()) return;
    function_ = FindScalarUnary(op());
    OP_REQUIRES(ctx, function_, Unknown());
  }

  void Compute(tf::OpKernelContext* ctx) override {
    const ScalarReader x(ctx->input(0), ctx->input(1), ctx->input(2));
    ForEach(ctx, [&](int64_t i, PythonScalarResult* z) {
      return function_(x[i], z);
    });
  }

 private:
  ScalarUnary function_ = nullptr;
};

class PythonScalarBinaryOp final : public PythonScalarOp {
 public:
  explicit PythonScalarBinaryOp(tf::OpKernelConstruction* ctx)
      : PythonScalarOp(ctx) {
    if (!ctx->status().ok()) return;
    function_ = FindScalarBinary(op());
    OP_REQUIRES(ctx, function_, Unknown());
  }

  void Compute(tf::OpKernelContext* ctx) override {
    const ScalarReader x(ctx->input(0), ctx->input(1), ctx->input(2));
    const ScalarReader y(ctx->input(3), ctx->input(4), ctx->input(5));
    ForEach(ctx, [&](int64_t i, PythonScalarResult* z) {
      return (*function_)(x[i], y[i], z);
    });
  }

 private:
  std::unique_ptr<const ScalarBinary> function_;
};

class PythonScalarRanksOp final : public tf::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(tf::OpKernelContext* ctx) override {
    const tf::TensorShape& shape = ctx->input(0).shape();
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      const tf::TensorShape& own = ctx->input(i).shape();
      OP_REQUIRES(ctx, shape.dims() == 1 && (own.dims() == 0 || own == shape),
                  absl::InvalidArgumentError(
                      "recursive_tf: ranks of scalars of several shapes"));
    }
    const ScalarReader x(ctx->input(0), ctx->input(1), ctx->input(2));
    std::vector<PythonScalar> scalars;
    scalars.reserve(shape.num_elements());
    for (int64_t i = 0; i < shape.num_elements(); ++i) scalars.push_back(x[i]);
    // TensorFlow's threads take very small numbers for zero, Python does not.
    const tf::port::ScopedDontFlushDenormal exact;
    std::vector<int32_t> ranks;
    const char* reason = ScalarRanks(scalars, &ranks);
    OP_REQUIRES(ctx, reason == nullptr,
                absl::InvalidArgumentError(absl::StrCat(
                    "recursive_tf: check failed: order: ", reason)));
    tf::Tensor* found = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &found));
    std::copy(ranks.begin(), ranks.end(), found->flat<int32_t>().data());
  }
};

REGISTER_KERNEL_BUILDER(
    Name("RecursiveTf>PythonScalarRanks").Device(tf::DEVICE_CPU),
    PythonScalarRanksOp);
REGISTER_KERNEL_BUILDER(
    Name("RecursiveTf>PythonScalarUnary").Device(tf::DEVICE_CPU),
    PythonScalarUnaryOp);
REGISTER_KERNEL_BUILDER(
    Name("RecursiveTf>PythonScalarBinary").Device(tf::DEVICE_CPU),
    PythonScalarBinaryOp);

}  // namespace recursive_tf
