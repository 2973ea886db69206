#include "kernels/core/agenda.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/core/arena.h"
#include "kernels/core/chunked_vector.h"
#include "tests/cc/batched_programs.h"

namespace recursive_tf {

struct BatchedFrame {
  int number;
};

namespace {

using Policy = AgendaPlan::Policy;

// An agenda of the tree's blocks, and frames for it.
class AgendaTest : public testing::Test {
 protected:
  void Use(Policy policy, bool is_leaf_serial = false) {
    BatchedProgram program = DecodeOrDie(TreeProgram());
    if (is_leaf_serial) {
      program.blocks[kLeaf].kind = BatchedBlock::Kind::kSerial;
    }
    plan_ = std::make_unique<AgendaPlan>(policy, program);
    agenda_ = plan_->MakeAgenda();
  }

  // Makes frame `number`, ready for `block`.
  void Add(int block, int number, int depth, int group = 0) {
    frames_.push_back(std::make_unique<BatchedFrame>(BatchedFrame{number}));
    agenda_->Add(block, group, {frames_.back().get()}, {depth});
  }

  // The next step: its block, and the numbers of its frames.
  using Step = std::pair<int, std::vector<int>>;
  Step Take() {
    const int block = agenda_->Take(&items_, &depths_);
    return MakeStep(block);
  }
  Step TakeDeepest(int64_t max_items) {
    const int deepest = agenda_->deepest();
    const int block = agenda_->TakeDeepest(max_items, &items_, &depths_);
    EXPECT_EQ(deepest, block < 0 ? -1 : depths_.back());
    return MakeStep(block);
  }

  int64_t size() const { return agenda_->size(); }

  const Step none_ = {-1, {}};

 private:
  Step MakeStep(int block) const {
    std::vector<int> numbers;
    if (block >= 0) {
      for (const BatchedFrame* frame : items_) numbers.push_back(frame->number);
      EXPECT_EQ(items_.size(), depths_.size());
    }
    return {block, numbers};
  }

