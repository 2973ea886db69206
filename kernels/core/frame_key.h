// Frame keys: the names of frames, the same forward and backward.
#ifndef RECURSIVE_TF_KERNELS_CORE_FRAME_KEY_H_
#define RECURSIVE_TF_KERNELS_CORE_FRAME_KEY_H_

#include <atomic>
#include <cstdint>

namespace recursive_tf {

// Hands out the keys of one run: 1, 2, 3, ... Thread-safe.
//
// Keys are counted rather than hashed from the path of call sites, because a
// call site in a loop runs several times in one frame, and a hash may collide.
// The forward Invoke outputs its key; the gradient of the control flow around
// it carries that tensor to the backward Invoke.
class FrameKeys final {
 public:
  FrameKeys() = default;
  FrameKeys(const FrameKeys&) = delete;
  FrameKeys& operator=(const FrameKeys&) = delete;

  uint64_t Next() { return NextBlock(1); }

  // Returns the first of `count` consecutive keys.
  uint64_t NextBlock(uint64_t count) {
    return next_.fetch_add(count, std::memory_order_relaxed);
  }

 private:
  std::atomic<uint64_t> next_{1};
};

// Spreads `key` over 64 bits, one to one: consecutive keys differ in low and
// high bits alike. The finalizer of MurmurHash3 (Appleby).
inline uint64_t MixFrameKey(uint64_t key) {
  key ^= key >> 33;
  key *= 0xff51afd7ed558ccdULL;
  key ^= key >> 33;
  key *= 0xc4ceb9fe1a85ec53ULL;
  return key ^ (key >> 33);
}

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_FRAME_KEY_H_
