#include "kernels/runtime/small_tensors.h"

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/core/kept_blocks.h"

namespace recursive_tf {

namespace tf = tensorflow;

namespace {

// Lies right before each tensor's memory.
struct Header {
  void* block;  // Where the memory begins, as TensorFlow's allocator gave it.
  int size_class;  // kNone: it is of another size.
};
constexpr int kNone = -1;
constexpr size_t kAlignment = tf::Allocator::kAllocatorAlignment;
static_assert(sizeof(Header) <= kAlignment);

Header* HeaderOf(void* data) { return static_cast<Header*>(data) - 1; }

// Destructors at the end of a thread and of the process may let go of tensors
// when what it kept is gone.
thread_local bool is_gone = false;

// What this thread keeps; null at its end.
KeptBlocks* ThreadBlocks() {
  struct Owner {
    ~Owner() { is_gone = true; }
    KeptBlocks blocks{
        [](void* block) { tf::cpu_allocator_base()->DeallocateRaw(block); }};
  };
  if (is_gone) return nullptr;
  thread_local Owner owner;
  return &owner.blocks;
}

class SmallTensorAllocator final : public tf::Allocator {
 public:
  explicit SmallTensorAllocator(tf::Allocator* base) : base_(base) {}

  std::string Name() override { return base_->Name(); }

  void* AllocateRaw(size_t alignment, size_t num_bytes) override {
    if (alignment > kAlignment || num_bytes > KeptBlocks::kMaxBytes) {
      alignment = std::max(alignment, kAlignment);
      return Begin(base_->AllocateRaw(alignment, num_bytes + alignment),
                   alignment, kNone);
    }
    const int size_class = KeptBlocks::ClassOf(num_bytes);
    KeptBlocks* const blocks = ThreadBlocks();
    void* block = blocks == nullptr ? nullptr : blocks->Take(size_class);
    if (block == nullptr) {
      block = base_->AllocateRaw(kAlignment,
                                 KeptBlocks::BytesOf(size_class) + kAlignment);
    }
    return Begin(block, kAlignment, size_class);
  }

  void DeallocateRaw(void* data) override {
    const Header header = *HeaderOf(data);
    if (header.size_class != kNone) {
      KeptBlocks* const blocks = ThreadBlocks();
      if (blocks != nullptr && blocks->Keep(header.size_class, header.block)) {
        return;
      }
    }
    base_->DeallocateRaw(header.block);
  }

  tf::AllocatorMemoryType GetMemoryType() const override {
    return base_->GetMemoryType();
  }

 private:
  static void* Begin(void* block, size_t alignment, int size_class) {
    if (block == nullptr) return nullptr;
    void* const data = static_cast<char*>(block) + alignment;
    *HeaderOf(data) = {block, size_class};
    return data;
  }

  tf::Allocator* const base_;
};

class SmallTensorDevice final : public tf::Device {
 public:
  explicit SmallTensorDevice(std::unique_ptr<tf::Device> device)
      : Device(device->env(), device->attributes()),
        device_(std::move(device)) {}

  tf::Allocator* GetAllocator(tf::AllocatorAttributes) override {
    return GetSmallTensorAllocator();
  }

  // All else is the device's.
  const DeviceBase* UnderlyingDevice() const override {
    return std::as_const(*device_).UnderlyingDevice();
  }
  DeviceBase* UnderlyingDevice() override {
    return device_->UnderlyingDevice();
  }
  const CpuWorkerThreads* tensorflow_cpu_worker_threads() const override {
    return device_->tensorflow_cpu_worker_threads();
  }
  tf::Allocator* GetScopedAllocator(tf::AllocatorAttributes attributes,
                                    int64_t step_id) override {
    return device_->GetScopedAllocator(attributes, step_id);
  }
  tf::ScopedAllocatorMgr* GetScopedAllocatorMgr() const override {
    return device_->GetScopedAllocatorMgr();
  }
  const Eigen::ThreadPoolDevice* eigen_cpu_device() override {
    return device_->eigen_cpu_device();
  }
  tsl::thread::ThreadPool* tensorflow_device_thread_pool() override {
    return device_->tensorflow_device_thread_pool();
  }
  bool has_eigen_cpu_device() const override {
    return device_->has_eigen_cpu_device();
  }
  absl::Status MakeTensorFromProto(const tf::TensorProto& proto,
                                   const tf::AllocatorAttributes attributes,
                                   tf::Tensor* tensor) override {
    return device_->MakeTensorFromProto(proto, attributes, tensor);
  }
  void CopyTensorInSameDevice(const tf::Tensor* input, tf::Tensor* output,
                              const tf::DeviceContext* context,
                              tf::StatusCallback done) override {
    device_->CopyTensorInSameDevice(input, output, context, std::move(done));
  }
  void Compute(tf::OpKernel* kernel, tf::OpKernelContext* context) override {
    device_->Compute(kernel, context);
  }
  void ComputeAsync(tf::AsyncOpKernel* kernel, tf::OpKernelContext* context,
                    tf::AsyncOpKernel::DoneCallback done) override {
    device_->ComputeAsync(kernel, context, std::move(done));
  }
  absl::Status Sync() override { return device_->Sync(); }
  absl::Status MaybeRewriteGraph(std::unique_ptr<tf::Graph>* graph) override {
    return device_->MaybeRewriteGraph(graph);
  }
  absl::Status TryGetDeviceContext(tf::DeviceContext** context) override {
    return device_->TryGetDeviceContext(context);
  }
  tf::ResourceMgr* resource_manager() override {
    return device_->resource_manager();
  }
  bool IsLocal() const override { return device_->IsLocal(); }
  bool IsRemoteCallAllowed() const override {
    return device_->IsRemoteCallAllowed();
  }

 private:
  const std::unique_ptr<tf::Device> device_;
};

}  // namespace

tf::Allocator* GetSmallTensorAllocator() {
  static tf::Allocator* const allocator =
      new SmallTensorAllocator(tf::cpu_allocator_base());
  return allocator;
}

std::unique_ptr<tf::Device> WithSmallTensors(
    std::unique_ptr<tf::Device> device) {
  return std::make_unique<SmallTensorDevice>(std::move(device));
}

}  // namespace recursive_tf
