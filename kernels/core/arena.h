// Memory that is handed out piece by piece and given back all at once.
#ifndef RECURSIVE_TF_KERNELS_CORE_ARENA_H_
#define RECURSIVE_TF_KERNELS_CORE_ARENA_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace recursive_tf {

// A bump allocator for plain data: no destructor runs. Not thread-safe.
class Arena final {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Returns uninitialised memory for `bytes` bytes, aligned to kAlignment.
  void* Allocate(size_t bytes) {
    bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (bytes > left_) AddChunk(bytes);
    char* piece = next_;
    next_ += bytes;
    left_ -= bytes;
    return piece;
  }

  template <typename T>
  T* AllocateArray(size_t size) {
    static_assert(alignof(T) <= kAlignment, "over-aligned");
    return static_cast<T*>(Allocate(size * sizeof(T)));
  }

  // What the chunks take, used or not.
  size_t bytes() const { return bytes_; }

 private:
  static constexpr size_t kAlignment = 16;
  static constexpr size_t kFirstChunkBytes = size_t{4} << 10;
  static constexpr size_t kLargestChunkBytes = size_t{1} << 20;

  void AddChunk(size_t bytes) {
    const size_t size = std::max(bytes, next_chunk_bytes_);
    next_chunk_bytes_ = std::min(2 * next_chunk_bytes_, kLargestChunkBytes);
    chunks_.emplace_back(new char[size]);
    next_ = chunks_.back().get();
    left_ = size;
    bytes_ += size;
  }

  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;
  size_t left_ = 0;
  size_t next_chunk_bytes_ = kFirstChunkBytes;
  size_t bytes_ = 0;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_ARENA_H_
