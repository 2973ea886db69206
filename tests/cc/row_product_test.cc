#include "kernels/core/row_product.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/cc/simd_targets.h"

namespace recursive_tf {
namespace {

// With a scratch that is not a byte too long.
template <typename T>
void Compute(const RowProduct<T>& args, const RowProductPart& part,
             SimdTarget target) {
  void* scratch = nullptr;
  const int64_t size = RowProductScratchBytes(args, part);
  ASSERT_EQ(posix_memalign(&scratch, 64, size), 0);
  ComputeRowProduct(args, part, scratch, target);
  std::free(scratch);
}

template <typename T>
class RowProductTest : public testing::Test {
 protected:
  // Integers: every sum is exact, whatever its order.
  std::vector<T> Draw(int64_t size) {
    std::uniform_int_distribution<int> draw(-8, 8);
    std::vector<T> values(size);
    std::generate(values.begin(), values.end(), [&] { return draw(random_); });
    return values;
  }

  std::mt19937 random_{1};
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(RowProductTest, Types);

TYPED_TEST(RowProductTest, EqualsThePlainSums) {
  using T = TypeParam;
  constexpr T kUntouched = -12345;
  for (int64_t rows : {0, 1, 2, 17, 256, 257, 600}) {
    for (int64_t height : {1, 2, 5, 6, 7, 11, 12, 13, 25, 37}) {
      for (int64_t width : {1, 3, 4, 7, 8, 9, 16, 17, 31, 32, 33, 75}) {
        const auto left = this->Draw(rows * height);
        const auto right = this->Draw(rows * width);
        std::vector<T> expected(height * width);
        for (int64_t n = 0; n < rows; ++n) {
          for (int64_t i = 0; i < height * width; ++i) {
            expected[i] +=
                left[n * height + i / width] * right[n * width + i % width];
          }
        }
        for (SimdTarget target : Targets()) {
          std::vector<T> y(height * width + 64, kUntouched);
          const RowProduct<T> args = {rows,        height,       width,
                                      left.data(), right.data(), y.data()};
          Compute(args, {0, height, 0, width}, target);
          ASSERT_TRUE(std::equal(expected.begin(), expected.end(), y.begin()))
              << rows << " " << height << " " << width << " "
              << static_cast<int>(target);
          ASSERT_EQ(
              std::count(y.begin() + expected.size(), y.end(), kUntouched), 64);
        }
      }
    }
  }
}

TYPED_TEST(RowProductTest, PartsMakeUpTheWhole) {
  using T = TypeParam;
  constexpr int64_t kRows = 300, kHeight = 41, kWidth = 203;
  const auto left = this->Draw(kRows * kHeight);
  const auto right = this->Draw(kRows * kWidth);
  const std::vector<int64_t> tops = {0, 1, 13, 40, kHeight};
  const std::vector<int64_t> begins = {0, 64, 65, 128, 200, kWidth};
  for (SimdTarget target : Targets()) {
    std::vector<T> whole(kHeight * kWidth), parts(kHeight * kWidth, -1);
    RowProduct<T> args = {kRows,       kHeight,      kWidth,
                          left.data(), right.data(), whole.data()};
    Compute(args, {0, kHeight, 0, kWidth}, target);
    args.y = parts.data();
    for (size_t i = 1; i < tops.size(); ++i) {
      for (size_t j = 1; j < begins.size(); ++j) {
        Compute(args, {tops[i - 1], tops[i], begins[j - 1], begins[j]}, target);
      }
    }
    EXPECT_EQ(parts, whole);
  }
}

}  // namespace
}  // namespace recursive_tf
