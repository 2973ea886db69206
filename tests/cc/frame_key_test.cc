#include "kernels/core/frame_key.h"

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/cc/test_pool.h"

namespace recursive_tf {
namespace {

TEST(FrameKeysTest, CountsFromOne) {
  FrameKeys keys;
  EXPECT_EQ(keys.Next(), 1u);
  EXPECT_EQ(keys.Next(), 2u);
}

TEST(FrameKeysTest, BlocksAreConsecutiveAndDisjoint) {
  FrameKeys keys;
  EXPECT_EQ(keys.NextBlock(5), 1u);
  EXPECT_EQ(keys.NextBlock(2), 6u);
  EXPECT_EQ(keys.Next(), 8u);
}

TEST(FrameKeysTest, AnEmptyBlockUsesNoKey) {
  FrameKeys keys;
  keys.NextBlock(0);
  EXPECT_EQ(keys.Next(), 1u);
}

TEST(FrameKeysTest, ThreadsNeverShareAKey) {
  constexpr int kNumThreads = 4;
  constexpr int kNumBlocks = 20000;
  FrameKeys keys;
  std::vector<std::vector<std::pair<uint64_t, uint64_t>>> blocks(kNumThreads);
  RunInThreads(kNumThreads, [&](int thread) {
    for (uint64_t i = 0; i < kNumBlocks; ++i) {
      const uint64_t count = 1 + i % 3;
      blocks[thread].emplace_back(keys.NextBlock(count), count);
    }
  });
  std::set<std::pair<uint64_t, uint64_t>> sorted;
  for (const auto& of_thread : blocks) {
    sorted.insert(of_thread.begin(), of_thread.end());
  }
  uint64_t next = 1;
  for (const auto& [first, count] : sorted) {
    ASSERT_EQ(first, next);
    next += count;
  }
  EXPECT_EQ(keys.Next(), next);
}

TEST(MixFrameKeyTest, ConsecutiveKeysFillBucketsEvenly) {
  constexpr int kNumBuckets = 16;
  constexpr int kNumKeys = 16000;
  std::vector<int> low(kNumBuckets), high(kNumBuckets);
  for (uint64_t key = 1; key <= kNumKeys; ++key) {
    ++low[MixFrameKey(key) % kNumBuckets];
    ++high[MixFrameKey(key) >> 60];
  }
  // 1000 each on average; six standard deviations of a fair draw.
  for (int bucket = 0; bucket < kNumBuckets; ++bucket) {
    EXPECT_NEAR(low[bucket], 1000, 184);
    EXPECT_NEAR(high[bucket], 1000, 184);
  }
}

}  // namespace
}  // namespace recursive_tf
