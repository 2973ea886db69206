#include "kernels/core/stash.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "tests/cc/test_pool.h"

namespace recursive_tf {
namespace {

using SharedInt = std::shared_ptr<int>;

TEST(StashTest, TakeReturnsTheValueOnce) {
  Stash<std::string> stash;
  EXPECT_TRUE(stash.Insert(3, "residual", 8));
  std::string value;
  EXPECT_TRUE(stash.Take(3, &value));
  EXPECT_EQ(value, "residual");
  EXPECT_FALSE(stash.Take(3, &value));
  EXPECT_EQ(value, "residual");
}

TEST(StashTest, PeekKeepsTheValue) {
  Stash<std::string> stash;
  stash.Insert(3, "residual", 8);
  for (int i = 0; i < 2; ++i) {
    std::string value;
    EXPECT_TRUE(stash.Peek(3, &value));
    EXPECT_EQ(value, "residual");
  }
  std::string value = "untouched";
  EXPECT_FALSE(stash.Peek(4, &value));
  EXPECT_EQ(value, "untouched");
}

TEST(StashTest, ASecondInsertIsRefusedAndNotCounted) {
  Stash<std::string> stash;
  EXPECT_TRUE(stash.Insert(3, "old", 8));
  EXPECT_FALSE(stash.Insert(3, "new", 100));
  std::string value;
  stash.Peek(3, &value);
  EXPECT_EQ(value, "old");
  EXPECT_EQ(stash.num_entries(), 1u);
  EXPECT_EQ(stash.bytes(), 8u);
  EXPECT_EQ(stash.peak_bytes(), 8u);
}

TEST(StashTest, CountsEntriesBytesAndPeak) {
  Stash<int> stash;
  stash.Insert(1, 10, 100);
  stash.Insert(2, 20, 50);
  int value = 0;
  stash.Take(1, &value);
  stash.Insert(3, 30, 20);
  EXPECT_EQ(stash.num_entries(), 2u);
  EXPECT_EQ(stash.bytes(), 70u);
  EXPECT_EQ(stash.peak_bytes(), 150u);
}

TEST(StashTest, ClearForgetsAllButThePeak) {
  Stash<SharedInt> stash;
  const auto residual = std::make_shared<int>(1);
  for (uint64_t key = 1; key <= 1000; ++key) stash.Insert(key, residual, 4);
  stash.Clear();
  EXPECT_EQ(residual.use_count(), 1);
  EXPECT_EQ(stash.num_entries(), 0u);
  EXPECT_EQ(stash.bytes(), 0u);
  EXPECT_EQ(stash.peak_bytes(), 4000u);
  EXPECT_TRUE(stash.Insert(1, residual, 4));
}

TEST(StashTest, TheDestructorFreesWhatIsLeft) {
  const auto residual = std::make_shared<int>(1);
  {
    Stash<SharedInt> stash;
    for (uint64_t key = 1; key <= 1000; ++key) stash.Insert(key, residual, 4);
    EXPECT_EQ(residual.use_count(), 1001);
  }
  EXPECT_EQ(residual.use_count(), 1);
}

TEST(StashTest, TakeHoldsNoReference) {
  Stash<SharedInt> stash;
  auto residual = std::make_shared<int>(1);
  std::weak_ptr<int> alive = residual;
  stash.Insert(1, residual, 4);
  stash.Take(1, &residual);
  EXPECT_EQ(residual.use_count(), 1);
  residual.reset();
  EXPECT_TRUE(alive.expired());
}

// A value that calls `on_destroy` when its last copy goes.
using Hooked = std::shared_ptr<void>;
Hooked MakeHooked(std::function<void()> on_destroy) {
  return Hooked(nullptr, [on_destroy](void*) { on_destroy(); });
}

// Hangs if any value is destroyed under its shard's lock: the destructor asks
// for every shard.
TEST(StashTest, DestructorsOfValuesMayUseTheStash) {
  Stash<Hooked> stash;
  int num_destroyed = 0;
  const auto make = [&] {
    return MakeHooked([&] {
      ++num_destroyed;
      Hooked ignored;
      for (uint64_t key = 100; key < 200; ++key) stash.Peek(key, &ignored);
    });
  };
  stash.Insert(1, make(), 1);
  stash.Insert(1, make(), 1);  // Refused: destroyed at once.
  EXPECT_EQ(num_destroyed, 1);

  Hooked value = make();
  stash.Peek(1, &value);  // Overwrites.
  EXPECT_EQ(num_destroyed, 2);
  value = make();
  stash.Take(1, &value);
  EXPECT_EQ(num_destroyed, 3);
  value.reset();
  EXPECT_EQ(num_destroyed, 4);

  for (uint64_t key = 1; key <= 50; ++key) stash.Insert(key, make(), 1);
  stash.Clear();
  EXPECT_EQ(num_destroyed, 54);
}

TEST(StashTest, ManyEntriesNeedNoStackToGo) {
  constexpr uint64_t kNumEntries = 1000000;
  Stash<std::unique_ptr<uint64_t>> stash;
  for (uint64_t key = 1; key <= kNumEntries; ++key) {
    ASSERT_TRUE(stash.Insert(key, std::make_unique<uint64_t>(key), 8));
  }
  std::unique_ptr<uint64_t> value;
  for (uint64_t key = kNumEntries; key > kNumEntries / 2; --key) {
    ASSERT_TRUE(stash.Take(key, &value));
    ASSERT_EQ(*value, key);
  }
  EXPECT_EQ(stash.num_entries(), kNumEntries / 2);
  stash.Clear();
  EXPECT_EQ(stash.num_entries(), 0u);
}

// Consumers chase producers over the same keys, so they meet in every shard.
TEST(StashTest, EveryValueIsTakenOnceUnderThreads) {
  constexpr int kNumPairs = 2;
  constexpr uint64_t kNumKeys = 50000;
  Stash<SharedInt> stash;
  std::atomic<int64_t> sum{0};
  RunInThreads(2 * kNumPairs, [&](int thread) {
    const bool is_producer = thread % 2 == 0;
    for (uint64_t i = 0; i < kNumKeys; ++i) {
      const uint64_t key = 1 + i * kNumPairs + thread / 2;
      if (is_producer) {
        ASSERT_TRUE(stash.Insert(key, std::make_shared<int>(key), 16));
        continue;
      }
      SharedInt value;
      while (!stash.Take(key, &value)) std::this_thread::yield();
      ASSERT_EQ(value.use_count(), 1);
      sum += *value;
    }
  });
  const int64_t last = kNumPairs * kNumKeys;
  EXPECT_EQ(sum.load(), last * (last + 1) / 2);
  EXPECT_EQ(stash.num_entries(), 0u);
  EXPECT_EQ(stash.bytes(), 0u);
  EXPECT_LE(stash.peak_bytes(), last * 16u);
}

// A taker must not subtract an entry's bytes before its producer has added
// them: the small entry that it inserts next would then see a huge sum.
TEST(StashTest, ThePeakIsNeverMoreThanWasKeptAtOnce) {
  constexpr uint64_t kNumKeys = 20000;
  constexpr uint64_t kSmall = kNumKeys + 1;
  constexpr size_t kBigBytes = 1000;
  Stash<int> stash;
  std::atomic<uint64_t> num_taken{0};
  RunInThreads(2, [&](int thread) {
    int value = 0;
    for (uint64_t key = 1; key <= kNumKeys; ++key) {
      if (thread == 0) {
        stash.Insert(key, 0, kBigBytes);
        while (num_taken < key) std::this_thread::yield();
        continue;
      }
      for (int spin = 0; !stash.Take(key, &value); ++spin) {
        if (spin > 200) std::this_thread::yield();
      }
      stash.Insert(kSmall, 0, 1);
      stash.Take(kSmall, &value);
      num_taken = key;
    }
  });
  EXPECT_EQ(stash.bytes(), 0u);
  EXPECT_LE(stash.peak_bytes(), kBigBytes + 1);
}

// All threads want the same entries: one of them gets each.
TEST(StashTest, ThreadsThatRaceForAKeyGetItOnce) {
  constexpr uint64_t kNumKeys = 100;
  constexpr int kNumRounds = 300;
  Stash<SharedInt> stash;
  std::atomic<int> num_inserted{0};
  std::atomic<int> num_taken{0};
  RunInThreads(4, [&](int) {
    SharedInt value;
    for (int round = 0; round < kNumRounds; ++round) {
      for (uint64_t key = 1; key <= kNumKeys; ++key) {
        if (stash.Insert(key, std::make_shared<int>(round), 1)) ++num_inserted;
        stash.Peek(key, &value);
        if (stash.Take(key, &value)) ++num_taken;
      }
    }
  });
  EXPECT_EQ(num_inserted.load(), num_taken.load());
  EXPECT_GE(num_taken.load(), static_cast<int>(kNumKeys) * kNumRounds);
  EXPECT_EQ(stash.num_entries(), 0u);
  EXPECT_EQ(stash.bytes(), 0u);
  EXPECT_LE(stash.peak_bytes(), kNumKeys);
}

TEST(StashTest, ClearRacesWithInsertAndTake) {
  Stash<SharedInt> stash;
  const auto residual = std::make_shared<int>(1);
  RunInThreads(3, [&](int thread) {
    SharedInt value;
    for (uint64_t key = 1; key <= 20000; ++key) {
      if (thread == 0) stash.Insert(key, residual, 4);
      if (thread == 1) stash.Take(key, &value);
      if (thread == 2 && key % 100 == 0) stash.Clear();
    }
  });
  stash.Clear();
  EXPECT_EQ(residual.use_count(), 1);
  EXPECT_EQ(stash.num_entries(), 0u);
  EXPECT_EQ(stash.bytes(), 0u);
  EXPECT_LE(stash.peak_bytes(), 80000u);
}

}  // namespace
}  // namespace recursive_tf
