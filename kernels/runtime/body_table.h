// The bodies that one run can reach, instantiated once.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_BODY_TABLE_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_BODY_TABLE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kernels/core/mutex.h"
#include "tensorflow/core/common_runtime/executor.h"
#include "tensorflow/core/framework/function.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

// What the runtime knows of one SubGraph body.
struct Body {
  // Names the SubGraph in Invoke ops; kept in SavedModels.
  std::string key;
  // Names it in messages: the key without the number that makes it unique.
  std::string name;
  std::unique_ptr<tensorflow::Executor> executor;
  int num_inputs = 0;
  int num_outputs = 0;
};

// All bodies a run can reach, by position and by key. Immutable, so frames on
// any thread read it without a lock.
//
// Instantiation happens once per kernel and function runtime: a nested
// Instantiate creates an overlay library at every new depth, about 1.2 ms each,
// which is why frames share these executors instead of instantiating their own.
class BodyTable final {
 public:
  // `is_serialized`: for runs whose frames run one at a time.
  static absl::StatusOr<std::shared_ptr<const BodyTable>> Instantiate(
      tensorflow::FunctionLibraryRuntime* library,
      const std::vector<tensorflow::NameAttrList>& functions,
      const std::vector<std::string>& keys, bool is_serialized);

  BodyTable(tensorflow::FunctionLibraryRuntime* library,
            std::vector<Body> bodies)
      : library_(library), bodies_(std::move(bodies)) {}

  // Returns the position of `key`, or -1. Tables have a handful of entries, so
  // a scan beats a hash.
  int Find(absl::string_view key) const;

  const Body& operator[](int index) const { return bodies_[index]; }
  int size() const { return static_cast<int>(bodies_.size()); }
  tensorflow::FunctionLibraryRuntime* library() const { return library_; }

 private:
  tensorflow::FunctionLibraryRuntime* const library_;  // Not owned.
  const std::vector<Body> bodies_;
};

// Holds the table of one Launch kernel: built at the first call, shared by all
// later ones. Thread-safe.
class BodyTableCache final {
 public:
  // Reads the attributes `bodies`, `body_keys` and, if there, `serialized`.
  explicit BodyTableCache(tensorflow::OpKernelConstruction* ctx);

  int num_bodies() const { return static_cast<int>(functions_.size()); }
  bool is_serialized() const { return is_serialized_; }

  absl::StatusOr<std::shared_ptr<const BodyTable>> Get(
      tensorflow::FunctionLibraryRuntime* library);

 private:
  std::vector<tensorflow::NameAttrList> functions_;
  std::vector<std::string> keys_;
  bool is_serialized_ = false;
  Mutex mu_;  // Never held across Instantiate.
  std::shared_ptr<const BodyTable> table_ ABSL_GUARDED_BY(mu_);
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_BODY_TABLE_H_
