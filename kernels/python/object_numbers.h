// Numbers of objects, made to be forgotten often.
#ifndef RECURSIVE_TF_KERNELS_PYTHON_OBJECT_NUMBERS_H_
#define RECURSIVE_TF_KERNELS_PYTHON_OBJECT_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/python/py_ref.h"

namespace recursive_tf {

// Numbers objects from zero on, in the order they come. Owns none of them. Not
// thread-safe.
class ObjectNumbers final {
 public:
  size_t size() const { return objects_.size(); }

  // The objects by number.
  const std::vector<PyObject*>& objects() const { return objects_; }

  // Returns the number of `object`, or -1.
  int32_t Find(const PyObject* object) const {
    if (slots_.empty()) return -1;
    const Slot& slot = slots_[SlotOf(object)];
    return slot.generation == generation_ ? slot.number : -1;
  }

  // Returns the number of `object`, which is the next one if it had none.
  int32_t FindOrAdd(PyObject* object) {
    if (2 * (objects_.size() + 1) > slots_.size()) Grow();
    Slot& slot = slots_[SlotOf(object)];
    if (slot.generation != generation_) {
      slot = {generation_, static_cast<int32_t>(objects_.size())};
      objects_.push_back(object);
    }
    return slot.number;
  }

  // Brings the slots into the cache, if as many objects as last time would
  // touch most of their lines, each at a random place: that waits for each.
  // They are read, for a third of what is only prefetched does not come.
  void Warm() const {
    if (slots_.size() > kMaxWarmSlots ||
        slots_.size() > last_size_ * kSlotsPerLine) {
      return;
    }
    for (size_t i = 0; i < slots_.size(); i += kSlotsPerLine) {
      static_cast<void>(
          *const_cast<const volatile uint32_t*>(&slots_[i].generation));
    }
  }

  // Forgets all objects. The memory stays, unless most of it was not used.
  void Clear() {
    last_size_ = objects_.size();
    const bool is_oversized =
        slots_.size() > kMaxIdleSlots && last_size_ < slots_.size() / 64;
    if (is_oversized || ++generation_ == 0) {
      slots_ = std::vector<Slot>();
      generation_ = 1;
    }
    if (is_oversized) objects_ = std::vector<PyObject*>();
    objects_.clear();
  }

 private:
  // A slot is in use if its generation is the map's: Clear touches no slot.
  // Linear probing in a table that is at most half full.
  struct Slot {
    uint32_t generation = 0;
    int32_t number = 0;  // In `objects_`.
  };

  static constexpr size_t kMinSlots = 64;
  static constexpr size_t kMaxIdleSlots = size_t{1} << 16;
  static constexpr size_t kMaxWarmSlots = size_t{1} << 16;
  static constexpr size_t kSlotsPerLine = 64 / sizeof(Slot);

  // Returns where `object` is, or where it would go.
  size_t SlotOf(const PyObject* object) const {
    const size_t mask = slots_.size() - 1;
    // The upper bits of the product depend on all bits of the address.
    const uint64_t hash =
        reinterpret_cast<uintptr_t>(object) * uint64_t{0x9E3779B97F4A7C15};
    size_t index = (hash >> 32) & mask;
    while (slots_[index].generation == generation_ &&
           objects_[slots_[index].number] != object) {
      index = (index + 1) & mask;
    }
    return index;
  }

  void Grow() {
    const size_t num_slots = slots_.empty() ? kMinSlots : 2 * slots_.size();
    slots_.assign(num_slots, Slot());
    for (size_t i = 0; i < objects_.size(); ++i) {
      slots_[SlotOf(objects_[i])] = {generation_, static_cast<int32_t>(i)};
    }
  }

  std::vector<Slot> slots_;  // The size is zero or a power of two.
  std::vector<PyObject*> objects_;
  size_t last_size_ = 0;  // When it was emptied last.
  uint32_t generation_ = 1;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_PYTHON_OBJECT_NUMBERS_H_
