#include "kernels/runtime/batched_backward.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "kernels/runtime/row_tensors.h"
#include "tensorflow/core/platform/env_time.h"

namespace recursive_tf {

namespace tf = tensorflow;

BackwardShard::BackwardShard(tf::OpKernelContext* ctx, BatchedRun* run,
                             const BatchedBackwardProgram* program,
                             BlockTable* table, int shard, bool consumes,
                             Accumulators accumulators, FirstError* error,
                             std::function<void()> done)
    : StepLoop(ctx),
      run_(run),
      program_(program),
      table_(table),
      tape_(&run->tapes[shard]),
      shard_(shard),
      consumes_(consumes),
      error_(error),
      done_(std::move(done)),
      scratches_(table->TakeScratches()),
      gradients_(tape_->buffers),
      accumulators_(std::move(accumulators)),
      next_step_(tape_->steps.size()),
      is_traced_(TraceRecorder::Get().is_enabled()) {}

BackwardShard::~BackwardShard() { table_->GiveBack(std::move(scratches_)); }

void BackwardShard::Fail(const absl::Status& status, const TapeStep& step) {
  const BatchedProgram& program = run_->plan->program;
  const int body =
      step.block < 0 ? program.entry_body : program.blocks[step.block].body;
  error_->Record(status, run_->plan->body_name(body), step.depth);
}

absl::Status BackwardShard::Seed(int result, tf::Tensor gradient) {
  const int64_t num_rows =
      run_->shard_begin(shard_ + 1) - run_->shard_begin(shard_);
  if (num_rows == 0) return absl::OkStatus();
  return gradients_.Add(tape_->results[result], num_rows, std::move(gradient));
}

tf::Tensor BackwardShard::TakeArgGradient(int arg) {
  return gradients_.Take(tape_->args[arg]);
}

bool BackwardShard::Prepare() {
  while (next_step_ > 0 && !error_->has_failed()) {
    const TapeStep& step = tape_->steps[--next_step_];
    if (is_cancelled()) {
      Fail(absl::CancelledError("the call was cancelled"), step);
      return false;
    }
    if (step.kind == TapeStep::Kind::kBlock) {
      if (PrepareBlock(step)) return true;
      continue;
    }
    const absl::Status status = ReplayMove(step);
    if (!status.ok()) Fail(status, step);
  }
  return false;
}

absl::Status BackwardShard::ReplayMove(const TapeStep& step) {
  const uint32_t output = tape_->outputs[step.first_output];
  if (!gradients_.has(output)) return absl::OkStatus();
  const TapeColumn& column = tape_->columns[step.first_column];
  tf::Tensor gradient = gradients_.Take(output);
  if (step.kind == TapeStep::Kind::kStack) {
    return gradients_.Add(column, step.num_rows, DropLeadingDim(gradient));
  }
  auto row = AddLeadingDim(gradient);
  if (!row.ok()) return row.status();
  return gradients_.Add(column, 1, *std::move(row));
}

bool BackwardShard::PrepareBlock(const TapeStep& step) {
  const BatchedGradient& gradient = program_->gradients[step.block];
  const BatchedBlock& block = run_->plan->program.blocks[step.block];
  const uint32_t* outputs = tape_->outputs.data() + step.first_output;
  ChunkedVector<tf::Tensor>& residuals = tape_->residuals;
  const bool is_needed =
      gradient.function >= 0 &&
      std::any_of(gradient.outputs.begin(), gradient.outputs.end(),
                  [&](int k) { return gradients_.has(outputs[k]); });
  if (!is_needed) {
    for (uint32_t i = 0; consumes_ && i < step.num_residuals; ++i) {
      residuals[step.first_residual + i] = tf::Tensor();
    }
    return false;
  }
  if (is_traced_) {
    step_start_us_ = static_cast<int64_t>(tf::EnvTime::NowMicros());
  }
  function_ = &(*table_)[gradient.function];
  const size_t num_args =
      gradient.outputs.size() + step.num_residuals + gradient.captures.size();
  if (static_cast<int>(num_args) != function_->num_args()) {
    Fail(absl::InternalError(absl::StrCat(
             "recursive_tf: the gradient of block ", step.block, " takes ",
             function_->num_args(), " arguments, not ", num_args)),
         step);
    return false;
  }
  if (scratches_[gradient.function] == nullptr) {
    scratches_[gradient.function] = function_->MakeScratch();
  }
  scratch_ = scratches_[gradient.function].get();
  tf::Tensor* args = scratch_->args();
  const bool is_serial = block.kind == BatchedBlock::Kind::kSerial;
  for (int k : gradient.outputs) {
    tf::Tensor rows = gradients_.Take(outputs[k]);
    const bool has_rows = block.outputs[k].is_stacked && !is_serial;
    *args++ = has_rows ? std::move(rows) : DropLeadingDim(rows);
  }
  for (uint32_t i = 0; i < step.num_residuals; ++i) {
    tf::Tensor& residual = residuals[step.first_residual + i];
    *args++ = consumes_ ? std::move(residual) : residual;
  }
  for (int k : gradient.captures) *args++ = run_->captures[k];
  for (size_t i = 0; i < num_args; ++i) {
    const tf::DataType given = scratch_->args()[i].dtype();
    const tf::DataType taken = function_->arg_types()[i];
    if (given == taken) continue;
    scratch_->Clear();
    Fail(WrongType(gradient.function, given, taken), step);
    return false;
  }
  return true;
}

void BackwardShard::Complete(const absl::Status& status) {
  const TapeStep& step = tape_->steps[next_step_];
  if (!status.ok()) {
    scratch_->Clear();
    return Fail(status, step);
  }
  const absl::Status taken = TakeOutputs(step);
  if (!taken.ok()) {
    scratch_->Clear();
    return Fail(taken, step);
  }
  if (!is_traced_) return;
  TracedStep traced;
  traced.shard = shard_;
  traced.block = step.block;
  traced.is_backward = true;
  traced.start_us = step_start_us_;
  traced.duration_us =
      static_cast<int64_t>(tf::EnvTime::NowMicros()) - step_start_us_;
  traced.num_rows = step.num_rows;
  if (next_step_ < tape_->traced_rows.size()) {
    traced.rows = tape_->traced_rows[next_step_];
  }
  trace_.push_back(std::move(traced));
}

absl::Status BackwardShard::TakeOutputs(const TapeStep& step) {
  const BatchedGradient& gradient = program_->gradients[step.block];
  const BatchedBlock& block = run_->plan->program.blocks[step.block];
  std::vector<tf::Tensor>& outputs = scratch_->outputs();
  size_t next = 0;
  for (int k : gradient.inputs) {
    tf::Tensor rows = std::move(outputs[next++]);
    if (block.kind == BatchedBlock::Kind::kSerial) {
      auto row = AddLeadingDim(rows);
      if (!row.ok()) return row.status();
      rows = *std::move(row);
    }
    absl::Status status = gradients_.Add(tape_->columns[step.first_column + k],
                                         step.num_rows, std::move(rows));
    if (!status.ok()) return status;
  }
  for (int slot : gradient.slots) {
    Accumulator& accumulator = *accumulators_[slot];
    absl::Status status;
    if (accumulator.kind() == Accumulator::Kind::kDense) {
      status = accumulator.AddDense(std::move(outputs[next]));
      next += 1;
    } else {
      status = accumulator.AddRows(accumulator.kind(), std::move(outputs[next]),
                                   std::move(outputs[next + 1]));
      next += 2;
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

void BackwardShard::Finish() {
  const std::function<void()> done = done_;  // It destroys this loop.
  done();
}

}  // namespace recursive_tf
