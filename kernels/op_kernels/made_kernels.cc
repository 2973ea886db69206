// Kernels of NewMade, Make, MakeRows, MadeSite, MadeParts, MadeSites,
// MadeColumns and DropMade, and of their gradients: tensors around
// runtime/made_objects.h and runtime/made_gradients.h.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/runtime/made_gradients.h"
#include "kernels/runtime/made_objects.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/tensor_util.h"
#include "tensorflow/core/framework/types.h"

namespace recursive_tf {

namespace tf = tensorflow;

static absl::StatusOr<int64_t> NumberOf(const tf::Tensor& table) {
  if (table.dims() != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("recursive_tf: expected a table's number, found a tensor "
                     "of shape ",
                     table.shape().DebugString()));
  }
  return table.scalar<int64_t>()();
}

static absl::StatusOr<std::shared_ptr<MadeObjects>> TableOf(
    const tf::Tensor& table) {
  absl::StatusOr<int64_t> number = NumberOf(table);
  if (!number.ok()) return number.status();
  return MadeTables::Get().Find(*number);
}

class NewMadeOp final : public tf::OpKernel {
 public:
  explicit NewMadeOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {}

  void Compute(tf::OpKernelContext* ctx) override {
    tf::Tensor* table = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {}, &table));
    table->scalar<int64_t>()() = MadeTables::Get().New();
  }
};

// A kernel for objects of one kind.
class OfSiteOp : public tf::OpKernel {
 protected:
  explicit OfSiteOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("site", &site_));
  }

  int32_t site_ = 0;
};

class MakeOp final : public OfSiteOp {
 public:
  explicit MakeOp(tf::OpKernelConstruction* ctx) : OfSiteOp(ctx) {}

  void Compute(tf::OpKernelContext* ctx) override {
    absl::StatusOr<std::shared_ptr<MadeObjects>> table = TableOf(ctx->input(0));
    OP_REQUIRES_OK(ctx, table.status());
    MadeObject object{site_, {}};
    for (int i = 1; i < ctx->num_inputs(); ++i) {
      object.parts.push_back(tf::tensor::DeepCopy(ctx->input(i)));
    }
    absl::StatusOr<int32_t> made = (*table)->Add(std::move(object));
    OP_REQUIRES_OK(ctx, made.status());
    tf::Tensor* handle = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {}, &handle));
    handle->scalar<double>()() = *made;
  }

  bool IsExpensive() override { return false; }
};

class MakeRowsOp final : public OfSiteOp {
 public:
  explicit MakeRowsOp(tf::OpKernelConstruction* ctx) : OfSiteOp(ctx) {}

  void Compute(tf::OpKernelContext* ctx) override {
    absl::StatusOr<std::shared_ptr<MadeObjects>> table = TableOf(ctx->input(0));
    OP_REQUIRES_OK(ctx, table.status());
    OP_REQUIRES(ctx, ctx->input(1).dims() == 0,
                absl::InvalidArgumentError(
                    "recursive_tf: MakeRows needs a number of rows"));
    const int64_t length = ctx->input(1).scalar<int32_t>()();
    bool has_rows = length >= 0;
    // A branch that fails the run gives no elements, in tensors of one row.
    for (int i = 2; length != 0 && i < ctx->num_inputs(); ++i) {
      const tf::Tensor& part = ctx->input(i);
      has_rows = has_rows && part.dims() > 0 && part.dim_size(0) == length;
    }
    OP_REQUIRES(ctx, has_rows,
                absl::InvalidArgumentError(
                    absl::StrCat("recursive_tf: parts of ", length,
                                 " objects have other numbers of rows")));
    tf::Tensor* handles = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {length}, &handles));
    for (int64_t row = 0; row < length; ++row) {
      MadeObject object{site_, {}};
      for (int i = 2; i < ctx->num_inputs(); ++i) {
        object.parts.push_back(
            tf::tensor::DeepCopy(ctx->input(i).SubSlice(row)));
      }
      absl::StatusOr<int32_t> made = (*table)->Add(std::move(object));
      OP_REQUIRES_OK(ctx, made.status());
      handles->vec<double>()(row) = *made;
    }
  }
};

