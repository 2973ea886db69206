#include "kernels/core/ready_queue.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/cc/test_pool.h"

namespace recursive_tf {
namespace {

using Closure = ReadyQueue::Closure;

std::shared_ptr<ReadyQueue> MakeQueue(ReadyPolicy policy, int max_workers,
                                      ReadyQueue::Schedule schedule) {
  return std::make_shared<ReadyQueue>(policy, max_workers, std::move(schedule));
}

template <typename Pool>
ReadyQueue::Schedule ToPool(Pool* pool) {
  return [pool](Closure drain) { pool->Schedule(std::move(drain)); };
}

TEST(ReadyQueueTest, DeepestFirstTakesTheLatestOfTheDeepest) {
  ManualPool pool;
  auto queue = MakeQueue(ReadyPolicy::kDeepestFirst, 1, ToPool(&pool));
  std::vector<std::pair<int, char>> order;
  const auto push = [&](int depth, char name) {
    queue->Push(depth,
                [&order, depth, name] { order.emplace_back(depth, name); });
  };
  push(2, 'a');
  push(5, 'b');
  push(2, 'c');
  push(0, 'd');
  push(5, 'e');
  push(3, 'f');
  pool.RunAll();
  const std::vector<std::pair<int, char>> expected = {
      {5, 'e'}, {5, 'b'}, {3, 'f'}, {2, 'c'}, {2, 'a'}, {0, 'd'}};
  EXPECT_EQ(order, expected);
}

TEST(ReadyQueueTest, FifoIgnoresDepth) {
  ManualPool pool;
  auto queue = MakeQueue(ReadyPolicy::kFifo, 1, ToPool(&pool));
  std::vector<int> order;
  for (int depth : {2, 5, 2, 0, 5, 3}) {
    queue->Push(depth, [&order, depth] { order.push_back(depth); });
  }
  pool.RunAll();
  EXPECT_EQ(order, (std::vector<int>{2, 5, 2, 0, 5, 3}));
}

// Nodes of a binary tree by heap index: node n pushes 2n, then 2n + 1.
std::vector<int> WalkTree(ReadyPolicy policy) {
  ManualPool pool;
  auto queue = MakeQueue(policy, 1, ToPool(&pool));
  std::vector<int> order;
  std::function<void(int, int)> visit = [&](int depth, int node) {
    order.push_back(node);
    for (int child : {2 * node, 2 * node + 1}) {
      if (child >= 16) continue;
      queue->Push(depth + 1,
                  [&visit, depth, child] { visit(depth + 1, child); });
    }
  };
  queue->Push(0, [&visit] { visit(0, 1); });
  pool.RunAll();
  EXPECT_EQ(pool.num_scheduled(), 1);
  return order;
}

TEST(ReadyQueueTest, DeepestFirstFinishesASubtreeBeforeItsSibling) {
  EXPECT_EQ(
      WalkTree(ReadyPolicy::kDeepestFirst),
      (std::vector<int>{1, 3, 7, 15, 14, 6, 13, 12, 2, 5, 11, 10, 4, 9, 8}));
}

TEST(ReadyQueueTest, FifoGoesLevelByLevel) {
  EXPECT_EQ(
      WalkTree(ReadyPolicy::kFifo),
      (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
}

TEST(ReadyQueueTest, DeepestFirstAgreesWithASortedOracle) {
  ManualPool pool;
  auto queue = MakeQueue(ReadyPolicy::kDeepestFirst, 1, ToPool(&pool));
  std::multimap<int, int> waiting;  // By depth; the latest of equals is last.
  uint32_t random = 1;
  int next_id = 0;
  std::function<void(int)> push = [&](int depth) {
    const int id = next_id++;
    waiting.emplace(depth, id);
    queue->Push(depth, [&, depth, id] {
      auto next = std::prev(waiting.end());
      ASSERT_EQ(depth, next->first);
      ASSERT_EQ(id, next->second);
      waiting.erase(next);
      random = random * 1664525 + 1013904223;
      const int num_children = next_id < 20000 ? (random >> 16) % 4 : 0;
      for (int i = 0; i < num_children; ++i) {
        random = random * 1664525 + 1013904223;
        push((random >> 16) % 300);
      }
    });
  };
  for (int i = 0; i < 1000; ++i) push(i % 7);
  pool.RunAll();
  EXPECT_GE(next_id, 20000);
  EXPECT_TRUE(waiting.empty());
}

TEST(ReadyQueueTest, AChainStartsOneWorkerAndStaysOnItsThread) {
  constexpr int kLength = 10000;
  std::atomic<int> num_scheduled{0};
  std::set<std::thread::id> threads;
  std::shared_ptr<ReadyQueue> queue;
  std::function<void(int)> step = [&](int depth) {
    threads.insert(std::this_thread::get_id());
    if (depth == kLength) return;
    queue->Push(depth + 1, [&step, depth] { step(depth + 1); });
  };
  {
    ThreadPool pool(4);
    queue = MakeQueue(ReadyPolicy::kDeepestFirst, 4, [&](Closure drain) {
      ++num_scheduled;
      pool.Schedule(std::move(drain));
    });
    queue->Push(0, [&step] { step(0); });
  }
  EXPECT_EQ(num_scheduled.load(), 1);
  EXPECT_EQ(threads.size(), 1u);
}

TEST(ReadyQueueTest, ASecondClosureThatWaitsStartsASecondWorker) {
  ManualPool pool;
  auto queue = MakeQueue(ReadyPolicy::kDeepestFirst, 2, ToPool(&pool));
  std::vector<int> scheduled;
  queue->Push(0, [&] {
    for (int i = 0; i < 4; ++i) {
      queue->Push(1, [] {});
      scheduled.push_back(pool.num_scheduled());
    }
  });
  pool.RunAll();
  // One for the first push; the loop's own next closure asks for none; then one
  // more, and max_workers is reached.
  EXPECT_EQ(scheduled, (std::vector<int>{1, 2, 2, 2}));
}

TEST(ReadyQueueTest, APushFromOutsideStartsAWorkerWhileOneRuns) {
  ManualPool pool;
  auto queue = MakeQueue(ReadyPolicy::kDeepestFirst, 3, ToPool(&pool));
  for (int i = 0; i < 5; ++i) queue->Push(0, [] {});
  EXPECT_EQ(pool.num_scheduled(), 3);
}

TEST(ReadyQueueTest, AWorkerThatEndedIsReplaced) {
  ManualPool pool;
  auto queue = MakeQueue(ReadyPolicy::kFifo, 1, ToPool(&pool));
  int num_run = 0;
  for (int i = 1; i <= 3; ++i) {
    queue->Push(0, [&] { ++num_run; });
    pool.RunAll();
    EXPECT_EQ(num_run, i);
    EXPECT_EQ(pool.num_scheduled(), i);
  }
}

TEST(ReadyQueueTest, MaxWorkersBoundsWhatRunsAtOnce) {
  constexpr int kMaxWorkers = 2;
  std::atomic<int> num_running{0};
  std::atomic<int> num_run{0};
  std::atomic<bool> is_exceeded{false};
  {
    ThreadPool pool(6);
    auto queue =
        MakeQueue(ReadyPolicy::kDeepestFirst, kMaxWorkers, ToPool(&pool));
    for (int i = 0; i < 2000; ++i) {
      queue->Push(i % 10, [&] {
        if (++num_running > kMaxWorkers) is_exceeded = true;
        std::this_thread::yield();
        --num_running;
        ++num_run;
      });
    }
  }
  EXPECT_FALSE(is_exceeded.load());
  EXPECT_EQ(num_run.load(), 2000);
}

TEST(ReadyQueueTest, AMillionChainedClosuresUseConstantStack) {
  constexpr int kLength = 1000000;
  ManualPool pool;
  auto queue = MakeQueue(ReadyPolicy::kDeepestFirst, 1, ToPool(&pool));
  uintptr_t lowest = UINTPTR_MAX;
  uintptr_t highest = 0;
  int num_run = 0;
  std::function<void()> step = [&] {
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    lowest = std::min(lowest, here);
    highest = std::max(highest, here);
    // Rises to half of the length, then falls, as calls and returns do.
    if (++num_run < kLength) {
      queue->Push(std::min(num_run, kLength - num_run), [&step] { step(); });
    }
  };
  queue->Push(0, [&step] { step(); });
  pool.RunAll();
  EXPECT_EQ(num_run, kLength);
  EXPECT_LT(highest - lowest, 4096u);
}

// A caller's pool may run the drain loop inside the push, on the same stack.
TEST(ReadyQueueTest, AnInlineScheduleRecursesAtMostMaxWorkersDeep) {
  constexpr int kMaxWorkers = 3;
  int nesting = 0;
  int deepest_nesting = 0;
  int num_run = 0;
  auto queue =
      MakeQueue(ReadyPolicy::kDeepestFirst, kMaxWorkers, [&](Closure drain) {
        deepest_nesting = std::max(deepest_nesting, ++nesting);
        drain();
        --nesting;
      });
  std::function<void(int)> visit = [&](int depth) {
    ++num_run;
    if (depth == 12) return;
    for (int i = 0; i < 2; ++i) {
      queue->Push(depth + 1, [&visit, depth] { visit(depth + 1); });
    }
  };
  queue->Push(0, [&visit] { visit(0); });
  EXPECT_EQ(num_run, (1 << 13) - 1);
  EXPECT_LE(deepest_nesting, kMaxWorkers);
  EXPECT_EQ(nesting, 0);
}

TEST(ReadyQueueTest, AClosureOfOneQueueIsAnOutsiderToAnother) {
  ManualPool outer_pool;
  ManualPool inner_pool;
  auto outer = MakeQueue(ReadyPolicy::kDeepestFirst, 4, ToPool(&outer_pool));
  auto inner = MakeQueue(ReadyPolicy::kDeepestFirst, 4, ToPool(&inner_pool));
  std::vector<int> order;
  outer->Push(0, [&] {
    order.push_back(1);
    inner->Push(0, [&] { order.push_back(3); });
    EXPECT_EQ(inner_pool.num_scheduled(), 1);  // Nobody else would run it.
    outer->Push(1, [&] { order.push_back(2); });
    EXPECT_EQ(outer_pool.num_scheduled(), 1);  // This loop will.
  });
  outer_pool.RunAll();
  inner_pool.RunAll();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(ReadyQueueTest, AnInnerDrainLoopGivesTheThreadBackToTheOuter) {
  ManualPool pool;
  auto outer = MakeQueue(ReadyPolicy::kDeepestFirst, 4, ToPool(&pool));
  auto inner =
      MakeQueue(ReadyPolicy::kDeepestFirst, 4, [](Closure drain) { drain(); });
  int num_run = 0;
  outer->Push(0, [&] {
    inner->Push(0, [&] {
      // The outer loop is below on this stack, but comes back only after the
      // inner one has ended: another worker must be asked for.
      outer->Push(1, [&] { ++num_run; });
      EXPECT_EQ(pool.num_scheduled(), 2);
    });
    outer->Push(1, [&] { ++num_run; });
    EXPECT_EQ(pool.num_scheduled(), 3);  // Two wait now.
  });
  pool.RunAll();
  EXPECT_EQ(num_run, 2);

  outer->Push(0, [&] {
    inner->Push(0, [] {});
    outer->Push(1, [&] { ++num_run; });
    EXPECT_EQ(pool.num_scheduled(), 4);  // Its own loop takes the only one.
  });
  pool.RunAll();
  EXPECT_EQ(num_run, 3);
}

TEST(ReadyQueueTest, DrainLoopsKeepTheQueueAlive) {
  ManualPool pool;
  auto queue = MakeQueue(ReadyPolicy::kDeepestFirst, 2, ToPool(&pool));
  std::weak_ptr<ReadyQueue> alive = queue;
  ReadyQueue* raw = queue.get();
  int num_run = 0;
  queue->Push(0, [&] {
    ++num_run;
    raw->Push(1, [&] { ++num_run; });
  });
  queue.reset();
  EXPECT_FALSE(alive.expired());
  pool.RunAll();
  EXPECT_EQ(num_run, 2);
  EXPECT_TRUE(alive.expired());
}

TEST(ReadyQueueTest, ACaptureGoesBeforeTheNextClosureRuns) {
  ManualPool pool;
  auto queue = MakeQueue(ReadyPolicy::kFifo, 1, ToPool(&pool));
  auto captured = std::make_shared<int>(1);
  std::weak_ptr<int> alive = captured;
  queue->Push(0, [captured = std::move(captured)] {});
  bool was_alive = true;
  queue->Push(0, [&] { was_alive = !alive.expired(); });
  pool.RunAll();
  EXPECT_FALSE(was_alive);
}

// A destructor of a closure's captures may push, as a freed frame's may; it
// hangs if the queue's lock is held then.
TEST(ReadyQueueTest, DestructorsOfClosuresMayPush) {
  ManualPool pool;
  auto queue = MakeQueue(ReadyPolicy::kFifo, 1, ToPool(&pool));
  std::vector<int> order;
  for (int i = 0; i < 2; ++i) {
    std::shared_ptr<void> pushes_late(nullptr, [&order, &queue, i](void*) {
      queue->Push(0, [&order, i] { order.push_back(2 + i); });
    });
    queue->Push(0, [&order, i, pushes_late = std::move(pushes_late)] {
      order.push_back(i);
    });
  }
  pool.RunAll();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(pool.num_scheduled(), 1);
}

// Random trees of pushes from several threads, into pools smaller and larger
// than max_workers: each closure runs exactly once.
void RunEveryClosureOnce(ReadyPolicy policy, int num_threads, int max_workers) {
  constexpr int kNumRoots = 200;
  constexpr int kDepth = 8;
  std::atomic<int> num_pushed{0};
  std::atomic<int> num_run{0};
  std::shared_ptr<ReadyQueue> queue;
  std::function<void(int, uint32_t)> visit = [&](int depth, uint32_t random) {
    ++num_run;
    if (depth == kDepth) return;
    const int num_children = depth < 2 ? 2 : (random >> 16) % 3;
    for (int i = 0; i < num_children; ++i) {
      ++num_pushed;
      random = random * 1664525 + 1013904223;
      queue->Push(depth + 1,
                  [&visit, depth, random] { visit(depth + 1, random); });
    }
  };
  {
    ThreadPool pool(num_threads);
    queue = MakeQueue(policy, max_workers, ToPool(&pool));
    RunInThreads(3, [&](int thread) {
      for (uint32_t root = 0; root < kNumRoots; ++root) {
        ++num_pushed;
        const uint32_t seed = root * 7919 + thread;
        queue->Push(0, [&visit, seed] { visit(0, seed); });
        if (root % 16 == 0) std::this_thread::yield();
      }
    });
  }
  EXPECT_EQ(num_run.load(), num_pushed.load());
  EXPECT_GE(num_run.load(), 3 * kNumRoots * 7);
}

TEST(ReadyQueueTest, NoClosureIsLostUnderThreads) {
  for (ReadyPolicy policy : {ReadyPolicy::kDeepestFirst, ReadyPolicy::kFifo}) {
    for (int num_threads : {1, 4}) {
      for (int max_workers : {1, 2, 8}) {
        SCOPED_TRACE(testing::Message()
                     << "fifo " << (policy == ReadyPolicy::kFifo) << " threads "
                     << num_threads << " max_workers " << max_workers);
        RunEveryClosureOnce(policy, num_threads, max_workers);
      }
    }
  }
}

// Closures that do nothing, so that pushes and pops meet all the time.
TEST(ReadyQueueTest, PushesAndPopsThatMeetLoseNothing) {
  constexpr int kNumPushers = 3;
  constexpr int kNumPushes = 50000;
  for (ReadyPolicy policy : {ReadyPolicy::kDeepestFirst, ReadyPolicy::kFifo}) {
    std::atomic<int> num_run{0};
    {
      ThreadPool pool(3);
      auto queue = MakeQueue(policy, 3, ToPool(&pool));
      RunInThreads(kNumPushers, [&](int thread) {
        for (int i = 0; i < kNumPushes; ++i) {
          queue->Push((i + thread) % 5, [&] { ++num_run; });
        }
      });
    }
    EXPECT_EQ(num_run.load(), kNumPushers * kNumPushes);
  }
}

// The moment a worker ends is when a push is easily lost. Pushes are single,
// each made just after the one before has run; two delays of different period
// move that moment across the worker's last steps.
TEST(ReadyQueueTest, APushWhileTheWorkerEndsIsNotLost) {
  constexpr int kNumPushes = 20000;
  const auto delay = [](int num_steps) {
    for (volatile int step = 0; step < num_steps; step = step + 1) {
    }
  };
  std::atomic<int> num_run{0};
  {
    ThreadPool pool(2);
    auto queue = MakeQueue(ReadyPolicy::kDeepestFirst, 1, ToPool(&pool));
    for (int i = 0; i < kNumPushes; ++i) {
      queue->Push(0, [&, i] {
        ++num_run;
        delay(i % 199);
      });
      for (int spin = 0; num_run <= i; ++spin) {
        if (spin > 200) std::this_thread::yield();
      }
      delay(i % 61);
    }
  }
  EXPECT_EQ(num_run.load(), kNumPushes);
}

}  // namespace
}  // namespace recursive_tf
