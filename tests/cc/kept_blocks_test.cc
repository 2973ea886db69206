#include "kernels/core/kept_blocks.h"

#include <cstdlib>
#include <vector>

#include "gtest/gtest.h"

namespace recursive_tf {
namespace {

int num_freed = 0;

void Free(void* block) {
  ++num_freed;
  std::free(block);
}

void* Make(int size_class) {
  return std::malloc(KeptBlocks::BytesOf(size_class));
}

TEST(KeptBlocksTest, EachSizeHasTheSmallestClassThatHoldsIt) {
  int last = 0;
  for (size_t bytes = 0; bytes <= KeptBlocks::kMaxBytes; ++bytes) {
    const int size_class = KeptBlocks::ClassOf(bytes);
    ASSERT_GE(size_class, last) << bytes;
    ASSERT_LT(size_class, KeptBlocks::kNumClasses) << bytes;
    ASSERT_GE(KeptBlocks::BytesOf(size_class), bytes);
    if (size_class > 0) {
      ASSERT_LT(KeptBlocks::BytesOf(size_class - 1), bytes);
    }
    last = size_class;
  }
  EXPECT_EQ(last, KeptBlocks::kNumClasses - 1);
}

TEST(KeptBlocksTest, ClassesAreOfWholeLinesAndLoseAnEighthAtMost) {
  for (int c = 0; c < KeptBlocks::kNumClasses; ++c) {
    const size_t bytes = KeptBlocks::BytesOf(c);
    EXPECT_EQ(bytes % 64, 0u);
    if (c > 0) {
      EXPECT_LE(bytes - KeptBlocks::BytesOf(c - 1),
                bytes / 8 < 64 ? 64 : bytes / 8);
    }
  }
}

TEST(KeptBlocksTest, WhatIsKeptIsTakenOnceTheLastFirst) {
  KeptBlocks blocks(Free);
  EXPECT_EQ(blocks.Take(3), nullptr);
  void* const first = Make(3);
  void* const second = Make(3);
  ASSERT_TRUE(blocks.Keep(3, first));
  ASSERT_TRUE(blocks.Keep(3, second));
  EXPECT_EQ(blocks.num_bytes(), 2 * KeptBlocks::BytesOf(3));
  EXPECT_EQ(blocks.Take(2), nullptr);
  EXPECT_EQ(blocks.Take(4), nullptr);
  EXPECT_EQ(blocks.Take(3), second);
  EXPECT_EQ(blocks.Take(3), first);
  EXPECT_EQ(blocks.Take(3), nullptr);
  EXPECT_EQ(blocks.num_bytes(), 0u);
  std::free(first);
  std::free(second);
}

TEST(KeptBlocksTest, NoMoreIsKeptThanTheLimitAndAllIsGivenBackAtTheEnd) {
  num_freed = 0;
  int num_kept = 0;
  {
    KeptBlocks blocks(Free);
    const int largest = KeptBlocks::kNumClasses - 1;
    void* block = Make(largest);
    while (blocks.Keep(largest, block)) {
      ++num_kept;
      block = Make(largest);
    }
    EXPECT_EQ(blocks.num_bytes(), KeptBlocks::kMaxKeptBytes);
    EXPECT_FALSE(blocks.Keep(0, block));  // Nor a small one.
    std::free(block);
    // Of what was taken as many may come back.
    block = blocks.Take(largest);
    EXPECT_TRUE(blocks.Keep(largest, block));
    EXPECT_EQ(num_freed, 0);
  }
  EXPECT_EQ(num_kept, 8);
  EXPECT_EQ(num_freed, num_kept);
}

}  // namespace
}  // namespace recursive_tf
