#include "kernels/core/ready_order.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

namespace recursive_tf {

namespace {

// One stack for each depth that has closures, deepest last. A recursion works
// near its deepest frames: a push or pop there is O(1). A push at a depth that
// has no stack yet moves the deeper stacks up, O(their number) at worst.
class DeepestFirst final : public ReadyOrder {
 public:
  size_t size() const override { return size_; }

  void Push(int depth, Closure closure) override {
    auto level = levels_.end();
    if (!levels_.empty() && depth <= levels_.back().depth) {
      level = std::lower_bound(
          levels_.begin(), levels_.end(), depth,
          [](const Level& level, int depth) { return level.depth < depth; });
    }
    if (level == levels_.end() || level->depth != depth) {
      level = levels_.insert(level, Level{depth, std::move(spare_)});
      spare_.clear();
    }
    level->stack.push_back(std::move(closure));
    ++size_;
  }

  Closure Pop() override {
    std::vector<Closure>& stack = levels_.back().stack;
    Closure closure = std::move(stack.back());
    stack.pop_back();
    if (stack.empty()) {
      spare_ = std::move(stack);
      levels_.pop_back();
    }
    --size_;
    return closure;
  }

 private:
  struct Level {
    int depth;
    std::vector<Closure> stack;  // Never empty.
  };

  std::vector<Level> levels_;   // By increasing depth.
  std::vector<Closure> spare_;  // Empty; its memory serves the next new level.
  size_t size_ = 0;
};

class Fifo final : public ReadyOrder {
 public:
  size_t size() const override { return closures_.size(); }

  void Push(int /*depth*/, Closure closure) override {
    closures_.push_back(std::move(closure));
  }

  Closure Pop() override {
    Closure closure = std::move(closures_.front());
    closures_.pop_front();
    return closure;
  }

 private:
  std::deque<Closure> closures_;
};

}  // namespace

std::unique_ptr<ReadyOrder> MakeReadyOrder(ReadyPolicy policy) {
  switch (policy) {
    case ReadyPolicy::kFifo:
      return std::make_unique<Fifo>();
    case ReadyPolicy::kDeepestFirst:
      break;
  }
  return std::make_unique<DeepestFirst>();
}

}  // namespace recursive_tf
