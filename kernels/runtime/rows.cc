#include "kernels/runtime/rows.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/core/mutex.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/framework/variant.h"

namespace recursive_tf {

namespace tf = tensorflow;

namespace {

template <typename T>
void CopyElements(const tf::Tensor& from, int64_t from_row, int64_t to_row,
                  int64_t row_elements, tf::Tensor* to) {
  const T* source = from.flat<T>().data() + from_row * row_elements;
  T* target = to->flat<T>().data() + to_row * row_elements;
  for (int64_t i = 0; i < row_elements; ++i) target[i] = source[i];
}

// Copies one row between tensors whose rows hold `row_elements` elements.
void CopyRow(const tf::Tensor& from, int64_t from_row, int64_t to_row,
             int64_t row_elements, tf::Tensor* to) {
  switch (from.dtype()) {
    case tf::DT_STRING:
      CopyElements<tf::tstring>(from, from_row, to_row, row_elements, to);
      return;
    case tf::DT_VARIANT:
      CopyElements<tf::Variant>(from, from_row, to_row, row_elements, to);
      return;
    case tf::DT_RESOURCE:
      CopyElements<tf::ResourceHandle>(from, from_row, to_row, row_elements,
                                       to);
      return;
    default:
      break;
  }
  const size_t row_bytes = row_elements * tf::DataTypeSize(from.dtype());
  if (row_bytes == 0) return;
  std::memcpy(const_cast<char*>(to->tensor_data().data()) + to_row * row_bytes,
              from.tensor_data().data() + from_row * row_bytes, row_bytes);
}

tf::Tensor Row(const tf::Tensor& tensor, int64_t row) {
  if (tf::DataTypeCanUseMemcpy(tensor.dtype()) && tensor.dims() > 1) {
    tf::Tensor slice = tensor.SubSlice(row);
    if (slice.IsAligned()) return slice;
  }
  tf::TensorShape shape = tensor.shape();
  shape.RemoveDim(0);
  tf::Tensor copy(tensor.dtype(), shape);
  CopyRow(tensor, row, 0, shape.num_elements(), &copy);
  return copy;
}

// Waits for the frames of all rows; the last one to finish stacks the results.
// Rows write to their own element, the pending count orders those writes before
// the read of the last one, so only the status needs a lock.
class PendingRows final {
 public:
  PendingRows(int64_t num_rows, std::vector<tf::DataType> dtypes,
              StackedCallback done)
      : dtypes_(std::move(dtypes)),
        done_(std::move(done)),
        args_(num_rows),
        results_(num_rows),
        num_pending_(num_rows) {}

  // The arguments of `row`, kept alive until all rows are done.
  std::vector<tf::Tensor>* args(int64_t row) { return &args_[row]; }

  void Finish(int64_t row, const absl::Status& status,
              std::vector<tf::Tensor> results) {
    results_[row] = std::move(results);
    if (!status.ok()) {
      MutexLock lock(&mu_);
      if (status_.ok()) status_ = status;
    }
    if (num_pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) Complete();
  }

 private:
  void Complete() {
    absl::Status status;
    {
      MutexLock lock(&mu_);
      status = status_;
    }
    std::vector<tf::Tensor> stacked;
    for (size_t k = 0; status.ok() && k < dtypes_.size(); ++k) {
      status = StackResult(k, &stacked);
    }
    if (!status.ok()) stacked.clear();
    done_(status, std::move(stacked));
  }

  absl::Status StackResult(size_t k, std::vector<tf::Tensor>* stacked) {
    const int64_t num_rows = static_cast<int64_t>(results_.size());
    const tf::TensorShape& row_shape = results_[0][k].shape();
    tf::TensorShape shape = row_shape;
    shape.InsertDim(0, num_rows);
    tf::Tensor all(dtypes_[k], shape);
    for (int64_t row = 0; row < num_rows; ++row) {
      const tf::Tensor& result = results_[row][k];
      if (result.shape() != row_shape) {
        return absl::InvalidArgumentError(
            absl::StrCat("f.map: result ", k, " of row ", row, " has shape ",
                         result.shape().DebugString(),
                         ", that of row 0 has shape ", row_shape.DebugString(),
                         "; all rows must have the same shape to be stacked."));
      }
      CopyRow(result, 0, row, row_shape.num_elements(), &all);
    }
    stacked->push_back(std::move(all));
    return absl::OkStatus();
  }

  const std::vector<tf::DataType> dtypes_;
  const StackedCallback done_;
  std::vector<std::vector<tf::Tensor>> args_;
  std::vector<std::vector<tf::Tensor>> results_;
  std::atomic<int64_t> num_pending_;
  Mutex mu_;
  absl::Status status_ ABSL_GUARDED_BY(mu_);
};

std::vector<tf::Tensor> EmptyResults(
    const std::vector<tf::DataType>& dtypes,
    const std::vector<tf::PartialTensorShape>& row_shapes) {
  std::vector<tf::Tensor> results;
  for (size_t k = 0; k < dtypes.size(); ++k) {
    tf::TensorShape shape({0});
    for (int d = 0; d < row_shapes[k].dims(); ++d) {
      shape.AddDim(std::max<int64_t>(0, row_shapes[k].dim_size(d)));
    }
    results.emplace_back(dtypes[k], shape);
  }
  return results;
}

}  // namespace

absl::StatusOr<int64_t> NumRows(absl::Span<const tf::Tensor* const> args) {
  if (args.empty()) {
    return absl::InvalidArgumentError(
        "f.map: the SubGraph takes no inputs, so there are no rows to map "
        "over");
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i]->dims() < 1 || args[i]->dim_size(0) != args[0]->dim_size(0)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "f.map: argument ", i, " has shape ", args[i]->shape().DebugString(),
          ", argument 0 has shape ", args[0]->shape().DebugString(),
          "; all arguments need the same leading dimension, one row a frame."));
    }
  }
  return args[0]->dim_size(0);
}

void MapRows(int64_t num_rows, absl::Span<const tf::Tensor* const> args,
             const std::vector<tf::DataType>& dtypes,
             const std::vector<tf::PartialTensorShape>& row_shapes,
             const StartRow& start, StackedCallback done) {
  if (num_rows == 0) {
    return done(absl::OkStatus(), EmptyResults(dtypes, row_shapes));
  }
  auto pending =
      std::make_shared<PendingRows>(num_rows, dtypes, std::move(done));
  for (int64_t row = 0; row < num_rows; ++row) {
    std::vector<tf::Tensor>* row_args = pending->args(row);
    row_args->reserve(args.size());
    ArgPointers pointers;
    for (const tf::Tensor* arg : args) {
      row_args->push_back(Row(*arg, row));
      pointers.push_back(&row_args->back());
    }
    start(row, pointers,
          [pending, row](const absl::Status& status,
                         std::vector<tf::Tensor> results) {
            pending->Finish(row, status, std::move(results));
          });
  }
}

}  // namespace recursive_tf
