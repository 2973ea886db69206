// A step that failed, frame by frame.
#ifndef RECURSIVE_TF_KERNELS_CORE_STEP_RETRY_H_
#define RECURSIVE_TF_KERNELS_CORE_STEP_RETRY_H_

#include <cstddef>
#include <vector>

namespace recursive_tf {

// After an error in a step of many rows these run one by one, until one fails:
// that frame is the one to name. Not thread-safe: each shard of a run has its
// own.
template <typename Frame>
class StepRetry final {
 public:
  using Frames = std::vector<Frame*>;

  // Whether a step is being retried.
  bool is_active() const { return is_active_; }
  // The step's first frame, to name if by itself none of them fails.
  const Frame& first() const { return *frames_[0]; }

  // Begins with a step of these frames, at least one, at these depths.
  void Begin(const Frames& frames, const std::vector<int>& depths) {
    is_active_ = true;
    next_ = 0;
    frames_ = frames;
    depths_ = depths;
  }

  // Takes the step of the next frame alone. Returns false if there was none:
  // then the retry is over.
  bool Take(Frames* frames, std::vector<int>* depths) {
    if (next_ == frames_.size()) {
      is_active_ = false;
      return false;
    }
    frames->assign(1, frames_[next_]);
    depths->assign(1, depths_[next_]);
    ++next_;
    return true;
  }

 private:
  bool is_active_ = false;
  Frames frames_;
  std::vector<int> depths_;
  size_t next_ = 0;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_STEP_RETRY_H_