static absl::StatusOr<int32_t> HandleOf(const tf::Tensor& handle) {
  if (handle.dims() == 0) {
    return static_cast<int32_t>(handle.scalar<double>()());
  }
  return absl::InvalidArgumentError(
      absl::StrCat("recursive_tf: expected a handle, found a tensor of shape ",
                   handle.shape().DebugString()));
}

class MadeSiteOp final : public tf::OpKernel {
 public:
  explicit MadeSiteOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {}

  void Compute(tf::OpKernelContext* ctx) override {
    absl::StatusOr<std::shared_ptr<MadeObjects>> table = TableOf(ctx->input(0));
    OP_REQUIRES_OK(ctx, table.status());
    absl::StatusOr<int32_t> handle = HandleOf(ctx->input(1));
    OP_REQUIRES_OK(ctx, handle.status());
    tf::Tensor* site = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {}, &site));
    site->scalar<int32_t>()() = (*table)->SiteOf(*handle);
  }

  bool IsExpensive() override { return false; }
};

// Whether an object's parts are tensors of these types.
static bool HasTypes(const MadeObject& object,
                     const tf::DataTypeVector& types) {
  return std::equal(object.parts.begin(), object.parts.end(), types.begin(),
                    types.end(), [](const tf::Tensor& part, tf::DataType type) {
                      return part.dtype() == type;
                    });
}

class MadePartsOp final : public OfSiteOp {
 public:
  explicit MadePartsOp(tf::OpKernelConstruction* ctx) : OfSiteOp(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Tparts", &types_));
  }

  void Compute(tf::OpKernelContext* ctx) override {
    absl::StatusOr<std::shared_ptr<MadeObjects>> table = TableOf(ctx->input(0));
    OP_REQUIRES_OK(ctx, table.status());
    absl::StatusOr<int32_t> handle = HandleOf(ctx->input(1));
    OP_REQUIRES_OK(ctx, handle.status());
    absl::StatusOr<MadeObject> object = (*table)->Find(*handle);
    OP_REQUIRES_OK(ctx, object.status());
    OP_REQUIRES(ctx, object->site == site_ && HasTypes(*object, types_),
                absl::InvalidArgumentError(absl::StrCat(
                    "recursive_tf: an object of kind ", object->site,
                    " is read as one of kind ", site_)));
    for (int i = 0; i < ctx->num_outputs(); ++i) {
      ctx->set_output(i, object->parts[static_cast<size_t>(i)]);
    }
  }

  bool IsExpensive() override { return false; }

 private:
  tf::DataTypeVector types_;
};

class MadeSitesOp final : public tf::OpKernel {
 public:
  explicit MadeSitesOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {}

  void Compute(tf::OpKernelContext* ctx) override {
    absl::StatusOr<std::shared_ptr<MadeObjects>> table = TableOf(ctx->input(0));
    OP_REQUIRES_OK(ctx, table.status());
    const std::vector<MadeObject> objects = (*table)->objects();
    tf::Tensor* sites = nullptr;
    const int64_t size = static_cast<int64_t>(objects.size());
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {size}, &sites));
    std::transform(objects.begin(), objects.end(), sites->vec<int32_t>().data(),
                   [](const MadeObject& object) { return object.site; });
  }
};

// Copies the elements of `from` to those of `to` from `begin` on.
static absl::Status Append(const tf::Tensor& from, int64_t begin,
                           tf::Tensor* to) {
  if (from.dtype() == tf::DT_STRING) {
    const auto strings = from.flat<tf::tstring>();
    std::copy_n(strings.data(), strings.size(),
                to->flat<tf::tstring>().data() + begin);
    return absl::OkStatus();
  }
  if (!tf::DataTypeCanUseMemcpy(from.dtype())) {
    return absl::InvalidArgumentError(
        absl::StrCat("recursive_tf: an object has a part of type ",
                     tf::DataTypeString(from.dtype())));
  }
  const int64_t size = tf::DataTypeSize(from.dtype());
  const char* source = static_cast<const char*>(from.data());
  std::copy_n(source, from.NumElements() * size,
              static_cast<char*>(to->data()) + begin * size);
  return absl::OkStatus();
}

