// Objects that runs make: each is a row of tensors, known by a handle.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_MADE_OBJECTS_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_MADE_OBJECTS_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "kernels/core/mutex.h"
#include "tensorflow/core/framework/tensor.h"

namespace recursive_tf {

// The handle of the first object of a call; later ones go down from there. -1
// is None, -2 what is missing, and handles from 0 on are objects of the user's.
inline constexpr int32_t kFirstMadeHandle = -3;

// An object. `parts` are its own: no buffer of a run is kept alive by it.
struct MadeObject {
  int32_t site = 0;  // What kind of object; says what the parts are.
  std::vector<tensorflow::Tensor> parts;
};

// All that the runs of one call make, in the order in which it was made: an
// object is made after its parts. Thread-safe.
class MadeObjects final {
 public:
  // Returns the object's handle.
  absl::StatusOr<int32_t> Add(MadeObject object);

  // Returns what kind of object a handle is of, -1 if it is none that was made.
  int32_t SiteOf(int32_t handle) const;

  // Returns a copy of an object that was made; its tensors are shared.
  absl::StatusOr<MadeObject> Find(int32_t handle) const;

  // Returns a copy of all objects; tensors are shared.
  std::vector<MadeObject> objects() const;

 private:
  mutable Mutex mu_;
  std::deque<MadeObject> objects_ ABSL_GUARDED_BY(mu_);
};

// The tables of all calls of this process that have not been dropped, by
// number. Thread-safe; a table outlives its dropping while a run adds to it.
class MadeTables final {
 public:
  static MadeTables& Get();

  int64_t New();
  absl::StatusOr<std::shared_ptr<MadeObjects>> Find(int64_t number) const;
  void Drop(int64_t number);

 private:
  mutable Mutex mu_;
  int64_t last_ ABSL_GUARDED_BY(mu_) = 0;
  std::unordered_map<int64_t, std::shared_ptr<MadeObjects>> tables_
      ABSL_GUARDED_BY(mu_);
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_MADE_OBJECTS_H_
