#include "kernels/core/agenda.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <list>
#include <map>
#include <unordered_map>

namespace recursive_tf {

namespace {

// Taking all is a swap, so that the two vectors of a list and of its step are
// used again and again without an allocation. From the first time that the
// deepest are taken, items are in pages, by depth.
class ReadyList final {
 public:
  bool empty() const { return size() == 0; }
  int64_t size() const {
    return static_cast<int64_t>(items_.size() - begin_) + num_paged_;
  }
  // Not less than the depth of any item, and exact but for lists of which
  // single items were taken.
  int deepest() const {
    return pages_.empty() ? deepest_added_
                          : std::max(deepest_added_, pages_.rbegin()->first);
  }

  void Add(const std::vector<Agenda::Item>& items,
           const std::vector<int>& depths) {
    items_.insert(items_.end(), items.begin(), items.end());
    depths_.insert(depths_.end(), depths.begin(), depths.end());
    for (int depth : depths) deepest_added_ = std::max(deepest_added_, depth);
  }

  void TakeAll(std::vector<Agenda::Item>* items, std::vector<int>* depths) {
    if (num_paged_ > 0) return TakeDeepest(size(), 0, items, depths);
    if (begin_ > 0) {
      items_.erase(items_.begin(), items_.begin() + begin_);
      depths_.erase(depths_.begin(), depths_.begin() + begin_);
    }
    items->swap(items_);
    depths->swap(depths_);
    Clear();
  }

  void TakeFirst(std::vector<Agenda::Item>* items, std::vector<int>* depths) {
    if (num_paged_ > 0) {
      const Pages::iterator first = pages_.begin();
      items->assign(1, first->second.front());
      depths->assign(1, first->first);
      first->second.pop_front();
      if (first->second.empty()) pages_.erase(first);
      --num_paged_;
      return;
    }
    items->assign(1, items_[begin_]);
    depths->assign(1, depths_[begin_]);
    if (++begin_ == items_.size()) Clear();
  }

  // Up to `max_items`, at least one, of those at `min_depth` and deeper, the
  // deepest last; of a depth, those that were added last.
  void TakeDeepest(int64_t max_items, int min_depth,
                   std::vector<Agenda::Item>* items, std::vector<int>* depths) {
    for (size_t i = begin_; i < items_.size(); ++i) {
      pages_[depths_[i]].push_back(items_[i]);
    }
    num_paged_ += static_cast<int64_t>(items_.size() - begin_);
    Clear();
    items->clear();
    depths->clear();
    Pages::iterator page = std::prev(pages_.end());
    // To take from pages before `page`.
    int64_t num_left = max_items - static_cast<int64_t>(page->second.size());
    while (num_left > 0 && page != pages_.begin() &&
           std::prev(page)->first >= min_depth) {
      --page;
      num_left -= static_cast<int64_t>(page->second.size());
    }
    // What the shallowest page keeps.
    size_t num_kept = num_left < 0 ? static_cast<size_t>(-num_left) : 0;
    while (page != pages_.end()) {
      std::deque<Agenda::Item>& all = page->second;
      items->insert(items->end(), all.begin() + num_kept, all.end());
      depths->insert(depths->end(), all.size() - num_kept, page->first);
      all.resize(num_kept);
      page = num_kept == 0 ? pages_.erase(page) : std::next(page);
      num_kept = 0;
    }
    num_paged_ -= static_cast<int64_t>(items->size());
  }

 private:
  using Pages = std::map<int, std::deque<Agenda::Item>>;

  void Clear() {
    items_.clear();
    depths_.clear();
    begin_ = 0;
    deepest_added_ = -1;
  }

  std::vector<Agenda::Item> items_;
  std::vector<int> depths_;
  size_t begin_ = 0;
  int deepest_added_ = -1;  // Of `items_`.
  Pages pages_;             // None is empty. Older than `items_`.
  int64_t num_paged_ = 0;
};

// The ready items of one block.
class ReadyBlock final {
 public:
  bool empty() const { return groups_.empty(); }
  int64_t size() const { return size_; }
  int64_t depth_sum() const { return depth_sum_; }
  int deepest() const { return groups_.back().list.deepest(); }

  void Add(int group, const std::vector<Agenda::Item>& items,
           const std::vector<int>& depths) {
    MoveToEnd(group);
    groups_.back().list.Add(items, depths);
    size_ += static_cast<int64_t>(items.size());
    for (int depth : depths) depth_sum_ += depth;
  }

