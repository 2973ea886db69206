#include "kernels/runtime/rows.h"

#include <atomic>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/core/mutex.h"
#include "kernels/runtime/row_tensors.h"
#include "tensorflow/core/framework/types.h"

namespace recursive_tf {

namespace tf = tensorflow;

namespace {

absl::StatusOr<tf::Tensor> Row(const tf::Tensor& tensor, int64_t row) {
  if (tf::DataTypeCanUseMemcpy(tensor.dtype()) && tensor.dims() > 1) {
    tf::Tensor slice = tensor.SubSlice(row);
    if (slice.IsAligned()) return slice;
  }
  auto copy = AllocateRows(tensor.dtype(), 1, RowShape(tensor));
  if (!copy.ok()) return copy.status();
  absl::Status status = CopyRows(tensor, row, 1, 0, &*copy);
  if (!status.ok()) return status;
  return DropLeadingDim(*copy);
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

  void Finish(int64_t row, absl::Status status,
              std::vector<tf::Tensor> results) {
    if (status.ok()) status = CheckResultTypes(results, dtypes_);
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
    auto all = AllocateRows(dtypes_[k], num_rows, row_shape);
    if (!all.ok()) return all.status();
    for (int64_t row = 0; row < num_rows; ++row) {
      const tf::Tensor& result = results_[row][k];
      if (result.shape() != row_shape) {
        return absl::InvalidArgumentError(
            absl::StrCat("f.map: result ", k, " of row ", row, " has shape ",
                         result.shape().DebugString(),
                         ", that of row 0 has shape ", row_shape.DebugString(),
                         "; all rows must have the same shape to be stacked."));
      }
      auto as_row = AddLeadingDim(result);
      if (!as_row.ok()) return as_row.status();
      absl::Status status = CopyRows(*as_row, 0, 1, row, &*all);
      if (!status.ok()) return status;
    }
    stacked->push_back(*std::move(all));
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

// Sets the results of no rows.
absl::Status EmptyResults(const std::vector<tf::DataType>& dtypes,
                          const std::vector<tf::PartialTensorShape>& row_shapes,
                          std::vector<tf::Tensor>* results) {
  if (row_shapes.size() != dtypes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("recursive_tf: ", row_shapes.size(), " output_shapes for ",
                     dtypes.size(), " results"));
  }
  for (size_t k = 0; k < dtypes.size(); ++k) {
    auto empty = NoRows(dtypes[k], row_shapes[k]);
    if (!empty.ok()) return empty.status();
    results->push_back(*std::move(empty));
  }
  return absl::OkStatus();
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
  const int64_t num_rows = args[0]->dim_size(0);
  if (num_rows > kMaxRows) {
    return absl::InvalidArgumentError(absl::StrCat(
        "f.map: the arguments have ", num_rows, " rows; one call may have ",
        kMaxRows, " at most. Map over parts of them."));
  }
  return num_rows;
}

void MapRows(int64_t num_rows, absl::Span<const tf::Tensor* const> args,
             const std::vector<tf::DataType>& dtypes,
             const std::vector<tf::PartialTensorShape>& row_shapes,
             const StartRow& start, StackedCallback done) {
  if (num_rows == 0) {
    std::vector<tf::Tensor> results;
    const absl::Status status = EmptyResults(dtypes, row_shapes, &results);
    return done(status, std::move(results));
  }
  auto pending =
      std::make_shared<PendingRows>(num_rows, dtypes, std::move(done));
  for (int64_t row = 0; row < num_rows; ++row) {
    std::vector<tf::Tensor>* row_args = pending->args(row);
    row_args->reserve(args.size());
    ArgPointers pointers;
    absl::Status status;
    for (const tf::Tensor* arg : args) {
      auto row_arg = Row(*arg, row);
      status.Update(row_arg.status());
      row_args->push_back(row_arg.ok() ? *std::move(row_arg) : tf::Tensor());
      pointers.push_back(&row_args->back());
    }
    if (!status.ok()) {
      pending->Finish(row, status, {});
      continue;
    }
    start(row, pointers,
          [pending, row](const absl::Status& status,
                         std::vector<tf::Tensor> results) {
            pending->Finish(row, status, std::move(results));
          });
  }
}

}  // namespace recursive_tf
