// What Python's heapq does to a list, as the order that its elements end in.
#ifndef RECURSIVE_TF_KERNELS_CORE_HEAP_ORDER_H_
#define RECURSIVE_TF_KERNELS_CORE_HEAP_ORDER_H_

#include <cstdint>
#include <vector>

namespace recursive_tf {

// The functions of heapq, by what they do. An item that is put into the heap is
// the last element before, one that is taken out the last one after.
enum class HeapStep { kPush, kPop, kReplace, kPushPop, kHeapify };

// Returns which elements are where afterwards: the first is what was at
// order[0]. `ranks` are the elements in their order, equal ones the same. There
// is an element to take out.
std::vector<int32_t> HeapOrder(const std::vector<int32_t>& ranks,
                               HeapStep step);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_HEAP_ORDER_H_
