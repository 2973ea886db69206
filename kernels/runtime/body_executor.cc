#include "kernels/runtime/body_executor.h"

#include <unordered_set>
#include <utility>

#include "tensorflow/core/common_runtime/function.h"
#include "tensorflow/core/common_runtime/function_body.h"
#include "tensorflow/core/common_runtime/graph_constructor.h"
#include "tensorflow/core/common_runtime/local_executor_params.h"
#include "tensorflow/core/common_runtime/lower_functional_ops.h"
#include "tensorflow/core/common_runtime/optimization_registry.h"
#include "tensorflow/core/graph/algorithm.h"
#include "tensorflow/core/graph/graph.h"

namespace recursive_tf {

namespace tf = tensorflow;

namespace {

// Above this many inputs and outputs a conditional is not lowered. A Switch or
// Merge costs 0.1 to 0.2 us, an executor run about 3 us.
constexpr int kMaxLoweredEdges = 16;
// Of functions in functions; a function that calls itself has no end.
constexpr int kMaxNesting = 1000;

void KeepLargeConditionals(tf::Graph* graph) {
  for (tf::Node* node : graph->op_nodes()) {
    if ((node->IsIfNode() || node->IsCaseNode()) &&
        node->num_inputs() + node->num_outputs() > kMaxLoweredEdges) {
      node->ClearAttr(tf::LowerFunctionalOpsPass::kLowerUsingSwitchMergeAttr);
    }
  }
}

// Marks all that can be lowered; returns whether there is anything.
bool MarkForLowering(tf::Graph* graph) {
  bool found = false;
  for (tf::Node* node : graph->op_nodes()) {
    const bool is_call = node->IsPartitionedCall();
    if (!is_call && !node->IsIfNode() && !node->IsCaseNode() &&
        !node->IsWhileNode()) {
      continue;
    }
    found = true;
    node->AddAttr(
        is_call ? tf::LowerFunctionalOpsPass::kLowerAsMultiDeviceFunctionAttr
                : tf::LowerFunctionalOpsPass::kLowerUsingSwitchMergeAttr,
        true);
  }
  return found;
}

// Removes what neither a result nor a side effect needs.
void Prune(tf::Graph* graph) {
  std::unordered_set<const tf::Node*> roots;
  for (const tf::Node* node : graph->op_nodes()) {
    if (node->IsRetval() || node->op_def().is_stateful()) roots.insert(node);
  }
  tf::PruneForReverseReachability(graph, std::move(roots));
  tf::FixupSourceAndSinkEdges(graph);
}

}  // namespace

absl::StatusOr<BodyGraph> MakeBodyGraph(tf::FunctionLibraryRuntime* library,
                                        const tf::FunctionBody& function,
                                        bool is_serialized) {
  BodyGraph body;
  body.definitions = std::make_unique<tf::FunctionLibraryDefinition>(
      *library->GetFunctionLibraryDefinition());
  body.graph = std::make_unique<tf::Graph>(body.definitions.get());
  std::unique_ptr<tf::Graph>& graph = body.graph;
  tf::CopyGraph(*function.graph, graph.get());

  tf::GraphOptimizationPassOptions options;
  options.flib_def = body.definitions.get();
  options.graph = &graph;
  options.is_function_graph = true;
  tf::LowerFunctionalOpsPass lower;
  if (!is_serialized) {
    KeepLargeConditionals(graph.get());
    TF_RETURN_IF_ERROR(lower.Run(options));
  }
  // What is lowered may bring more to lower along.
  for (int i = 0; is_serialized && MarkForLowering(graph.get()); ++i) {
    if (i == kMaxNesting) {
      return absl::InvalidArgumentError(
          "recursive_tf: functions or conditionals nested too deeply");
    }
    TF_RETURN_IF_ERROR(lower.Run(options));
  }
  Prune(graph.get());
  tf::OptimizeGraph(library, &graph);
  return body;
}

absl::StatusOr<std::unique_ptr<tf::Executor>> MakeGraphExecutor(
    tf::FunctionLibraryRuntime* library, const tf::Graph& graph) {
  tf::LocalExecutorParams params;
  params.device = library->device();
  params.function_library = library;
  // Not library->CreateKernel: inside a tf.function the library is an overlay,
  // which refuses to create kernels.
  params.create_kernel =
      [library](const std::shared_ptr<const tf::NodeProperties>& properties,
                tf::OpKernel** kernel) {
        return tf::CreateNonCachedKernel(library->device(), library, properties,
                                         library->graph_def_version(), kernel);
      };
  params.delete_kernel = [](tf::OpKernel* kernel) {
    tf::DeleteNonCachedKernel(kernel);
  };
  tf::Executor* executor = nullptr;
  absl::Status status = tf::NewLocalExecutor(params, graph, &executor);
  if (!status.ok()) return status;
  return std::unique_ptr<tf::Executor>(executor);
}

absl::StatusOr<std::unique_ptr<tf::Executor>> MakeBodyExecutor(
    tf::FunctionLibraryRuntime* library, const tf::FunctionBody& function,
    bool is_serialized) {
  auto body = MakeBodyGraph(library, function, is_serialized);
  if (!body.ok()) return body.status();
  return MakeGraphExecutor(library, *body->graph);
}

}  // namespace recursive_tf
