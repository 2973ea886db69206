#include "tree_program.h"

#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "words.h"

namespace serve {
namespace {

using Status = std::unique_ptr<TF_Status, decltype(&TF_DeleteStatus)>;
using TensorPtr = std::unique_ptr<TF_Tensor, decltype(&TF_DeleteTensor)>;

constexpr char kSignature[] = "roots";

static_assert(sizeof(NodeRow) == 4 * sizeof(int32_t),
              "rows lie in the tensor as they are");

Status NewStatus() { return Status(TF_NewStatus(), TF_DeleteStatus); }

void Check(const TF_Status* status, const std::string& what) {
  if (TF_GetCode(status) == TF_OK) return;
  throw std::runtime_error(what + ": " + TF_Message(status));
}

TensorPtr MakeTensor(const void* values, const std::vector<int64_t>& shape) {
  size_t size = sizeof(int32_t);
  for (int64_t length : shape) size *= static_cast<size_t>(length);
  TensorPtr tensor(TF_AllocateTensor(TF_INT32, shape.data(),
                                     static_cast<int>(shape.size()), size),
                   TF_DeleteTensor);
  if (size > 0) std::memcpy(TF_TensorData(tensor.get()), values, size);
  return tensor;
}

// Reads which tensors are the inputs and outputs of the signature `kSignature`.
std::map<std::string, std::string> ReadTensorNames(const std::string& path) {
  std::map<std::string, std::string> names;
  for (const std::string& line : ReadLines(path)) {
    const size_t first = line.find('\t');
    const size_t second = line.find('\t', first + 1);
    if (second == std::string::npos)
      throw std::runtime_error(path + ": expected three columns.");
    if (line.compare(0, first, kSignature) != 0) continue;
    names[line.substr(first + 1, second - first - 1)] = line.substr(second + 1);
  }
  return names;
}

// A serialized ConfigProto: fields 2 and 5 are the threads of an op and between
// ops.
std::string ThreadsConfig(int num_threads) {
  const char count = static_cast<char>(num_threads);
  return {0x10, count, 0x28, count};
}

}  // namespace

TreeProgram::TreeProgram(const std::string& directory,
                         const std::string& kernels, int num_threads)
    : tensor_names_(ReadTensorNames(directory + "/assets.extra/tensors.txt")),
      status_(NewStatus()),
      graph_(TF_NewGraph(), TF_DeleteGraph),
      session_(nullptr) {
  // The ops stay registered until the process ends; only the handle's own
  // memory is freed.
  TF_DeleteLibraryHandle(TF_LoadLibrary(kernels.c_str(), status_.get()));
  Check(status_.get(), kernels);
  const std::unique_ptr<TF_SessionOptions, decltype(&TF_DeleteSessionOptions)>
      options(TF_NewSessionOptions(), TF_DeleteSessionOptions);
  const std::string config = ThreadsConfig(num_threads);
  TF_SetConfig(options.get(), config.data(), config.size(), status_.get());
  Check(status_.get(), "threads");
  const char* const tags[] = {"serve"};
  session_ = TF_LoadSessionFromSavedModel(options.get(), nullptr,
                                          directory.c_str(), tags, 1,
                                          graph_.get(), nullptr, status_.get());
  Check(status_.get(), directory);
}

TreeProgram::~TreeProgram() {
  if (session_ == nullptr) return;
  TF_CloseSession(session_, status_.get());
  TF_DeleteSession(session_, status_.get());
}

std::vector<float> TreeProgram::ClassifyRoots(const PackedTrees& trees) const {
  const auto num_trees = static_cast<int64_t>(trees.roots.size());
  const auto num_nodes = static_cast<int64_t>(trees.nodes.size());
  const TensorPtr root = MakeTensor(trees.roots.data(), {num_trees});
  const TensorPtr nodes = MakeTensor(trees.nodes.data(), {num_nodes, 4});
  const TF_Output inputs[] = {Tensor("root"), Tensor("nodes")};
  TF_Tensor* const values[] = {root.get(), nodes.get()};
  const TF_Output output = Tensor("root_probabilities");
  TF_Tensor* result = nullptr;
  const Status status = NewStatus();
  TF_SessionRun(session_, nullptr, inputs, values, 2, &output, &result, 1,
                nullptr, 0, nullptr, status.get());
  Check(status.get(), "the program failed");
  const TensorPtr probabilities(result, TF_DeleteTensor);
  const auto* const begin = static_cast<const float*>(TF_TensorData(result));
  return std::vector<float>(begin, begin + TF_TensorElementCount(result));
}

TF_Output TreeProgram::Tensor(const std::string& name) const {
  const auto found = tensor_names_.find(name);
  if (found == tensor_names_.end()) {
    throw std::runtime_error("tensors.txt: signature " +
                             std::string(kSignature) + " has no " + name + ".");
  }
  const std::string& tensor = found->second;
  const size_t colon = tensor.rfind(':');
  TF_Operation* const operation =
      TF_GraphOperationByName(graph_.get(), tensor.substr(0, colon).c_str());
  if (operation == nullptr || colon == std::string::npos) {
    throw std::runtime_error("the program has no tensor '" + tensor + "'.");
  }
  return {operation, std::stoi(tensor.substr(colon + 1))};
}

}  // namespace serve
