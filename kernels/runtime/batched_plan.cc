#include "kernels/runtime/batched_plan.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "kernels/runtime/batched_frame.h"
#include "kernels/runtime/small_tensors.h"
#include "tensorflow/core/common_runtime/function_body.h"
#include "tensorflow/core/common_runtime/renamed_device.h"
#include "tensorflow/core/platform/threadpool_interface.h"

namespace recursive_tf {

namespace tf = tensorflow;

namespace {

// A pool of the calling thread only.
class CallerPool final : public tf::thread::ThreadPoolInterface {
 public:
  void Schedule(std::function<void()> closure) override { closure(); }
  int NumThreads() const override { return 1; }
  int CurrentThreadId() const override { return 0; }
};

tf::thread::ThreadPoolInterface* GetCallerPool() {
  static CallerPool* const pool = new CallerPool;  // Never destroyed.
  return pool;
}

FrameLayout LayOut(int body_index, const BatchedBody& body) {
  FrameLayout layout;
  const std::vector<bool> start_at_once = UnitsThatStartAtOnce(body);
  std::vector<int32_t> pending;
  for (size_t u = 0; u < body.units.size(); ++u) {
    if (start_at_once[u]) {
      layout.pending_slots.push_back(FrameLayout::kStartsAtOnce);
      continue;
    }
    layout.pending_slots.push_back(static_cast<int>(pending.size()));
    pending.push_back(body.units[u].pending);
  }
  layout.pending_offset =
      sizeof(BatchedFrame) + body.num_registers * sizeof(RowRef);
  layout.bytes = layout.pending_offset + pending.size() * sizeof(int32_t);
  // All bits of an empty register are set.
  layout.initial.assign(layout.bytes, '\xff');
  BatchedFrame header = {};
  header.body = body_index;
  header.num_active = 1;  // That it was entered.
  header.num_groups_left = body.num_groups;
  std::memcpy(layout.initial.data(), &header, sizeof(header));
  if (!pending.empty()) {
    std::memcpy(layout.initial.data() + layout.pending_offset, pending.data(),
                pending.size() * sizeof(int32_t));
  }
  return layout;
}

// How many frames a unit makes; of a mapped call nobody knows.
int NumCallees(const BatchedUnit& unit) {
  constexpr int kUsualNumRows = 4;
  if (unit.kind == BatchedUnit::Kind::kMap) return kUsualNumRows;
  return unit.kind == BatchedUnit::Kind::kCall ? 1 : 0;
}

}  // namespace

BatchedPlan::BatchedPlan(BatchedProgram program_in, AgendaPlan::Policy policy,
                         std::vector<std::string> body_names,
                         std::vector<std::string> block_names)
    : program(std::move(program_in)),
      agenda(policy, program),
      body_names(std::move(body_names)),
      block_names(std::move(block_names)) {
  for (size_t b = 0; b < program.bodies.size(); ++b) {
    const BatchedBody& body = program.bodies[b];
    layouts.push_back(LayOut(static_cast<int>(b), body));
    ends.push_back(FindRegisterEnds(body, FindLastUses(program, body)));
    event_bodies.insert(event_bodies.end(), body.num_events,
                        static_cast<int>(b));
    int num_callees = 0;
    for (const BatchedUnit& unit : body.units) num_callees += NumCallees(unit);
    fanout = std::max(fanout, num_callees);
    for (const std::vector<int>& units : body.dependents) {
      are_awaited.push_back(!units.empty());
      makes_frames.push_back(std::any_of(
          units.begin(), units.end(),
          [&body](int u) { return NumCallees(body.units[u]) > 0; }));
    }
  }
}

bool IsDifferentiable(tf::DataType dtype) {
  switch (dtype) {
    case tf::DT_HALF:
    case tf::DT_BFLOAT16:
    case tf::DT_FLOAT:
    case tf::DT_DOUBLE:
    case tf::DT_COMPLEX64:
    case tf::DT_COMPLEX128:
      return true;
    default:
      return false;
  }
}

absl::StatusOr<std::shared_ptr<BlockTable>> BlockTable::Instantiate(
    tf::FunctionLibraryRuntime* library,
    const std::vector<tf::NameAttrList>& functions, bool has_one_thread) {
  if (library == nullptr) {
    return absl::InternalError("recursive_tf: no function library runtime");
  }
  auto table = absl::WrapUnique(new BlockTable(library));
  tf::Device* device = library->device();
  if (has_one_thread) {
    // Of the same name: resource handles name the device they belong to.
    table->device_ = WithSmallTensors(tf::RenamedDevice::NewRenamedDevice(
        device->name(), device, /*owns_underlying=*/false,
        /*isolate_session_state=*/false, GetCallerPool()));
    device = table->device_.get();
  }
  for (const tf::NameAttrList& function : functions) {
    tf::FunctionLibraryRuntime::Handle handle;
    absl::Status status = library->Instantiate(
        function.name(), tf::AttrSlice(&function.attr()), &handle);
    if (!status.ok()) return status;
    const tf::FunctionBody* body = library->GetFunctionBody(handle);
    if (body == nullptr) {
      return absl::InternalError(
          absl::StrCat("recursive_tf: no body for ", function.name()));
    }
    // The block has a graph or kernels of its own; the library, which may live
    // as long as the process, would keep the function's.
    const auto release = absl::MakeCleanup(
        [&] { library->ReleaseHandle(handle).IgnoreError(); });
    auto block = BlockFunction::Make(library, device, *body);
    if (!block.ok()) return block.status();
    table->blocks_.push_back(*std::move(block));
  }
  return std::shared_ptr<BlockTable>(std::move(table));
}

BlockTable::Scratches BlockTable::TakeScratches() {
  {
    MutexLock lock(&mu_);
    if (!scratches_.empty()) {
      Scratches scratches = std::move(scratches_.back());
      scratches_.pop_back();
      return scratches;
    }
  }
  return Scratches(blocks_.size());  // Each is made when it is first used.
}

void BlockTable::GiveBack(Scratches scratches) {
  MutexLock lock(&mu_);
  scratches_.push_back(std::move(scratches));
}

BlockTableCache::BlockTableCache(tf::OpKernelConstruction* ctx) {
  OP_REQUIRES_OK(ctx, ctx->GetAttr("functions", &functions_));
}

absl::StatusOr<std::shared_ptr<BlockTable>> BlockTableCache::Get(
    tf::FunctionLibraryRuntime* library, bool has_one_thread) {
  std::shared_ptr<BlockTable> old;  // Destroyed after the lock is gone.
  {
    MutexLock lock(&mu_);
    const auto& table = tables_[has_one_thread];
    if (table != nullptr && table->library() == library) return table;
  }
  auto table = BlockTable::Instantiate(library, functions_, has_one_thread);
  if (!table.ok()) return table.status();
  MutexLock lock(&mu_);
  old = std::exchange(tables_[has_one_thread], *table);
  return *std::move(table);
}

}  // namespace recursive_tf
