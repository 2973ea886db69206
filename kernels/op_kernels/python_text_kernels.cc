// Kernels of FloatText and TextRanks: tensors around core/python_text.h.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/python_text.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/platform/denormal.h"

namespace recursive_tf {

namespace tf = tensorflow;

class FloatTextOp final : public tf::OpKernel {
 public:
  explicit FloatTextOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("digits", &digits_));
    OP_REQUIRES(ctx, digits_ >= -1 && digits_ <= 100,
                absl::InvalidArgumentError(
                    "recursive_tf: digits have to be from 0 to 100"));
    std::string style;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("style", &style));
    style_ = style == "f"   ? FloatStyle::kFixed
             : style == "e" ? FloatStyle::kExponent
                            : FloatStyle::kGeneral;
  }

  void Compute(tf::OpKernelContext* ctx) override {
    tf::Tensor* texts = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &texts));
    // TensorFlow's threads take very small numbers for zero, Python does not.
    const tf::port::ScopedDontFlushDenormal exact;
    const auto x = ctx->input(0).flat<double>();
    auto text = texts->flat<tf::tstring>();
    for (int64_t i = 0; i < x.size(); ++i) {
      text(i) =
          digits_ < 0 ? FloatText(x(i)) : FormattedText(x(i), style_, digits_);
    }
  }

 private:
  int digits_ = -1;
  FloatStyle style_ = FloatStyle::kFixed;
};

class TextRanksOp final : public tf::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(tf::OpKernelContext* ctx) override {
    tf::Tensor* ranks = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &ranks));
    const auto texts = ctx->input(0).flat<tf::tstring>();
    std::vector<std::string_view> views;
    views.reserve(texts.size());
    for (int64_t i = 0; i < texts.size(); ++i) {
      views.emplace_back(texts(i).data(), texts(i).size());
    }
    const std::vector<int32_t> found = TextRanks(views);
    std::copy(found.begin(), found.end(), ranks->flat<int32_t>().data());
  }
};

REGISTER_KERNEL_BUILDER(Name("RecursiveTf>FloatText").Device(tf::DEVICE_CPU),
                        FloatTextOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>TextRanks").Device(tf::DEVICE_CPU),
                        TextRanksOp);

}  // namespace recursive_tf
