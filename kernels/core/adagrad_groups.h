// Groups the gradients of the rows of an embedding by the row.
#ifndef RECURSIVE_TF_KERNELS_CORE_ADAGRAD_GROUPS_H_
#define RECURSIVE_TF_KERNELS_CORE_ADAGRAD_GROUPS_H_

#include <cstdint>
#include <vector>

namespace recursive_tf {

// The positions 0 .. N-1 of N indices, grouped by index. Groups are in the
// order in which their indices occur first; the positions in each group ascend.
// So sums over them do not depend on anything but the indices.
//
// Takes time and memory in N, however large the indices are.
class RowGroups {
 public:
  // Index: int32_t or int64_t; any values.
  template <typename Index>
  RowGroups(const Index* indices, int64_t num_indices);

  int64_t size() const { return static_cast<int64_t>(rows_.size()); }
  // [size()]: the index of each group.
  const int64_t* rows() const { return rows_.data(); }
  // [size() + 1]: where the positions of each group start in members().
  const int64_t* starts() const { return starts_.data(); }
  // [N].
  const int64_t* members() const { return members_.data(); }

  // Returns the first group of part `part` of `num_parts`: parts of about the
  // same work. Part `num_parts` starts at size().
  int64_t PartBegin(int64_t part, int64_t num_parts) const;

 private:
  std::vector<int64_t> rows_;
  std::vector<int64_t> starts_;
  std::vector<int64_t> members_;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_ADAGRAD_GROUPS_H_
