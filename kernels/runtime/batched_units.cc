// ForwardShard: frames, events, and the units that need no ops.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/runtime/batched_forward.h"
#include "kernels/runtime/row_tensors.h"
#include "kernels/runtime/rows.h"

namespace recursive_tf {

namespace tf = tensorflow;

void ForwardShard::Enter(std::vector<tf::Tensor> args) {
  const int entry = run_->plan->program.entry_body;
  if (num_rows_ == 0 || !CanEnter(entry, 1)) return;
  std::vector<uint32_t> ids;
  for (tf::Tensor& arg : args) ids.push_back(AddBuffer(arg, num_rows_));
  if (tape_ != nullptr) tape_->args = ids;
  const int64_t begin = run_->shard_begin(shard_);
  for (int64_t row = 0; row < num_rows_; ++row) {
    BatchedFrame* frame = store_.Make(entry, /*depth=*/1);
    frame->row = static_cast<int32_t>(row);
    frame->root_row = static_cast<int32_t>(begin + row);
    for (size_t i = 0; i < ids.size(); ++i) {
      frame->registers()[i] = {ids[i], static_cast<uint32_t>(row)};
    }
    events_.Post(EventId(entry, 0), frame);
  }
  initial_load_ = AbsoluteLoad();
}

bool ForwardShard::CanEnter(int body_index, int depth) {
  const absl::Status status =
      CheckDepth(run_->plan->body_name(body_index), depth, run_->max_depth);
  if (status.ok()) return true;
  Fail(status, body_index, depth);
  return false;
}

int64_t ForwardShard::AbsoluteLoad() const {
  constexpr int64_t kBytesAsAFrame = 4096;
  return store_.num_live() + buffers_.live_bytes() / kBytesAsAFrame;
}

int64_t ForwardShard::Load() const {
  return std::max<int64_t>(0, AbsoluteLoad() - initial_load_);
}

void ForwardShard::SeeToEvents() {
  while (!has_stopped()) {
    const int id = TakeFiring();
    if (id < 0) return;
    const int body_index = run_->plan->event_bodies[id];
    if (is_cancelled()) {  // A loop without a block may have no other end.
      return Fail(absl::CancelledError("the call was cancelled"), body_index,
                  firing_[0]->depth);
    }
    Fire(body_index, id - body(body_index).first_event, firing_);
  }
}

// Takes the frames in which an event fired into `firing_`.
int ForwardShard::TakeFiring() {
  const int64_t limit = StepLimitOf(events_.size());
  const int deepest = limit == kNoStepLimit ? -1 : agenda_->deepest();
  return events_.Take(limit, deepest, &firing_);
}

// What waits for the event goes on. Each unit that starts takes a share of its
// frame with it: the last one that of the event, which is given up where none
// starts.
void ForwardShard::Fire(int body_index, int event, const Frames& frames) {
  const std::vector<int>& units = body(body_index).dependents[event];
  if (units.empty()) return GiveUp(frames);
  for (size_t k = 0; k < units.size(); ++k) {
    const bool is_last = k + 1 == units.size();
    const int slot = run_->plan->layouts[body_index].pending_slots[units[k]];
    if (slot == FrameLayout::kStartsAtOnce) {
      if (!is_last) Share(frames);
      Start(body_index, units[k], frames);
    } else {
      FireJoin(body_index, units[k], slot, is_last, frames);
    }
    if (has_stopped()) return;
  }
}

// Starts a unit in those frames in which it waits for nothing else.
void ForwardShard::FireJoin(int body_index, int unit, int slot, bool is_last,
                            const Frames& frames) {
  const size_t offset = run_->plan->layouts[body_index].pending_offset;
  const auto starts = [&](size_t i) {
    return --frames[i]->pending(offset)[slot] == 0;
  };
  size_t next = 0;
  while (next < frames.size() && starts(next)) ++next;
  if (next == frames.size()) {  // Often: no list of them is made.
    if (!is_last) Share(frames);
    return Start(body_index, unit, frames);
  }
  Frames started = TakeSpareFrames();
  started.assign(frames.begin(), frames.begin() + next);
  if (is_last) GiveUp(frames[next]);
  for (++next; next < frames.size(); ++next) {
    if (starts(next)) {
      started.push_back(frames[next]);
    } else if (is_last) {
      GiveUp(frames[next]);
    }
  }
  if (!started.empty()) {
    if (!is_last) Share(started);
    Start(body_index, unit, started);
  }
  spare_frames_.push_back(std::move(started));
}

ForwardShard::Frames ForwardShard::TakeSpareFrames() {
  if (spare_frames_.empty()) return {};
  Frames frames = std::move(spare_frames_.back());
  spare_frames_.pop_back();
  return frames;
}

void ForwardShard::Start(int body_index, int unit_index, const Frames& frames) {
  const BatchedUnit& unit = body(body_index).units[unit_index];
  using Kind = BatchedUnit::Kind;
  switch (unit.kind) {
    case Kind::kBlock:
      return StartBlock(unit, frames);  // Lets go when it has run.
    case Kind::kCall:
      return StartCall(body_index, unit_index, frames);
    case Kind::kSwitch:
      return StartSwitch(body_index, unit_index, frames);
    case Kind::kReturn:
      return StartReturn(body_index, unit_index, frames);
    case Kind::kCopy:
      return StartCopy(body_index, unit_index, frames);
    case Kind::kMap:
      StartMap(body_index, unit, frames);
      break;
    case Kind::kLoopTest:
      StartLoopTest(body_index, unit, frames);
      break;
    case Kind::kLoopStart:
    case Kind::kLoopNext:
      for (BatchedFrame* frame : frames) {
        store_.CopyRegisters(unit, /*moves=*/{}, frame);
        store_.Reset(unit, frame);
      }
      events_.PostAll(EventId(body_index, unit.event), frames);
      break;
  }
  if (has_stopped()) return;
  store_.LetGo(run_->plan->ends[body_index].units[unit_index], frames);
}

// What waits for a copy alone goes on at once: an event less to see to for each
// frame. But calls wait for their turn, and chains are no deeper than this.
void ForwardShard::StartCopy(int body_index, int unit_index,
                             const Frames& frames) {
  constexpr int kMaxChained = 8;
  const BatchedUnit& unit = body(body_index).units[unit_index];
  const auto& moves = run_->plan->ends[body_index].moves[unit_index];
  if (!unit.copies.empty()) {
    for (BatchedFrame* frame : frames) {
      store_.CopyRegisters(unit, moves, frame);
    }
  }
  const int id = EventId(body_index, unit.event);
  if (run_->plan->makes_frames[id] || num_chained_ == kMaxChained) {
    return events_.PostAll(id, frames);
  }
  ++num_chained_;
  Fire(body_index, unit.event, frames);
  --num_chained_;
}

void ForwardShard::StartBlock(const BatchedUnit& unit, const Frames& frames) {
  const BatchedBlock& block = run_->plan->program.blocks[unit.block];
  if (!block.has_dynamic_inputs) {
    some_depths_.clear();
    for (BatchedFrame* frame : frames) some_depths_.push_back(frame->depth);
    agenda_->Add(unit.block, /*group=*/0, frames, some_depths_);
    return;
  }
  int group = 0;
  some_frames_.clear();
  some_depths_.clear();
  for (BatchedFrame* frame : frames) {
    const int next_group = ShapeGroup(block, frame);
    if (next_group != group && !some_frames_.empty()) {
      agenda_->Add(unit.block, group, some_frames_, some_depths_);
      some_frames_.clear();
      some_depths_.clear();
    }
    group = next_group;
    some_frames_.push_back(frame);
    some_depths_.push_back(frame->depth);
  }
  agenda_->Add(unit.block, group, some_frames_, some_depths_);
}

void ForwardShard::StartCall(int body_index, int unit_index,
                             const Frames& frames) {
  const BatchedUnit& unit = body(body_index).units[unit_index];
  const auto& moves = run_->plan->ends[body_index].moves[unit_index];
  const int num_groups = static_cast<int>(unit.events.size());
  const int entered = EventId(unit.callee, 0);
  for (BatchedFrame* frame : frames) {
    const int depth = frame->depth + 1;
    if (depth > run_->max_depth && !CanEnter(unit.callee, depth)) return;
    BatchedFrame* callee = store_.Make(unit.callee, depth);
    callee->caller = frame;
    callee->call = &unit;
    callee->root_row = frame->root_row;
    for (size_t i = 0; i < unit.args.size(); ++i) {
      callee->registers()[i] =
          store_.TakeRef(&frame->registers()[unit.args[i]], moves[i]);
    }
    events_.Post(entered, callee);
    frame->num_active += num_groups;
    GiveUp(frame);
  }
}

bool ForwardShard::ReadPredicate(const BatchedUnit& unit, BatchedFrame* frame,
                                 int32_t* value) {
  const RowRef ref = frame->registers()[unit.predicate];
  if (ref.buffer != RowRef::kNone) {
    const RowBuffer& buffer = buffers_[ref.buffer];
    const tf::DataType dtype = buffer.tensor.dtype();
    if (!unit.is_index && dtype == tf::DT_BOOL && buffer.row_bytes == 1) {
      *value = reinterpret_cast<const bool*>(buffer.data)[ref.row];
      return true;
    }
    if (unit.is_index && dtype == tf::DT_INT32 && buffer.row_bytes == 4) {
      *value = reinterpret_cast<const int32_t*>(buffer.data)[ref.row];
      return true;
    }
  }
  Fail(absl::InternalError("recursive_tf: a predicate is no scalar"),
       frame->body, frame->depth);
  return false;
}

void ForwardShard::StartSwitch(int body_index, int unit_index,
                               const Frames& frames) {
  const BatchedUnit& unit = body(body_index).units[unit_index];
  const int num_regions = static_cast<int>(unit.events.size());
  const int first_event = EventId(body_index, 0);
  num_posted_.clear();
  for (int event : unit.events) {
    num_posted_.push_back(events_.frames(first_event + event).size());
  }
  for (BatchedFrame* frame : frames) {
    int32_t value = 0;
    if (!ReadPredicate(unit, frame, &value)) return;
    int region = value;
    if (!unit.is_index) {
      region = value != 0 ? 0 : 1;
    } else if (region < 0 || region >= num_regions) {
      region = num_regions - 1;
    }
    events_.Post(first_event + unit.events[region], frame);
  }
  const auto& let_go = run_->plan->ends[body_index].regions[unit_index];
  for (int k = 0; k < num_regions; ++k) {
    store_.LetGo(let_go[k], events_.frames(first_event + unit.events[k]),
                 num_posted_[k]);
  }
}

void ForwardShard::StartReturn(int body_index, int unit_index,
                               const Frames& frames) {
  const BatchedUnit& unit = body(body_index).units[unit_index];
  const auto& moves = run_->plan->ends[body_index].moves[unit_index];
  for (BatchedFrame* frame : frames) {
    // What waits for a group is let go on once for each.
    if (--frame->num_groups_left < 0) {
      return Fail(absl::InvalidArgumentError(
                      "recursive_tf: a group of results came back twice"),
                  frame->body, frame->depth);
    }
    if (frame->map != nullptr) {
      ReturnFromMap(unit, moves, frame);
      if (has_stopped()) return;
    } else if (frame->caller == nullptr) {
      ReturnFromRoot(unit, moves, frame);
    } else {
      ReturnToCaller(unit, moves, frame);
    }
    GiveUp(frame);
  }
}

void ForwardShard::ReturnFromRoot(const BatchedUnit& unit,
                                  const std::vector<bool>& moves,
                                  BatchedFrame* frame) {
  for (size_t i = 0; i < unit.copies.size(); ++i) {
    const RegisterCopy& copy = unit.copies[i];
    buffers_.Replace(
        &results_[copy.target][frame->row],
        store_.TakeRef(&frame->registers()[copy.source], moves[i]));
  }
}

void ForwardShard::ReturnToCaller(const BatchedUnit& unit,
                                  const std::vector<bool>& moves,
                                  BatchedFrame* frame) {
  BatchedFrame* const caller = frame->caller;
  for (size_t i = 0; i < unit.copies.size(); ++i) {
    const RegisterCopy& copy = unit.copies[i];
    const int reg = frame->call->results[copy.target];
    if (reg < 0) continue;  // If it was to move, the frame lets go of it.
    buffers_.Replace(
        &caller->registers()[reg],
        store_.TakeRef(&frame->registers()[copy.source], moves[i]));
  }
  // The caller's share of the group that has come is now the event's.
  const int id = EventId(caller->body, frame->call->events[unit.group]);
  if (run_->plan->are_awaited[id]) {
    events_.Post(id, caller);
  } else {
    GiveUp(caller);
  }
}

void ForwardShard::StartLoopTest(int body_index, const BatchedUnit& unit,
                                 const Frames& frames) {
  for (BatchedFrame* frame : frames) {
    int32_t goes_on = 0;
    if (!ReadPredicate(unit, frame, &goes_on)) return;
    if (goes_on != 0) {
      store_.Reset(unit, frame);
      events_.Post(EventId(body_index, unit.event), frame);
    } else {
      store_.CopyRegisters(unit, /*moves=*/{}, frame);
      events_.Post(EventId(body_index, unit.exit_event), frame);
    }
  }
}

void ForwardShard::StartMap(int body_index, const BatchedUnit& unit,
                            const Frames& frames) {
  for (BatchedFrame* frame : frames) {
    const absl::Status status = MapOver(unit, frame);
    if (!status.ok()) return Fail(status, body_index, frame->depth);
    if (has_stopped()) return;
  }
}

// Makes a buffer of the k rows that one row [k, ...] holds: the same memory.
absl::StatusOr<uint32_t> ForwardShard::UnstackRow(RowRef ref, int64_t num_rows,
                                                  int depth) {
  tf::Tensor rows =
      DropLeadingDim(buffers_[ref.buffer].tensor.Slice(ref.row, ref.row + 1));
  if (rows.dims() < 1 || rows.dim_size(0) != num_rows) {
    return absl::InternalError("recursive_tf: mapped arguments changed");
  }
  const bool is_differentiable = IsDifferentiable(rows.dtype());
  const uint32_t id = AddBuffer(std::move(rows), num_rows);
  if (is_differentiable) {
    TapeColumn column;
    column.first = ref;
    RecordMove(TapeStep::Kind::kUnstack, column, num_rows, id, depth);
  }
  return id;
}

absl::Status ForwardShard::MapOver(const BatchedUnit& unit,
                                   BatchedFrame* frame) {
  // The arguments' rows, for the check of their leading dimensions.
  std::vector<tf::Tensor> shapes;
  std::vector<const tf::Tensor*> pointers;
  for (int reg : unit.args) {
    const RowRef ref = frame->registers()[reg];
    if (ref.buffer == RowRef::kNone) {
      return absl::InternalError("recursive_tf: a register was not set");
    }
    shapes.push_back(DropLeadingDim(
        buffers_[ref.buffer].tensor.Slice(ref.row, ref.row + 1)));
  }
  for (const tf::Tensor& tensor : shapes) pointers.push_back(&tensor);
  const auto num_rows = NumRows(pointers);
  if (!num_rows.ok()) return num_rows.status();

  BatchedMapCall* map = store_.MakeMapCall(frame, unit, *num_rows);
  if (*num_rows == 0) return FinishMap(map);

  const int depth = frame->depth + 1;
  if (!CanEnter(unit.callee, depth)) return absl::OkStatus();
  std::vector<uint32_t> ids;
  for (int reg : unit.args) {
    auto id = UnstackRow(frame->registers()[reg], *num_rows, frame->depth);
    if (!id.ok()) return id.status();
    ids.push_back(*id);
  }
  for (int64_t row = 0; row < *num_rows; ++row) {
    BatchedFrame* callee = store_.Make(unit.callee, depth);
    callee->caller = frame;
    callee->map = map;
    callee->row = static_cast<int32_t>(row);
    callee->root_row = frame->root_row;
    for (size_t i = 0; i < ids.size(); ++i) {
      callee->registers()[i] = {ids[i], static_cast<uint32_t>(row)};
    }
    events_.Post(EventId(unit.callee, 0), callee);
  }
  return absl::OkStatus();
}

void ForwardShard::ReturnFromMap(const BatchedUnit& unit,
                                 const std::vector<bool>& moves,
                                 BatchedFrame* frame) {
  BatchedMapCall* map = frame->map;
  for (size_t i = 0; i < unit.copies.size(); ++i) {
    const RegisterCopy& copy = unit.copies[i];
    buffers_.Replace(
        &map->results[copy.target * map->num_rows + frame->row],
        store_.TakeRef(&frame->registers()[copy.source], moves[i]));
  }
  if (--map->num_pending > 0) return;
  BatchedFrame* caller = map->caller;
  const absl::Status status = FinishMap(map);
  if (!status.ok()) Fail(status, caller->body, caller->depth);
}

absl::Status ForwardShard::FinishMap(BatchedMapCall* map) {
  BatchedFrame* caller = map->caller;
  const BatchedUnit& unit = *map->unit;
  const int64_t num_rows = map->num_rows;
  for (size_t r = 0; r < unit.results.size(); ++r) {
    const RowRef* refs = map->results.data() + r * num_rows;
    tf::Tensor stacked;
    const bool is_consecutive = num_rows > 0 && IsConsecutive(refs, num_rows);
    if (num_rows == 0) {
      const MapResult& declared = unit.map_results[r];
      auto empty = NoRows(static_cast<tf::DataType>(declared.dtype),
                          tf::PartialTensorShape(declared.shape));
      if (!empty.ok()) return empty.status();
      stacked = *std::move(empty);
    } else if (unit.results[r] >= 0) {
      absl::Status status = buffers_.CheckRowShapes(
          refs, num_rows, buffers_.RowShapeOf(refs[0]), r, /*first_row=*/0);
      if (!status.ok()) return status;
      status = buffers_.Gather(refs, num_rows, is_consecutive, &stacked);
      if (!status.ok()) return status;
    }
    if (unit.results[r] >= 0) {
      const bool is_recorded =
          num_rows > 0 && IsDifferentiable(stacked.dtype());
      auto row = AddLeadingDim(stacked);
      if (!row.ok()) return row.status();
      const uint32_t id = AddBuffer(*std::move(row), 1);
      buffers_.Replace(&caller->registers()[unit.results[r]], {id, 0});
      if (is_recorded && tape_ != nullptr) {
        RecordMove(TapeStep::Kind::kStack,
                   tape_->MakeColumn(refs, num_rows, is_consecutive), num_rows,
                   id, caller->depth);
      }
    }
    for (int64_t i = 0; i < num_rows; ++i) buffers_.Release(refs[i]);
  }
  store_.FreeMapCall(map);
  // The caller's share of the map, which has come back, is now the event's.
  events_.Post(EventId(caller->body, unit.event), caller);
  return absl::OkStatus();
}

}  // namespace recursive_tf
