// The rows that a gradient has of a table: a list that gradients of loops and
// branches add up as any tensor.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_ROW_LIST_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_ROW_LIST_H_

#include <memory>
#include <string>
#include <vector>

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/variant_tensor_data.h"

namespace recursive_tf {

// An immutable list of parts, each the gradient of one read of rows. The empty
// list is zero, and the sum of two lists is one after the other, without a
// copy of either.
class RowList {
 public:
  // The gradients of rows [..., row], and the numbers of these rows [...].
  struct Part {
    tensorflow::Tensor values;
    tensorflow::Tensor indices;
  };

  RowList() = default;
  explicit RowList(Part part);

  static RowList Sum(const RowList& first, const RowList& second);

  // The parts in their order.
  std::vector<const Part*> Parts() const;

  std::string TypeName() const { return "RecursiveTf>RowList"; }
  void Encode(tensorflow::VariantTensorData*) const {}
  bool Decode(tensorflow::VariantTensorData) { return false; }

 private:
  // A part, or two lists. A loop of many turns makes a deep tree: nothing here
  // calls itself.
  struct Node {
    ~Node();

    Part part;
    std::shared_ptr<Node> first;
    std::shared_ptr<Node> second;
  };

  std::shared_ptr<Node> node_;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_ROW_LIST_H_
