#include "kernels/core/bfloat16_product.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace recursive_tf {
namespace {

constexpr float kUntouched = -12345;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

float FromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

float ToFloat(uint16_t upper) { return FromBits(uint32_t{upper} << 16); }

// Rounds to nearest, ties to even, by the arithmetic of whole numbers.
uint16_t Rounded(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

class Bfloat16ProductTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasBfloat16Products()) GTEST_SKIP() << "no AVX512-BF16";
  }

  std::vector<float> Draw(int64_t size) {
    std::uniform_real_distribution<float> draw(-1, 1);
    std::vector<float> values(size);
    std::generate(values.begin(), values.end(), [&] { return draw(random_); });
    return values;
  }

  // Compares [rows, width] with sums of `depth` products in double.
  template <typename Term>
  void Check(const std::vector<float>& y, int64_t rows, int64_t width,
             int64_t depth, const Term& term) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < width; ++c) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < depth; ++k) {
          sum += term(r, c, k);
          size += std::fabs(term(r, c, k));
        }
        // Each of the sums that follow another rounds, by half a unit at most.
        const double bound = size * (8 + std::sqrt(depth)) *
                             std::numeric_limits<float>::epsilon();
        ASSERT_NEAR(y[r * width + c], sum, bound)
            << rows << " " << depth << " " << width << " at " << r << " " << c;
      }
    }
    ASSERT_EQ(std::count(y.begin() + rows * width, y.end(), kUntouched), 64);
  }

  void CheckMatMul(int64_t rows, int64_t depth, int64_t width) {
    const std::vector<float> x = Draw(rows * depth), w = Draw(depth * width);
    std::vector<uint16_t> weights(w.size());
    std::transform(w.begin(), w.end(), weights.begin(), Rounded);
    std::vector<uint16_t> x_rows(rows * Bfloat16RowSize(depth), 0xffff);
    ComputeBfloat16Rows(x.data(), rows, depth, x_rows.data());
    for (bool is_transposed : {false, true}) {
      std::vector<float> y(rows * width + 64, kUntouched);
      const Bfloat16MatMul args = {rows,          depth,          width,
                                   x_rows.data(), weights.data(), y.data()};
      is_transposed ? ComputeTransposedBfloat16MatMul(args, 0, width)
                    : ComputeBfloat16MatMul(args, 0, width);
      Check(y, rows, width, depth, [&](int64_t r, int64_t c, int64_t k) {
        const int64_t at = is_transposed ? c * depth + k : k * width + c;
        return double{ToFloat(Rounded(x[r * depth + k]))} *
               ToFloat(weights[at]);
      });
    }
  }

  static std::vector<float> ProductOfRows(const std::vector<float>& left,
                                          const std::vector<float>& right,
                                          int64_t rows, int64_t height,
                                          int64_t width,
                                          const std::vector<int64_t>& ends) {
    std::vector<float> y(height * width + 64, kUntouched);
    const RowProduct<float> args = {rows,        height,       width,
                                    left.data(), right.data(), y.data()};
    for (size_t i = 1; i < ends.size(); ++i) {
      const RowProductPart part = {0, height, ends[i - 1], ends[i]};
      std::vector<uint64_t> scratch(
          Bfloat16RowProductScratchBytes(args, part) / 8 + 9);
      void* aligned = scratch.data();
      size_t space = scratch.size() * 8;
      std::align(64, 64, aligned, space);
      ComputeBfloat16RowProduct(args, part, aligned);
    }
    return y;
  }

  void CheckRowProduct(int64_t rows, int64_t height, int64_t width) {
    const auto left = Draw(rows * height), right = Draw(rows * width);
    const auto y = ProductOfRows(left, right, rows, height, width, {0, width});
    Check(y, height, width, rows, [&](int64_t r, int64_t c, int64_t n) {
      return double{ToFloat(Rounded(left[n * height + r]))} *
             ToFloat(Rounded(right[n * width + c]));
    });
  }

  std::mt19937 random_{1};
};

TEST_F(Bfloat16ProductTest, RowsAreRoundedToNearestTiesToEven) {
  // The last two lie half way between two bfloat16s.
  std::vector<float> values = {0.0f,
                               -0.0f,
                               1.0f,
                               -kInf,
                               3.4e38f,
                               1e-37f,
                               FromBits(0x3f808000),
                               FromBits(0x3f818000)};
  const std::vector<float> drawn = Draw(93);
  values.insert(values.end(), drawn.begin(), drawn.end());
  const int64_t depth = values.size();
  std::vector<uint16_t> found(2 * Bfloat16RowSize(depth));
  values.insert(values.end(), values.begin(), values.begin() + depth);
  ComputeBfloat16Rows(values.data(), 2, depth, found.data());
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t k = 0; k < depth; ++k) {
      EXPECT_EQ(found[row * (depth + 1) + k], Rounded(values[k])) << values[k];
    }
    EXPECT_EQ(found[row * (depth + 1) + depth], 0);
  }
  EXPECT_EQ(found[4], 0x7f80);
  EXPECT_EQ(found[6], 0x3f80);
  EXPECT_EQ(found[7], 0x3f82);
}