  // All of the group that was not added to for the longest time.
  void TakeAll(std::vector<Agenda::Item>* items, std::vector<int>* depths) {
    groups_.front().list.TakeAll(items, depths);
    Took(groups_.begin(), *depths);
  }

  void TakeFirst(std::vector<Agenda::Item>* items, std::vector<int>* depths) {
    groups_.front().list.TakeFirst(items, depths);
    Took(groups_.begin(), *depths);
  }

  void TakeDeepest(int64_t max_items, int min_depth,
                   std::vector<Agenda::Item>* items, std::vector<int>* depths) {
    ReadyList& list = groups_.back().list;
    // A small rest would be a small step, and so would be all that it leads to.
    const bool takes_all = list.size() <= max_items + max_items / 2;
    list.TakeDeepest(takes_all ? list.size() : max_items, min_depth, items,
                     depths);
    Took(std::prev(groups_.end()), *depths);
  }

 private:
  struct Group {
    int id = 0;
    ReadyList list;
  };
  using Groups = std::list<Group>;

  void MoveToEnd(int group) {
    if (!groups_.empty() && groups_.back().id == group) return;
    const auto found = group == 0 ? by_id_.end() : by_id_.find(group);
    if (found != by_id_.end()) {
      groups_.splice(groups_.end(), groups_, found->second);
      return;
    }
    if (spare_.empty()) spare_.emplace_back();
    groups_.splice(groups_.end(), spare_, spare_.begin());
    groups_.back().id = group;
    if (group != 0) by_id_[group] = std::prev(groups_.end());
  }

  void Took(Groups::iterator group, const std::vector<int>& depths) {
    size_ -= static_cast<int64_t>(depths.size());
    for (int depth : depths) depth_sum_ -= depth;
    if (!group->list.empty()) return;
    if (group->id != 0) by_id_.erase(group->id);
    spare_.splice(spare_.begin(), groups_, group);
  }

  Groups groups_;  // None is empty. The one that was added to last is last.
  Groups spare_;   // Empty ones, for their memory.
  std::unordered_map<int, Groups::iterator> by_id_;  // But group 0.
  int64_t size_ = 0;
  int64_t depth_sum_ = 0;
};

// Whether `a` is deeper on average than `b`, or as deep and longer.
bool IsBefore(const ReadyBlock& a, const ReadyBlock& b) {
  const int64_t left = a.depth_sum() * b.size();
  const int64_t right = b.depth_sum() * a.size();
  return left != right ? left > right : a.size() > b.size();
}

// The policies "agenda" and "look_ahead": steps of all ready frames of a block.
class BlockAgenda final : public Agenda {
 public:
  explicit BlockAgenda(const AgendaPlan& plan)
      : plan_(plan), ready_(plan.num_blocks()) {}

  void Add(int block, int group, const std::vector<Item>& items,
           const std::vector<int>& depths) override {
    if (items.empty()) return;
    if (ready_[block].empty()) blocks_.push_back(block);
    ready_[block].Add(group, items, depths);
    size_ += static_cast<int64_t>(items.size());
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
    ReadyBlock& ready = ready_[blocks_[best]];
    if (plan_.is_serial(blocks_[best])) {
      ready.TakeFirst(items, depths);
    } else {
      ready.TakeAll(items, depths);
    }
    return Took(best, *items);
  }

  int TakeDeepest(int64_t max_items, std::vector<Item>* items,
                  std::vector<int>* depths) override {
    if (blocks_.empty()) return -1;
    const size_t best = Deepest();
    const int block = blocks_[best];
    // What other blocks wait with comes before what is less deep: a frame that
    // is begun is ended before another is.
    int min_depth = 0;
    for (int other : blocks_) {
      if (other != block) {
        min_depth = std::max(min_depth, ready_[other].deepest());
      }
    }
    ready_[block].TakeDeepest(plan_.is_serial(block) ? 1 : max_items, min_depth,
                              items, depths);
    return Took(best, *items);
  }

  int deepest() const override {
    return blocks_.empty() ? -1 : ready_[blocks_[Deepest()]].deepest();
  }
  int64_t size() const override { return size_; }

