// Kernel of LaunchBatched: divides the rows into shards and runs them.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/core/shards.h"
#include "kernels/op_kernels/kernel_util.h"
#include "kernels/op_kernels/sharded_call.h"
#include "kernels/runtime/batched_forward.h"
#include "kernels/runtime/batched_run.h"
#include "kernels/runtime/batched_run_ref.h"
#include "kernels/runtime/frame.h"
#include "kernels/runtime/process_stats.h"
#include "kernels/runtime/row_tensors.h"
#include "kernels/runtime/rows.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

namespace tf = tensorflow;

namespace {

// Types beyond are references, which no kernel of ours makes.
constexpr int kLastType = 100;

// The attributes that a call needs at its end.
struct LaunchOptions {
  std::vector<tf::DataType> result_dtypes;
  std::vector<tf::PartialTensorShape> row_shapes;
  std::vector<bool> are_merged;
  bool is_mapped = false;
  bool keeps_residuals = false;
};

class LaunchCall final : public ShardedCall {
 public:
  LaunchCall(tf::OpKernelContext* ctx, tf::AsyncOpKernel::DoneCallback done,
             const LaunchOptions& options, std::shared_ptr<BatchedRun> run,
             std::shared_ptr<BlockTable> table,
             std::atomic<int64_t>* seen_frames_per_row)
      : ShardedCall(ctx, std::move(done)),
        options_(options),
        table_(std::move(table)),
        run_(std::move(run)),
        seen_frames_per_row_(seen_frames_per_row) {}

  // An error is in `run_->error`; the shards then end at once.
  void MakeShards(const ArgPointers& args) {
    const int num_shards = run_->num_shards();
    for (int s = 0; s < num_shards; ++s) {
      shards_.push_back(std::make_unique<ForwardShard>(
          ctx(), run_.get(), table_.get(), s, options_.keeps_residuals,
          ShardDoneCallback()));
      std::vector<tf::Tensor> rows;
      for (const tf::Tensor* arg : args) {
        if (!options_.is_mapped) {
          auto row = AddLeadingDim(*arg);
          if (!row.ok()) return Fail(row.status());
          rows.push_back(*std::move(row));
        } else if (num_shards == 1) {
          rows.push_back(*arg);
        } else {
          rows.push_back(
              arg->Slice(run_->shard_begin(s), run_->shard_begin(s + 1)));
        }
      }
      shards_.back()->Enter(std::move(rows));
    }
  }

 private:
  void Fail(const absl::Status& status) {
    const BatchedPlan& plan = *run_->plan;
    run_->error.Record(status, plan.body_name(plan.program.entry_body), 0);
  }

  std::vector<StepLoop*> Shards() override {
    std::vector<StepLoop*> loops;
    for (const auto& shard : shards_) loops.push_back(shard.get());
    return loops;
  }

  void Finish() override {
    PublishStats();
    absl::Status status = run_->error.Get();
    std::vector<tf::Tensor> results(options_.result_dtypes.size());
    for (size_t k = 0; status.ok() && k < results.size(); ++k) {
      status = CollectResult(k, &results[k]);
      if (status.ok()) status = AddMergedDim(k, &results[k]);
      run_->result_shapes.push_back(results[k].shape());
    }
    if (status.ok())
      status = SetResults(ctx(), results, options_.result_dtypes);
    if (!status.ok()) return ctx()->SetStatus(status);
    ctx()->set_output(ctx()->num_outputs() - 1,
                      MakeVariantScalar(BatchedRunRef{
                          options_.keeps_residuals ? run_ : nullptr}));
  }

  void PublishStats() {
    RunCountersSnapshot stats;
    BatchedTrace trace;
    for (const auto& shard : shards_) {
      stats.frames += shard->num_frames();
      stats.max_depth = std::max<int64_t>(stats.max_depth, shard->max_depth());
      stats.steps += shard->num_steps();
      stats.rows += shard->num_step_rows();
      for (TracedStep& step : shard->TakeTrace()) {
        trace.steps.push_back(std::move(step));
      }
    }
    if (run_->num_rows > 0) {
      seen_frames_per_row_->store(stats.frames / run_->num_rows,
                                  std::memory_order_relaxed);
    }
    if (options_.keeps_residuals) run_->CountTape(&stats);
    ProcessStats::Get().Publish(stats);
    if (trace.steps.empty()) return;
    trace.block_names = run_->plan->block_names;
    TraceRecorder::Get().Publish(std::move(trace), /*is_backward=*/false);
  }

  absl::Status AddMergedDim(size_t k, tf::Tensor* result) const {
    if (!run_->is_merged(k)) return absl::OkStatus();
    tf::TensorShape shape = result->shape();
    TF_RETURN_IF_ERROR(
        shape.InsertDimWithStatus(options_.is_mapped ? 1 : 0, 1));
    const tf::Tensor rows = std::move(*result);
    if (!result->CopyFrom(rows, shape)) {
      return absl::InternalError("recursive_tf: a result of another size");
    }
    return absl::OkStatus();
  }

