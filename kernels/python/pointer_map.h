// A hash map from addresses to row numbers, made to be emptied often.
#ifndef RECURSIVE_TF_KERNELS_PYTHON_POINTER_MAP_H_
#define RECURSIVE_TF_KERNELS_PYTHON_POINTER_MAP_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace recursive_tf {

// Maps addresses to int32 numbers. Not thread-safe.
class PointerMap final {
 public:
  size_t size() const { return size_; }

  // Returns the number of `key`, or -1.
  int32_t Find(const void* key) const {
    if (slots_.empty()) return -1;
    const Slot& slot = slots_[SlotOf(key)];
    return slot.generation == generation_ ? slot.value : -1;
  }

  // Returns the number of `key`, which is `value` if it had none.
  int32_t FindOrInsert(const void* key, int32_t value) {
    if (2 * (size_ + 1) > slots_.size()) Grow();
    Slot& slot = slots_[SlotOf(key)];
    if (slot.generation == generation_) return slot.value;
    slot = {key, generation_, value};
    ++size_;
    return value;
  }

  // Forgets all keys. The memory stays, unless most of it was not used.
  void Clear() {
    const bool is_oversized =
        slots_.size() > kMaxIdleSlots && size_ < slots_.size() / 64;
    if (is_oversized || ++generation_ == 0) {
      slots_ = std::vector<Slot>();
      generation_ = 1;
    }
    size_ = 0;
  }

 private:
  // A slot is in use if its generation is the map's: Clear touches no slot.
  // Linear probing in a table that is at most half full.
  struct Slot {
    const void* key = nullptr;
    uint32_t generation = 0;
    int32_t value = 0;
  };

  static constexpr size_t kMinSlots = 64;
  static constexpr size_t kMaxIdleSlots = size_t{1} << 16;

  // Returns where `key` is, or where it would go.
  size_t SlotOf(const void* key) const {
    const size_t mask = slots_.size() - 1;
    // The upper bits of the product depend on all bits of the address.
    const uint64_t hash =
        reinterpret_cast<uintptr_t>(key) * uint64_t{0x9E3779B97F4A7C15};
    size_t index = (hash >> 32) & mask;
    while (slots_[index].generation == generation_ &&
           slots_[index].key != key) {
      index = (index + 1) & mask;
    }
    return index;
  }

  void Grow() {
    const size_t num_slots = slots_.empty() ? kMinSlots : 2 * slots_.size();
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(num_slots));
    for (const Slot& slot : old) {
      if (slot.generation == generation_) slots_[SlotOf(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;  // The size is zero or a power of two.
  size_t size_ = 0;
  uint32_t generation_ = 1;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_PYTHON_POINTER_MAP_H_
