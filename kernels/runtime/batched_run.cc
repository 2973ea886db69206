#include "kernels/runtime/batched_run.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "kernels/runtime/process_stats.h"

namespace recursive_tf {

namespace tf = tensorflow;

// Residuals of at least this size are looked up before they are counted: those
// that many steps share are large.
static constexpr size_t kLargeBufferBytes = 16 << 10;

TapeColumn ShardTape::MakeColumn(const RowRef* refs, int64_t size,
                                 bool is_consecutive) {
  TapeColumn column;
  if (size == 0) return column;
  column.first = refs[0];
  if (is_consecutive) return column;
  RowRef* copy = arena.AllocateArray<RowRef>(size);
  std::copy(refs, refs + size, copy);
  column.refs = copy;
  return column;
}

BatchedRun::BatchedRun(std::shared_ptr<const BatchedPlan> plan, int num_shards,
                       int64_t num_rows, bool is_mapped, int max_depth)
    : plan(std::move(plan)),
      num_rows(num_rows),
      is_mapped(is_mapped),
      max_depth(max_depth),
      tapes(num_shards),
      num_counted_(num_shards) {
  ProcessStats::Get().AddRuns(1);
}

BatchedRun::~BatchedRun() {
  for (int64_t count : num_counted_) {
    ProcessStats::Get().AddStashEntries(-count);
  }
  ProcessStats::Get().AddRuns(-1);
}

void BatchedRun::CountTape(RunCountersSnapshot* snapshot) {
  std::unordered_set<const void*> large_buffers;
  for (size_t s = 0; s < tapes.size(); ++s) {
    num_counted_[s] = static_cast<int64_t>(tapes[s].steps.size());
    snapshot->stash_entries += num_counted_[s];
    ProcessStats::Get().AddStashEntries(num_counted_[s]);
    for (size_t i = 0; i < tapes[s].residuals.size(); ++i) {
      const tf::Tensor& tensor = tapes[s].residuals[i];
      const size_t size = tensor.TotalBytes();
      if (size >= kLargeBufferBytes &&
          !large_buffers.insert(tensor.data()).second) {
        continue;
      }
      snapshot->stash_bytes += static_cast<int64_t>(size);
    }
  }
  snapshot->stash_peak_bytes = snapshot->stash_bytes;
}

bool BatchedRun::has_tapes() const {
  return num_rows == 0 ||
         std::all_of(tapes.begin(), tapes.end(), [this](const ShardTape& tape) {
           return tape.results.size() == result_dtypes.size();
         });
}

void BatchedRun::DropTape(int shard) {
  ProcessStats::Get().AddStashEntries(-std::exchange(num_counted_[shard], 0));
  ShardTape& tape = tapes[shard];
  tape.steps = {};
  tape.columns = {};
  tape.outputs = {};
  tape.residuals.clear();
  tape.buffers.clear();
  tape.results = {};
}

}  // namespace recursive_tf