class MadeColumnsOp final : public OfSiteOp {
 public:
  explicit MadeColumnsOp(tf::OpKernelConstruction* ctx) : OfSiteOp(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("T", &types_));
    int64_t num_columns = 0;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_columns", &num_columns));
    OP_REQUIRES(ctx, num_columns == static_cast<int64_t>(types_.size()),
                absl::InvalidArgumentError(
                    "recursive_tf: MadeColumns needs a type for each column"));
  }

  void Compute(tf::OpKernelContext* ctx) override {
    absl::StatusOr<std::shared_ptr<MadeObjects>> table = TableOf(ctx->input(0));
    OP_REQUIRES_OK(ctx, table.status());
    std::vector<MadeObject> objects = (*table)->objects();
    objects.erase(std::remove_if(objects.begin(), objects.end(),
                                 [this](const MadeObject& object) {
                                   return object.site != site_;
                                 }),
                  objects.end());
    for (const MadeObject& object : objects) {
      OP_REQUIRES(
          ctx, HasTypes(object, types_),
          absl::InvalidArgumentError(absl::StrCat(
              "recursive_tf: objects of kind ", site_, " have other parts")));
    }
    for (size_t column = 0; column < types_.size(); ++column) {
      OP_REQUIRES_OK(ctx, Read(ctx, objects, column));
    }
  }

 private:
  absl::Status Read(tf::OpKernelContext* ctx,
                    const std::vector<MadeObject>& objects,
                    size_t column) const {
    const int64_t count = static_cast<int64_t>(objects.size());
    const int rank = objects.empty() ? 0 : objects[0].parts[column].dims();
    int64_t size = 0;
    for (const MadeObject& object : objects) {
      const tf::Tensor& part = object.parts[column];
      if (part.dims() != rank) {
        return absl::InvalidArgumentError(
            "recursive_tf: a part of objects of one kind has several ranks");
      }
      size += part.NumElements();
    }
    tf::Tensor* values = nullptr;
    const int index = static_cast<int>(column);
    absl::Status status = ctx->allocate_output(index, {size}, &values);
    if (!status.ok()) return status;
    tf::Tensor* shapes = nullptr;
    status = ctx->allocate_output(index + static_cast<int>(types_.size()),
                                  {count, rank}, &shapes);
    if (!status.ok()) return status;
    int64_t begin = 0;
    auto sizes = shapes->matrix<int32_t>();
    for (int64_t row = 0; row < count; ++row) {
      const tf::Tensor& part = objects[row].parts[column];
      if (status = Append(part, begin, values); !status.ok()) return status;
      for (int i = 0; i < rank; ++i) {
        sizes(row, i) = static_cast<int32_t>(part.dim_size(i));
      }
      begin += part.NumElements();
    }
    return absl::OkStatus();
  }

  tf::DataTypeVector types_;
};

class DropMadeOp final : public tf::OpKernel {
 public:
  explicit DropMadeOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {}

  void Compute(tf::OpKernelContext* ctx) override {
    absl::StatusOr<int64_t> number = NumberOf(ctx->input(0));
    OP_REQUIRES_OK(ctx, number.status());
    MadeTables::Get().Drop(*number);
  }
};

static absl::Status NoBackwardRun() {
  return absl::FailedPreconditionError(
      "recursive_tf: gradients of objects outside of a backward run");
}

class AddMadeGradientsOp final : public tf::OpKernel {
 public:
  explicit AddMadeGradientsOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {}

  void Compute(tf::OpKernelContext* ctx) override {
    MadeGradients* made = MadeGradients::Find(ctx);
    OP_REQUIRES(ctx, made != nullptr, NoBackwardRun());
    absl::StatusOr<int32_t> handle = HandleOf(ctx->input(0));
    OP_REQUIRES_OK(ctx, handle.status());
    std::vector<tf::Tensor> gradients;
    for (int i = 1; i < ctx->num_inputs(); ++i) {
      gradients.push_back(ctx->input(i));
    }
    OP_REQUIRES_OK(ctx, made->Add(*handle, std::move(gradients)));
    tf::Tensor* token = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {}, &token));
    token->scalar<double>()() = 0;
  }

  bool IsExpensive() override { return false; }
};

