// Kernels of PythonUnary and PythonBinary: types and shapes around
// core/python_numbers.h.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "kernels/core/python_numbers.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/platform/denormal.h"

namespace recursive_tf {

namespace tf = tensorflow;

static bool IsFloat(tf::DataType type) {
  return type == tf::DT_FLOAT || type == tf::DT_DOUBLE;
}

// Reads the numbers of a tensor; one of a scalar again and again.
class NumberReader {
 public:
  explicit NumberReader(const tf::Tensor& tensor)
      : data_(tensor.data()),
        type_(tensor.dtype()),
        stride_(tensor.dims() == 0 ? 0 : 1) {}

  bool is_float() const { return IsFloat(type_); }

  // Of bool, int32 or int64.
  int64_t Int(int64_t i) const {
    if (type_ == tf::DT_INT32) return At<int32_t>(i);
    if (type_ == tf::DT_INT64) return At<int64_t>(i);
    return At<bool>(i) ? 1 : 0;
  }

  // Of all types; the nearest to an int64, as Python has it.
  double Float(int64_t i) const {
    if (type_ == tf::DT_DOUBLE) return At<double>(i);
    if (type_ == tf::DT_FLOAT) return At<float>(i);
    return static_cast<double>(Int(i));
  }

 private:
  template <typename T>
  T At(int64_t i) const {
    return static_cast<const T*>(data_)[i * stride_];
  }

  const void* const data_;
  const tf::DataType type_;
  const int64_t stride_;
};

// Writes numbers, and returns false where they do not fit.
class NumberWriter {
 public:
  explicit NumberWriter(tf::Tensor* tensor)
      : data_(tensor->data()), type_(tensor->dtype()) {}

  bool Write(int64_t i, int64_t value) const {
    switch (type_) {
      case tf::DT_BOOL:
        static_cast<bool*>(data_)[i] = value != 0;
        return true;
      case tf::DT_INT8:
        return WriteInt<int8_t>(i, value);
      case tf::DT_INT16:
        return WriteInt<int16_t>(i, value);
      case tf::DT_INT32:
        return WriteInt<int32_t>(i, value);
      case tf::DT_INT64:
        return WriteInt<int64_t>(i, value);
      case tf::DT_UINT8:
        return WriteInt<uint8_t>(i, value);
      case tf::DT_UINT16:
        return WriteInt<uint16_t>(i, value);
      case tf::DT_UINT32:
        return WriteInt<uint32_t>(i, value);
      default:  // DT_UINT64
        if (value < 0) return false;
        static_cast<uint64_t*>(data_)[i] = static_cast<uint64_t>(value);
        return true;
    }
  }

  bool Write(int64_t i, double value) const {
    if (type_ == tf::DT_DOUBLE) {
      static_cast<double*>(data_)[i] = value;
      return true;
    }
    const float rounded = static_cast<float>(value);
    static_cast<float*>(data_)[i] = rounded;
    return !std::isinf(rounded) || std::isinf(value);
  }

 private:
  template <typename T>
  bool WriteInt(int64_t i, int64_t value) const {
    static_cast<T*>(data_)[i] = static_cast<T>(value);
    return value >= std::numeric_limits<T>::min() &&
           value <= std::numeric_limits<T>::max();
  }

  void* const data_;
  const tf::DataType type_;
};

class PythonNumberOp : public tf::OpKernel {
 public:
  explicit PythonNumberOp(tf::OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("op", &op_));
    has_floats_ = IsFloat(ctx->input_type(ctx->num_inputs() - 1)) ||
                  IsFloat(ctx->input_type(0));
  }

  bool IsExpensive() override { return false; }

 protected:
  const std::string& op() const { return op_; }
  bool has_floats() const { return has_floats_; }

  absl::Status Unknown() const {
    return absl::InvalidArgumentError(
        absl::StrCat("recursive_tf: no Python operation ", op_,
                     " of such types, or with such a result"));
  }

  // Computes all results: `function` sets one and returns null, or why not.
  template <typename Z, typename Function>
  void ForEach(tf::OpKernelContext* ctx, tf::Tensor* z,
               const Function& function) const {
    // TensorFlow's threads take very small numbers for zero, Python does not.
    const tf::port::ScopedDontFlushDenormal exact;
    const NumberWriter writer(z);
    const int64_t size = z->NumElements();
    for (int64_t i = 0; i < size; ++i) {
      Z value;
      const char* reason = function(i, &value);
      if (reason == nullptr && !writer.Write(i, value)) {
        reason = "a number that does not fit";
      }
      OP_REQUIRES(ctx, reason == nullptr,
                  absl::InvalidArgumentError(absl::StrCat(
                      "recursive_tf: check failed: ", op_, ": ", reason)));
    }
  }

 private:
  std::string op_;
  bool has_floats_;
};

class PythonUnaryOp final : public PythonNumberOp {
 public:
  explicit PythonUnaryOp(tf::OpKernelConstruction* ctx) : PythonNumberOp(ctx) {
    if (!ctx->status().ok()) return;
    if (!has_floats()) {
      ints_ = FindIntUnary(op());
    } else if (IsFloat(ctx->output_type(0))) {
      floats_ = FindFloatUnary(op());
    } else {
      float_to_int_ = FindFloatToIntUnary(op());
    }
    OP_REQUIRES(ctx, ints_ || floats_ || float_to_int_, Unknown());
    makes_float_ = IsFloat(ctx->output_type(0));
  }

