// Small pieces of memory that a thread has let go of and will ask for again.
#ifndef RECURSIVE_TF_KERNELS_CORE_KEPT_BLOCKS_H_
#define RECURSIVE_TF_KERNELS_CORE_KEPT_BLOCKS_H_

#include <cstddef>

namespace recursive_tf {

// Sizes are rounded up to one of kNumClasses: every 64 bytes up to 512, then
// eight between a power of two and the next, so that an eighth is lost at most.
// Of one thread: nothing here is shared, and nothing is locked.
class KeptBlocks final {
 public:
  static constexpr size_t kMaxBytes = 32 << 10;
  static constexpr int kNumClasses = 56;
  // What one thread keeps at most.
  static constexpr size_t kMaxKeptBytes = 256 << 10;

  using Free = void (*)(void* block);

  // `free` gives back what is still kept at the end.
  explicit KeptBlocks(Free free) : free_(free) {}
  ~KeptBlocks();
  KeptBlocks(const KeptBlocks&) = delete;
  KeptBlocks& operator=(const KeptBlocks&) = delete;

  // The class of blocks of 1 to kMaxBytes bytes; 0 bytes count as 1.
  static int ClassOf(size_t bytes);
  static size_t BytesOf(int size_class);

  // Returns a block that was kept, null if there is none.
  void* Take(int size_class) {
    Link* const first = first_[size_class];
    if (first == nullptr) return nullptr;
    first_[size_class] = first->next;
    num_bytes_ -= BytesOf(size_class);
    return first;
  }

  // Keeps a block of that class, or returns false: enough is kept.
  bool Keep(int size_class, void* block) {
    const size_t bytes = BytesOf(size_class);
    if (num_bytes_ + bytes > kMaxKeptBytes) return false;
    num_bytes_ += bytes;
    Link* const link = static_cast<Link*>(block);
    link->next = first_[size_class];
    first_[size_class] = link;
    return true;
  }

  size_t num_bytes() const { return num_bytes_; }

 private:
  struct Link {
    Link* next;
  };

  const Free free_;
  Link* first_[kNumClasses] = {};
  size_t num_bytes_ = 0;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_KEPT_BLOCKS_H_
