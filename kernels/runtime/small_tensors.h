// A device whose small tensors take memory that the thread has just let go of.
#ifndef RECURSIVE_TF_KERNELS_RUNTIME_SMALL_TENSORS_H_
#define RECURSIVE_TF_KERNELS_RUNTIME_SMALL_TENSORS_H_

#include <memory>

#include "tensorflow/core/common_runtime/device.h"
#include "tensorflow/core/framework/allocator.h"

namespace recursive_tf {

// Memory of tensors of up to KeptBlocks::kMaxBytes; of larger ones, that of
// TensorFlow's CPU allocator. There is one, never destroyed: tensors may
// outlive all else. Thread-safe: each thread keeps what it lets go of.
tensorflow::Allocator* GetSmallTensorAllocator();

// Returns a device of the CPU that is `device`, which it owns, but for where
// its tensors lie. Blocks make a tensor for each op, mostly small ones, and
// aligned memory costs the C library more than many of these ops take.
std::unique_ptr<tensorflow::Device> WithSmallTensors(
    std::unique_ptr<tensorflow::Device> device);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_RUNTIME_SMALL_TENSORS_H_
