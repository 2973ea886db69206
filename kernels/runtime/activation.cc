#include "kernels/runtime/activation.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/cancellation.h"

namespace recursive_tf {

namespace tf = tensorflow;

namespace {

// One frame while it runs: the executor's view of its inputs and outputs.
// Written by one body execution at a time, so it needs no lock: the executor
// sets each return value once and reads arguments only.
class Activation final : public tf::CallFrameInterface {
 public:
  explicit Activation(tf::Tensor frame) : frame_(std::move(frame)) {
    inputs_.push_back(&frame_);
  }

  void AddInputs(absl::Span<const tf::Tensor* const> tensors) {
    inputs_.insert(inputs_.end(), tensors.begin(), tensors.end());
  }
  void AddInput(const tf::Tensor* tensor) { inputs_.push_back(tensor); }
  // Keeps the tensors of a consumed stash entry alive while the body runs.
  void AddOwnedInputs(ForwardRun::Residuals residuals) {
    owned_ = std::move(residuals);
    for (const tf::Tensor& tensor : owned_) inputs_.push_back(&tensor);
  }
  void set_num_outputs(int count) { outputs_.resize(count); }
  std::vector<tf::Tensor> TakeOutputs() { return std::move(outputs_); }

  size_t num_args() const override { return inputs_.size(); }
  size_t num_retvals() const override { return outputs_.size(); }
  absl::Status GetArg(int index, const tf::Tensor** value) override {
    if (index < 0 || index >= static_cast<int>(inputs_.size())) {
      return absl::InternalError(absl::StrCat("recursive_tf: body input ",
                                              index, " of ", inputs_.size(),
                                              " asked for"));
    }
    *value = inputs_[index];
    return absl::OkStatus();
  }
  absl::Status SetRetval(int index, const tf::Tensor& value) override {
    if (index < 0 || index >= static_cast<int>(outputs_.size())) {
      return absl::InternalError(absl::StrCat("recursive_tf: body output ",
                                              index, " of ", outputs_.size(),
                                              " set"));
    }
    outputs_[index] = value;
    return absl::OkStatus();
  }

