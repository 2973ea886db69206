// A hash table by frame key, for one thread; the stash's shards are made of it.
#ifndef RECURSIVE_TF_KERNELS_CORE_FRAME_KEY_MAP_H_
#define RECURSIVE_TF_KERNELS_CORE_FRAME_KEY_MAP_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/core/frame_key.h"

namespace recursive_tf {

// Maps any uint64 to a Value, which is default constructible and cheap to move.
// Allocates nothing until the first Insert, then doubles and never shrinks.
// Insert, Find and Take are O(1) amortised. Not thread-safe.
template <typename Value>
class FrameKeyMap final {
 public:
  size_t size() const { return size_; }

  // Moves `value` in; false, and `value` is untouched, if `key` is present.
  bool Insert(uint64_t key, Value& value) {
    if (IsFull()) Grow();
    Slot& slot = slots_[Probe(key)];
    if (slot.is_used) return false;
    slot.is_used = true;
    slot.key = key;
    slot.value = std::move(value);
    ++size_;
    return true;
  }

  // Returns the value of `key`, valid until the next Insert or Take; null if
  // absent.
  const Value* Find(uint64_t key) const {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[Probe(key)];
    return slot.is_used ? &slot.value : nullptr;
  }

  // Moves the value of `key` to `*value` and forgets it; false if absent.
  bool Take(uint64_t key, Value* value) {
    if (slots_.empty()) return false;
    const size_t found = Probe(key);
    if (!slots_[found].is_used) return false;
    *value = std::move(slots_[found].value);
    CloseGap(found);
    --size_;
    return true;
  }

  // Calls `visit(value)` for every value, in no order.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const Slot& slot : slots_) {
      if (slot.is_used) visit(slot.value);
    }
  }

 private:
  // Linear probing: a key lies at its home slot or after it, with no unused
  // slot between. The home is given by the high bits of the mixed key; the low
  // ones have picked the stash's shard.
  struct Slot {
    uint64_t key = 0;
    bool is_used = false;
    Value value{};
  };

  static constexpr int kInitialCapacityBits = 4;

  // At most 3/4 of the slots are used, so that a probe always ends, and soon.
  bool IsFull() const { return 4 * (size_ + 1) > 3 * slots_.size(); }

  size_t Home(uint64_t key) const {
    return MixFrameKey(key) >> (64 - capacity_bits_);
  }

  size_t After(size_t index) const { return (index + 1) & (slots_.size() - 1); }

  // Returns the slot of `key` or, if it is absent, the unused one for it.
  size_t Probe(uint64_t key) const {
    size_t index = Home(key);
    while (slots_[index].is_used && slots_[index].key != key) {
      index = After(index);
    }
    return index;
  }

  void Grow() {
    capacity_bits_ = slots_.empty() ? kInitialCapacityBits : capacity_bits_ + 1;
    std::vector<Slot> old(size_t{1} << capacity_bits_);
    old.swap(slots_);
    for (Slot& slot : old) {
      if (slot.is_used) slots_[Probe(slot.key)] = std::move(slot);
    }
  }

  // Empties slot `gap`, and moves back the keys that it would cut off from
  // their homes (Knuth, The Art of Computer Programming 3, 6.4, algorithm R).
  void CloseGap(size_t gap) {
    const size_t mask = slots_.size() - 1;
    for (size_t next = After(gap); slots_[next].is_used; next = After(next)) {
      const size_t from_home = (next - Home(slots_[next].key)) & mask;
      const size_t from_gap = (next - gap) & mask;
      if (from_home < from_gap) continue;
      slots_[gap] = std::move(slots_[next]);
      gap = next;
    }
    slots_[gap] = Slot();
  }

  std::vector<Slot> slots_;  // Empty, or a power of two of them.
  int capacity_bits_ = 0;
  size_t size_ = 0;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_FRAME_KEY_MAP_H_
