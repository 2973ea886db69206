#ifndef EXAMPLES_SERVE_CPP_PACKED_TREES_H_
#define EXAMPLES_SERVE_CPP_PACKED_TREES_H_

#include <cstdint>
#include <vector>

namespace serve {

// One row of the table that the program reads.
struct NodeRow {
  int32_t word;  // Id of a leaf's word, -1 at inner nodes.
  int32_t left;  // Rows of the children, -1 at leaves.
  int32_t right;
  int32_t label;  // Not used: the program finds it.
};

// B trees with N nodes in all. Children come before their parent.
struct PackedTrees {
  std::vector<int32_t> roots;  // [B], rows of `nodes`.
  std::vector<NodeRow> nodes;  // [N]
};

}  // namespace serve

#endif  // EXAMPLES_SERVE_CPP_PACKED_TREES_H_