  // Stacks the rows of all shards.
  absl::Status CollectResult(size_t k, tf::Tensor* result) const {
    if (run_->num_rows == 0) {
      tf::PartialTensorShape row = options_.row_shapes[k];
      if (run_->is_merged(k) && row.dims() > 0) row.RemoveDim(0);
      auto empty = NoRows(options_.result_dtypes[k], row);
      if (empty.ok()) *result = *std::move(empty);
      return empty.status();
    }
    const tf::TensorShape row_shape =
        shards_[0]->buffers().RowShapeOf(shards_[0]->results()[k][0]);
    for (size_t s = 0; s < shards_.size(); ++s) {
      const std::vector<RowRef>& refs = shards_[s]->results()[k];
      TF_RETURN_IF_ERROR(shards_[s]->buffers().CheckRowShapes(
          refs.data(), refs.size(), row_shape, k, run_->shard_begin(s)));
    }
    if (shards_.size() == 1) {
      const std::vector<RowRef>& refs = shards_[0]->results()[k];
      TF_RETURN_IF_ERROR(shards_[0]->buffers().Gather(
          refs.data(), refs.size(), IsConsecutive(refs.data(), refs.size()),
          result));
      if (!options_.is_mapped) *result = DropLeadingDim(*result);
      return absl::OkStatus();
    }
    auto all =
        AllocateRows(options_.result_dtypes[k], run_->num_rows, row_shape);
    if (!all.ok()) return all.status();
    *result = *std::move(all);
    for (size_t s = 0; s < shards_.size(); ++s) {
      const std::vector<RowRef>& refs = shards_[s]->results()[k];
      TF_RETURN_IF_ERROR(shards_[s]->buffers().CopyRows(
          refs.data(), refs.size(), run_->shard_begin(s), result));
    }
    return absl::OkStatus();
  }

  const LaunchOptions& options_;  // The kernel's, which outlives the call.
  const std::shared_ptr<BlockTable> table_;  // Outlives the shards.
  const std::shared_ptr<BatchedRun> run_;
  std::atomic<int64_t>* const seen_frames_per_row_;  // The kernel's.
  std::vector<std::unique_ptr<ForwardShard>> shards_;
};

}  // namespace

