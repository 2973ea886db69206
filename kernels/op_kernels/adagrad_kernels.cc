// Kernels of ApplyAdagrad and ApplyAdagradRows: checks, locks and threads
// around the loops of core/adagrad.h.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "kernels/core/adagrad.h"
#include "kernels/core/adagrad_groups.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/resource_var.h"
#include "tensorflow/core/lib/core/threadpool.h"

namespace recursive_tf {

namespace tf = tensorflow;

// A thread is worth waking for this many elements: 18 microseconds of work with
// AVX-512 where they lie in a cache, 35 where they do not.
constexpr int64_t kMinElementsPerThread = 1 << 17;

// Variables `var` and `accum` of one call, locked for writing while it lives.
//
// As in TensorFlow's training ops, tensors that were read from a variable keep
// their values: a buffer that somebody else holds is copied before it is
// written. With the lock held exclusively that is right for rows as for whole
// variables, so a variable need not go to the mode in which each read copies.
class LockedVariables {
 public:
  LockedVariables() = default;
  LockedVariables(const LockedVariables&) = delete;
  LockedVariables& operator=(const LockedVariables&) = delete;

  // The lock is conditional, which the analysis does not follow.
  ~LockedVariables() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    if (!is_locked_) return;
    var_->mu()->unlock();
    accum_->mu()->unlock();
  }

  absl::Status Lock(tf::OpKernelContext* ctx) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    absl::Status status = LookUp(ctx, 0, &var_);
    if (status.ok()) status = LookUp(ctx, 1, &accum_);
    if (!status.ok()) return status;
    if (var_.get() == accum_.get()) {
      return absl::InvalidArgumentError(
          "recursive_tf: Adagrad: var and accum are the same variable");
    }
    // Lock order of all ops that write variables: by address.
    const bool is_var_first = std::less<>()(var_->mu(), accum_->mu());
    (is_var_first ? var_ : accum_)->mu()->lock();
    (is_var_first ? accum_ : var_)->mu()->lock();
    is_locked_ = true;
    return absl::OkStatus();
  }

  const tf::Tensor& var() { return *var_->tensor(); }

  // Checks that both are initialised, of type `dtype` and of one shape.
  absl::Status Check(tf::DataType dtype) {
    for (tf::Var* variable : {var_.get(), accum_.get()}) {
      const tf::Tensor& tensor = *variable->tensor();
      const char* const what = variable == var_.get() ? "var" : "accum";
      if (!variable->is_initialized || !tensor.IsInitialized()) {
        return absl::FailedPreconditionError(absl::StrCat(
            "recursive_tf: Adagrad: ", what, " is not initialized"));
      }
      if (tensor.dtype() != dtype) {
        return absl::InvalidArgumentError(
            absl::StrCat("recursive_tf: Adagrad: ", what, " has type ",
                         tf::DataTypeString(tensor.dtype()), ", its gradient ",
                         tf::DataTypeString(dtype)));
      }
    }
    if (accum_->tensor()->shape() == var().shape()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("recursive_tf: Adagrad: accum has shape ",
                     accum_->tensor()->shape().DebugString(), ", expected ",
                     var().shape().DebugString()));
  }

  // Gives the elements to write. Nothing may fail after it.
  template <typename T>
  absl::Status ToWrite(tf::OpKernelContext* ctx, T** weights, T** sums) {
    absl::Status status = Own(ctx, var_->tensor());
    if (status.ok()) status = Own(ctx, accum_->tensor());
    if (!status.ok()) return status;
    *weights = static_cast<T*>(var_->tensor()->data());
    *sums = static_cast<T*>(accum_->tensor()->data());
    return absl::OkStatus();
  }

 private:
  static absl::Status LookUp(tf::OpKernelContext* ctx, int input,
                             tf::core::RefCountPtr<tf::Var>* variable) {
    tf::ResourceHandle handle;
    absl::Status status = tf::HandleFromInput(ctx, input, &handle);
    if (status.ok()) status = tf::LookupResource(ctx, handle, variable);
    return status;
  }

  // Replaces a buffer that somebody else holds by a copy.
  static absl::Status Own(tf::OpKernelContext* ctx, tf::Tensor* tensor) {
    if (tensor->RefCountIsOne()) return absl::OkStatus();
    tf::Tensor copy;
    const absl::Status status =
        ctx->allocate_temp(tensor->dtype(), tensor->shape(), &copy);
    if (!status.ok()) return status;
    if (tensor->TotalBytes() > 0) {
      std::memcpy(copy.data(), tensor->data(), tensor->TotalBytes());
    }
    *tensor = copy;
    return absl::OkStatus();
  }

  tf::core::RefCountPtr<tf::Var> var_;
  tf::core::RefCountPtr<tf::Var> accum_;
  bool is_locked_ = false;
};

static absl::Status CheckShape(const char* what, const tf::Tensor& tensor,
                               const tf::TensorShape& expected) {
  if (tensor.shape() == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "recursive_tf: Adagrad: ", what, " has shape ",
      tensor.shape().DebugString(), ", expected ", expected.DebugString()));
}

// Reads a scalar input.
template <typename T>
static absl::Status ReadScalar(tf::OpKernelContext* ctx, int index,
                               const char* what, T* value) {
  const tf::Tensor& tensor = ctx->input(index);
  const absl::Status status = CheckShape(what, tensor, tf::TensorShape());
  if (status.ok()) *value = tensor.scalar<T>()();
  return status;
}

