#include "kernels/core/shards.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace recursive_tf {
namespace {

CallWork Work(int64_t num_rows, int64_t frame_work, int64_t frames_per_row) {
  CallWork work;
  work.num_rows = num_rows;
  work.frame_work = frame_work;
  work.frames_per_row = frames_per_row;
  return work;
}

TEST(ShardsTest, ThereAreAsManyPartsAsHaveEnoughWork) {
  // Two frames have what one part needs.
  const int64_t half = kMinWorkPerShard / 2;
  EXPECT_EQ(NumShards(Work(1, half, 1), 4), 1);
  EXPECT_EQ(NumShards(Work(3, half, 1), 4), 1);
  EXPECT_EQ(NumShards(Work(4, half, 1), 4), 2);
  EXPECT_EQ(NumShards(Work(7, half, 1), 4), 3);
  EXPECT_EQ(NumShards(Work(8, half, 1), 4), 4);
  EXPECT_EQ(NumShards(Work(100, half, 1), 4), 4);
  EXPECT_EQ(NumShards(Work(2, half, 2), 4), 2);
  EXPECT_EQ(NumShards(Work(2, half, 100), 4), 2) << "no more than rows";
}

TEST(ShardsTest, OneThreadOrOneRowIsOnePart) {
  const int64_t much = 100 * kMinWorkPerShard;
  EXPECT_EQ(NumShards(Work(100, much, 1), 1), 1);
  EXPECT_EQ(NumShards(Work(1, much, 1), 8), 1);
  EXPECT_EQ(NumShards(Work(0, much, 1), 8), 1);
  EXPECT_EQ(NumShards(Work(0, 0, 1), 8), 1);
}

TEST(ShardsTest, WorkThatIsNotKnownIsDividedAmongAllThreads) {
  EXPECT_EQ(NumShards(Work(2, 0, 1), 8), 2);
  EXPECT_EQ(NumShards(Work(25, 0, 1), 8), 8);
}

TEST(ShardsTest, TrainingIsMoreWork) {
  CallWork work = Work(25, kMinWorkPerShard / 25, 1);
  EXPECT_EQ(NumShards(work, 8), 1);
  work.is_training = true;
  EXPECT_EQ(NumShards(work, 8), kTrainingFactor);
}

TEST(ShardsTest, FramesThatWereSeenCountWhereTheyAreFarMoreThanUsual) {
  CallWork work = Work(2, kMinWorkPerShard / 1000, 32);
  EXPECT_EQ(NumShards(work, 2), 1);
  work.seen_frames_per_row = kUnusualFactor * 32 - 1;
  EXPECT_EQ(NumShards(work, 2), 1);
  work.seen_frames_per_row = 1000;
  EXPECT_EQ(NumShards(work, 2), 2);
  work.seen_frames_per_row = 1;
  EXPECT_EQ(NumShards(work, 2), 1);
}

TEST(ShardsTest, ThreadsInsideAreWorthWhatTwoPartsAre) {
  EXPECT_FALSE(IsWorthThreads(Work(1, 2 * kMinWorkPerShard - 1, 1)));
  EXPECT_TRUE(IsWorthThreads(Work(1, 2 * kMinWorkPerShard, 1)));
  EXPECT_TRUE(IsWorthThreads(Work(1, 0, 1))) << "not known";
  EXPECT_FALSE(IsWorthThreads(Work(0, 1, 1)));
}

TEST(ShardsTest, NoWorkIsTooMuch) {
  EXPECT_EQ(NumShards(Work(INT64_MAX, INT64_MAX, INT64_MAX), 8), 8);
}

}  // namespace
}  // namespace recursive_tf
