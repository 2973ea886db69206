#include "kernels/core/adagrad.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/core/adagrad_groups.h"
#include "tests/cc/simd_targets.h"

namespace recursive_tf {
namespace {

template <typename T>
class AdagradTest : public testing::Test {
 protected:
  std::vector<T> Draw(int64_t size, T low = -1, T high = 1) {
    std::uniform_real_distribution<T> draw(low, high);
    std::vector<T> values(size);
    for (T& value : values) value = draw(random_);
    return values;
  }

  std::vector<int64_t> DrawIndices(int64_t size, int64_t limit) {
    std::uniform_int_distribution<int64_t> draw(0, limit - 1);
    std::vector<int64_t> indices(size);
    for (int64_t& index : indices) index = draw(random_);
    return indices;
  }

  static void ExpectStep(long double g, T sum, T weight, T new_sum,
                         T new_weight) {
    constexpr T kBound = 4 * std::numeric_limits<T>::epsilon();
    const long double total = sum + g * g;
    ASSERT_NEAR(new_sum, total, kBound * (1 + total));
    ASSERT_NEAR(new_weight, weight - kRate * g / (std::sqrt(total) + kEpsilon),
                kBound);
  }

  static constexpr T kRate = 0.1, kEpsilon = 0.001;
  std::mt19937 random_{1};
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(AdagradTest, Types);

TYPED_TEST(AdagradTest, FollowsTheFormulaAndTouchesNothingElse) {
  using T = TypeParam;
  const T l2s[] = {0, 0.03};
  for (SimdTarget target : Targets()) {
    for (int64_t size : {0, 1, 2, 3, 7, 8, 15, 16, 17, 33, 300}) {
      for (T l2 : l2s) {
        const int64_t begin = size % 5, end = begin + size;
        const auto g = this->Draw(end + 20);
        const auto old_sums = this->Draw(end + 20, 0, 2);
        const auto old_weights = this->Draw(end + 20);
        auto sums = old_sums, weights = old_weights;
        ApplyAdagrad<T>({this->kRate, this->kEpsilon, l2, g.data(), sums.data(),
                         weights.data()},
                        begin, end, target);
        for (int64_t i = 0; i < end + 20; ++i) {
          if (begin <= i && i < end) {
            this->ExpectStep(
                g[i] + static_cast<long double>(l2) * old_weights[i],
                old_sums[i], old_weights[i], sums[i], weights[i]);
            if (this->HasFatalFailure()) return;
          } else {
            ASSERT_EQ(sums[i], old_sums[i]);
            ASSERT_EQ(weights[i], old_weights[i]);
          }
        }
      }
    }
  }
}

TYPED_TEST(AdagradTest, RowsThatOccurTwiceAreAddedFirst) {
  using T = TypeParam;
  constexpr int64_t kRows = 40;
  for (SimdTarget target : Targets()) {
    for (int64_t width : {1, 5, 16, 17, 128, 300}) {
      const auto indices = this->DrawIndices(60, kRows);
      const auto g = this->Draw(60 * width);
      const auto old_sums = this->Draw(kRows * width, 0, 2);
      const auto old_weights = this->Draw(kRows * width);
      auto sums = old_sums, weights = old_weights;
      const RowGroups groups(indices.data(), 60);
      const AdagradRows<T> args = {
          this->kRate,   this->kEpsilon,  width,
          groups.rows(), groups.starts(), groups.members(),
          g.data(),      sums.data(),     weights.data()};
      for (int part = 0; part < 3; ++part) {
        ApplyAdagradRows(args, groups.PartBegin(part, 3),
                         groups.PartBegin(part + 1, 3), target);
      }
      for (int64_t i = 0; i < kRows * width; ++i) {
        long double total = 0;
        bool occurs = false;
        for (int64_t k = 0; k < 60; ++k) {
          if (indices[k] != i / width) continue;
          total += g[k * width + i % width];
          occurs = true;
        }
        if (occurs) {
          this->ExpectStep(total, old_sums[i], old_weights[i], sums[i],
                           weights[i]);
          if (this->HasFatalFailure()) return;
        } else {
          ASSERT_EQ(sums[i], old_sums[i]);
          ASSERT_EQ(weights[i], old_weights[i]);
        }
      }
    }
  }
}

TYPED_TEST(AdagradTest, NanStaysAndZeroGradientsChangeNothing) {
  using T = TypeParam;
  for (SimdTarget target : Targets()) {
    std::vector<T> g(20, 0), sums(20, 0.5), weights(20, 3);
    g[7] = std::numeric_limits<T>::quiet_NaN();
    ApplyAdagrad<T>({this->kRate, 0, 0, g.data(), sums.data(), weights.data()},
                    0, 20, target);
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(std::isnan(weights[i]), i == 7);
      EXPECT_EQ(std::isnan(sums[i]), i == 7);
      if (i != 7) {
        EXPECT_EQ(weights[i], 3);
        EXPECT_EQ(sums[i], T{0.5});
      }
    }
  }
}

template <typename Index>
void ExpectGroups(const std::vector<Index>& indices) {
  const int64_t size = static_cast<int64_t>(indices.size());
  const RowGroups groups(indices.data(), size);
  std::vector<Index> order;
  std::map<Index, std::vector<int64_t>> expected;
  for (int64_t i = 0; i < size; ++i) {
    if (expected[indices[i]].empty()) order.push_back(indices[i]);
    expected[indices[i]].push_back(i);
  }
  ASSERT_EQ(groups.size(), static_cast<int64_t>(order.size()));
  ASSERT_EQ(groups.starts()[groups.size()], size);
  for (int64_t g = 0; g < groups.size(); ++g) {
    ASSERT_EQ(groups.rows()[g], order[g]);
    const std::vector<int64_t> members(
        groups.members() + groups.starts()[g],
        groups.members() + groups.starts()[g + 1]);
    ASSERT_EQ(members, expected[order[g]]);
  }
  for (int64_t num_parts : {1, 2, 3, 64}) {
    ASSERT_EQ(groups.PartBegin(0, num_parts), 0);
    ASSERT_EQ(groups.PartBegin(num_parts, num_parts), groups.size());
    for (int64_t part = 0; part < num_parts; ++part) {
      ASSERT_LE(groups.PartBegin(part, num_parts),
                groups.PartBegin(part + 1, num_parts));
    }
  }
}

TEST(RowGroupsTest, GroupsInOrderOfFirstOccurrence) {
  ExpectGroups<int32_t>({});
  ExpectGroups<int32_t>({5});
  ExpectGroups<int64_t>({3, 3, 3, 3});
  ExpectGroups<int32_t>({-1, std::numeric_limits<int32_t>::min(),
                         std::numeric_limits<int32_t>::max(), -1});
  ExpectGroups<int64_t>({std::numeric_limits<int64_t>::min(),
                         std::numeric_limits<int64_t>::max(), 0,
                         std::numeric_limits<int64_t>::min()});
  std::mt19937 random(2);
  for (int size : {7, 8, 9, 100, 5000}) {
    for (int limit : {2, 100, 1 << 30}) {
      std::uniform_int_distribution<int32_t> draw(0, limit);
      std::vector<int32_t> indices(size);
      std::generate(indices.begin(), indices.end(),
                    [&] { return draw(random); });
      ExpectGroups(indices);
    }
  }
}

TEST(RowGroupsTest, PartsHaveAboutTheSameWork) {
  // One word a thousand times, then a thousand words.
  std::vector<int64_t> indices(1000, 7);
  for (int64_t i = 0; i < 1000; ++i) indices.push_back(10 + i);
  const RowGroups groups(indices.data(), 2000);
  EXPECT_NEAR(groups.PartBegin(1, 2), 400, 20);
}

}  // namespace
}  // namespace recursive_tf
