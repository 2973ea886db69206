// One shard of a batched forward run: frames, agenda, steps.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_FORWARD_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_FORWARD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/core/agenda.h"
#include "kernels/core/event_queue.h"
#include "kernels/core/step_retry.h"
#include "kernels/runtime/batched_buffers.h"
#include "kernels/runtime/batched_frame.h"
#include "kernels/runtime/batched_run.h"
#include "kernels/runtime/batched_trace.h"
#include "kernels/runtime/frame_store.h"
#include "kernels/runtime/step_loop.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace recursive_tf {

// Works off the root rows of one shard. Between steps it sees to the events:
// what they let go on is handled unit by unit, for all frames at once, so that
// frames which go the same way stay beside each other, in memory and in steps.
class ForwardShard final : public StepLoop {
 public:
  // Calls `done` when nothing is left to do, or after an error, which is then
  // in `run->error`. With `keeps_residuals` it writes run->tapes[shard].
  ForwardShard(tensorflow::OpKernelContext* ctx, BatchedRun* run,
               BlockTable* table, int shard, bool keeps_residuals,
               std::function<void()> done);
  ~ForwardShard() override;

  // Makes the root frames. `args` are one tensor [rows of this shard, ...] for
  // each argument.
  void Enter(std::vector<tensorflow::Tensor> args);

  // The root frames' results, by column; to be read after `done`.
  const std::vector<std::vector<RowRef>>& results() const { return results_; }
  const RowBuffers& buffers() const { return buffers_; }
  int64_t num_rows() const { return num_rows_; }

  int64_t num_frames() const { return store_.num_made(); }
  int max_depth() const { return store_.max_depth(); }
  int64_t num_steps() const { return num_steps_; }
  int64_t num_step_rows() const { return num_step_rows_; }
  std::vector<TracedStep> TakeTrace() { return std::move(trace_); }

 private:
  using Frames = std::vector<BatchedFrame*>;
  // A register that a step sets in all its frames.
  struct StepTarget {
    int reg;
    uint32_t buffer;
    uint32_t stride;  // 0: the buffer's only row is for all.
  };

  bool Prepare() override;
  void Complete(const absl::Status& status) override;
  void Finish() override;

  // Frames, counting some bytes of their values as one more: what StepLimit
  // takes. Root frames and their arguments, which are there anyway, do not
  // count.
  int64_t Load() const;
  int64_t AbsoluteLoad() const;
  // How many of `num_ready` frames may go on at once.
  int64_t StepLimitOf(int64_t num_ready) const {
    return StepLimit(Load(), num_ready, run_->plan->fanout);
  }

  // Events and units.
  int EventId(int body_index, int event) const {
    return body(body_index).first_event + event;
  }
  // A frame's shares, in num_active: what is given frames has one of each,
  // which it passes on or gives up.
  void Share(const Frames& frames) {
    for (BatchedFrame* frame : frames) ++frame->num_active;
  }
  void GiveUp(BatchedFrame* frame) {
    if (--frame->num_active == 0) store_.Free(frame);
  }
  void GiveUp(const Frames& frames) {
    for (BatchedFrame* frame : frames) GiveUp(frame);
  }
  void SeeToEvents();
  int TakeFiring();
  void Fire(int body, int event, const Frames& frames);
  void FireJoin(int body, int unit, int slot, bool is_last,
                const Frames& frames);
  Frames TakeSpareFrames();
  void Start(int body, int unit, const Frames& frames);
  void StartBlock(const BatchedUnit& unit, const Frames& frames);
  void StartCall(int body, int unit, const Frames& frames);
  void StartCopy(int body, int unit, const Frames& frames);
  void StartMap(int body, const BatchedUnit& unit, const Frames& frames);
  void StartSwitch(int body, int unit, const Frames& frames);
  void StartReturn(int body, int unit, const Frames& frames);
  void ReturnFromRoot(const BatchedUnit& unit, const std::vector<bool>& moves,
                      BatchedFrame* frame);
  void ReturnToCaller(const BatchedUnit& unit, const std::vector<bool>& moves,
                      BatchedFrame* frame);
  void ReturnFromMap(const BatchedUnit& unit, const std::vector<bool>& moves,
                     BatchedFrame* frame);
  void StartLoopTest(int body, const BatchedUnit& unit, const Frames& frames);
  bool ReadPredicate(const BatchedUnit& unit, BatchedFrame* frame,
                     int32_t* value);
  absl::Status MapOver(const BatchedUnit& unit, BatchedFrame* frame);
  absl::StatusOr<uint32_t> UnstackRow(RowRef ref, int64_t num_rows, int depth);
  absl::Status FinishMap(BatchedMapCall* map);
  bool CanEnter(int body, int depth);

  // Steps.
  int TakeStep();
  int ShapeGroup(const BatchedBlock& block, BatchedFrame* frame);
  absl::Status GatherInputs();
  absl::Status ScatterOutputs();
  void Record(const std::vector<uint32_t>& outputs);
  void RecordMove(TapeStep::Kind kind, TapeColumn column, int64_t num_rows,
                  uint32_t output, int depth);
  uint32_t AddBuffer(tensorflow::Tensor tensor, int64_t num_refs);
  void Trace();
  std::vector<TracedRow> TracedRows() const;

  bool has_stopped() const { return run_->error.has_failed(); }
  void Fail(const absl::Status& status, int body, int depth);
  const BatchedBody& body(int index) const {
    return run_->plan->program.bodies[index];
  }

  BatchedRun* const run_;    // Not owned.
  BlockTable* const table_;  // Not owned.
  const int shard_;
  ShardTape* const tape_;  // Null in inference.
  const std::function<void()> done_;
  BlockTable::Scratches scratches_;
  const std::unique_ptr<Agenda> agenda_;
  RowBuffers buffers_;

  FrameStore store_;
  int64_t initial_load_ = 0;
  EventQueue<BatchedFrame> events_;
  Frames firing_;
  std::vector<Frames> spare_frames_;  // For their memory.
  std::vector<size_t> num_posted_;    // By region of a switch, before it.
  int num_chained_ = 0;  // Units that run inside of each other now.

  // Rows whose inputs have different shapes do not share a step: the groups
  // that the agenda keeps apart, by those shapes.
  std::unordered_map<std::string, int> shape_groups_;
  std::string shape_key_;

  // The current step.
  int block_ = -1;
  Frames frames_;
  std::vector<int> depths_;
  std::vector<RowRef> refs_;           // [input][row]
  std::vector<char> are_consecutive_;  // By input.
  int64_t step_start_us_ = 0;
  Frames some_frames_;
  std::vector<int> some_depths_;
  std::vector<uint32_t> step_outputs_;  // Buffers.
  std::vector<StepTarget> step_targets_;
  StepRetry<BatchedFrame> retry_;
  absl::Status retried_status_;

  const int64_t num_rows_;
  std::vector<std::vector<RowRef>> results_;
  int64_t num_steps_ = 0;
  int64_t num_step_rows_ = 0;
  const bool is_traced_;
  std::vector<TracedStep> trace_;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_BATCHED_FORWARD_H_
