#include "kernels/op_kernels/kernel_util.h"

#include <utility>

#include "absl/strings/str_cat.h"
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
  if (results.size() < dtypes.size()) {
    return absl::InternalError(absl::StrCat("recursive_tf: ", results.size(),
                                            " results for ", dtypes.size(),
                                            " outputs"));
  }
  for (size_t i = 0; i < dtypes.size(); ++i) {
    if (results[i].dtype() != dtypes[i]) {
      return absl::InternalError(
          absl::StrCat("recursive_tf: result ", i, " has type ",
                       tf::DataTypeString(results[i].dtype()), ", declared ",
                       tf::DataTypeString(dtypes[i])));
    }
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

std::vector<tf::PartialTensorShape> RowShapes(
    const std::vector<tf::PartialTensorShape>& shapes) {
  std::vector<tf::PartialTensorShape> rows = shapes;
  for (tf::PartialTensorShape& shape : rows) {
    if (shape.dims() > 0) shape.RemoveDim(0);
  }
  return rows;
}

}  // namespace recursive_tf
