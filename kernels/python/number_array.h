// Numbers in memory that becomes a Python object without a copy.
#ifndef RECURSIVE_TF_KERNELS_PYTHON_NUMBER_ARRAY_H_
#define RECURSIVE_TF_KERNELS_PYTHON_NUMBER_ARRAY_H_

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

#include "kernels/python/py_ref.h"

namespace recursive_tf {

// Elements of a bytearray, of which nobody else knows until it is taken. What
// is taken is mostly as long as the one before: that many fit from the start.
// What adds or takes may throw std::bad_alloc. Needs the GIL.
template <typename T>
class NumberArray final {
 public:
  size_t size() const { return size_; }
  T& operator[](size_t place) { return data_[place]; }

  void push_back(T value) {
    if (size_ == capacity_) Grow(size_ + 1);
    data_[size_++] = value;
  }

  // Adds `count` elements.
  void Append(const T* values, size_t count) {
    if (size_ + count > capacity_) Grow(size_ + count);
    T* const end = data_ + size_;
    for (size_t i = 0; i < count; ++i) end[i] = values[i];
    size_ += count;
  }

  // Adds zeros up to `size` elements.
  void Extend(size_t size) {
    if (size > capacity_) Grow(size);
    std::fill(data_ + size_, data_ + size, T());
    size_ = size;
  }

  // Returns the bytearray of all elements. Nothing but Clear may follow.
  PyRef Take() {
    Resize(size_);
    return std::move(bytes_);
  }

  void Clear() {
    last_size_ = size_;
    bytes_ = PyRef();
    data_ = nullptr;
    size_ = capacity_ = 0;
  }

 private:
  static constexpr size_t kMinElements = 64;
  static constexpr size_t kMaxFirstElements = size_t{1} << 18;

  void Grow(size_t size) {
    const size_t first = last_size_ == 0 ? kMinElements : last_size_;
    Resize(std::max(
        size, bytes_ ? 2 * capacity_ : std::min(first, kMaxFirstElements)));
  }

  void Resize(size_t size) {
    const auto num_bytes = static_cast<Py_ssize_t>(size * sizeof(T));
    if (!bytes_) {
      bytes_ = PyRef::Steal(PyByteArray_FromStringAndSize(nullptr, num_bytes));
    }
    if (!bytes_ || (PyByteArray_Size(bytes_.get()) != num_bytes &&
                    PyByteArray_Resize(bytes_.get(), num_bytes) != 0)) {
      PyErr_Clear();
      throw std::bad_alloc();
    }
    data_ = reinterpret_cast<T*>(PyByteArray_AsString(bytes_.get()));
    capacity_ = size;
  }

  PyRef bytes_;
  T* data_ = nullptr;  // What it holds.
  size_t size_ = 0;
  size_t capacity_ = 0;
  size_t last_size_ = 0;  // When it was emptied last.
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_PYTHON_NUMBER_ARRAY_H_