  std::unique_ptr<AgendaPlan> plan_;
  std::unique_ptr<Agenda> agenda_;
  std::vector<std::unique_ptr<BatchedFrame>> frames_;
  std::vector<BatchedFrame*> items_;
  std::vector<int> depths_;
};

TEST_F(AgendaTest, LookAheadLetsLeavesWaitForTheDescent) {
  Use(Policy::kLookAhead);
  Add(kLeaf, 1, 9);
  Add(kInner, 2, 9);
  Add(kHead, 3, 1);
  EXPECT_EQ(Take(), Step(kHead, {3}));
  Add(kLeaf, 4, 2);
  Add(kHead, 5, 2);
  EXPECT_EQ(Take(), Step(kHead, {5}));
  EXPECT_EQ(Take(), Step(kLeaf, {1, 4}));
  EXPECT_EQ(Take(), Step(kInner, {2}));
  EXPECT_EQ(Take(), none_);
}

TEST_F(AgendaTest, LookAheadHoldsNothingUp) {
  Use(Policy::kLookAhead);
  Add(kInner, 1, 3);
  EXPECT_EQ(Take(), Step(kInner, {1}));
  Add(kInner, 2, 2);
  Add(kLeaf, 3, 1);
  EXPECT_EQ(Take(), Step(kLeaf, {3}));
  EXPECT_EQ(Take(), Step(kInner, {2}));
}

TEST_F(AgendaTest, AgendaTakesTheDeepestOnAverage) {
  Use(Policy::kAgenda);
  Add(kHead, 1, 2);
  Add(kHead, 2, 4);
  Add(kLeaf, 3, 5);
  Add(kLeaf, 4, 2);
  EXPECT_EQ(Take(), Step(kLeaf, {3, 4}));
  EXPECT_EQ(Take(), Step(kHead, {1, 2}));
  EXPECT_EQ(Take(), none_);
}

TEST_F(AgendaTest, AgendaPrefersMoreRowsAtTheSameDepth) {
  Use(Policy::kAgenda);
  Add(kHead, 1, 3);
  Add(kLeaf, 2, 3);
  Add(kLeaf, 3, 3);
  EXPECT_EQ(Take(), Step(kLeaf, {2, 3}));
}

TEST_F(AgendaTest, DepthTakesOneDepthAtATimeDeepestFirst) {
  Use(Policy::kDepth);
  Add(kInner, 1, 2);
  Add(kInner, 2, 3);
  Add(kInner, 3, 2);
  Add(kLeaf, 4, 3);
  Add(kLeaf, 5, 3);
  EXPECT_EQ(Take(), Step(kLeaf, {4, 5}));
  EXPECT_EQ(Take(), Step(kInner, {2}));
  Add(kHead, 6, 7);
  EXPECT_EQ(Take(), Step(kHead, {6}));
  EXPECT_EQ(Take(), Step(kInner, {1, 3}));
  EXPECT_EQ(Take(), none_);
}

TEST_F(AgendaTest, SerialBlocksRunOneFrameAtATimeInOrder) {
  for (Policy policy : {Policy::kLookAhead, Policy::kAgenda, Policy::kDepth}) {
    Use(policy, /*is_leaf_serial=*/true);
    Add(kLeaf, 1, 2);
    Add(kLeaf, 2, 2);
    EXPECT_EQ(Take(), Step(kLeaf, {1}));
    Add(kLeaf, 3, 2);
    EXPECT_EQ(Take(), Step(kLeaf, {2}));
    EXPECT_EQ(Take(), Step(kLeaf, {3}));
    EXPECT_EQ(Take(), none_);
  }
}

TEST_F(AgendaTest, DeepestTakesTheLastOnesWhateverThePolicy) {
  for (Policy policy : {Policy::kLookAhead, Policy::kAgenda, Policy::kDepth}) {
    Use(policy);
    for (int i = 0; i < 5; ++i) Add(kHead, i, 2);
    Add(kLeaf, 5, 3);
    EXPECT_EQ(size(), 6);
    EXPECT_EQ(TakeDeepest(2), Step(kLeaf, {5}));
    EXPECT_EQ(TakeDeepest(2), Step(kHead, {3, 4}));
    Add(kHead, 6, 3);
    EXPECT_EQ(TakeDeepest(1), Step(kHead, {6}));
    EXPECT_EQ(TakeDeepest(100), Step(kHead, {0, 1, 2}));
    EXPECT_EQ(size(), 0);
    EXPECT_EQ(TakeDeepest(1), none_);
  }
}

TEST_F(AgendaTest, DeepestTakesOneOfASerialBlock) {
  for (Policy policy : {Policy::kLookAhead, Policy::kAgenda, Policy::kDepth}) {
    Use(policy, /*is_leaf_serial=*/true);
    for (int i = 0; i < 3; ++i) Add(kLeaf, i, 2);
    EXPECT_EQ(TakeDeepest(64), Step(kLeaf, {2}));
    EXPECT_EQ(Take(), Step(kLeaf, {0}));
    EXPECT_EQ(TakeDeepest(64), Step(kLeaf, {1}));
    EXPECT_EQ(Take(), none_);
  }
}

TEST_F(AgendaTest, GroupsDoNotShareAStepTheOldestIsFirst) {
  for (Policy policy : {Policy::kLookAhead, Policy::kAgenda, Policy::kDepth}) {
    Use(policy);
    Add(kLeaf, 1, 2, /*group=*/7);
    Add(kLeaf, 2, 2, /*group=*/9);
    Add(kLeaf, 3, 2, /*group=*/8);
    Add(kLeaf, 4, 2, /*group=*/7);
    EXPECT_EQ(Take(), Step(kLeaf, {2}));
    Add(kLeaf, 5, 2, /*group=*/9);
    EXPECT_EQ(TakeDeepest(64), Step(kLeaf, {5}));
    EXPECT_EQ(Take(), Step(kLeaf, {3}));
    EXPECT_EQ(Take(), Step(kLeaf, {1, 4}));
    EXPECT_EQ(Take(), none_);
  }
}

// A tree without leaves: each head makes two, until `max_depth` is reached.
// Returns the greatest number of frames that are alive.
int64_t GrowTree(Policy policy, int max_depth, int64_t* num_steps) {
  const AgendaPlan plan(policy, DecodeOrDie(TreeProgram()));
  const std::unique_ptr<Agenda> agenda = plan.MakeAgenda();
  BatchedFrame frame{0};
  std::vector<BatchedFrame*> items = {&frame};
  std::vector<int> depths = {1};
  agenda->Add(kHead, 0, items, depths);
  int64_t num_frames = 1;
  for (*num_steps = 0;; ++*num_steps) {
    const int64_t limit = StepLimit(num_frames, agenda->size(), /*fanout=*/2);
    if (limit == kNoStepLimit) {
      agenda->Take(&items, &depths);
    } else {
      agenda->TakeDeepest(limit, &items, &depths);
    }
    const std::vector<BatchedFrame*> callees(2 * items.size(), &frame);
    std::vector<int> callee_depths;
    for (int depth : depths) {
      if (depth == max_depth) return num_frames;
      callee_depths.insert(callee_depths.end(), 2, depth + 1);
    }
    num_frames += static_cast<int64_t>(callees.size());
    agenda->Add(kHead, 0, callees, callee_depths);
  }
}

TEST(StepLimitTest, AWideRecursionReachesTheDepthLimitWithinItsBudget) {
  constexpr int kMaxDepth = 100'000;
  for (Policy policy : {Policy::kLookAhead, Policy::kAgenda, Policy::kDepth}) {
    int64_t num_steps = 0;
    EXPECT_LT(GrowTree(policy, kMaxDepth, &num_steps),
              kFrameLimit + 2 * kMaxDepth);
    EXPECT_LT(num_steps, 2 * kMaxDepth);
  }
}

// A recursion like Fibonacci's: subtrees end at different depths, and a frame
// is alive until both of its callees are done. Returns the greatest number of
// frames that are alive.
int64_t RunUnevenTree(Policy policy, int n, int64_t* num_steps,
                      int64_t* num_items) {
  struct Call : BatchedFrame {
    int n, depth, num_missing;
    Call* caller;
  };
  const AgendaPlan plan(policy, DecodeOrDie(TreeProgram()));
  const std::unique_ptr<Agenda> agenda = plan.MakeAgenda();
  std::vector<std::unique_ptr<Call>> calls;
  std::vector<Call*> free;
  std::vector<BatchedFrame*> items, added[3];
  std::vector<int> depths, added_depths[3];
  int64_t num_alive = 0, most = 0;
  const auto add = [&](int block, Call* call) {
    added[block].push_back(call);
    added_depths[block].push_back(call->depth);
  };
  const auto enter = [&](int n, int depth, Call* caller) {
    if (free.empty()) {
      calls.push_back(std::make_unique<Call>());
      free.push_back(calls.back().get());
    }
    Call* call = free.back();
    free.pop_back();
    *call = {{0}, n, depth, 2, caller};
    most = std::max(most, ++num_alive);
    add(kHead, call);
  };
  enter(n, 1, nullptr);
  for (*num_steps = *num_items = 0;; ++*num_steps) {
    for (int block : {kHead, kLeaf, kInner}) {
      agenda->Add(block, 0, added[block], added_depths[block]);
      added[block].clear();
      added_depths[block].clear();
    }
    const int64_t limit = StepLimit(num_alive, agenda->size(), /*fanout=*/2);
    const int block = limit == kNoStepLimit
                          ? agenda->Take(&items, &depths)
                          : agenda->TakeDeepest(limit, &items, &depths);
    if (block < 0) break;
    *num_items += static_cast<int64_t>(items.size());
    for (int callee : {1, 2}) {  // All of one call, then all of the other.
      for (BatchedFrame* item : items) {
        Call* call = static_cast<Call*>(item);
        if (block == kHead && call->n >= 2) {
          enter(call->n - callee, call->depth + 1, call);
        } else if (block == kHead && callee == 1) {
          add(kLeaf, call);
        } else if (block != kHead && callee == 1) {
          if (call->caller != nullptr && --call->caller->num_missing == 0) {
            add(kInner, call->caller);
          }
          free.push_back(call);
          --num_alive;
        }
      }
    }
  }
  EXPECT_EQ(num_alive, 0);
  return most;
}

TEST(StepLimitTest, AWideUnevenRecursionKeepsLargeSteps) {
  for (Policy policy : {Policy::kLookAhead, Policy::kAgenda, Policy::kDepth}) {
    int64_t num_steps = 0, num_items = 0;
    const int64_t most = RunUnevenTree(policy, 30, &num_steps, &num_items);
    EXPECT_LT(most, kFrameLimit * 3 / 4);
    EXPECT_GT(num_items / num_steps, 500) << num_steps;
  }
}

TEST(StepLimitTest, FewFramesKnowNoLimit) {
  EXPECT_EQ(StepLimit(0, 1, 2), kNoStepLimit);
  EXPECT_EQ(StepLimit(kFrameBudget / 2, kFrameBudget / 4, 2), kNoStepLimit);
  EXPECT_NE(StepLimit(kFrameBudget / 2, kFrameBudget / 4 + 1, 2), kNoStepLimit);
  EXPECT_GT(StepLimit(kFrameBudget, 1, 2), 1000);
  EXPECT_EQ(StepLimit(2 * kFrameLimit, 1, 2), 1);
}

TEST(AgendaPlanTest, KnowsItsPolicies) {
  Policy policy;
  EXPECT_TRUE(AgendaPlan::ParsePolicy("depth", &policy));
  EXPECT_EQ(policy, Policy::kDepth);
  EXPECT_TRUE(AgendaPlan::ParsePolicy("agenda", &policy));
  EXPECT_TRUE(AgendaPlan::ParsePolicy("look_ahead", &policy));
  EXPECT_EQ(policy, Policy::kLookAhead);
  EXPECT_FALSE(AgendaPlan::ParsePolicy("fifo", &policy));
}

TEST(ArenaTest, PiecesAreAlignedAndApart) {
  Arena arena;
  std::vector<char*> pieces;
  for (size_t bytes : {1, 16, 17, 5000, 3, 2 << 20, 8}) {
    char* piece = arena.AllocateArray<char>(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(piece) % 16, 0);
    std::fill(piece, piece + bytes, static_cast<char>(pieces.size()));
    pieces.push_back(piece);
  }
  for (size_t i = 0; i < pieces.size(); ++i) EXPECT_EQ(*pieces[i], i);
  EXPECT_GE(arena.bytes(), size_t{2} << 20);
}

TEST(ChunkedVectorTest, KeepsElementsWhereTheyAre) {
  ChunkedVector<std::unique_ptr<int>> vector;
  vector.push_back(std::make_unique<int>(0));
  const auto* first = &vector[0];
  for (int i = 1; i < 1000; ++i) vector.push_back(std::make_unique<int>(i));
  EXPECT_EQ(first, &vector[0]);
  EXPECT_EQ(*vector[999], 999);
  vector.clear();
  EXPECT_TRUE(vector.empty());
}

}  // namespace
}  // namespace recursive_tf
