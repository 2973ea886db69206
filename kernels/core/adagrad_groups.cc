#include "kernels/core/adagrad_groups.h"

namespace recursive_tf {

// What a row's own step costs, in additions of a gradient.
constexpr int64_t kStepWork = 4;

template <typename Index>
RowGroups::RowGroups(const Index* indices, int64_t num_indices)
    : members_(num_indices) {
  // A hash table with linear probing, at most half full; a free slot is -1.
  int bits = 4;
  while ((int64_t{1} << bits) < 2 * num_indices) ++bits;
  const int64_t mask = (int64_t{1} << bits) - 1;
  std::vector<int64_t> slots(mask + 1, -1);
  std::vector<int64_t> group_of(num_indices);
  for (int64_t i = 0; i < num_indices; ++i) {
    const int64_t row = indices[i];
    // Multiplied by 2^64 / the golden ratio, which spreads neighbours.
    const uint64_t hash = static_cast<uint64_t>(row) * 0x9e3779b97f4a7c15u;
    int64_t slot = static_cast<int64_t>(hash >> (64 - bits));
    while (slots[slot] >= 0 && rows_[slots[slot]] != row) {
      slot = (slot + 1) & mask;
    }
    if (slots[slot] < 0) {
      slots[slot] = size();
      rows_.push_back(row);
      starts_.push_back(0);  // A count for now.
    }
    group_of[i] = slots[slot];
    ++starts_[slots[slot]];
  }
  int64_t start = 0;
  for (int64_t& entry : starts_) {
    const int64_t count = entry;
    entry = start;
    start += count;
  }
  std::vector<int64_t> next(starts_);
  starts_.push_back(num_indices);
  for (int64_t i = 0; i < num_indices; ++i) members_[next[group_of[i]]++] = i;
}

int64_t RowGroups::PartBegin(int64_t part, int64_t num_parts) const {
  const auto work_before = [this](int64_t group) {
    return starts_[group] + kStepWork * group;
  };
  const int64_t wanted = work_before(size()) * part / num_parts;
  int64_t low = 0, high = size();  // The first group with at least that before.
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (work_before(middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

template RowGroups::RowGroups(const int32_t*, int64_t);
template RowGroups::RowGroups(const int64_t*, int64_t);

}  // namespace recursive_tf
