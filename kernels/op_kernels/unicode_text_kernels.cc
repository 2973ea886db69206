// Kernels of methods of Python's strings: tensors around core/unicode_text.h.

#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/unicode_text.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

namespace tf = tensorflow;

namespace {

absl::StatusOr<std::string_view> Text(tf::OpKernelContext* ctx, int index) {
  const tf::Tensor& tensor = ctx->input(index);
  if (tensor.NumElements() != 1) {
    return absl::InvalidArgumentError("recursive_tf: no single text");
  }
  const auto& text = tensor.flat<tf::tstring>()(0);
  return std::string_view(text.data(), text.size());
}

absl::StatusOr<int64_t> Int(tf::OpKernelContext* ctx, int index) {
  const tf::Tensor& tensor = ctx->input(index);
  if (tensor.NumElements() != 1) {
    return absl::InvalidArgumentError("recursive_tf: no single number");
  }
  return tensor.flat<int64_t>()(0);
}

template <typename Value>
absl::Status Give(tf::OpKernelContext* ctx, const Value& value) {
  tf::Tensor* tensor = nullptr;
  TF_RETURN_IF_ERROR(ctx->allocate_output(0, {}, &tensor));
  tensor->scalar<Value>()() = value;
  return absl::OkStatus();
}

absl::Status GiveText(tf::OpKernelContext* ctx, std::string_view text) {
  return Give(ctx, tf::tstring(text.data(), text.size()));
}

absl::Status GiveTexts(tf::OpKernelContext* ctx,
                       const std::vector<std::string_view>& texts) {
  tf::Tensor* tensor = nullptr;
  const auto count = static_cast<int64_t>(texts.size());
  TF_RETURN_IF_ERROR(ctx->allocate_output(0, {count}, &tensor));
  auto flat = tensor->vec<tf::tstring>();
  for (int64_t i = 0; i < count; ++i) {
    flat(i).assign(texts[i].data(), texts[i].size());
  }
  return absl::OkStatus();
}

CodeRanges Ranges(const tf::Tensor& tensor) {
  const auto flat = tensor.flat<int32_t>();
  return CodeRanges(flat.data(), flat.data() + flat.size());
}

// A kernel is what `Run` does with its inputs, or why it cannot.
class TextOp : public tf::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(tf::OpKernelContext* ctx) final {
    OP_REQUIRES_OK(ctx, Run(ctx));
  }

 private:
  virtual absl::Status Run(tf::OpKernelContext* ctx) const = 0;
};

class TextCharactersOp final : public TextOp {
 public:
  using TextOp::TextOp;

 private:
  absl::Status Run(tf::OpKernelContext* ctx) const override {
    TF_ASSIGN_OR_RETURN(const std::string_view text, Text(ctx, 0));
    return GiveTexts(ctx, Characters(text));
  }
};

class TextCodeOp final : public TextOp {
 public:
  using TextOp::TextOp;

 private:
  absl::Status Run(tf::OpKernelContext* ctx) const override {
    TF_ASSIGN_OR_RETURN(const std::string_view text, Text(ctx, 0));
    return Give<int64_t>(ctx, CodeOf(text));
  }
};

class TextSearchOp final : public TextOp {
 public:
  explicit TextSearchOp(tf::OpKernelConstruction* ctx) : TextOp(ctx) {
    std::string name;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("search", &name));
    search_ = name == "find"         ? Search::kFind
              : name == "rfind"      ? Search::kFindLast
              : name == "count"      ? Search::kCount
              : name == "startswith" ? Search::kStartsWith
                                     : Search::kEndsWith;
  }

 private:
  absl::Status Run(tf::OpKernelContext* ctx) const override {
    TF_ASSIGN_OR_RETURN(const std::string_view text, Text(ctx, 0));
    TF_ASSIGN_OR_RETURN(const std::string_view part, Text(ctx, 1));
    TF_ASSIGN_OR_RETURN(const int64_t start, Int(ctx, 2));
    TF_ASSIGN_OR_RETURN(const int64_t stop, Int(ctx, 3));
    return Give<int64_t>(ctx, SearchText(search_, text, part, start, stop));
  }

  Search search_ = Search::kFind;
};

class TextReplaceOp final : public TextOp {
 public:
  using TextOp::TextOp;

 private:
  absl::Status Run(tf::OpKernelContext* ctx) const override {
    TF_ASSIGN_OR_RETURN(const std::string_view text, Text(ctx, 0));
    TF_ASSIGN_OR_RETURN(const std::string_view old, Text(ctx, 1));
    TF_ASSIGN_OR_RETURN(const std::string_view replacement, Text(ctx, 2));
    TF_ASSIGN_OR_RETURN(const int64_t count, Int(ctx, 3));
    return GiveText(ctx, ReplaceText(text, old, replacement, count));
  }
};

class TextStripOp final : public TextOp {
 public:
  explicit TextStripOp(tf::OpKernelConstruction* ctx) : TextOp(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("at_start", &at_start_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("at_end", &at_end_));
  }

 private:
  absl::Status Run(tf::OpKernelContext* ctx) const override {
    TF_ASSIGN_OR_RETURN(const std::string_view text, Text(ctx, 0));
    TF_ASSIGN_OR_RETURN(const std::string_view characters, Text(ctx, 1));
    return GiveText(ctx, StripText(text, characters, at_start_, at_end_));
  }

  bool at_start_ = true;
  bool at_end_ = true;
};

class TextSplitOp final : public TextOp {
 public:
  explicit TextSplitOp(tf::OpKernelConstruction* ctx) : TextOp(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("at_spaces", &at_spaces_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("from_right", &from_right_));
  }

 private:
  absl::Status Run(tf::OpKernelContext* ctx) const override {
    TF_ASSIGN_OR_RETURN(const std::string_view text, Text(ctx, 0));
    TF_ASSIGN_OR_RETURN(const std::string_view separator, Text(ctx, 1));
    TF_ASSIGN_OR_RETURN(const int64_t most, Int(ctx, 2));
    if (at_spaces_) {
      return GiveTexts(ctx, SplitAtSpaces(text, separator, most, from_right_));
    }
    if (separator.empty()) {
      return absl::InvalidArgumentError("recursive_tf: empty separator");
    }
    return GiveTexts(ctx, SplitText(text, separator, most, from_right_));
  }

  bool at_spaces_ = false;
  bool from_right_ = false;
};

class TextHasOp final : public TextOp {
 public:
  using TextOp::TextOp;

 private:
  absl::Status Run(tf::OpKernelContext* ctx) const override {
    TF_ASSIGN_OR_RETURN(const std::string_view text, Text(ctx, 0));
    return Give<bool>(ctx, HasSomeAndNone(text, Ranges(ctx->input(1)),
                                          Ranges(ctx->input(2))));
  }
};

}  // namespace

REGISTER_KERNEL_BUILDER(
    Name("RecursiveTf>TextCharacters").Device(tf::DEVICE_CPU),
    TextCharactersOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>TextCode").Device(tf::DEVICE_CPU),
                        TextCodeOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>TextSearch").Device(tf::DEVICE_CPU),
                        TextSearchOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>TextReplace").Device(tf::DEVICE_CPU),
                        TextReplaceOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>TextStrip").Device(tf::DEVICE_CPU),
                        TextStripOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>TextSplit").Device(tf::DEVICE_CPU),
                        TextSplitOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>TextHas").Device(tf::DEVICE_CPU),
                        TextHasOp);

}  // namespace recursive_tf
