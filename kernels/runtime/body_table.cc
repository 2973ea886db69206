#include "kernels/runtime/body_table.h"

#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "kernels/runtime/body_executor.h"
#include "tensorflow/core/common_runtime/function_body.h"

namespace recursive_tf {

namespace tf = tensorflow;

absl::StatusOr<std::shared_ptr<const BodyTable>> BodyTable::Instantiate(
    tf::FunctionLibraryRuntime* library,
    const std::vector<tf::NameAttrList>& functions,
    const std::vector<std::string>& keys, bool is_serialized) {
  if (library == nullptr) {
    return absl::InternalError("recursive_tf: no function library runtime");
  }
  if (functions.size() != keys.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("recursive_tf: ", functions.size(), " bodies, ",
                     keys.size(), " body keys"));
  }
  std::vector<Body> bodies;
  for (size_t i = 0; i < functions.size(); ++i) {
    Body body;
    body.key = keys[i];
    body.name = body.key.substr(0, body.key.rfind('_'));
    tf::FunctionLibraryRuntime::Handle handle;
    absl::Status status = library->Instantiate(
        functions[i].name(), tf::AttrSlice(&functions[i].attr()), &handle);
    if (!status.ok()) return status;
    const tf::FunctionBody* function = library->GetFunctionBody(handle);
    if (function == nullptr) {
      return absl::InternalError(
          absl::StrCat("recursive_tf: no body for ", functions[i].name()));
    }
    // The executor has a graph of its own; the library, which may live as long
    // as the process, would keep the function's.
    const auto release = absl::MakeCleanup(
        [&] { library->ReleaseHandle(handle).IgnoreError(); });
    auto executor = MakeBodyExecutor(library, *function, is_serialized);
    if (!executor.ok()) return executor.status();
    body.executor = *std::move(executor);
    body.num_inputs = static_cast<int>(function->arg_types.size());
    body.num_outputs = static_cast<int>(function->ret_types.size());
    bodies.push_back(std::move(body));
  }
  return std::make_shared<const BodyTable>(library, std::move(bodies));
}

int BodyTable::Find(absl::string_view key) const {
  for (size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].key == key) return static_cast<int>(i);
  }
  return -1;
}

BodyTableCache::BodyTableCache(tf::OpKernelConstruction* ctx) {
  OP_REQUIRES_OK(ctx, ctx->GetAttr("bodies", &functions_));
  OP_REQUIRES_OK(ctx, ctx->GetAttr("body_keys", &keys_));
  if (!ctx->HasAttr("serialized")) return;
  OP_REQUIRES_OK(ctx, ctx->GetAttr("serialized", &is_serialized_));
}

absl::StatusOr<std::shared_ptr<const BodyTable>> BodyTableCache::Get(
    tf::FunctionLibraryRuntime* library) {
  {
    MutexLock lock(&mu_);
    if (table_ != nullptr && table_->library() == library) return table_;
  }
  auto table =
      BodyTable::Instantiate(library, functions_, keys_, is_serialized_);
  if (!table.ok()) return table.status();
  MutexLock lock(&mu_);
  table_ = *table;
  return table_;
}

}  // namespace recursive_tf
