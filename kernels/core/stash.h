// The stash: a concurrent hash table from frame keys to residuals.
#ifndef RECURSIVE_TF_KERNELS_CORE_STASH_H_
#define RECURSIVE_TF_KERNELS_CORE_STASH_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "kernels/core/atomic_max.h"
#include "kernels/core/frame_key.h"
#include "kernels/core/frame_key_map.h"
#include "kernels/core/mutex.h"

namespace recursive_tf {

// Keeps forward values for the backward pass, by frame key. Thread-safe, except
// for the destructor.
//
// Value is default constructible, cheap to move and, for Peek, to copy. No
// value is ever destroyed under a lock, so its destructor may use the stash.
template <typename Value>
class Stash final {
 public:
  Stash() = default;
  Stash(const Stash&) = delete;
  Stash& operator=(const Stash&) = delete;

  // Keeps `value`, which counts for `bytes`. Returns false, and keeps the old
  // value, if `key` is present.
  bool Insert(uint64_t key, Value value, size_t bytes) {
    Entry entry{std::move(value), bytes};
    Shard& shard = ShardOf(key);
    MutexLock lock(&shard.mu);
    if (!shard.entries.Insert(key, entry)) return false;
    // Counted before another thread can take the entry: no counter ever passes
    // below zero, which would be a huge peak.
    num_entries_.fetch_add(1, std::memory_order_relaxed);
    const size_t before = bytes_.fetch_add(bytes, std::memory_order_relaxed);
    UpdateMax(&peak_bytes_, before + bytes);
    return true;
  }

  // Moves the value of `key` to `*value` and forgets it; false if absent.
  bool Take(uint64_t key, Value* value) {
    Entry entry;
    {
      Shard& shard = ShardOf(key);
      MutexLock lock(&shard.mu);
      if (!shard.entries.Take(key, &entry)) return false;
    }
    Uncount(1, entry.bytes);
    *value = std::move(entry.value);
    return true;
  }

  // Copies the value of `key` to `*value`; false if absent.
  bool Peek(uint64_t key, Value* value) const {
    Value copy;
    {
      const Shard& shard = ShardOf(key);
      MutexLock lock(&shard.mu);
      const Entry* entry = shard.entries.Find(key);
      if (entry == nullptr) return false;
      copy = entry->value;
    }
    *value = std::move(copy);
    return true;
  }

  // Forgets all entries, and gives their memory back.
  void Clear() {
    for (Shard& shard : shards_) {
      FrameKeyMap<Entry> entries;
      {
        MutexLock lock(&shard.mu);
        std::swap(entries, shard.entries);
      }
      size_t bytes = 0;
      entries.ForEach([&](const Entry& entry) { bytes += entry.bytes; });
      Uncount(entries.size(), bytes);
    }
  }

  size_t num_entries() const {
    return num_entries_.load(std::memory_order_relaxed);
  }
  // Sum of the `bytes` of the entries, now and at its greatest.
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  size_t peak_bytes() const {
    return peak_bytes_.load(std::memory_order_relaxed);
  }

 private:
  // Each shard has its own lock, so that frames which end at the same time on
  // different threads rarely meet. Locks are leaves: no other one is taken, and
  // no other code called, while one is held.
  struct Entry {
    Value value{};
    size_t bytes = 0;
  };
  static constexpr size_t kCacheLineBytes = 64;
  struct alignas(kCacheLineBytes) Shard {
    mutable Mutex mu;
    FrameKeyMap<Entry> entries ABSL_GUARDED_BY(mu);
  };
  static constexpr uint64_t kNumShards = 16;
  static_assert((kNumShards & (kNumShards - 1)) == 0, "not a power of two");

  Shard& ShardOf(uint64_t key) {
    return shards_[MixFrameKey(key) & (kNumShards - 1)];
  }
  const Shard& ShardOf(uint64_t key) const {
    return shards_[MixFrameKey(key) & (kNumShards - 1)];
  }

  void Uncount(size_t num_entries, size_t bytes) {
    num_entries_.fetch_sub(num_entries, std::memory_order_relaxed);
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  }

  std::array<Shard, kNumShards> shards_;
  std::atomic<size_t> num_entries_{0};
  std::atomic<size_t> bytes_{0};
  std::atomic<size_t> peak_bytes_{0};
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_STASH_H_