class LaunchBatchedOp final : public tf::AsyncOpKernel {
 public:
  explicit LaunchBatchedOp(tf::OpKernelConstruction* ctx)
      : AsyncOpKernel(ctx), functions_(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Tresults", &options_.result_dtypes));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("mapped", &options_.is_mapped));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("merged", &options_.are_merged));
    OP_REQUIRES_OK(ctx, ReadRowShapes(ctx, options_.result_dtypes.size(),
                                      &options_.row_shapes));
    OP_REQUIRES_OK(ctx,
                   ctx->GetAttr("keeps_residuals", &options_.keeps_residuals));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("max_depth", &max_depth_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_shards", &num_shards_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("frame_work", &frame_work_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("frames_per_row", &frames_per_row_));
    tf::DataTypeVector arg_dtypes;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Targs", &arg_dtypes));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Tcaptures", &capture_dtypes_));
    num_args_ = static_cast<int>(arg_dtypes.size());
    OP_REQUIRES_OK(ctx, MakePlan(ctx));
  }

  void ComputeAsync(tf::OpKernelContext* ctx, DoneCallback done) override {
    const ArgPointers args = InputPointers(ctx, 0, num_args_);
    int64_t num_rows = 1;
    if (options_.is_mapped) {
      auto found = NumRows(args);
      if (!found.ok()) {
        FirstError error;
        error.Record(found.status(),
                     plan_->body_name(plan_->program.entry_body), 0);
        ctx->SetStatus(error.Get());
        return done();
      }
      num_rows = *found;
    }
    const CallWork work = WorkOf(num_rows);
    const int num_shards = NumShards(
        work, num_shards_ > 0 ? num_shards_ : ShardedCall::NumThreads(ctx));
    const bool has_one_thread = num_shards > 1 || !IsWorthThreads(work);
    auto table = functions_.Get(ctx->function_library(), has_one_thread);
    OP_REQUIRES_OK_ASYNC(ctx, table.status(), done);
    const absl::Status status = CheckFunctions(**table);
    OP_REQUIRES_OK_ASYNC(ctx, status, done);
    auto run = std::make_shared<BatchedRun>(plan_, num_shards, num_rows,
                                            options_.is_mapped, max_depth_);
    for (int i = num_args_; i < ctx->num_inputs(); ++i) {
      run->captures.push_back(ctx->input(i));
    }
    for (const tf::Tensor* arg : args) {
      run->args.push_back({arg->dtype(), arg->shape()});
    }
    run->are_merged = options_.are_merged;
    run->has_one_thread = has_one_thread;
    run->result_dtypes.assign(options_.result_dtypes.begin(),
                              options_.result_dtypes.end());
    // The table and the run are moved: nothing on this stack may hold them
    // when the op is done, which may be before this function returns.
    auto call = std::make_unique<LaunchCall>(ctx, std::move(done), options_,
                                             std::move(run), *std::move(table),
                                             &seen_frames_per_row_);
    call->MakeShards(args);
    ShardedCall::Start(std::move(call));
  }

 private:
  CallWork WorkOf(int64_t num_rows) const {
    CallWork work;
    work.num_rows = num_rows;
    work.frame_work = num_shards_ > 0 ? 0 : frame_work_;
    work.frames_per_row = frames_per_row_;
    work.seen_frames_per_row =
        seen_frames_per_row_.load(std::memory_order_relaxed);
    work.is_training = options_.keeps_residuals;
    return work;
  }

  absl::Status MakePlan(tf::OpKernelConstruction* ctx) {
    std::vector<int> code;
    std::string name;
    std::vector<std::string> body_names, block_names;
    TF_RETURN_IF_ERROR(ctx->GetAttr("program", &code));
    TF_RETURN_IF_ERROR(ctx->GetAttr("policy", &name));
    TF_RETURN_IF_ERROR(ctx->GetAttr("body_names", &body_names));
    TF_RETURN_IF_ERROR(ctx->GetAttr("block_names", &block_names));
    AgendaPlan::Policy policy;
    if (!AgendaPlan::ParsePolicy(name, &policy)) {
      return absl::InvalidArgumentError(
          absl::StrCat("recursive_tf: policy '", name, "'"));
    }
    BatchedProgram program;
    std::string error;
    if (!DecodeBatchedProgram(code, functions_.num_functions(), &program,
                              &error)) {
      return Malformed(ctx, error);
    }
    TF_RETURN_IF_ERROR(CheckMapResults(ctx, program));
    const BatchedBody& entry = program.bodies[program.entry_body];
    const int num_results = static_cast<int>(options_.result_dtypes.size());
    if (body_names.size() != program.bodies.size() ||
        program.num_captures != static_cast<int>(capture_dtypes_.size()) ||
        entry.num_args != num_args_ || entry.num_results != num_results ||
        (!options_.are_merged.empty() &&
         static_cast<int>(options_.are_merged.size()) != num_results)) {
      return Malformed(ctx, "the program is of another signature");
    }
    block_names.resize(program.blocks.size());
    plan_ = std::make_shared<BatchedPlan>(std::move(program), policy,
                                          std::move(body_names),
                                          std::move(block_names));
    return absl::OkStatus();
  }

  // That there are such tensors: no mapped call makes them otherwise.
  static absl::Status CheckMapResults(tf::OpKernelConstruction* ctx,
                                      const BatchedProgram& program) {
    for (const BatchedBody& body : program.bodies) {
      for (const BatchedUnit& unit : body.units) {
        for (const MapResult& result : unit.map_results) {
          tf::TensorShape shape;
          if (!tf::DataType_IsValid(result.dtype) ||
              result.dtype == tf::DT_INVALID || result.dtype > kLastType ||
              result.shape.size() >= tf::TensorShape::MaxDimensions() ||
              !tf::TensorShape::BuildTensorShape(result.shape, &shape).ok()) {
            return Malformed(ctx, "a mapped call has no such results");
          }
        }
      }
    }
    return absl::OkStatus();
  }

  // That the functions take and return what the program says.
  absl::Status CheckFunctions(const BlockTable& table) const {
    for (const BatchedBlock& block : plan_->program.blocks) {
      const BlockFunction& function = table[block.function];
      const size_t num_args = block.inputs.size() + block.captures.size();
      if (function.num_args() != static_cast<int>(num_args) ||
          function.num_outputs() < static_cast<int>(block.outputs.size())) {
        return absl::InvalidArgumentError(
            absl::StrCat("recursive_tf: function ", block.function, " takes ",
                         function.num_args(), " arguments and returns ",
                         function.num_outputs(), " values; its block has ",
                         num_args, " and ", block.outputs.size()));
      }
      for (size_t k = 0; k < block.captures.size(); ++k) {
        const tf::DataType given = capture_dtypes_[block.captures[k]];
        const tf::DataType taken =
            function.arg_types()[block.inputs.size() + k];
        if (given != taken) return WrongType(block.function, given, taken);
      }
    }
    return absl::OkStatus();
  }

  BlockTableCache functions_;
  std::shared_ptr<const BatchedPlan> plan_;
  LaunchOptions options_;
  int max_depth_ = 0;
  int num_shards_ = 0;
  int64_t frame_work_ = 0;
  int64_t frames_per_row_ = 1;
  std::atomic<int64_t> seen_frames_per_row_{0};
  int num_args_ = 0;
  tf::DataTypeVector capture_dtypes_;
};

REGISTER_KERNEL_BUILDER(
    Name("RecursiveTf>LaunchBatched").Device(tf::DEVICE_CPU), LaunchBatchedOp);

}  // namespace recursive_tf
