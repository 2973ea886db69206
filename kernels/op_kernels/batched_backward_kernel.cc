// Kernel of LaunchBatchedBackward: replays the tapes of all shards.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/op_kernels/gradient_slots.h"
#include "kernels/op_kernels/kernel_util.h"
#include "kernels/op_kernels/sharded_call.h"
#include "kernels/runtime/batched_backward.h"
#include "kernels/runtime/batched_run_ref.h"
#include "kernels/runtime/made_gradients.h"
#include "kernels/runtime/row_tensors.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/variant.h"

namespace recursive_tf {

namespace tf = tensorflow;

namespace {

struct BackwardOptions {
  BatchedBackwardProgram program;
  GradientSlots slots;
  std::vector<tf::DataType> result_dtypes;  // Of the gradients of arguments.
  std::vector<int> arg_positions;
  bool is_mapped = false;
  bool has_made = false;
};

class BackwardCall final : public ShardedCall {
 public:
  BackwardCall(tf::OpKernelContext* ctx, tf::AsyncOpKernel::DoneCallback done,
               const BackwardOptions& options, std::shared_ptr<BatchedRun> run,
               std::shared_ptr<BlockTable> table, bool consumes)
      : ShardedCall(ctx, std::move(done)),
        options_(options),
        table_(std::move(table)),
        run_(std::move(run)),
        consumes_(consumes) {}

  void MakeShards() {
    if (options_.has_made) made_ = std::make_unique<MadeGradients>(ctx());
    for (int s = 0; s < run_->num_shards(); ++s) {
      shards_.push_back(std::make_unique<BackwardShard>(
          ctx(), run_.get(), &options_.program, table_.get(), s, consumes_,
          options_.slots.MakeAccumulators(), &error_, ShardDoneCallback()));
      if (made_ != nullptr) {
        shards_.back()->set_step_container(made_->step_container());
      }
    }
    int input = 1;
    for (size_t k = 0; k < run_->result_dtypes.size(); ++k) {
      if (!IsDifferentiable(run_->result_dtypes[k])) continue;
      Record(Seed(k, input++));
    }
    if (input != ctx()->num_inputs()) Record(WrongCount());
  }

 private:
  void Record(const absl::Status& status) {
    if (status.ok()) return;
    const BatchedPlan& plan = *run_->plan;
    error_.Record(status, plan.body_name(plan.program.entry_body), 1);
  }

  absl::Status WrongCount() const {
    return absl::InvalidArgumentError(
        absl::StrCat("recursive_tf: ", ctx()->num_inputs() - 1,
                     " gradients for other results"));
  }

