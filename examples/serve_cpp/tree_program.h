#ifndef EXAMPLES_SERVE_CPP_TREE_PROGRAM_H_
#define EXAMPLES_SERVE_CPP_TREE_PROGRAM_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "packed_trees.h"
#include "tensorflow/c/c_api.h"

namespace serve {

// A program that `recursive-tf export` wrote, through TensorFlow's C API.
//
// Every error is a std::runtime_error. Calls may come from any number of
// threads.
class TreeProgram {
 public:
  // Loads the kernel library, which registers the ops, and then the program,
  // which uses them.
  TreeProgram(const std::string& directory, const std::string& kernels,
              int num_threads);
  ~TreeProgram();

  // Returns the probabilities of the K classes at B roots, [B * K], tree after
  // tree.
  std::vector<float> ClassifyRoots(const PackedTrees& trees) const;

 private:
  // Returns the tensor that the signature gives this name.
  TF_Output Tensor(const std::string& name) const;

  std::map<std::string, std::string> tensor_names_;
  std::unique_ptr<TF_Status, decltype(&TF_DeleteStatus)> status_;
  std::unique_ptr<TF_Graph, decltype(&TF_DeleteGraph)> graph_;
  TF_Session* session_;
};

}  // namespace serve

#endif  // EXAMPLES_SERVE_CPP_TREE_PROGRAM_H_
