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
  // The bodies of a frame that runs.
  void HoldBodies(std::shared_ptr<const BodyTable> bodies) {
    bodies_ = std::move(bodies);
  }
  void ReleaseBodies() { bodies_.reset(); }
  // Keeps the tensors of a consumed stash entry alive while the body runs.
  void AddOwnedInputs(ForwardRun::Residuals residuals) {
    owned_ = std::move(residuals);
    for (const tf::Tensor& tensor : owned_) inputs_.push_back(&tensor);
  }
  // An output that is never set keeps a type that no result is declared with.
  void set_num_outputs(int count) {
    outputs_.resize(count, tf::Tensor(tf::DT_INVALID));
  }
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
  std::shared_ptr<const BodyTable> bodies_;
};

// OK if the body takes what the frame has, and the call goes on.
absl::Status CheckStart(tf::OpKernelContext* ctx, const Body& body,
                        const Activation& activation) {
  if (static_cast<int>(activation.num_args()) != body.num_inputs) {
    return absl::InvalidArgumentError(
        absl::StrCat("recursive_tf: body takes ", body.num_inputs,
                     " inputs, was given ", activation.num_args()));
  }
  tf::CancellationManager* cancellation = ctx->cancellation_manager();
  if (cancellation != nullptr && cancellation->IsCancelled()) {
    return absl::CancelledError("the call was cancelled");
  }
  return absl::OkStatus();
}

// Hands a frame with its arguments to the executor, which calls `done` from the
// ready queue.
void RunBody(tf::OpKernelContext* ctx, RunCore* core, int body, int depth,
             std::shared_ptr<const BodyTable> bodies,
             std::shared_ptr<Activation> activation,
             std::function<void(const absl::Status&)> done) {
  const Body& info = (*bodies)[body];
  activation->set_num_outputs(info.num_outputs);
  tf::Executor::Args args;
  args.step_id = ctx->step_id();
  args.rendezvous = ctx->rendezvous();
  args.cancellation_manager = ctx->cancellation_manager();
  args.collective_executor = ctx->collective_executor();
  args.step_container = core->step_container != nullptr ? core->step_container
                                                        : ctx->step_container();
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
  core->counters.EnterFrame(depth);
  tf::Executor* executor = info.executor.get();
  activation->HoldBodies(std::move(bodies));
  executor->RunAsync(args,
                     [core, activation = std::move(activation),
                      done = std::move(done)](const absl::Status& status) {
                       core->counters.LeaveFrame();
                       // The executor has ended. Whoever waits for this frame
                       // may destroy the function library before this closure
                       // is gone.
                       activation->ReleaseBodies();
                       done(status);
                     });
}

// Starts a forward frame, or returns why not. `*done` is moved from only if
// this returns OK.
absl::Status StartForward(tf::OpKernelContext* ctx,
                          const std::shared_ptr<ForwardRun>& run, int body,
                          int depth, uint64_t key, const ArgPointers& args,
                          FrameCallback* done) {
  auto bodies = run->core.PinBodies();
  if (!bodies.ok()) return bodies.status();
  absl::Status status =
      CheckDepth((**bodies)[body].name, depth, run->core.max_depth);
  if (!status.ok()) return status;
  auto activation = std::make_shared<Activation>(
      MakeVariantScalar(Frame<ForwardRun>{run, body, depth}));
  activation->AddInputs(args);
  for (int i = run->capture_begin[body]; i < run->capture_begin[body + 1];
       ++i) {
    activation->AddInput(&run->captures[i]);
  }
  status = CheckStart(ctx, (**bodies)[body], *activation);
  if (!status.ok()) return status;
  Activation* outputs = activation.get();
  // `run` is held by the Launch op until every frame is done.
  ForwardRun* raw_run = run.get();
  RunBody(ctx, &run->core, body, depth, *std::move(bodies),
          std::move(activation),
          [raw_run, outputs, body, depth, key,
           done = std::move(*done)](const absl::Status& status) {
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
  return absl::OkStatus();
}

// Starts a backward frame, likewise.
absl::Status StartBackward(tf::OpKernelContext* ctx,
                           const std::shared_ptr<BackwardRun>& run, int body,
                           int depth, uint64_t key, const ArgPointers& args,
                           FrameCallback* done) {
  auto bodies = run->core.PinBodies();
  if (!bodies.ok()) return bodies.status();
  ForwardRun::FrameRecord record;
  if (!run->forward->Unstash(key, run->consumes, &record)) {
    return absl::InternalError(absl::StrCat("recursive_tf: frame ", key,
                                            " has no residuals in the stash"));
  }
  absl::Status checked = CheckGradientShapes(args, record.results);
  if (!checked.ok()) return checked;
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
  checked = CheckStart(ctx, (**bodies)[body], *activation);
  if (!checked.ok()) return checked;
  Activation* outputs = activation.get();
  BackwardRun* raw_run = run.get();
  RunBody(ctx, &run->core, body, depth, *std::move(bodies),
          std::move(activation),
          [raw_run, outputs, body, depth,
           done = std::move(*done)](const absl::Status& status) {
            if (!status.ok()) {
              return done(raw_run->core.Fail(status, body, depth), {});
            }
            done(absl::OkStatus(), outputs->TakeOutputs());
          });
  return absl::OkStatus();
}

// Ends a frame that was not started. Its caller may be in the middle of
// starting others, or be such a completion itself: what it waits for comes from
// the ready queue, as the end of every other frame does.
void EndLater(RunCore* core, int body, int depth, const absl::Status& status,
              FrameCallback done) {
  const absl::Status passed_up =
      absl::IsAborted(status) ? status : core->Fail(status, body, depth);
  core->queue->Push(
      depth, [passed_up, done = std::move(done)] { done(passed_up, {}); });
}

}  // namespace

// The functions that start a frame return what went wrong. None of them can
// call `done` itself, and this is the one place that knows what to do then.

void InvokeForward(tf::OpKernelContext* ctx,
                   const std::shared_ptr<ForwardRun>& run, int body,
                   int parent_depth, uint64_t key, const ArgPointers& args,
                   FrameCallback done) {
  const int depth = parent_depth + 1;
  const absl::Status status =
      run->core.has_failed()
          ? RunCore::Aborted()
          : StartForward(ctx, run, body, depth, key, args, &done);
  if (status.ok()) return;
  EndLater(&run->core, body, depth, status, std::move(done));
}

void InvokeBackward(tf::OpKernelContext* ctx,
                    const std::shared_ptr<BackwardRun>& run, int body,
                    int parent_depth, uint64_t key, const ArgPointers& args,
                    FrameCallback done) {
  const int depth = parent_depth + 1;
  const absl::Status status =
      run->core.has_failed()
          ? RunCore::Aborted()
          : StartBackward(ctx, run, body, depth, key, args, &done);
  if (status.ok()) return;
  EndLater(&run->core, body, depth, status, std::move(done));
}

}  // namespace recursive_tf