// Calls work(part, num_parts) for the parts of `num_elements` elements.
static void ForEachPart(tf::OpKernelContext* ctx, int64_t num_elements,
                        const std::function<void(int64_t, int64_t)>& work) {
  const auto* pool = ctx->device()->tensorflow_cpu_worker_threads();
  const int64_t num_parts = std::min<int64_t>(
      pool->num_threads, num_elements / kMinElementsPerThread);
  if (num_parts <= 1) return work(0, 1);
  pool->workers->ParallelFor(
      num_parts, tsl::thread::ThreadPool::SchedulingParams::Fixed(1),
      [&](int64_t begin, int64_t end) {
        for (int64_t part = begin; part < end; ++part) work(part, num_parts);
      });
}

template <typename T>
class ApplyAdagradOp final : public tf::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(tf::OpKernelContext* ctx) override {
    const tf::Tensor& grad = ctx->input(5);
    Adagrad<T> args = {};
    OP_REQUIRES_OK(ctx, ReadScalar(ctx, 2, "lr", &args.rate));
    OP_REQUIRES_OK(ctx, ReadScalar(ctx, 3, "epsilon", &args.epsilon));
    OP_REQUIRES_OK(ctx, ReadScalar(ctx, 4, "l2", &args.l2));
    args.gradients = static_cast<const T*>(grad.data());
    LockedVariables variables;
    OP_REQUIRES_OK(ctx, variables.Lock(ctx));
    OP_REQUIRES_OK(ctx, variables.Check(grad.dtype()));
    OP_REQUIRES_OK(ctx, CheckShape("grad", grad, variables.var().shape()));
    OP_REQUIRES_OK(ctx, variables.ToWrite(ctx, &args.weights, &args.sums));

    const int64_t size = grad.NumElements();
    ForEachPart(ctx, size, [&](int64_t part, int64_t num_parts) {
      // Threads get whole cache lines.
      constexpr int64_t kLine = 64 / sizeof(T);
      const auto border = [&](int64_t i) {
        return i == num_parts ? size : size / kLine * i / num_parts * kLine;
      };
      ApplyAdagrad(args, border(part), border(part + 1));
    });
  }
};

template <typename T, typename Index>
class ApplyAdagradRowsOp final : public tf::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(tf::OpKernelContext* ctx) override {
    const tf::Tensor& values = ctx->input(4);
    const tf::Tensor& indices = ctx->input(5);
    AdagradRows<T> args = {};
    OP_REQUIRES_OK(ctx, ReadScalar(ctx, 2, "lr", &args.rate));
    OP_REQUIRES_OK(ctx, ReadScalar(ctx, 3, "epsilon", &args.epsilon));
    OP_REQUIRES(ctx, indices.dims() == 1,
                absl::InvalidArgumentError(absl::StrCat(
                    "recursive_tf: Adagrad: indices has shape ",
                    indices.shape().DebugString(), ", expected a vector")));
    // Before the lock: it needs the indices only.
    const auto* rows = static_cast<const Index*>(indices.data());
    const int64_t num_values = indices.NumElements();
    const RowGroups groups(rows, num_values);

    LockedVariables variables;
    OP_REQUIRES_OK(ctx, variables.Lock(ctx));
    OP_REQUIRES_OK(ctx, variables.Check(values.dtype()));
    tf::TensorShape shape = variables.var().shape();
    OP_REQUIRES(ctx, shape.dims() >= 1,
                absl::InvalidArgumentError(
                    "recursive_tf: Adagrad: var is a scalar, it has no rows"));
    const int64_t num_rows = shape.dim_size(0);
    shape.set_dim(0, num_values);
    OP_REQUIRES_OK(ctx, CheckShape("values", values, shape));
    for (int64_t i = 0; i < num_values; ++i) {
      OP_REQUIRES(ctx, 0 <= rows[i] && rows[i] < num_rows,
                  absl::InvalidArgumentError(absl::StrCat(
                      "recursive_tf: Adagrad: indices[", i, "] = ", rows[i],
                      " is not in [0, ", num_rows, ")")));
    }
    if (num_values == 0) return;
    OP_REQUIRES_OK(ctx, variables.ToWrite(ctx, &args.weights, &args.sums));

    args.width = values.NumElements() / num_values;
    args.rows = groups.rows();
    args.starts = groups.starts();
    args.members = groups.members();
    args.gradients = static_cast<const T*>(values.data());
    ForEachPart(ctx, values.NumElements(), [&](int64_t part, int64_t parts) {
      ApplyAdagradRows(args, groups.PartBegin(part, parts),
                       groups.PartBegin(part + 1, parts));
    });
  }
};

#define REGISTER_ROWS(T, Index)                                   \
  REGISTER_KERNEL_BUILDER(Name("RecursiveTf>ApplyAdagradRows")    \
                              .Device(tf::DEVICE_CPU)             \
                              .TypeConstraint<T>("T")             \
                              .TypeConstraint<Index>("Tindices"), \
                          ApplyAdagradRowsOp<T, Index>)
#define REGISTER_ADAGRAD(T)                                \
  REGISTER_KERNEL_BUILDER(Name("RecursiveTf>ApplyAdagrad") \
                              .Device(tf::DEVICE_CPU)      \
                              .TypeConstraint<T>("T"),     \
                          ApplyAdagradOp<T>);              \
  REGISTER_ROWS(T, int32_t);                               \
  REGISTER_ROWS(T, int64_t)

REGISTER_ADAGRAD(float);
REGISTER_ADAGRAD(double);

}  // namespace recursive_tf
