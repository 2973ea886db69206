// Events that have fired, until their frames are seen to.
#ifndef RECURSIVE_TF_KERNELS_CORE_EVENT_QUEUE_H_
#define RECURSIVE_TF_KERNELS_CORE_EVENT_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/core/agenda.h"

namespace recursive_tf {

// The frames in which an event fired that is not seen to yet, by event, and the
// order in which to see to the events: frames which go the same way stay beside
// each other. Of a `Frame` it needs the field `depth`. Not thread-safe: each
// shard of a run has its own.
template <typename Frame>
class EventQueue final {
 public:
  using Frames = std::vector<Frame*>;

  // The events are [0, makes_frames.size()); `makes_frames` tells which of them
  // let calls go on, and must outlive the queue.
  explicit EventQueue(const std::vector<bool>& makes_frames)
      : makes_frames_(makes_frames), frames_(makes_frames.size()) {}

  // How many frames wait, counting one for each event that fired in it.
  int64_t size() const { return size_; }

  // The frames in which an event fired that is not seen to yet.
  const Frames& frames(int event) const { return frames_[event]; }

  void Post(int event, Frame* frame) {
    ++size_;
    if (frames_[event].empty()) events_.push_back(event);
    frames_[event].push_back(frame);
  }

  // Posts one event in several frames.
  void PostAll(int event, const Frames& frames) {
    if (frames.empty()) return;
    size_ += static_cast<int64_t>(frames.size());
    Frames& posted = frames_[event];
    if (posted.empty()) events_.push_back(event);
    posted.insert(posted.end(), frames.begin(), frames.end());
  }

  // Takes frames in which one event fired into `*taken`, and returns the event:
  // the first one's, all of them. Where a limit holds (not kNoStepLimit),
  // events that make no frames come first, then the last frames of the last
  // event, some `limit` of them, but not before deeper frames that are ready,
  // the deepest at `deepest_ready`: depth first. Returns -1 if there is nothing
  // to see to now.
  int Take(int64_t limit, int deepest_ready, Frames* taken) {
    if (next_ == events_.size()) return -1;
    if (limit != kNoStepLimit) {
      const size_t index = LastWithoutNewFrames();
      if (makes_frames_[events_[index]]) {
        return TakeLast(limit, deepest_ready, taken);
      }
      return TakeAll(index, taken);
    }
    return TakeAll(next_, taken);
  }

 private:
  // The index in `events_` of the last one that makes no frames; if there is
  // none, that of the next event.
  size_t LastWithoutNewFrames() const {
    size_t index = events_.size() - 1;
    while (index > next_ && makes_frames_[events_[index]]) --index;
    return index;
  }

  int TakeLast(int64_t limit, int deepest_ready, Frames* taken) {
    const size_t index = events_.size() - 1;
    Frames& frames = frames_[events_[index]];
    if (deepest_ready > frames.back()->depth) return -1;
    // Twice as many: what a limited step has made is not to be divided again.
    limit *= 2;
    if (limit >= static_cast<int64_t>(frames.size())) {
      return TakeAll(index, taken);
    }
    taken->assign(frames.end() - limit, frames.end());
    frames.resize(frames.size() - limit);
    size_ -= limit;
    return events_[index];
  }

  int TakeAll(size_t index, Frames* taken) {
    const int event = events_[index];
    taken->clear();
    taken->swap(frames_[event]);
    size_ -= static_cast<int64_t>(taken->size());
    if (index == next_) {
      ++next_;
    } else {
      events_.erase(events_.begin() + index);
    }
    // A chain of calls without a block in between posts for ever new events.
    if (next_ == events_.size()) {
      events_.clear();
      next_ = 0;
    }
    return event;
  }

  const std::vector<bool>& makes_frames_;
  std::vector<Frames> frames_;  // By event.
  std::vector<int> events_;     // Those from `next_` on have frames.
  size_t next_ = 0;
  int64_t size_ = 0;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_EVENT_QUEUE_H_
