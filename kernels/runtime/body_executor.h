// From a body's function to an executor of its own.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_BODY_EXECUTOR_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_BODY_EXECUTOR_H_

#include <memory>

#include "absl/status/statusor.h"
#include "tensorflow/core/common_runtime/executor.h"
#include "tensorflow/core/framework/function.h"
#include "tensorflow/core/graph/graph.h"

namespace recursive_tf {

// Makes the executor of an instantiated function.
//
// FunctionLibraryRuntime::Run would run conditionals as functions, each with an
// executor run of its own. Here small conditionals are lowered to Switch and
// Merge nodes, so that a frame is one executor run: about a third less time and
// half the memory for a small frame. A conditional with many inputs and outputs
// stays a function, because each of them would cost a node in every frame. With
// `is_serialized` everything is lowered, function calls included: what is run
// as a function of its own is a point where other frames come in between.
//
// TensorFlow-private: LowerFunctionalOpsPass, OptimizeGraph, NewLocalExecutor,
// CreateNonCachedKernel.
absl::StatusOr<std::unique_ptr<tensorflow::Executor>> MakeBodyExecutor(
    tensorflow::FunctionLibraryRuntime* library,
    const tensorflow::FunctionBody& function, bool is_serialized);

// The two halves of it: the graph, lowered, pruned and optimized, and an
// executor of that graph.
struct BodyGraph {
  // What the graph's functions are found in; outlives the graph.
  std::unique_ptr<tensorflow::FunctionLibraryDefinition> definitions;
  std::unique_ptr<tensorflow::Graph> graph;
};
absl::StatusOr<BodyGraph> MakeBodyGraph(
    tensorflow::FunctionLibraryRuntime* library,
    const tensorflow::FunctionBody& function, bool is_serialized);
absl::StatusOr<std::unique_ptr<tensorflow::Executor>> MakeGraphExecutor(
    tensorflow::FunctionLibraryRuntime* library,
    const tensorflow::Graph& graph);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_BODY_EXECUTOR_H_
