// A std::mutex that clang's thread-safety analysis understands.
#ifndef RECURSIVE_TF_KERNELS_CORE_MUTEX_H_
#define RECURSIVE_TF_KERNELS_CORE_MUTEX_H_

#include <mutex>

#include "absl/base/thread_annotations.h"

namespace recursive_tf {

class ABSL_LOCKABLE Mutex {
 public:
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mu_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mu_.unlock(); }

 private:
  std::mutex mu_;
};

class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex* mu) ABSL_EXCLUSIVE_LOCK_FUNCTION(mu) : mu_(mu) {
    mu_->Lock();
  }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mu_->Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex* const mu_;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_MUTEX_H_
