// Memory of small tensors is used again, by one tensor at a time.

#include "kernels/runtime/small_tensors.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/core/kept_blocks.h"
#include "tensorflow/core/framework/tensor.h"

namespace recursive_tf {
namespace {

namespace tf = tensorflow;

constexpr size_t kAlignment = tf::Allocator::kAllocatorAlignment;

TEST(SmallTensorsTest, PiecesAreAlignedAndApart) {
  tf::Allocator* const allocator = GetSmallTensorAllocator();
  for (size_t alignment : {size_t{1}, kAlignment, 4 * kAlignment}) {
    std::vector<std::pair<char*, size_t>> pieces;
    for (size_t bytes : {0, 1, 64, 65, 513, 5000, 32768, 32769, 300000}) {
      void* const data = allocator->AllocateRaw(alignment, bytes);
      ASSERT_NE(data, nullptr);
      if (bytes < 100000) {  // TensorFlow's own aligns large ones to 64 alone.
        EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % alignment, 0u);
      }
      EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % kAlignment, 0u);
      const char value = static_cast<char>(pieces.size() + 1);
      std::memset(data, value, bytes);
      pieces.emplace_back(static_cast<char*>(data), bytes);
    }
    for (size_t i = 0; i < pieces.size(); ++i) {
      for (size_t k = 0; k < pieces[i].second; ++k) {
        ASSERT_EQ(pieces[i].first[k], static_cast<char>(i + 1));
      }
      allocator->DeallocateRaw(pieces[i].first);
    }
  }
}

TEST(SmallTensorsTest, WhatAThreadLetsGoOfItGetsAgain) {
  tf::Allocator* const allocator = GetSmallTensorAllocator();
  void* const first = allocator->AllocateRaw(kAlignment, 1000);
  allocator->DeallocateRaw(first);
  void* const second = allocator->AllocateRaw(kAlignment, 1010);
  EXPECT_EQ(second, first);
  void* const third = allocator->AllocateRaw(kAlignment, 1000);
  EXPECT_NE(third, second);
  allocator->DeallocateRaw(second);
  allocator->DeallocateRaw(third);
}

TEST(SmallTensorsTest, TensorsGoFromThreadToThreadAndOutliveTheirs) {
  std::vector<tf::Tensor> tensors;
  std::thread maker([&tensors] {
    for (int i = 0; i < 1000; ++i) {
      tf::Tensor tensor(GetSmallTensorAllocator(), tf::DT_INT32, {i % 100 + 1});
      tensor.flat<int>().setConstant(i);
      if (i % 3 > 0) tensors.push_back(tensor);
    }
  });
  maker.join();
  std::thread reader([&tensors] {
    for (const tf::Tensor& tensor : tensors) {
      const int value = tensor.flat<int>()(0);
      for (int64_t k = 0; k < tensor.NumElements(); ++k) {
        ASSERT_EQ(tensor.flat<int>()(k), value);
      }
    }
    tensors.clear();
  });
  reader.join();
}

TEST(SmallTensorsTest, AThreadMayLetGoOfTensorsAfterItsBlocksAreGone) {
  std::thread([] {
    // Destroyed after what the allocator keeps of this thread, which is made
    // later.
    thread_local std::unique_ptr<tf::Tensor> late;
    late = nullptr;
    late = std::make_unique<tf::Tensor>(GetSmallTensorAllocator(), tf::DT_FLOAT,
                                        tf::TensorShape({7}));
    late->flat<float>().setConstant(2);
    EXPECT_EQ(late->flat<float>()(6), 2);
  }).join();
}

}  // namespace
}  // namespace recursive_tf
