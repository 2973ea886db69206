#include "kernels/core/agenda.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace recursive_tf {

namespace {

// First in, first out. Taking all is a swap, so that the two vectors of a block
// and of its step are used again and again without an allocation.
class ReadyList final {
 public:
  bool empty() const { return begin_ == items_.size(); }
  int64_t size() const { return static_cast<int64_t>(items_.size() - begin_); }
  int64_t depth_sum() const { return depth_sum_; }

  void Add(Agenda::Item item, int depth) {
    items_.push_back(item);
    depths_.push_back(depth);
    depth_sum_ += depth;
  }

  void Add(const std::vector<Agenda::Item>& items,
           const std::vector<int>& depths) {
    items_.insert(items_.end(), items.begin(), items.end());
    depths_.insert(depths_.end(), depths.begin(), depths.end());
    for (int depth : depths) depth_sum_ += depth;
  }

  void TakeAll(std::vector<Agenda::Item>* items, std::vector<int>* depths) {
    if (begin_ > 0) {
      items_.erase(items_.begin(), items_.begin() + begin_);
      depths_.erase(depths_.begin(), depths_.begin() + begin_);
    }
    items->clear();
    depths->clear();
    items->swap(items_);
    depths->swap(depths_);
    begin_ = 0;
    depth_sum_ = 0;
  }

  void TakeOne(std::vector<Agenda::Item>* items, std::vector<int>* depths) {
    items->assign(1, items_[begin_]);
    depths->assign(1, depths_[begin_]);
    depth_sum_ -= depths_[begin_];
    if (++begin_ == items_.size()) {
      items_.clear();
      depths_.clear();
      begin_ = 0;
    }
  }

 private:
  std::vector<Agenda::Item> items_;
  std::vector<int> depths_;
  size_t begin_ = 0;
  int64_t depth_sum_ = 0;
};

// Whether `a` is deeper on average than `b`, or as deep and longer.
bool IsBefore(const ReadyList& a, const ReadyList& b) {
  const int64_t left = a.depth_sum() * b.size();
  const int64_t right = b.depth_sum() * a.size();
  return left != right ? left > right : a.size() > b.size();
}

// The policies "agenda" and "look_ahead": steps of all ready frames of a block.
class BlockAgenda final : public Agenda {
 public:
  explicit BlockAgenda(const AgendaPlan& plan)
      : plan_(plan), ready_(plan.num_blocks()) {}

  void Add(int block, const std::vector<Item>& items,
           const std::vector<int>& depths) override {
    if (items.empty()) return;
    if (ready_[block].empty()) blocks_.push_back(block);
    ready_[block].Add(items, depths);
  }

  int Take(std::vector<Item>* items, std::vector<int>* depths) override {
    size_t best = blocks_.size();
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (Waits(blocks_[i])) continue;
      if (best == blocks_.size() ||
          IsBefore(ready_[blocks_[i]], ready_[blocks_[best]])) {
        best = i;
      }
    }
    if (best == blocks_.size()) return -1;
    const int block = blocks_[best];
    ReadyList& ready = ready_[block];
    if (plan_.is_serial(block)) {
      ready.TakeOne(items, depths);
    } else {
      ready.TakeAll(items, depths);
    }
    if (ready.empty()) blocks_.erase(blocks_.begin() + best);
    return block;
  }

 private:
  // "Reaches one-way" is a partial order, so that some ready block never waits.
  bool Waits(int block) const {
    const std::vector<int>& others = plan_.waits_for(block);
    return std::any_of(others.begin(), others.end(),
                       [this](int b) { return !ready_[b].empty(); });
  }

  const AgendaPlan& plan_;
  std::vector<ReadyList> ready_;  // By block.
  std::vector<int> blocks_;       // Those with ready items.
};

// The policy "depth".
class DepthAgenda final : public Agenda {
 public:
  explicit DepthAgenda(const AgendaPlan& plan) : plan_(plan) {}

  void Add(int block, const std::vector<Item>& items,
           const std::vector<int>& depths) override {
    for (size_t i = 0; i < items.size(); ++i) {
      const size_t depth = depths[i];
      if (depth >= levels_.size()) levels_.resize(depth + 1);
      if (levels_[depth].empty()) levels_[depth].resize(plan_.num_blocks());
      levels_[depth][block].Add(items[i], depths[i]);
      ++num_items_;
      deepest_ = std::max(deepest_, depth);
    }
  }

  int Take(std::vector<Item>* items, std::vector<int>* depths) override {
    if (num_items_ == 0) return -1;
    for (;; --deepest_) {
      std::vector<ReadyList>& level = levels_[deepest_];
      const ReadyList* best = nullptr;
      for (const ReadyList& list : level) {
        if (list.empty()) continue;
        if (best == nullptr || list.size() > best->size()) best = &list;
      }
      if (best == nullptr) continue;
      const int block = static_cast<int>(best - level.data());
      if (plan_.is_serial(block)) {
        level[block].TakeOne(items, depths);
      } else {
        level[block].TakeAll(items, depths);
      }
      num_items_ -= items->size();
      return block;
    }
  }

 private:
  const AgendaPlan& plan_;
  std::vector<std::vector<ReadyList>> levels_;  // By depth, then by block.
  size_t deepest_ = 0;                          // No deeper level has items.
  size_t num_items_ = 0;
};

}  // namespace

bool AgendaPlan::ParsePolicy(const std::string& name, Policy* policy) {
  if (name == "depth") {
    *policy = Policy::kDepth;
  } else if (name == "agenda") {
    *policy = Policy::kAgenda;
  } else if (name == "look_ahead") {
    *policy = Policy::kLookAhead;
  } else {
    return false;
  }
  return true;
}

AgendaPlan::AgendaPlan(Policy policy, const BatchedProgram& program)
    : policy_(policy), waits_for_(program.blocks.size()) {
  for (const BatchedBlock& block : program.blocks) {
    is_serial_.push_back(block.kind == BatchedBlock::Kind::kSerial);
  }
  if (policy != Policy::kLookAhead) return;
  const std::vector<std::vector<bool>> reach = ReachableBlocks(program);
  for (int b = 0; b < num_blocks(); ++b) {
    for (int c = 0; c < num_blocks(); ++c) {
      if (c != b && reach[c][b] && !reach[b][c]) waits_for_[b].push_back(c);
    }
  }
}

std::unique_ptr<Agenda> AgendaPlan::MakeAgenda() const {
  if (policy_ == Policy::kDepth) return std::make_unique<DepthAgenda>(*this);
  return std::make_unique<BlockAgenda>(*this);
}

}  // namespace recursive_tf