 private:
  // "Reaches one-way" is a partial order, so that some ready block never waits.
  bool Waits(int block) const {
    const std::vector<int>& others = plan_.waits_for(block);
    return std::any_of(others.begin(), others.end(),
                       [this](int b) { return !ready_[b].empty(); });
  }

  size_t Deepest() const {
    const auto is_less_deep = [this](int a, int b) {
      return ready_[a].deepest() < ready_[b].deepest();
    };
    return std::max_element(blocks_.begin(), blocks_.end(), is_less_deep) -
           blocks_.begin();
  }

  int Took(size_t index, const std::vector<Item>& items) {
    const int block = blocks_[index];
    size_ -= static_cast<int64_t>(items.size());
    if (ready_[block].empty()) blocks_.erase(blocks_.begin() + index);
    return block;
  }

  const AgendaPlan& plan_;
  std::vector<ReadyBlock> ready_;  // By block.
  std::vector<int> blocks_;        // Those with ready items.
  int64_t size_ = 0;
};

// The policy "depth".
class DepthAgenda final : public Agenda {
 public:
  explicit DepthAgenda(const AgendaPlan& plan) : plan_(plan) {}

  void Add(int block, int group, const std::vector<Item>& items,
           const std::vector<int>& depths) override {
    // Mostly of one depth.
    for (size_t i = 0; i < items.size();) {
      const int depth = depths[i];
      size_t end = i + 1;
      while (end < items.size() && depths[end] == depth) ++end;
      some_items_.assign(items.begin() + i, items.begin() + end);
      some_depths_.assign(end - i, depth);
      if (depth >= static_cast<int>(levels_.size())) levels_.resize(depth + 1);
      if (levels_[depth].empty()) levels_[depth].resize(plan_.num_blocks());
      levels_[depth][block].Add(group, some_items_, some_depths_);
      size_ += static_cast<int64_t>(end - i);
      deepest_ = std::max(deepest_, depth);
      i = end;
    }
  }

  int Take(std::vector<Item>* items, std::vector<int>* depths) override {
    const int block = Longest();
    if (block < 0) return -1;
    ReadyBlock& ready = levels_[deepest_][block];
    if (plan_.is_serial(block)) {
      ready.TakeFirst(items, depths);
    } else {
      ready.TakeAll(items, depths);
    }
    return Took(block, *items);
  }

  int TakeDeepest(int64_t max_items, std::vector<Item>* items,
                  std::vector<int>* depths) override {
    const int block = Longest();
    if (block < 0) return -1;
    levels_[deepest_][block].TakeDeepest(plan_.is_serial(block) ? 1 : max_items,
                                         deepest_, items, depths);
    return Took(block, *items);
  }

  int deepest() const override { return deepest_; }
  int64_t size() const override { return size_; }

 private:
  // The block with most items of the deepest level; -1 if nothing is ready.
  int Longest() const {
    if (deepest_ < 0) return -1;
    const std::vector<ReadyBlock>& level = levels_[deepest_];
    const auto is_shorter = [](const ReadyBlock& a, const ReadyBlock& b) {
      return a.size() < b.size();
    };
    return static_cast<int>(
        std::max_element(level.begin(), level.end(), is_shorter) -
        level.begin());
  }

  int Took(int block, const std::vector<Item>& items) {
    size_ -= static_cast<int64_t>(items.size());
    const auto is_empty = [](const ReadyBlock& ready) { return ready.empty(); };
    while (deepest_ >= 0 && std::all_of(levels_[deepest_].begin(),
                                        levels_[deepest_].end(), is_empty)) {
      --deepest_;
    }
    return block;
  }

  const AgendaPlan& plan_;
  std::vector<std::vector<ReadyBlock>> levels_;  // By depth, then by block.
  int deepest_ = -1;  // The deepest level with items.
  int64_t size_ = 0;
  std::vector<Item> some_items_;
  std::vector<int> some_depths_;
};

}  // namespace

int64_t StepLimit(int64_t load, int64_t num_ready, int fanout) {
  if (load + fanout * num_ready <= kFrameBudget) return kNoStepLimit;
  // A share of what is left, so that some hundred levels get useful steps.
  // Powers of two: what one step makes is then divided without a rest.
  const int64_t share = (kFrameLimit - load) / (64 * fanout);
  int64_t limit = 1;
  while (2 * limit <= share) limit *= 2;
  return limit;
}

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
