#include "kernels/core/kept_blocks.h"

#include <cstdint>

namespace recursive_tf {

namespace {

constexpr size_t kStep = 64;     // Between the smallest classes.
constexpr int kPerDoubling = 8;  // Classes from kFirstDoubling on.
constexpr size_t kFirstDoubling = kStep * kPerDoubling;

}  // namespace

KeptBlocks::~KeptBlocks() {
  for (Link* link : first_) {
    while (link != nullptr) {
      Link* const next = link->next;
      free_(link);
      link = next;
    }
  }
}

int KeptBlocks::ClassOf(size_t bytes) {
  if (bytes <= kStep) return 0;
  if (bytes <= kFirstDoubling) {
    return static_cast<int>((bytes - 1) / kStep);
  }
  // Which doubling, and which eighth of it.
  const int doubling =
      63 - __builtin_clzll(static_cast<uint64_t>((bytes - 1) / kFirstDoubling));
  const size_t step = kStep << doubling;
  return kPerDoubling * doubling + static_cast<int>((bytes - 1) / step);
}

size_t KeptBlocks::BytesOf(int size_class) {
  if (size_class < kPerDoubling) return kStep * (size_class + 1);
  const int doubling = size_class / kPerDoubling - 1;
  return (kFirstDoubling << doubling) +
         (kStep << doubling) * (size_class % kPerDoubling + 1);
}

}  // namespace recursive_tf
