#include "kernels/runtime/block_function.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "kernels/runtime/body_executor.h"
#include "tensorflow/core/common_runtime/function_body.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/graph/algorithm.h"
#include "tensorflow/core/graph/graph.h"
#include "tensorflow/core/kernels/constant_op.h"

namespace recursive_tf {

namespace tf = tensorflow;

namespace {

bool IsOwn(const std::string& op) {
  return absl::StartsWith(op, "RecursiveTf>");
}

}  // namespace

// Hands the scratch's tensors to TensorFlow's executor.
class BlockScratch::CallFrame final : public tf::CallFrameInterface {
 public:
  CallFrame(BlockScratch* scratch, int num_args)
      : scratch_(scratch), num_args_(num_args) {}

  size_t num_args() const override { return num_args_; }
  size_t num_retvals() const override { return scratch_->outputs_.size(); }
  absl::Status GetArg(int index, const tf::Tensor** value) override {
    *value = &scratch_->values_[index];
    return absl::OkStatus();
  }
  absl::Status SetRetval(int index, const tf::Tensor& value) override {
    scratch_->outputs_[index] = value;
    return absl::OkStatus();
  }

 private:
  BlockScratch* const scratch_;
  const int num_args_;
};

absl::Status WrongType(int function, tf::DataType given, tf::DataType taken) {
  return absl::InvalidArgumentError(absl::StrCat(
      "recursive_tf: function ", function, " takes ", tf::DataTypeString(taken),
      ", the program gives it ", tf::DataTypeString(given)));
}

void BlockScratch::Clear() {
  for (auto* tensors : {&values_, &pins_, &outputs_}) {
    std::fill(tensors->begin(), tensors->end(), tf::Tensor());
  }
}

BlockEnvironment::BlockEnvironment(tf::OpKernelContext* ctx) : ctx(ctx) {
  params.step_id = ctx->step_id();
  params.step_container = ctx->step_container();
  params.rendezvous = ctx->rendezvous();
  params.collective_executor = ctx->collective_executor();
  params.session_config = ctx->session_config();
  params.session_metadata = ctx->session_metadata();
  params.cancellation_manager = ctx->cancellation_manager();
  params.runner = ctx->runner();
  params.frame_iter = tf::FrameAndIter(0, 0);
}

BlockEnvironment::BlockEnvironment(const tf::Executor::Args& args,
                                   tf::Executor::Args::Runner* runner) {
  params.step_id = args.step_id;
  params.start_time_usecs = args.start_time_usecs;
  params.deadline = args.deadline;
  params.step_container = args.step_container;
  params.rendezvous = args.rendezvous;
  params.collective_executor = args.collective_executor;
  params.session_config = args.session_config;
  params.session_state = args.session_state;
  params.session_handle = args.session_handle;
  params.tensor_store = args.tensor_store;
  params.cancellation_manager = args.cancellation_manager;
  params.stats_collector = args.stats_collector;
  params.call_frame = args.call_frame;
  params.runner = runner;
  params.frame_iter = tf::FrameAndIter(0, 0);
}

BlockFunction::~BlockFunction() = default;

bool BlockFunction::CanRunInOrder(const tf::Graph& graph) const {
  for (const tf::Node* node : graph.op_nodes()) {
    if (node->IsControlFlow() || node->IsSend() || node->IsRecv() ||
        node->IsHostSend() || node->IsHostRecv() || node->IsCollective()) {
      return false;
    }
    for (tf::DataType type : node->input_types()) {
      if (tf::IsRefType(type)) return false;
    }
    for (tf::DataType type : node->output_types()) {
      if (tf::IsRefType(type)) return false;
    }
  }
  return true;
}

absl::StatusOr<bool> BlockFunction::MakeSchedule(
    const CreateKernel& create_kernel, const tf::Graph& graph) {
  std::vector<tf::Node*> order;
  tf::GetReversePostOrder(graph, &order, tf::NodeComparatorName());
  // The sources of the outputs of each node, by node id.
  std::vector<std::vector<Source>> sources(graph.num_node_ids());
  const auto source_of = [&](const tf::Node* node, int input) {
    const tf::Edge* edge = nullptr;
    node->input_edge(input, &edge).IgnoreError();
    return sources[edge->src()->id()][edge->src_output()];
  };
  num_values_ = num_args_;
  outputs_.resize(num_outputs_);
  int max_edges = 1;
  for (const tf::Node* node : order) {
    std::vector<Source>& outputs = sources[node->id()];
    if (node->IsSource() || node->IsSink() || node->type_string() == "NoOp") {
      continue;
    }
    if (node->IsArg()) {
      int index = 0;
      TF_RETURN_IF_ERROR(tf::GetNodeAttr(node->attrs(), "index", &index));
      outputs.push_back({false, index});
      continue;
    }
    if (node->IsRetval()) {
      int index = 0;
      TF_RETURN_IF_ERROR(tf::GetNodeAttr(node->attrs(), "index", &index));
      outputs_[index].source = source_of(node, 0);
      continue;
    }
    if (node->type_string() == "Identity" ||
        node->type_string() == "StopGradient") {
      outputs.push_back(source_of(node, 0));
      continue;
    }
    tf::OpKernel* raw_kernel = nullptr;
    TF_RETURN_IF_ERROR(create_kernel(node->properties(), &raw_kernel));
    KernelPtr kernel(raw_kernel);
    if (const tf::Tensor* value = kernel->const_tensor(); value != nullptr) {
      outputs.push_back({true, static_cast<int>(constants_.size())});
      constants_.push_back(*value);
      constant_pins_.push_back(*value);
      constant_kernels_.push_back(std::move(kernel));
      continue;
    }
    if (kernel->AsAsync() != nullptr &&
        !(waits_for_own_ && IsOwn(node->type_string()))) {
      return false;
    }
    Step step;
    step.kernel = std::move(kernel);
    step.first_input = static_cast<int>(inputs_.size());
    step.num_inputs = node->num_inputs();
    for (int i = 0; i < node->num_inputs(); ++i) {
      inputs_.push_back(source_of(node, i));
    }
    step.first_value = num_values_;
    step.num_outputs = node->num_outputs();
    for (int i = 0; i < node->num_outputs(); ++i) {
      outputs.push_back({false, num_values_++});
    }
    max_edges = std::max({max_edges, step.num_inputs, step.num_outputs});
    steps_.push_back(std::move(step));
  }
  attributes_.resize(max_edges);
  PlanReleases();
  return true;
}

void BlockFunction::PlanReleases() {
  const int num_steps = static_cast<int>(steps_.size());
  std::vector<int> num_uses(num_values_);
  std::vector<int> last_use(num_values_, -1);  // num_steps: an output.
  std::vector<int> uses_in_last(num_values_);
  const auto use = [&](const Source& source, int step) {
    if (source.is_constant) return;
    ++num_uses[source.index];
    if (last_use[source.index] != step) uses_in_last[source.index] = 0;
    last_use[source.index] = step;
    ++uses_in_last[source.index];
  };
  for (int s = 0; s < num_steps; ++s) {
    for (int i = 0; i < steps_[s].num_inputs; ++i) {
      use(inputs_[steps_[s].first_input + i], s);
    }
  }
  for (Output& output : outputs_) use(output.source, num_steps);
  // The last output that takes a value may move it.
  std::vector<bool> is_moved(num_values_);
  for (auto output = outputs_.rbegin(); output != outputs_.rend(); ++output) {
    if (output->source.is_constant || is_moved[output->source.index]) continue;
    is_moved[output->source.index] = true;
    output->is_last_use = true;
  }
  const auto plan = [&](int value, std::vector<int>* pins) {
    const int last = last_use[value];
    if (num_uses[value] > 1) pins->push_back(value);
    if (last < 0) {
      last_releases_.push_back(value);
    } else if (last < num_steps) {
      // Used twice by one kernel, it stays pinned: neither use may overwrite
      // what the other reads.
      const bool is_single = uses_in_last[value] == 1;
      if (num_uses[value] > 1 && is_single) {
        steps_[last].unpins.push_back(value);
      }
      steps_[last].releases.push_back(value);
    }
  };
  for (int value = 0; value < num_args_; ++value) plan(value, &arg_pins_);
  for (Step& step : steps_) {
    for (int i = 0; i < step.num_outputs; ++i) {
      if (last_use[step.first_value + i] >= 0) {
        plan(step.first_value + i, &step.pins);
        continue;
      }
      if (step.are_used == nullptr) {
        step.are_used = std::make_unique<bool[]>(step.num_outputs);
        std::fill_n(step.are_used.get(), step.num_outputs, true);
      }
      step.are_used[i] = false;
    }
  }
}

absl::StatusOr<std::unique_ptr<BlockFunction>> BlockFunction::Make(
    tf::FunctionLibraryRuntime* library, tf::Device* device,
    const tf::FunctionBody& function) {
  auto block = absl::WrapUnique(new BlockFunction);
  block->device_ = device;
  block->library_ = library;
  block->arg_types_ = function.arg_types;
  block->num_args_ = static_cast<int>(function.arg_types.size());
  block->num_outputs_ = static_cast<int>(function.ret_types.size());
  auto body = MakeBodyGraph(library, function, /*is_serialized=*/false);
  if (!body.ok()) return body.status();
  if (block->CanRunInOrder(*body->graph)) {
    auto is_done = block->MakeSchedule(
        [library, device](
            const std::shared_ptr<const tf::NodeProperties>& properties,
            tf::OpKernel** kernel) {
          return tf::CreateNonCachedKernel(device, library, properties,
                                           library->graph_def_version(),
                                           kernel);
        },
        *body->graph);
    if (!is_done.ok()) return is_done.status();
    if (*is_done) return block;
    block->steps_.clear();
  }
  auto executor = MakeGraphExecutor(library, *body->graph);
  if (!executor.ok()) return executor.status();
  block->executor_ = *std::move(executor);
  return block;
}

absl::StatusOr<std::unique_ptr<BlockFunction>> BlockFunction::MakeOrdered(
    const tf::LocalExecutorParams& params, const tf::Graph& graph) {
  auto block = absl::WrapUnique(new BlockFunction);
  block->device_ = params.device;
  block->library_ = params.function_library;
  block->waits_for_own_ = true;
  if (!block->CanRunInOrder(graph)) return nullptr;
  for (const tf::Node* node : graph.op_nodes()) {
    if (!node->IsArg() && !node->IsRetval()) continue;
    int index = 0;
    TF_RETURN_IF_ERROR(tf::GetNodeAttr(node->attrs(), "index", &index));
    int* count = node->IsArg() ? &block->num_args_ : &block->num_outputs_;
    *count = std::max(*count, index + 1);
  }
  auto is_done = block->MakeSchedule(params.create_kernel, graph);
  if (!is_done.ok()) return is_done.status();
  if (!*is_done) return nullptr;
  return block;
}

std::unique_ptr<BlockScratch> BlockFunction::MakeScratch() const {
  auto scratch = std::make_unique<BlockScratch>();
  scratch->outputs_.resize(num_outputs_);
  if (!is_synchronous()) {
    scratch->values_.resize(num_args_);
    scratch->call_frame_ =
        std::make_shared<BlockScratch::CallFrame>(scratch.get(), num_args_);
    return scratch;
  }
  scratch->values_.resize(num_values_);
  scratch->pins_.resize(num_values_);
  for (const Source& source : inputs_) {
    const tf::Tensor* tensor = source.is_constant
                                   ? &constants_[source.index]
                                   : &scratch->values_[source.index];
    scratch->inputs_.emplace_back(const_cast<tf::Tensor*>(tensor));
  }
  return scratch;
}

absl::Status BlockFunction::Run(BlockEnvironment* environment,
                                BlockScratch* scratch) const {
  tf::OpKernelContext::Params& params = environment->params;
  params.device = device_;
  params.resource_manager = device_->resource_manager();
  params.function_library = library_;
  params.output_attr_array = attributes_.data();
  std::vector<tf::Tensor>& values = scratch->values_;
  std::vector<tf::Tensor>& pins = scratch->pins_;
  for (int value : arg_pins_) pins[value] = values[value];
  for (const Step& step : steps_) {
    for (int value : step.unpins) pins[value] = tf::Tensor();
    params.op_kernel = step.kernel.get();
    params.outputs_required_array = step.are_used.get();
    params.inputs = absl::MakeConstSpan(
        scratch->inputs_.data() + step.first_input, step.num_inputs);
    params.input_alloc_attrs =
        absl::MakeConstSpan(attributes_.data(), step.num_inputs);
    tf::OpKernelContext ctx(&params, step.num_outputs);
    step.kernel->Compute(&ctx);
    if (!ctx.status().ok()) {
      const absl::Status status =
          tf::AttachDef(ctx.status(), step.kernel->def());
      scratch->Clear();
      return status;
    }
    for (int i = 0; i < step.num_outputs; ++i) {
      const tf::TensorValue output = ctx.release_output(i);
      // Kept, it would take its memory until the function runs again.
      if (step.are_used != nullptr && !step.are_used[i]) {
        delete output.tensor;
        continue;
      }
      if (output.tensor == nullptr) {
        scratch->Clear();
        return absl::InternalError(absl::StrCat("recursive_tf: no output ", i,
                                                " from ", step.kernel->name()));
      }
      values[step.first_value + i] = std::move(*output.tensor);
      delete output.tensor;
    }
    for (int value : step.pins) pins[value] = values[value];
    for (int value : step.releases) {
      values[value] = tf::Tensor();
      pins[value] = tf::Tensor();
    }
  }
  for (int i = 0; i < num_outputs_; ++i) {
    const Output& output = outputs_[i];
    if (output.source.is_constant) {
      scratch->outputs_[i] = constants_[output.source.index];
    } else if (!output.is_last_use) {
      scratch->outputs_[i] = values[output.source.index];
    } else {
      scratch->outputs_[i] = std::move(values[output.source.index]);
      pins[output.source.index] = tf::Tensor();
    }
  }
  for (int value : last_releases_) values[value] = tf::Tensor();
  return absl::OkStatus();
}

void BlockFunction::RunAsync(
    BlockEnvironment* environment, BlockScratch* scratch,
    const tf::Executor::Args::Runner& runner,
    std::function<void(const absl::Status&)> done) const {
  tf::OpKernelContext* ctx = environment->ctx;
  tf::Executor::Args args;
  args.step_id = ctx->step_id();
  args.rendezvous = ctx->rendezvous();
  args.cancellation_manager = ctx->cancellation_manager();
  args.collective_executor = ctx->collective_executor();
  args.step_container = environment->params.step_container;
  args.stats_collector = ctx->stats_collector();
  args.session_config = ctx->session_config();
  args.call_frame = scratch->call_frame_.get();
  args.runner = runner;
  executor_->RunAsync(
      args, [scratch, num_args = num_args_,
             done = std::move(done)](const absl::Status& status) {
        std::fill(scratch->values_.begin(), scratch->values_.begin() + num_args,
                  tf::Tensor());
        done(status);
      });
}

}  // namespace recursive_tf
