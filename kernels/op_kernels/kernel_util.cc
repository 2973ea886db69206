#include "kernels/op_kernels/kernel_util.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/platform/cpu_info.h"

namespace recursive_tf {

namespace tf = tensorflow;

ArgPointers InputPointers(tf::OpKernelContext* ctx, int begin, int count) {
  ArgPointers pointers;
  pointers.reserve(count);
  for (int i = begin; i < begin + count; ++i) {
    pointers.push_back(&ctx->input(i));
  }
  return pointers;
}

absl::Status SetResults(tf::OpKernelContext* ctx,
                        const std::vector<tf::Tensor>& results,
                        const std::vector<tf::DataType>& dtypes) {
  const absl::Status status = CheckResultTypes(results, dtypes);
  if (!status.ok()) return status;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    ctx->set_output(static_cast<int>(i), results[i]);
  }
  return absl::OkStatus();
}

FrameCallback SetOutputsThen(tf::OpKernelContext* ctx,
                             const std::vector<tf::DataType>& dtypes,
                             std::optional<tf::Tensor> key,
                             tf::AsyncOpKernel::DoneCallback done) {
  return [ctx, &dtypes, key, done = std::move(done)](
             const absl::Status& status, std::vector<tf::Tensor> results) {
    OP_REQUIRES_OK_ASYNC(ctx, status, done);
    OP_REQUIRES_OK_ASYNC(ctx, SetResults(ctx, results, dtypes), done);
    if (key.has_value()) ctx->set_output(ctx->num_outputs() - 1, *key);
    results.clear();
    done();
  };
}

std::shared_ptr<ReadyQueue> MakeReadyQueue(tf::OpKernelContext* ctx,
                                           const std::string& policy,
                                           bool is_serialized) {
  // The kernel cannot see how many threads the inter-op pool has. More drain
  // loops than threads do no harm: a late one finds the queue empty and ends.
  return std::make_shared<ReadyQueue>(
      policy == "fifo" ? ReadyPolicy::kFifo : ReadyPolicy::kDeepestFirst,
      is_serialized ? 1 : tf::port::MaxParallelism(), *ctx->runner());
}

absl::Status ReadRowShapes(tf::OpKernelConstruction* ctx, size_t num_results,
                           std::vector<tf::PartialTensorShape>* rows) {
  TF_RETURN_IF_ERROR(ctx->GetAttr("output_shapes", rows));
  if (rows->size() != num_results) {
    return Malformed(ctx, absl::StrCat(rows->size(), " output_shapes for ",
                                       num_results, " results"));
  }
  for (tf::PartialTensorShape& shape : *rows) {
    if (shape.dims() > 0) shape.RemoveDim(0);
  }
  return absl::OkStatus();
}

absl::Status CheckCounts(tf::OpKernelConstruction* ctx, const char* what,
                         const std::vector<int>& counts, size_t num_bodies,
                         size_t total) {
  size_t sum = 0;
  bool are_counts = counts.size() == num_bodies;
  for (int count : counts) {
    are_counts &= count >= 0;
    sum += static_cast<size_t>(std::max(0, count));
  }
  if (are_counts && sum == total) return absl::OkStatus();
  return Malformed(
      ctx, absl::StrCat(what, " is [", absl::StrJoin(counts, ", "), "], for ",
                        num_bodies, " bodies and ", total, " in all"));
}

absl::Status Malformed(tf::OpKernelConstruction* ctx,
                       absl::string_view reason) {
  return absl::InvalidArgumentError(absl::StrCat(
      "recursive_tf: malformed ", ctx->def().op(), " op: ", reason));
}

absl::StatusOr<int64_t> ReadKey(const tf::Tensor& key) {
  if (key.dims() == 0) return key.scalar<int64_t>()();
  return absl::InvalidArgumentError(
      absl::StrCat("recursive_tf: the key of a call is a scalar, got shape ",
                   key.shape().DebugString()));
}

}  // namespace recursive_tf
