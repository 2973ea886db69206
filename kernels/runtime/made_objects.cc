#include "kernels/runtime/made_objects.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace recursive_tf {

absl::StatusOr<int32_t> MadeObjects::Add(MadeObject object) {
  const MutexLock lock(&mu_);
  const int64_t handle =
      kFirstMadeHandle - static_cast<int64_t>(objects_.size());
  if (handle < std::numeric_limits<int32_t>::min()) {
    return absl::ResourceExhaustedError(
        "recursive_tf: a run makes more objects than there are handles");
  }
  objects_.push_back(std::move(object));
  return static_cast<int32_t>(handle);
}

int32_t MadeObjects::SiteOf(int32_t handle) const {
  const int64_t position = kFirstMadeHandle - static_cast<int64_t>(handle);
  const MutexLock lock(&mu_);
  const bool is_made =
      position >= 0 && position < static_cast<int64_t>(objects_.size());
  return is_made ? objects_[static_cast<size_t>(position)].site : -1;
}

absl::StatusOr<MadeObject> MadeObjects::Find(int32_t handle) const {
  const int64_t position = kFirstMadeHandle - static_cast<int64_t>(handle);
  const MutexLock lock(&mu_);
  if (position < 0 || position >= static_cast<int64_t>(objects_.size())) {
    return absl::NotFoundError(
        absl::StrCat("recursive_tf: no object was made with handle ", handle));
  }
  return objects_[static_cast<size_t>(position)];
}

std::vector<MadeObject> MadeObjects::objects() const {
  const MutexLock lock(&mu_);
  return {objects_.begin(), objects_.end()};
}

MadeTables& MadeTables::Get() {
  static auto* const tables = new MadeTables;  // Never destroyed.
  return *tables;
}

int64_t MadeTables::New() {
  const MutexLock lock(&mu_);
  tables_[++last_] = std::make_shared<MadeObjects>();
  return last_;
}

absl::StatusOr<std::shared_ptr<MadeObjects>> MadeTables::Find(
    int64_t number) const {
  const MutexLock lock(&mu_);
  const auto found = tables_.find(number);
  if (found == tables_.end()) {
    return absl::NotFoundError(
        absl::StrCat("recursive_tf: no call makes objects in table ", number));
  }
  return found->second;
}

void MadeTables::Drop(int64_t number) {
  const MutexLock lock(&mu_);
  tables_.erase(number);
}

}  // namespace recursive_tf
