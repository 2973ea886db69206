// A vector that never moves its elements.
#ifndef RECURSIVE_TF_KERNELS_CORE_CHUNKED_VECTOR_H_
#define RECURSIVE_TF_KERNELS_CORE_CHUNKED_VECTOR_H_

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace recursive_tf {

// Grows by chunks. std::vector would copy elements that may throw when moved,
// such as tensors, at each growth. Not thread-safe.
template <typename T>
class ChunkedVector final {
 public:
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  T& operator[](size_t i) { return chunks_[i >> kShift][i & (kChunk - 1)]; }
  const T& operator[](size_t i) const {
    return chunks_[i >> kShift][i & (kChunk - 1)];
  }

  void push_back(T value) {
    if (size_ == chunks_.size() << kShift) {
      chunks_.emplace_back(new T[kChunk]);
    }
    (*this)[size_++] = std::move(value);
  }

  // Forgets all elements, and gives their memory back.
  void clear() {
    chunks_.clear();
    chunks_.shrink_to_fit();
    size_ = 0;
  }

 private:
  static constexpr size_t kShift = 6;
  static constexpr size_t kChunk = size_t{1} << kShift;

  std::vector<std::unique_ptr<T[]>> chunks_;
  size_t size_ = 0;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_CHUNKED_VECTOR_H_
