#include "kernels/core/run_counters.h"

#include <atomic>
#include <cstdint>

#include "gtest/gtest.h"
#include "tests/cc/test_pool.h"

namespace recursive_tf {
namespace {

TEST(UpdateMaxTest, OnlyRaises) {
  std::atomic<int> maximum{3};
  UpdateMax(&maximum, 2);
  EXPECT_EQ(maximum.load(), 3);
  UpdateMax(&maximum, 5);
  EXPECT_EQ(maximum.load(), 5);
}

TEST(UpdateMaxTest, NoThreadOverwritesAGreaterValue) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> maximum{0};
    RunInThreads(4, [&](int thread) {
      for (int i = 0; i < 100; ++i) UpdateMax(&maximum, 4 * i + thread);
    });
    ASSERT_EQ(maximum.load(), 399);
  }
}

TEST(RunCountersTest, CountsFramesAndTheDeepest) {
  RunCounters counters;
  counters.EnterFrame(1);
  counters.EnterFrame(7);
  counters.LeaveFrame();
  counters.EnterFrame(2);
  EXPECT_EQ(counters.live_frames(), 2);
  const RunCountersSnapshot snapshot = counters.Snapshot();
  EXPECT_EQ(snapshot.frames, 3);
  EXPECT_EQ(snapshot.max_depth, 7);
  EXPECT_EQ(snapshot.stash_entries, 0);
}

TEST(RunCountersTest, LosesNoCountUnderThreads) {
  constexpr int kNumThreads = 4;
  constexpr int kNumFrames = 50000;
  RunCounters counters;
  RunInThreads(kNumThreads, [&](int thread) {
    for (int i = 0; i < kNumFrames; ++i) {
      counters.EnterFrame(i * kNumThreads + thread);
      if (i % 2 == 0) counters.LeaveFrame();
    }
  });
  const RunCountersSnapshot snapshot = counters.Snapshot();
  EXPECT_EQ(snapshot.frames, kNumThreads * kNumFrames);
  EXPECT_EQ(snapshot.max_depth, kNumThreads * kNumFrames - 1);
  EXPECT_EQ(counters.live_frames(), kNumThreads * kNumFrames / 2);
}

}  // namespace
}  // namespace recursive_tf
