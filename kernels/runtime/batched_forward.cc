// ForwardShard: steps. Frames and events are in batched_units.cc.

#include "kernels/runtime/batched_forward.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/runtime/row_tensors.h"
#include "tensorflow/core/platform/env_time.h"

namespace recursive_tf {

namespace tf = tensorflow;

ForwardShard::ForwardShard(tf::OpKernelContext* ctx, BatchedRun* run,
                           BlockTable* table, int shard, bool keeps_residuals,
                           std::function<void()> done)
    : StepLoop(ctx),
      run_(run),
      table_(table),
      shard_(shard),
      tape_(keeps_residuals ? &run->tapes[shard] : nullptr),
      done_(std::move(done)),
      scratches_(table->TakeScratches()),
      agenda_(run->plan->agenda.MakeAgenda()),
      buffers_(/*reuses_ids=*/!keeps_residuals),
      store_(run->plan.get(), &buffers_),
      events_(run->plan->makes_frames),
      num_rows_(run->shard_begin(shard + 1) - run->shard_begin(shard)),
      is_traced_(TraceRecorder::Get().is_enabled()) {
  const BatchedProgram& program = run->plan->program;
  results_.assign(program.bodies[program.entry_body].num_results,
                  std::vector<RowRef>(num_rows_));
}

ForwardShard::~ForwardShard() { table_->GiveBack(std::move(scratches_)); }

void ForwardShard::Fail(const absl::Status& status, int body, int depth) {
  run_->error.Record(status, run_->plan->body_name(body), depth);
}

uint32_t ForwardShard::AddBuffer(tf::Tensor tensor, int64_t num_refs) {
  if (tape_ != nullptr) {
    tape_->buffers.push_back({tensor.dtype(), tensor.shape()});
  }
  return buffers_.Add(std::move(tensor), num_refs);
}

bool ForwardShard::Prepare() {
  const std::vector<BatchedBlock>& blocks = run_->plan->program.blocks;
  if (has_stopped()) return false;
  if (retry_.is_active()) {
    if (!retry_.Take(&frames_, &depths_)) {
      Fail(retried_status_, retry_.first().body, retry_.first().depth);
      return false;
    }
  } else {
    SeeToEvents();
    if (has_stopped()) return false;
    block_ = TakeStep();
    if (block_ < 0) return false;
  }
  if (is_cancelled()) {
    Fail(absl::CancelledError("the call was cancelled"), frames_[0]->body,
         frames_[0]->depth);
    return false;
  }
  if (is_traced_) {
    step_start_us_ = static_cast<int64_t>(tf::EnvTime::NowMicros());
  }
  const int function = blocks[block_].function;
  function_ = &(*table_)[function];
  if (scratches_[function] == nullptr) {
    scratches_[function] = function_->MakeScratch();
  }
  scratch_ = scratches_[function].get();
  const absl::Status status = GatherInputs();
  if (!status.ok()) {
    scratch_->Clear();
    Fail(status, frames_[0]->body, frames_[0]->depth);
    return false;
  }
  return true;
}

int ForwardShard::TakeStep() {
  const int64_t limit = StepLimitOf(agenda_->size());
  if (limit == kNoStepLimit) return agenda_->Take(&frames_, &depths_);
  return agenda_->TakeDeepest(limit, &frames_, &depths_);
}

// The group, from 1 on, of the frames whose rows have the shapes of this one's.
int ForwardShard::ShapeGroup(const BatchedBlock& block, BatchedFrame* frame) {
  shape_key_.clear();
  const auto append = [this](int64_t number) {
    shape_key_.append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  for (const BatchedBlock::Input& input : block.inputs) {
    const uint32_t id = frame->registers()[input.reg].buffer;
    if (!input.is_dynamic || id == RowRef::kNone) continue;
    const tf::TensorShape& shape = buffers_[id].tensor.shape();
    append(shape.dims());
    for (int d = 1; d < shape.dims(); ++d) append(shape.dim_size(d));
  }
  const int next = static_cast<int>(shape_groups_.size()) + 1;
  return shape_groups_.emplace(shape_key_, next).first->second;
}

absl::Status ForwardShard::GatherInputs() {
  const BatchedBlock& block = run_->plan->program.blocks[block_];
  const bool is_serial = block.kind == BatchedBlock::Kind::kSerial;
  const size_t num_rows = frames_.size();
  const size_t num_inputs = block.inputs.size();
  refs_.resize(num_inputs * num_rows);
  are_consecutive_.resize(num_inputs);
  // Frame by frame, not input by input: a large step's frames are in the cache
  // once.
  for (size_t i = 0; i < num_rows; ++i) {
    const RowRef* registers = frames_[i]->registers();
    RowRef* ref = refs_.data() + i;
    for (const BatchedBlock::Input& input : block.inputs) {
      *ref = registers[input.reg];
      ref += num_rows;
    }
  }
  tf::Tensor* args = scratch_->args();
  for (size_t k = 0; k < num_inputs; ++k) {
    const RowRef* refs = refs_.data() + k * num_rows;
    are_consecutive_[k] = IsConsecutive(refs, num_rows);
    absl::Status status =
        buffers_.Gather(refs, num_rows, are_consecutive_[k], &args[k]);
    if (!status.ok()) return status;
    if (is_serial) args[k] = DropLeadingDim(args[k]);
    const tf::DataType taken = function_->arg_types()[k];
    if (args[k].dtype() != taken) {
      return WrongType(block.function, args[k].dtype(), taken);
    }
  }
  for (size_t k = 0; k < block.captures.size(); ++k) {
    args[num_inputs + k] = run_->captures[block.captures[k]];
  }
  return absl::OkStatus();
}

void ForwardShard::Complete(const absl::Status& status) {
  const BatchedBlock& block = run_->plan->program.blocks[block_];
  if (!status.ok()) {
    scratch_->Clear();
    if (frames_.size() > 1 && !is_cancelled()) {
      retry_.Begin(frames_, depths_);
      retried_status_ = status;
      return;
    }
    return Fail(status, frames_[0]->body, frames_[0]->depth);
  }
  if (retry_.is_active()) return scratch_->Clear();
  const absl::Status scattered = ScatterOutputs();
  if (!scattered.ok()) {
    scratch_->Clear();
    return Fail(scattered, frames_[0]->body, frames_[0]->depth);
  }
  ++num_steps_;
  num_step_rows_ += static_cast<int64_t>(frames_.size());
  if (is_traced_) Trace();
  Fire(block.body,
       run_->plan->program.bodies[block.body].units[block.unit].event, frames_);
}

absl::Status ForwardShard::ScatterOutputs() {
  const BatchedBlock& block = run_->plan->program.blocks[block_];
  const bool is_serial = block.kind == BatchedBlock::Kind::kSerial;
  const int64_t num_rows = static_cast<int64_t>(frames_.size());
  std::vector<tf::Tensor>& outputs = scratch_->outputs();
  step_outputs_.clear();
  step_targets_.clear();
  for (size_t k = 0; k < block.outputs.size(); ++k) {
    const BatchedBlock::Output& output = block.outputs[k];
    const bool has_rows = output.is_stacked && !is_serial;
    if (has_rows &&
        (outputs[k].dims() < 1 || outputs[k].dim_size(0) != num_rows)) {
      return absl::InternalError(absl::StrCat(
          "recursive_tf: output ", k, " of block ", block_, " has shape ",
          outputs[k].shape().DebugString(), " for ", num_rows, " rows"));
    }
    if (output.reg < 0 && tape_ == nullptr) {
      outputs[k] = tf::Tensor();
      continue;
    }
    tf::Tensor rows = std::move(outputs[k]);
    if (!has_rows) {
      auto row = AddLeadingDim(rows);
      if (!row.ok()) return row.status();
      rows = *std::move(row);
    }
    const uint32_t id =
        AddBuffer(std::move(rows), output.reg < 0 ? 0 : num_rows);
    step_outputs_.push_back(id);
    if (output.reg >= 0) {
      step_targets_.push_back({output.reg, id, has_rows ? 1u : 0u});
    }
  }
  store_.LetGo(run_->plan->ends[block.body].units[block.unit], frames_);
  for (uint32_t row = 0; row < frames_.size(); ++row) {
    RowRef* registers = frames_[row]->registers();
    for (const StepTarget& target : step_targets_) {
      buffers_.Replace(&registers[target.reg],
                       {target.buffer, row * target.stride});
    }
  }
  if (tape_ != nullptr) {
    Record(step_outputs_);
  } else {
    // What a function returns beyond them nobody needs.
    std::fill(outputs.begin() + block.outputs.size(), outputs.end(),
              tf::Tensor());
  }
  return absl::OkStatus();
}

void ForwardShard::Record(const std::vector<uint32_t>& output_ids) {
  const BatchedBlock& block = run_->plan->program.blocks[block_];
  const int64_t num_rows = static_cast<int64_t>(frames_.size());
  TapeStep step;
  step.block = block_;
  step.num_rows = static_cast<int32_t>(num_rows);
  step.depth = *std::max_element(depths_.begin(), depths_.end());
  step.first_column = static_cast<uint32_t>(tape_->columns.size());
  step.first_output = static_cast<uint32_t>(tape_->outputs.size());
  step.first_residual = static_cast<uint32_t>(tape_->residuals.size());
  for (size_t k = 0; k < block.inputs.size(); ++k) {
    const RowRef* refs = refs_.data() + k * num_rows;
    const bool has_gradient = IsDifferentiable(function_->arg_types()[k]);
    tape_->columns.push_back(
        has_gradient ? tape_->MakeColumn(refs, num_rows, are_consecutive_[k])
                     : TapeColumn());
  }
  tape_->outputs.insert(tape_->outputs.end(), output_ids.begin(),
                        output_ids.end());
  std::vector<tf::Tensor>& outputs = scratch_->outputs();
  for (size_t k = block.outputs.size(); k < outputs.size(); ++k) {
    tape_->residuals.push_back(std::move(outputs[k]));
    ++step.num_residuals;
  }
  if (is_traced_) {
    tape_->traced_rows.resize(tape_->steps.size());  // Moves have none.
    tape_->traced_rows.push_back(TracedRows());
  }
  tape_->steps.push_back(step);
}

void ForwardShard::RecordMove(TapeStep::Kind kind, TapeColumn column,
                              int64_t num_rows, uint32_t output, int depth) {
  if (tape_ == nullptr) return;
  TapeStep step;
  step.kind = kind;
  step.num_rows = static_cast<int32_t>(num_rows);
  step.depth = depth;
  step.first_column = static_cast<uint32_t>(tape_->columns.size());
  step.first_output = static_cast<uint32_t>(tape_->outputs.size());
  step.first_residual = static_cast<uint32_t>(tape_->residuals.size());
  tape_->columns.push_back(column);
  tape_->outputs.push_back(output);
  tape_->steps.push_back(step);
}

void ForwardShard::Trace() {
  TracedStep step;
  step.shard = shard_;
  step.block = block_;
  step.start_us = step_start_us_;
  step.duration_us =
      static_cast<int64_t>(tf::EnvTime::NowMicros()) - step_start_us_;
  step.num_rows = static_cast<int64_t>(frames_.size());
  step.rows = TracedRows();
  trace_.push_back(std::move(step));
}

std::vector<TracedRow> ForwardShard::TracedRows() const {
  std::vector<TracedRow> rows;
  rows.reserve(frames_.size());
  for (const BatchedFrame* frame : frames_) {
    rows.push_back({frame->root_row, frame->depth});
  }
  return rows;
}

void ForwardShard::Finish() {
  if (!has_stopped() && store_.num_live() > 0) {
    Fail(absl::InternalError(absl::StrCat("recursive_tf: ", store_.num_live(),
                                          " frames wait for each other")),
         run_->plan->program.entry_body, 1);
  }
  if (tape_ != nullptr && num_rows_ > 0 && !has_stopped()) {
    for (const std::vector<RowRef>& refs : results_) {
      tape_->results.push_back(tape_->MakeColumn(
          refs.data(), num_rows_, IsConsecutive(refs.data(), num_rows_)));
    }
  }
  const std::function<void()> done = done_;  // It destroys this loop.
  done();
}

}  // namespace recursive_tf