  void Compute(tf::OpKernelContext* ctx) override {
    tf::Tensor* z = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &z));
    const NumberReader x(ctx->input(0));
    if (floats_) {
      ForEach<double>(ctx, z, [&](int64_t i, double* value) {
        return floats_(x.Float(i), value);
      });
    } else if (float_to_int_) {
      ForEach<int64_t>(ctx, z, [&](int64_t i, int64_t* value) {
        return float_to_int_(x.Float(i), value);
      });
    } else if (makes_float_) {
      ForEach<double>(ctx, z, [&](int64_t i, double* value) {
        int64_t whole = 0;
        const char* reason = ints_(x.Int(i), &whole);
        *value = static_cast<double>(whole);
        return reason;
      });
    } else {
      ForEach<int64_t>(ctx, z, [&](int64_t i, int64_t* value) {
        return ints_(x.Int(i), value);
      });
    }
  }

 private:
  PythonUnary<int64_t, int64_t> ints_ = nullptr;
  PythonUnary<double, double> floats_ = nullptr;
  PythonUnary<double, int64_t> float_to_int_ = nullptr;
  bool makes_float_ = false;
};

class PythonBinaryOp final : public PythonNumberOp {
 public:
  explicit PythonBinaryOp(tf::OpKernelConstruction* ctx) : PythonNumberOp(ctx) {
    if (!ctx->status().ok()) return;
    const tf::DataType type = ctx->output_type(0);
    if (type == tf::DT_BOOL) orders_ = FindComparison(op());
    if (orders_ == 0) {
      if (has_floats()) {
        if (IsFloat(type)) floats_ = FindFloatBinary(op());
      } else if (IsFloat(type)) {
        int_to_float_ = FindIntToFloatBinary(op());
      } else {
        ints_ = FindIntBinary(op());
      }
    }
    OP_REQUIRES(ctx, orders_ || ints_ || floats_ || int_to_float_, Unknown());
  }

  void Compute(tf::OpKernelContext* ctx) override {
    const tf::TensorShape& x_shape = ctx->input(0).shape();
    const tf::TensorShape& y_shape = ctx->input(1).shape();
    OP_REQUIRES(
        ctx, x_shape.dims() == 0 || y_shape.dims() == 0 || x_shape == y_shape,
        absl::InvalidArgumentError(absl::StrCat(
            "recursive_tf: ", op(), " of numbers of shapes ",
            x_shape.DebugString(), " and ", y_shape.DebugString())));
    tf::Tensor* z = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(
                            0, x_shape.dims() == 0 ? y_shape : x_shape, &z));
    const NumberReader x(ctx->input(0)), y(ctx->input(1));
    if (orders_ != 0) {
      ForEach<int64_t>(ctx, z, [&](int64_t i, int64_t* value) -> const char* {
        *value = (Compare(x, y, i) & orders_) != 0;
        return nullptr;
      });
    } else if (floats_) {
      ForEach<double>(ctx, z, [&](int64_t i, double* value) {
        return floats_(x.Float(i), y.Float(i), value);
      });
    } else if (int_to_float_) {
      ForEach<double>(ctx, z, [&](int64_t i, double* value) {
        return int_to_float_(x.Int(i), y.Int(i), value);
      });
    } else {
      ForEach<int64_t>(ctx, z, [&](int64_t i, int64_t* value) {
        return ints_(x.Int(i), y.Int(i), value);
      });
    }
  }

 private:
  static int Compare(const NumberReader& x, const NumberReader& y, int64_t i) {
    if (x.is_float() && y.is_float()) {
      return CompareFloats(x.Float(i), y.Float(i));
    }
    if (y.is_float()) return CompareIntWithFloat(x.Int(i), y.Float(i));
    if (!x.is_float()) return CompareInts(x.Int(i), y.Int(i));
    const PythonOrder order = CompareIntWithFloat(y.Int(i), x.Float(i));
    return order == kLess ? kGreater : order == kGreater ? kLess : order;
  }

  int orders_ = 0;  // Of which the comparison is true; 0: it is none.
  PythonBinary<int64_t, int64_t> ints_ = nullptr;
  PythonBinary<double, double> floats_ = nullptr;
  PythonBinary<int64_t, double> int_to_float_ = nullptr;
};

class PythonMultiplyModOp final : public tf::OpKernel {
 public:
  using OpKernel::OpKernel;

  bool IsExpensive() override { return false; }

  void Compute(tf::OpKernelContext* ctx) override {
    tf::TensorShape shape;  // Of all that are no scalars.
    for (int i = 0; i < 3; ++i) {
      const tf::TensorShape& own = ctx->input(i).shape();
      if (shape.dims() == 0) shape = own;
      OP_REQUIRES(ctx, own.dims() == 0 || own == shape,
                  absl::InvalidArgumentError(
                      "recursive_tf: a product of numbers of several shapes"));
    }
    tf::Tensor* found = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &found));
    const NumberReader x(ctx->input(0)), y(ctx->input(1)), z(ctx->input(2));
    auto result = found->flat<int64_t>();
    for (int64_t i = 0; i < result.size(); ++i) {
      const char* reason =
          MultiplyMod(x.Int(i), y.Int(i), z.Int(i), &result(i));
      OP_REQUIRES(ctx, reason == nullptr,
                  absl::InvalidArgumentError(absl::StrCat(
                      "recursive_tf: check failed: Mod: ", reason)));
    }
  }
};

REGISTER_KERNEL_BUILDER(
    Name("RecursiveTf>PythonMultiplyMod").Device(tf::DEVICE_CPU),
    PythonMultiplyModOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>PythonUnary").Device(tf::DEVICE_CPU),
                        PythonUnaryOp);
REGISTER_KERNEL_BUILDER(Name("RecursiveTf>PythonBinary").Device(tf::DEVICE_CPU),
                        PythonBinaryOp);

}  // namespace recursive_tf
