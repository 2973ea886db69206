#include "kernels/core/weight_matmul.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/cc/simd_targets.h"

namespace recursive_tf {
namespace {

template <typename T>
class WeightMatMulTest : public testing::Test {
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
TYPED_TEST_SUITE(WeightMatMulTest, Types);

template <typename T>
void Compute(const WeightMatMul<T>& args, bool is_transposed, int64_t begin,
             int64_t end, SimdTarget target) {
  if (is_transposed) {
    ComputeTransposedWeightMatMul(args, begin, end, target);
  } else {
    ComputeWeightMatMul(args, begin, end, target);
  }
}

// Compares one product with the plain sums, by every target.
template <typename T>
void CheckProduct(const std::vector<T>& x, const std::vector<T>& weights,
                  int64_t rows, int64_t depth, int64_t width) {
  constexpr T kUntouched = -12345;
  std::vector<T> expected(rows * width), expected_transposed = expected;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < width; ++c) {
      for (int64_t k = 0; k < depth; ++k) {
        const T value = x[r * depth + k];
        expected[r * width + c] += value * weights[k * width + c];
        expected_transposed[r * width + c] += value * weights[c * depth + k];
      }
    }
  }
  for (SimdTarget target : Targets()) {
    for (bool is_transposed : {false, true}) {
      std::vector<T> y(rows * width + 64, kUntouched);
      const WeightMatMul<T> args = {rows,     depth,          width,
                                    x.data(), weights.data(), y.data()};
      Compute(args, is_transposed, 0, width, target);
      const auto& right = is_transposed ? expected_transposed : expected;
      ASSERT_TRUE(std::equal(right.begin(), right.end(), y.begin()))
          << rows << " " << depth << " " << width << " " << is_transposed << " "
          << static_cast<int>(target);
      ASSERT_EQ(std::count(y.begin() + right.size(), y.end(), kUntouched), 64);
    }
  }
}

TYPED_TEST(WeightMatMulTest, EqualsThePlainSums) {
  for (int64_t rows : {0, 1, 2, 3, 4, 6, 7, 8, 14, 15, 31}) {
    for (int64_t depth : {0, 1, 2, 5, 16, 37}) {
      for (int64_t width : {1, 3, 4, 7, 16, 18, 33, 64, 150, 300}) {
        CheckProduct(this->Draw(rows * depth), this->Draw(depth * width), rows,
                     depth, width);
      }
    }
  }
}

TYPED_TEST(WeightMatMulTest, ManyRowsEqualThePlainSums) {
  // Sums of more terms than a panel has, and widths that leave part of one.
  for (int64_t rows : {131, 258, 1031}) {
    for (int64_t depth : {3, 64, 65, 256, 301}) {
      for (int64_t width : {1, 7, 8, 9, 16, 18, 33}) {
        CheckProduct(this->Draw(rows * depth), this->Draw(depth * width), rows,
                     depth, width);
      }
    }
  }
}

TYPED_TEST(WeightMatMulTest, PartsOfTheColumnsMakeUpTheWhole) {
  using T = TypeParam;
  constexpr int64_t kRows = 17, kDepth = 11, kWidth = 203;
  const auto x = this->Draw(kRows * kDepth);
  const auto weights = this->Draw(kDepth * kWidth);
  for (SimdTarget target : Targets()) {
    for (bool is_transposed : {false, true}) {
      std::vector<T> whole(kRows * kWidth), parts(kRows * kWidth, -1);
      WeightMatMul<T> args = {kRows,    kDepth,         kWidth,
                              x.data(), weights.data(), whole.data()};
      Compute(args, is_transposed, 0, kWidth, target);
      args.y = parts.data();
      const std::vector<int64_t> ends = {0, 64, 65, 128, 200, kWidth};
      for (size_t i = 1; i < ends.size(); ++i) {
        Compute(args, is_transposed, ends[i - 1], ends[i], target);
      }
      EXPECT_EQ(parts, whole);
    }
  }
}

TYPED_TEST(WeightMatMulTest, SumsAreAccurate) {
  using T = TypeParam;
  constexpr int64_t kRows = 5, kDepth = 1000, kWidth = 40;
  std::uniform_real_distribution<T> draw(-1, 1);
  std::vector<T> x(kRows * kDepth), weights(kDepth * kWidth);
  for (auto* values : {&x, &weights}) {
    std::generate(values->begin(), values->end(),
                  [&] { return draw(this->random_); });
  }
  for (SimdTarget target : Targets()) {
    for (bool is_transposed : {false, true}) {
      std::vector<T> y(kRows * kWidth);
      const WeightMatMul<T> args = {kRows,    kDepth,         kWidth,
                                    x.data(), weights.data(), y.data()};
      Compute(args, is_transposed, 0, kWidth, target);
      for (int64_t j = 0; j < kRows * kWidth; ++j) {
        const int64_t row = j / kWidth, column = j % kWidth;
        double exact = 0;
        for (int64_t k = 0; k < kDepth; ++k) {
          exact += static_cast<double>(x[row * kDepth + k]) *
                   weights[is_transposed ? column * kDepth + k
                                         : k * kWidth + column];
        }
        ASSERT_NEAR(y[j], exact,
                    100 * std::numeric_limits<T>::epsilon() *
                        std::sqrt(static_cast<double>(kDepth)) / 10);
      }
    }
  }
}

}  // namespace
}  // namespace recursive_tf
