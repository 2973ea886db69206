#include "kernels/core/step_retry.h"

#include <vector>

#include "gtest/gtest.h"

namespace recursive_tf {
namespace {

struct TestFrame {
  int number;
};

using Frames = std::vector<TestFrame*>;

TEST(StepRetryTest, NothingIsRetriedAtFirst) {
  StepRetry<TestFrame> retry;
  EXPECT_FALSE(retry.is_active());
}

TEST(StepRetryTest, FramesComeOneByOneInTheirOrder) {
  TestFrame a{1}, b{2}, c{3};
  Frames frames = {&a, &b, &c};
  std::vector<int> depths = {4, 5, 6};
  StepRetry<TestFrame> retry;
  retry.Begin(frames, depths);
  // What the step was taken from is written over.
  ASSERT_TRUE(retry.Take(&frames, &depths));
  EXPECT_EQ(frames, Frames{&a});
  EXPECT_EQ(depths, std::vector<int>{4});
  ASSERT_TRUE(retry.Take(&frames, &depths));
  EXPECT_EQ(frames, Frames{&b});
  EXPECT_EQ(depths, std::vector<int>{5});
  EXPECT_TRUE(retry.is_active());
  ASSERT_TRUE(retry.Take(&frames, &depths));
  EXPECT_EQ(frames, Frames{&c});
  EXPECT_EQ(depths, std::vector<int>{6});
  EXPECT_TRUE(retry.is_active());  // The last one has yet to run.
}

TEST(StepRetryTest, WhereNoFrameFailsTheFirstIsNamed) {
  TestFrame a{1}, b{2};
  Frames frames = {&a, &b};
  std::vector<int> depths = {4, 5};
  StepRetry<TestFrame> retry;
  retry.Begin(frames, depths);
  while (retry.Take(&frames, &depths)) {
  }
  EXPECT_FALSE(retry.is_active());
  EXPECT_EQ(retry.first().number, 1);
  EXPECT_EQ(frames, Frames{&b});  // Nothing was taken.
}

TEST(StepRetryTest, AnotherStepBeginsAnew) {
  TestFrame a{1}, b{2};
  Frames frames = {&a, &b};
  std::vector<int> depths = {4, 5};
  StepRetry<TestFrame> retry;
  retry.Begin(frames, depths);
  ASSERT_TRUE(retry.Take(&frames, &depths));
  frames = {&b};
  depths = {7};
  retry.Begin(frames, depths);
  frames.clear();
  ASSERT_TRUE(retry.Take(&frames, &depths));
  EXPECT_EQ(frames, Frames{&b});
  EXPECT_EQ(depths, std::vector<int>{7});
  EXPECT_FALSE(retry.Take(&frames, &depths));
}

}  // namespace
}  // namespace recursive_tf
