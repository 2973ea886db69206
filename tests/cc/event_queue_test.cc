#include "kernels/core/event_queue.h"

#include <cstdint>
#include <deque>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/core/agenda.h"

namespace recursive_tf {
namespace {

struct TestFrame {
  int number;
  int depth;
};

// Of four events the last two make frames.
class EventQueueTest : public testing::Test {
 protected:
  using Taken = std::pair<int, std::vector<int>>;

  void Post(int event, int number, int depth = 1) {
    frames_.push_back({number, depth});
    queue_.Post(event, &frames_.back());
  }

  // The event and the numbers of its frames.
  Taken Take(int64_t limit = kNoStepLimit, int deepest_ready = -1) {
    taken_.clear();
    const int64_t size = queue_.size();
    const int event = queue_.Take(limit, deepest_ready, &taken_);
    Taken found = {event, {}};
    if (event < 0) return found;
    for (const TestFrame* frame : taken_) found.second.push_back(frame->number);
    EXPECT_EQ(queue_.size(), size - static_cast<int64_t>(taken_.size()));
    return found;
  }

  EventQueue<TestFrame> queue_{makes_frames_};
  const Taken none_ = {-1, {}};

 private:
  static inline const std::vector<bool> makes_frames_ = {false, false, true,
                                                         true};
  std::deque<TestFrame> frames_;
  std::vector<TestFrame*> taken_;
};

TEST_F(EventQueueTest, AnEmptyQueueHasNothing) {
  EXPECT_EQ(queue_.size(), 0);
  EXPECT_EQ(Take(), none_);
  EXPECT_EQ(Take(/*limit=*/1), none_);
}

TEST_F(EventQueueTest, EventsComeInTheOrderInWhichTheyFirstFired) {
  Post(2, 1);
  Post(0, 2);
  Post(2, 3);
  EXPECT_EQ(queue_.size(), 3);
  EXPECT_EQ(Take(), Taken(2, {1, 3}));
  Post(2, 4);  // Again, behind the other.
  EXPECT_EQ(Take(), Taken(0, {2}));
  EXPECT_EQ(Take(), Taken(2, {4}));
  EXPECT_EQ(Take(), none_);
}

TEST_F(EventQueueTest, SeveralFramesArePostedAsOneByOne) {
  TestFrame frames[] = {{1, 1}, {2, 1}};
  queue_.PostAll(0, {});
  EXPECT_EQ(Take(), none_);
  Post(1, 3);
  queue_.PostAll(0, {&frames[0], &frames[1]});
  queue_.PostAll(1, {&frames[0]});
  EXPECT_EQ(queue_.size(), 4);
  EXPECT_EQ(Take(), Taken(1, {3, 1}));
  EXPECT_EQ(Take(), Taken(0, {1, 2}));
  EXPECT_EQ(Take(), none_);
}

TEST_F(EventQueueTest, WhereALimitHoldsEventsThatMakeNoFramesComeFirst) {
  Post(2, 1);
  Post(0, 2);
  Post(1, 3);
  Post(3, 4);
  EXPECT_EQ(Take(/*limit=*/1), Taken(1, {3}));
  EXPECT_EQ(Take(/*limit=*/1), Taken(0, {2}));
  EXPECT_EQ(Take(/*limit=*/1), Taken(3, {4}));
  EXPECT_EQ(Take(/*limit=*/1), Taken(2, {1}));
  EXPECT_EQ(Take(/*limit=*/1), none_);
}

TEST_F(EventQueueTest, ALimitTakesTwiceAsManyOfTheLastFrames) {
  for (int i = 0; i < 5; ++i) Post(2, i);
  EXPECT_EQ(Take(/*limit=*/1), Taken(2, {3, 4}));
  EXPECT_EQ(Take(/*limit=*/1), Taken(2, {1, 2}));
  EXPECT_EQ(Take(/*limit=*/1), Taken(2, {0}));
  EXPECT_EQ(Take(/*limit=*/1), none_);
}

TEST_F(EventQueueTest, ALimitLeavesEventsThatMakeNoFramesWhole) {
  for (int i = 0; i < 5; ++i) Post(0, i);
  EXPECT_EQ(Take(/*limit=*/1), Taken(0, {0, 1, 2, 3, 4}));
}

TEST_F(EventQueueTest, WhereALimitHoldsDeeperReadyFramesGoFirst) {
  Post(2, 1, /*depth=*/4);
  EXPECT_EQ(Take(/*limit=*/8, /*deepest_ready=*/5), none_);
  EXPECT_EQ(queue_.size(), 1);
  Post(0, 2, /*depth=*/1);  // Makes no frames: need not wait.
  EXPECT_EQ(Take(/*limit=*/8, /*deepest_ready=*/5), Taken(0, {2}));
  EXPECT_EQ(Take(/*limit=*/8, /*deepest_ready=*/4), Taken(2, {1}));
}

TEST_F(EventQueueTest, EachPostedFrameIsTakenOnce) {
  std::mt19937 random(7);
  const auto below = [&random](int n) {
    return static_cast<int>(random() % n);
  };
  std::vector<int> events;  // By number.
  std::vector<int> num_taken;
  for (int turn = 0; turn < 2000; ++turn) {
    for (int i = below(4); i > 0; --i) {
      const int number = static_cast<int>(events.size());
      events.push_back(below(4));
      num_taken.push_back(0);
      Post(events.back(), number, 1 + below(6));
    }
    const Taken taken =
        below(2) == 0 ? Take() : Take(1 + below(3), below(8) - 1);
    for (int number : taken.second) {
      EXPECT_EQ(events[number], taken.first);
      ++num_taken[number];
    }
  }
  while (queue_.size() > 0) {
    for (int number : Take().second) ++num_taken[number];
  }
  EXPECT_EQ(num_taken, std::vector<int>(events.size(), 1));
  EXPECT_EQ(Take(), none_);
}

}  // namespace
}  // namespace recursive_tf
