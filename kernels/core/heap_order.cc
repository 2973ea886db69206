#include "kernels/core/heap_order.h"

#include <cstddef>
#include <numeric>
#include <utility>

namespace recursive_tf {
namespace {

class Heap {
 public:
  // A heap of the first `size` elements.
  Heap(const std::vector<int32_t>& ranks, size_t size)
      : ranks_(ranks), size_(size), order_(ranks.size()) {
    std::iota(order_.begin(), order_.end(), 0);
  }

  // Moves an element towards the root, up to `start`, as long as it is less
  // than its parent.
  void SiftDown(size_t start, size_t place) {
    const int32_t item = order_[place];
    while (place > start) {
      const size_t parent = (place - 1) / 2;
      if (!IsLess(item, order_[parent])) break;
      order_[place] = order_[parent];
      place = parent;
    }
    order_[place] = item;
  }

  // Moves an element to a leaf, along the lesser children, and from there to
  // its place.
  void SiftUp(size_t place) {
    const size_t start = place;
    const int32_t item = order_[place];
    for (size_t child = 2 * place + 1; child < size_; child = 2 * place + 1) {
      if (child + 1 < size_ && !IsLess(order_[child], order_[child + 1])) {
        ++child;
      }
      order_[place] = order_[child];
      place = child;
    }
    order_[place] = item;
    SiftDown(start, place);
  }

  // Puts the last element in place of the root, which becomes the last one.
  void Replace() {
    std::swap(order_.front(), order_.back());
    SiftUp(0);
  }

  bool IsLess(int32_t a, int32_t b) const { return ranks_[a] < ranks_[b]; }

  std::vector<int32_t> Take() && { return std::move(order_); }

 private:
  const std::vector<int32_t>& ranks_;
  const size_t size_;
  std::vector<int32_t> order_;
};

}  // namespace

std::vector<int32_t> HeapOrder(const std::vector<int32_t>& ranks,
                               HeapStep step) {
  const size_t count = ranks.size();
  const bool takes_out = step == HeapStep::kPop || step == HeapStep::kReplace ||
                         step == HeapStep::kPushPop;
  Heap heap(ranks, takes_out && count > 0 ? count - 1 : count);
  if (step == HeapStep::kHeapify) {
    for (size_t place = count / 2; place-- > 0;) heap.SiftUp(place);
  } else if (step == HeapStep::kPush) {
    if (count > 0) heap.SiftDown(0, count - 1);
  } else if (count > 1) {
    const auto last = static_cast<int32_t>(count - 1);
    if (step != HeapStep::kPushPop || heap.IsLess(0, last)) heap.Replace();
  }
  return std::move(heap).Take();
}

}  // namespace recursive_tf
