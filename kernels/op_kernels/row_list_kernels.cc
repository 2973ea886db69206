// Kernels of RowToken, TapRows, TapTable, ListRows and ListedRows, and the
// variant functions by which gradients add lists of rows.

#include <complex>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/runtime/row_list.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/variant_op_registry.h"

namespace recursive_tf {

namespace tf = tensorflow;

static absl::Status NoRowsYet(tf::OpKernelContext*, const RowList&,
                              RowList* zeros) {
  *zeros = RowList();
  return absl::OkStatus();
}

static absl::Status RowListSum(tf::OpKernelContext*, const RowList& first,
                               const RowList& second, RowList* sum) {
  *sum = RowList::Sum(first, second);
  return absl::OkStatus();
}

static void SetList(tf::OpKernelContext* ctx, RowList list) {
  tf::Tensor* output = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {}, &output));
  output->scalar<tf::Variant>()() = std::move(list);
}

class RowTokenOp final : public tf::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(tf::OpKernelContext* ctx) override { SetList(ctx, RowList()); }

  bool IsExpensive() override { return false; }
};

class TapOp final : public tf::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(tf::OpKernelContext* ctx) override {
    ctx->set_output(0, ctx->input(0));
  }

  bool IsExpensive() override { return false; }
};

class ListRowsOp final : public tf::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(tf::OpKernelContext* ctx) override {
    SetList(ctx, RowList({ctx->input(0), ctx->input(1)}));
  }

  bool IsExpensive() override { return false; }
};

// Writes the row numbers of a part.
static void CopyIndices(const tf::Tensor& from, int64_t* to) {
  if (from.dtype() == tf::DT_INT64) {
    const auto numbers = from.flat<int64_t>();
    std::copy(numbers.data(), numbers.data() + numbers.size(), to);
  } else {
    const auto numbers = from.flat<int32_t>();
    std::copy(numbers.data(), numbers.data() + numbers.size(), to);
  }
}

class ListedRowsOp final : public tf::OpKernel {
 public:
  explicit ListedRowsOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("T", &dtype_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("row_shape", &row_));
  }

  void Compute(tf::OpKernelContext* ctx) override {
    const tf::Tensor& input = ctx->input(0);
    const RowList* list = input.dims() == 0
                              ? input.scalar<tf::Variant>()().get<RowList>()
                              : nullptr;
    OP_REQUIRES(ctx, list != nullptr,
                absl::InvalidArgumentError(
                    "recursive_tf: expected a list of rows, found another "
                    "tensor"));
    const std::vector<const RowList::Part*> parts = list->Parts();
    int64_t num_rows = 0;
    for (const RowList::Part* part : parts) {
      const int64_t count = part->indices.NumElements();
      OP_REQUIRES(ctx,
                  part->values.dtype() == dtype_ &&
                      part->values.NumElements() == count * row_.num_elements(),
                  absl::InvalidArgumentError(absl::StrCat(
                      "recursive_tf: gradients of shape ",
                      part->values.shape().DebugString(), " for ", count,
                      " rows of shape ", row_.DebugString())));
      num_rows += count;
    }
    tf::TensorShape shape({num_rows});
    shape.AppendShape(row_);
    tf::Tensor* values = nullptr;
    tf::Tensor* indices = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &values));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, {num_rows}, &indices));
    char* to = const_cast<char*>(values->tensor_data().data());
    int64_t* numbers = indices->flat<int64_t>().data();
    for (const RowList::Part* part : parts) {
      const absl::string_view bytes = part->values.tensor_data();
      if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
      CopyIndices(part->indices, numbers);
      to += bytes.size();
      numbers += part->indices.NumElements();
    }
  }

 private:
  tf::DataType dtype_;
  tf::TensorShape row_;
};

REGISTER_KERNEL_BUILDER(Name("RecursiveTf>RowToken").Device(tf::DEVICE_CPU),
                        RowTokenOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>TapRows").Device(tf::DEVICE_CPU),
                        TapOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>TapTable").Device(tf::DEVICE_CPU),
                        TapOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>ListRows").Device(tf::DEVICE_CPU),
                        ListRowsOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>ListedRows").Device(tf::DEVICE_CPU),
                        ListedRowsOp);

}  // namespace recursive_tf

namespace tensorflow {  // The macros name TensorFlow's types unqualified.

REGISTER_UNARY_VARIANT_UNARY_OP_FUNCTION(ZEROS_LIKE_VARIANT_UNARY_OP,
                                         DEVICE_CPU, recursive_tf::RowList,
                                         recursive_tf::NoRowsYet);
REGISTER_UNARY_VARIANT_BINARY_OP_FUNCTION(ADD_VARIANT_BINARY_OP, DEVICE_CPU,
                                          recursive_tf::RowList,
                                          recursive_tf::RowListSum);

}  // namespace tensorflow