  absl::Status Seed(int result, int input) {
    if (input >= ctx()->num_inputs()) return WrongCount();
    const tf::Tensor* given = &ctx()->input(input);
    absl::Status checked =
        CheckGradientShapes({given}, {run_->result_shapes[result]});
    if (!checked.ok()) return checked;
    // Rows as the blocks have them: of rows of one, the rows alone.
    if (given->dtype() != run_->result_dtypes[result]) {
      return absl::InvalidArgumentError(
          absl::StrCat("recursive_tf: the gradient of a result of type ",
                       tf::DataTypeString(run_->result_dtypes[result]),
                       " has type ", tf::DataTypeString(given->dtype())));
    }
    tf::TensorShape shape = given->shape();
    if (!options_.is_mapped)
      TF_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, 1));
    if (run_->is_merged(result)) shape.RemoveDim(1);
    tf::Tensor gradient;
    if (!gradient.CopyFrom(*given, shape)) {
      return absl::InternalError("recursive_tf: a gradient of another size");
    }
    if (!options_.is_mapped) {
      return shards_[0]->Seed(result, std::move(gradient));
    }
    for (int s = 0; s < run_->num_shards(); ++s) {
      absl::Status status = shards_[s]->Seed(
          result,
          run_->num_shards() == 1
              ? gradient
              : gradient.Slice(run_->shard_begin(s), run_->shard_begin(s + 1)));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  std::vector<StepLoop*> Shards() override {
    std::vector<StepLoop*> loops;
    for (const auto& shard : shards_) loops.push_back(shard.get());
    return loops;
  }

  void Finish() override {
    absl::Status status = error_.Get();
    std::vector<tf::Tensor> gradients;
    for (size_t i = 0; status.ok() && i < options_.arg_positions.size(); ++i) {
      gradients.emplace_back();
      status = ArgGradient(options_.arg_positions[i], &gradients.back());
    }
    if (status.ok()) {
      status = SetResults(ctx(), gradients, options_.result_dtypes);
    }
    if (status.ok()) status = EmitSlots();
    BatchedTrace trace;
    for (const auto& shard : shards_) {
      for (TracedStep& step : shard->TakeTrace()) {
        trace.steps.push_back(std::move(step));
      }
    }
    if (!trace.steps.empty()) {
      trace.block_names = run_->plan->block_names;
      TraceRecorder::Get().Publish(std::move(trace), /*is_backward=*/true);
    }
    shards_.clear();
    for (int s = 0; consumes_ && s < run_->num_shards(); ++s) {
      run_->DropTape(s);
    }
    if (!status.ok()) ctx()->SetStatus(status);
  }

  // The gradient of an argument, put together from those of the shards' rows.
  absl::Status ArgGradient(int arg, tf::Tensor* gradient) {
    if (run_->num_rows > 0 && run_->num_shards() == 1) {
      tf::Tensor rows = shards_[0]->TakeArgGradient(arg);
      *gradient = options_.is_mapped ? rows : DropLeadingDim(rows);
      return absl::OkStatus();
    }
    const ArgShape& shape = run_->args[arg];
    *gradient = tf::Tensor(shape.dtype, shape.shape);
    if (!gradient->IsInitialized()) {
      return absl::ResourceExhaustedError(
          "recursive_tf: no memory for the gradient of an argument");
    }
    for (int s = 0; run_->num_rows > 0 && s < run_->num_shards(); ++s) {
      const tf::Tensor rows = shards_[s]->TakeArgGradient(arg);
      TF_RETURN_IF_ERROR(
          CopyRows(rows, 0, rows.dim_size(0), run_->shard_begin(s), gradient));
    }
    return absl::OkStatus();
  }

  absl::Status EmitSlots() {
    Accumulators& sums = shards_[0]->accumulators();
    for (size_t s = 1; s < shards_.size(); ++s) {
      for (size_t slot = 0; slot < sums.size(); ++slot) {
        TF_RETURN_IF_ERROR(
            sums[slot]->AddAll(shards_[s]->accumulators()[slot].get()));
      }
    }
    return options_.slots.Emit(ctx(), run_->captures,
                               static_cast<int>(options_.result_dtypes.size()),
                               &sums);
  }

  const BackwardOptions& options_;  // The kernel's, which outlives the call.
  const std::shared_ptr<BlockTable> table_;  // Outlives the shards.
  const std::shared_ptr<BatchedRun> run_;
  const bool consumes_;
  FirstError error_;
  std::unique_ptr<MadeGradients> made_;  // Outlives the shards.
  std::vector<std::unique_ptr<BackwardShard>> shards_;
};

}  // namespace

class LaunchBatchedBackwardOp final : public tf::AsyncOpKernel {
 public:
  explicit LaunchBatchedBackwardOp(tf::OpKernelConstruction* ctx)
      : AsyncOpKernel(ctx), functions_(ctx) {
    OP_REQUIRES_OK(ctx,
                   ctx->GetAttr("Targ_gradients", &options_.result_dtypes));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("arg_positions", &options_.arg_positions));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("mapped", &options_.is_mapped));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("has_made", &options_.has_made));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("entry", &entry_));
    OP_REQUIRES_OK(ctx, options_.slots.Read(ctx));
    std::vector<int> code;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("program", &code));
    std::string error;
    OP_REQUIRES(
        ctx,
        DecodeBackwardProgram(code, functions_.num_functions(),
                              options_.slots.size(), &options_.program, &error),
        Malformed(ctx, error));
    OP_REQUIRES(
        ctx, options_.arg_positions.size() == options_.result_dtypes.size(),
        Malformed(ctx, absl::StrCat(
                           options_.arg_positions.size(), " arg_positions, ",
                           options_.result_dtypes.size(), " Targ_gradients")));
  }

  void ComputeAsync(tf::OpKernelContext* ctx, DoneCallback done) override {
    const auto ref = ReadRun<BatchedRunRef>(ctx->input(0), entry_);
    OP_REQUIRES_OK_ASYNC(ctx, ref.status(), done);
    const std::shared_ptr<BatchedRun>& run = (*ref)->run;
    const absl::Status status = Check(*run);
    OP_REQUIRES_OK_ASYNC(ctx, status, done);
    auto table = functions_.Get(ctx->function_library(), run->has_one_thread);
    OP_REQUIRES_OK_ASYNC(ctx, table.status(), done);
    const absl::Status checked = CheckFunctions(**table);
    OP_REQUIRES_OK_ASYNC(ctx, checked, done);
    // The input is the only reference left exactly when no tape, graph edge,
    // copy of the element or other gradient can ask for this run again.
    const bool consumes = ctx->input(0).RefCountIsOne() && run.use_count() == 1;
    auto call = std::make_unique<BackwardCall>(
        ctx, std::move(done), options_, run, *std::move(table), consumes);
    call->MakeShards();
    ShardedCall::Start(std::move(call));
  }

 private:
  absl::Status Check(const BatchedRun& run) const {
    std::string error;
    if (!CheckBackwardProgram(run.plan->program, options_.program, &error)) {
      return absl::InvalidArgumentError(absl::StrCat("recursive_tf: ", error));
    }
    if (run.is_mapped != options_.is_mapped) {
      return absl::InvalidArgumentError(
          absl::StrCat("recursive_tf: SubGraph '", entry_,
                       "': only one of the call and its gradient is mapped"));
    }
    if (!run.has_tapes()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "SubGraph '", entry_, "': the residuals have been used up"));
    }
    for (size_t i = 0; i < options_.arg_positions.size(); ++i) {
      const int position = options_.arg_positions[i];
      if (position < 0 || position >= static_cast<int>(run.args.size()) ||
          run.args[position].dtype != options_.result_dtypes[i] ||
          !IsDifferentiable(options_.result_dtypes[i])) {
        return absl::InvalidArgumentError(
            absl::StrCat("recursive_tf: SubGraph '", entry_, "': argument ",
                         position, " has no gradient of type ",
                         tf::DataTypeString(options_.result_dtypes[i])));
      }
    }
    return absl::OkStatus();
  }

  // That the functions return what the program says. What they take is known
  // only with the residuals.
  absl::Status CheckFunctions(const BlockTable& table) const {
    for (const BatchedGradient& gradient : options_.program.gradients) {
      if (gradient.function < 0) continue;
      int num_outputs = static_cast<int>(gradient.inputs.size());
      for (int slot : gradient.slots) {
        num_outputs += options_.slots.num_outputs(slot);
      }
      if (table[gradient.function].num_outputs() != num_outputs) {
        return absl::InvalidArgumentError(
            absl::StrCat("recursive_tf: gradient function ", gradient.function,
                         " returns ", table[gradient.function].num_outputs(),
                         " values, not ", num_outputs));
      }
    }
    return absl::OkStatus();
  }

  BlockTableCache functions_;
  BackwardOptions options_;
  std::string entry_;
};

REGISTER_KERNEL_BUILDER(
    Name("RecursiveTf>LaunchBatchedBackward").Device(tf::DEVICE_CPU),
    LaunchBatchedBackwardOp);

}  // namespace recursive_tf