TEST_F(Bfloat16ProductTest, EqualsTheSumsOfRoundedOperands) {
  for (int64_t rows : {0, 1, 2, 3, 4, 6, 7, 8, 13, 14, 15, 31}) {
    for (int64_t depth : {0, 1, 2, 5, 31, 32, 33, 65}) {
      for (int64_t width : {1, 3, 4, 7, 16, 18, 32, 33, 64, 150, 300}) {
        CheckMatMul(rows, depth, width);
      }
    }
  }
}

TEST_F(Bfloat16ProductTest, RowProductEqualsTheSumsOfRoundedOperands) {
  for (int64_t rows : {0, 1, 2, 3, 25, 255, 256, 257, 513}) {
    for (int64_t height : {1, 5, 12, 13, 50}) {
      for (int64_t width : {1, 7, 16, 17, 32, 33, 100}) {
        CheckRowProduct(rows, height, width);
      }
    }
  }
}

TEST_F(Bfloat16ProductTest, PartsOfTheColumnsMakeUpTheWhole) {
  constexpr int64_t kRows = 17, kDepth = 11, kWidth = 203;
  const std::vector<int64_t> ends = {0, 64, 65, 128, 200, kWidth};
  const auto x = Draw(kRows * kDepth), w = Draw(kDepth * kWidth);
  std::vector<uint16_t> weights(w.size());
  std::transform(w.begin(), w.end(), weights.begin(), Rounded);
  std::vector<uint16_t> x_rows(kRows * Bfloat16RowSize(kDepth));
  ComputeBfloat16Rows(x.data(), kRows, kDepth, x_rows.data());
  for (auto* compute :
       {ComputeBfloat16MatMul, ComputeTransposedBfloat16MatMul}) {
    std::vector<float> whole(kRows * kWidth), parts(kRows * kWidth, kUntouched);
    Bfloat16MatMul args = {kRows,         kDepth,         kWidth,
                           x_rows.data(), weights.data(), whole.data()};
    compute(args, 0, kWidth);
    args.y = parts.data();
    for (size_t i = 1; i < ends.size(); ++i)
      compute(args, ends[i - 1], ends[i]);
    EXPECT_EQ(parts, whole);
  }
  const auto right = Draw(kRows * kWidth);
  EXPECT_EQ(ProductOfRows(x, right, kRows, kDepth, kWidth, ends),
            ProductOfRows(x, right, kRows, kDepth, kWidth, {0, kWidth}));
}

TEST_F(Bfloat16ProductTest, NanAndInfinityReachTheirRowsAndColumnsOnly) {
  // Odd sizes: what is padded beside them must not make a NaN of infinity.
  constexpr int64_t kRows = 3, kDepth = 5, kWidth = 35;
  for (float odd : {kNan, kInf}) {
    std::vector<float> x(kRows * kDepth, 1), right(kRows * kWidth, 1);
    x[2 * kDepth - 1] = odd;
    std::vector<uint16_t> x_rows(kRows * Bfloat16RowSize(kDepth));
    ComputeBfloat16Rows(x.data(), kRows, kDepth, x_rows.data());
    const std::vector<uint16_t> weights(kDepth * kWidth, Rounded(1));
    for (auto* compute :
         {ComputeBfloat16MatMul, ComputeTransposedBfloat16MatMul}) {
      std::vector<float> y(kRows * kWidth);
      compute({kRows, kDepth, kWidth, x_rows.data(), weights.data(), y.data()},
              0, kWidth);
      for (int64_t j = 0; j < kRows * kWidth; ++j) {
        if (j / kWidth != 1) {
          ASSERT_EQ(y[j], kDepth);
        } else if (odd == kInf) {
          ASSERT_EQ(y[j], kInf);
        } else {
          ASSERT_TRUE(std::isnan(y[j]));
        }
      }
    }
    const auto y = ProductOfRows(x, right, kRows, kDepth, kWidth, {0, kWidth});
    for (int64_t j = 0; j < kDepth * kWidth; ++j) {
      if (j / kWidth != kDepth - 1) {
        ASSERT_EQ(y[j], kRows);
      } else {
        ASSERT_FALSE(std::isfinite(y[j]));
        ASSERT_EQ(std::isnan(y[j]), odd != kInf);
      }
    }
  }
}

}  // namespace
}  // namespace recursive_tf
