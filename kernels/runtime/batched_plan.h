// What all runs of one LaunchBatched kernel share: program, functions, policy.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_PLAN_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/core/agenda.h"
#include "kernels/core/batched_program.h"
#include "kernels/core/mutex.h"
#include "kernels/core/register_lifetimes.h"
#include "kernels/runtime/batched_buffers.h"
#include "kernels/runtime/block_function.h"
#include "tensorflow/core/common_runtime/device.h"
#include "tensorflow/core/framework/function.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

// How the frames of one body lie in memory: a header, then its registers, then
// the pending counts of units that wait for several events.
struct FrameLayout {
  static constexpr int kStartsAtOnce = -1;

  size_t bytes = 0;
  size_t pending_offset = 0;
  std::vector<int>
      pending_slots;          // By unit; kStartsAtOnce where it needs none.
  std::vector<char> initial;  // A frame at its beginning.
};

// The program and what follows from it. Immutable.
struct BatchedPlan {
  BatchedPlan(BatchedProgram program, AgendaPlan::Policy policy,
              std::vector<std::string> body_names,
              std::vector<std::string> block_names);

  const std::string& body_name(int body) const { return body_names[body]; }

  const BatchedProgram program;
  const AgendaPlan agenda;
  const std::vector<std::string> body_names;
  const std::vector<std::string> block_names;
  std::vector<FrameLayout> layouts;  // By body.
  std::vector<RegisterEnds> ends;    // By body.
  // By event, counted through all bodies: its body, whether anything waits for
  // it, and whether calls do.
  std::vector<int> event_bodies;
  std::vector<bool> are_awaited;
  std::vector<bool> makes_frames;
  int fanout = 1;  // How many frames one frame may make at a time, roughly.
};

// Whether a tensor of that type can have a gradient.
bool IsDifferentiable(tensorflow::DataType dtype);

// The functions of a program, instantiated once. Immutable but for the pool of
// scratches, which is thread-safe.
class BlockTable final {
 public:
  using Scratches = std::vector<std::unique_ptr<BlockScratch>>;  // By function.

  // With `has_one_thread` the functions run with one thread each, because the
  // shards of a run occupy the others, or because there is little to do.
  static absl::StatusOr<std::shared_ptr<BlockTable>> Instantiate(
      tensorflow::FunctionLibraryRuntime* library,
      const std::vector<tensorflow::NameAttrList>& functions,
      bool has_one_thread);

  const BlockFunction& operator[](int index) const { return *blocks_[index]; }
  int size() const { return static_cast<int>(blocks_.size()); }
  tensorflow::FunctionLibraryRuntime* library() const { return library_; }

  // One shard's scratches; to be given back without tensors in them.
  Scratches TakeScratches();
  void GiveBack(Scratches scratches);

 private:
  explicit BlockTable(tensorflow::FunctionLibraryRuntime* library)
      : library_(library) {}

  tensorflow::FunctionLibraryRuntime* const library_;  // Not owned.
  std::unique_ptr<tensorflow::Device> device_;  // Outlives the kernels on it.
  std::vector<std::unique_ptr<BlockFunction>> blocks_;
  Mutex mu_;
  std::vector<Scratches> scratches_ ABSL_GUARDED_BY(mu_);
};

// Holds the tables of one kernel: built at the first call that needs them,
// shared by all later ones. Thread-safe.
class BlockTableCache final {
 public:
  // Reads the attribute `functions`.
  explicit BlockTableCache(tensorflow::OpKernelConstruction* ctx);

  int num_functions() const { return static_cast<int>(functions_.size()); }
  absl::StatusOr<std::shared_ptr<BlockTable>> Get(
      tensorflow::FunctionLibraryRuntime* library, bool has_one_thread);

 private:
  std::vector<tensorflow::NameAttrList> functions_;
  Mutex mu_;  // Never held across Instantiate.
  std::shared_ptr<BlockTable> tables_[2] ABSL_GUARDED_BY(
      mu_);  // [has_one_thread]
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_PLAN_H_