class TakeMadeGradientsOp final : public tf::OpKernel {
 public:
  explicit TakeMadeGradientsOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Tparts", &types_));
    int64_t num_parts = 0;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_parts", &num_parts));
    OP_REQUIRES(ctx, num_parts == static_cast<int64_t>(types_.size()),
                absl::InvalidArgumentError(
                    "recursive_tf: TakeMadeGradients needs the type of each "
                    "part"));
  }

  void Compute(tf::OpKernelContext* ctx) override {
    MadeGradients* made = MadeGradients::Find(ctx);
    OP_REQUIRES(ctx, made != nullptr, NoBackwardRun());
    const tf::Tensor& handles = ctx->input(0);
    const bool is_of_rows = handles.dims() > 0;
    const int num_parts = static_cast<int>(types_.size());
    std::vector<tf::Tensor*> outputs(num_parts, nullptr);
    for (int i = 0; i < num_parts; ++i) {
      tf::TensorShape shape;
      OP_REQUIRES_OK(ctx, tf::tensor::MakeShape(ctx->input(2 + i), &shape));
      OP_REQUIRES(ctx,
                  !is_of_rows || (shape.dims() > 0 &&
                                  shape.dim_size(0) == handles.NumElements()),
                  absl::InvalidArgumentError(
                      "recursive_tf: as many rows as handles are expected"));
      OP_REQUIRES_OK(ctx, ctx->allocate_output(i, shape, &outputs[i]));
    }
    for (int64_t row = 0; row < handles.NumElements(); ++row) {
      const auto handle = static_cast<int32_t>(handles.flat<double>()(row));
      const std::vector<tf::Tensor> found = made->Take(handle);
      for (int i = 0; i < num_parts; ++i) {
        tf::Tensor out = is_of_rows ? outputs[i]->SubSlice(row) : *outputs[i];
        OP_REQUIRES_OK(ctx, Write(found.empty() ? nullptr : &found[i], &out));
      }
    }
  }

 private:
  // Writes a gradient, or zeros.
  static absl::Status Write(const tf::Tensor* gradient, tf::Tensor* out) {
    char* target = static_cast<char*>(out->data());
    const int64_t size = out->NumElements() * tf::DataTypeSize(out->dtype());
    if (gradient == nullptr) {
      std::fill_n(target, size, 0);
      return absl::OkStatus();
    }
    if (gradient->dtype() != out->dtype() ||
        gradient->shape() != out->shape()) {
      return absl::InternalError(absl::StrCat(
          "recursive_tf: the gradient of an object's part of shape ",
          out->shape().DebugString(), " has shape ",
          gradient->shape().DebugString()));
    }
    std::copy_n(static_cast<const char*>(gradient->data()), size, target);
    return absl::OkStatus();
  }

  tf::DataTypeVector types_;
};

REGISTER_KERNEL_BUILDER(Name("RecursiveTf>NewMade").Device(tf::DEVICE_CPU),
                        NewMadeOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>Make").Device(tf::DEVICE_CPU),
                        MakeOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>MakeRows").Device(tf::DEVICE_CPU),
                        MakeRowsOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>MadeSite").Device(tf::DEVICE_CPU),
                        MadeSiteOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>MadeParts").Device(tf::DEVICE_CPU),
                        MadePartsOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>MadeSites").Device(tf::DEVICE_CPU),
                        MadeSitesOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>MadeColumns").Device(tf::DEVICE_CPU),
                        MadeColumnsOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>DropMade").Device(tf::DEVICE_CPU),
                        DropMadeOp);
REGISTER_KERNEL_BUILDER(
    Name("RecursiveTf>AddMadeGradients").Device(tf::DEVICE_CPU),
    AddMadeGradientsOp);
REGISTER_KERNEL_BUILDER(
    Name("RecursiveTf>TakeMadeGradients").Device(tf::DEVICE_CPU),
    TakeMadeGradientsOp);

}  // namespace recursive_tf