 private:
  tf::Tensor frame_;
  absl::InlinedVector<const tf::Tensor*, 24> inputs_;
  ForwardRun::Residuals owned_;
  std::vector<tf::Tensor> outputs_;
};

// Fills in what a body takes from its caller and hands it to the executor.
void RunBody(tf::OpKernelContext* ctx, RunCore* core, int body, int depth,
             std::shared_ptr<Activation> activation,
             std::function<void(const absl::Status&)> done) {
  const Body& info = (*core->bodies)[body];
  if (static_cast<int>(activation->num_args()) != info.num_inputs) {
    done(absl::InternalError(
        absl::StrCat("recursive_tf: body takes ", info.num_inputs,
                     " inputs, was given ", activation->num_args())));
    return;
  }
  activation->set_num_outputs(info.num_outputs);
  tf::CancellationManager* cancellation = ctx->cancellation_manager();
  if (cancellation != nullptr && cancellation->IsCancelled()) {
    done(absl::CancelledError("the call was cancelled"));
    return;
  }
  tf::Executor::Args args;
  args.step_id = ctx->step_id();
  args.rendezvous = ctx->rendezvous();
  args.cancellation_manager = cancellation;
  args.collective_executor = ctx->collective_executor();
  args.step_container = ctx->step_container();
  args.stats_collector = ctx->stats_collector();
  args.session_config = ctx->session_config();
  args.call_frame = activation.get();
  args.run_all_kernels_inline = core->is_serialized;
  // All frames of the run share one ready queue. The executor copies the
  // runner; a pointer and an int fit std::function without an allocation. The
  // queue outlives every frame: the run holds it.
  ReadyQueue* queue = core->queue.get();
  args.runner = [queue, depth](std::function<void()> closure) {
    queue->Push(depth, std::move(closure));
  };
  info.executor->RunAsync(
      args, [activation = std::move(activation), done = std::move(done)](
                const absl::Status& status) { done(status); });
}

}  // namespace

void InvokeForward(tf::OpKernelContext* ctx,
                   const std::shared_ptr<ForwardRun>& run, int body,
                   int parent_depth, uint64_t key, const ArgPointers& args,
                   FrameCallback done) {
  RunCore& core = run->core;
  if (core.has_failed()) return done(RunCore::Aborted(), {});
  const int depth = parent_depth + 1;
  absl::Status status =
      CheckDepth((*core.bodies)[body].name, depth, core.max_depth);
  if (!status.ok()) return done(core.Fail(status, body, depth), {});
  core.counters.EnterFrame(depth);

  auto activation = std::make_shared<Activation>(
      MakeVariantScalar(Frame<ForwardRun>{run, body, depth}));
  activation->AddInputs(args);
  for (int i = run->capture_begin[body]; i < run->capture_begin[body + 1];
       ++i) {
    activation->AddInput(&run->captures[i]);
  }
  Activation* outputs = activation.get();
  // `run` is held by the Launch op until every frame is done.
  ForwardRun* raw_run = run.get();
  RunBody(ctx, &core, body, depth, std::move(activation),
          [raw_run, outputs, body, depth, key,
           done = std::move(done)](const absl::Status& status) {
            raw_run->core.counters.LeaveFrame();
            if (!status.ok()) {
              return done(raw_run->core.Fail(status, body, depth), {});
            }
            std::vector<tf::Tensor> results = outputs->TakeOutputs();
            const int num_results = raw_run->num_results[body];
            if (raw_run->keeps_residuals) {
              ForwardRun::FrameRecord record;
              record.residuals.assign(
                  std::make_move_iterator(results.begin() + num_results),
                  std::make_move_iterator(results.end()));
              for (int i = 0; i < num_results; ++i) {
                if (!IsTrainable(results[i].dtype())) continue;
                record.results.push_back(results[i].shape());
              }
              absl::Status stashed = raw_run->Stash(key, std::move(record));
              if (!stashed.ok()) {
                return done(raw_run->core.Fail(stashed, body, depth), {});
              }
            }
            results.resize(num_results);
            done(absl::OkStatus(), std::move(results));
          });
}

void InvokeBackward(tf::OpKernelContext* ctx,
                    const std::shared_ptr<BackwardRun>& run, int body,
                    int parent_depth, uint64_t key, const ArgPointers& args,
                    FrameCallback done) {
  RunCore& core = run->core;
  if (core.has_failed()) return done(RunCore::Aborted(), {});
  const int depth = parent_depth + 1;
  core.counters.EnterFrame(depth);

  ForwardRun::FrameRecord record;
  if (!run->forward->Unstash(key, run->consumes, &record)) {
    return done(core.Fail(absl::InternalError(
                              absl::StrCat("recursive_tf: frame ", key,
                                           " has no residuals in the stash")),
                          body, depth),
                {});
  }
  absl::Status checked = CheckGradientShapes(args, record.results);
  if (!checked.ok()) return done(core.Fail(checked, body, depth), {});
  auto activation = std::make_shared<Activation>(
      MakeVariantScalar(Frame<BackwardRun>{run, body, depth}));
  const BackwardLayout& layout = run->layouts[body];
  activation->AddInputs(args);
  activation->AddOwnedInputs(std::move(record.residuals));
  for (int index : layout.captures) {
    activation->AddInput(&run->forward->captures[index]);
  }
  for (int i = layout.extras_begin; i < layout.extras_end; ++i) {
    activation->AddInput(&run->extras[i]);
  }
  Activation* outputs = activation.get();
  BackwardRun* raw_run = run.get();
  RunBody(ctx, &core, body, depth, std::move(activation),
          [raw_run, outputs, body, depth,
           done = std::move(done)](const absl::Status& status) {
            raw_run->core.counters.LeaveFrame();
            if (!status.ok()) {
              return done(raw_run->core.Fail(status, body, depth), {});
            }
            done(absl::OkStatus(), outputs->TakeOutputs());
          });
}

}  // namespace recursive_tf
