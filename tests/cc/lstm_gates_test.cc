#include "kernels/core/lstm_gates.h"

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

// 1 - sigmoid and 1 - tanh^2 lose digits, and factors go up to 16.
template <typename T>
constexpr double kTolerance = 32.0 * std::numeric_limits<T>::epsilon();

template <typename T>
using Arrays = std::vector<std::vector<T>>;

template <typename T>
std::vector<const T*> Pointers(const Arrays<T>& arrays) {
  std::vector<const T*> pointers;
  for (const auto& array : arrays) pointers.push_back(array.data());
  return pointers;
}

// One call, forward and backward, with its arrays, which have a margin of
// known numbers behind them.
template <typename T>
struct Call {
  static constexpr int kMargin = 64;
  static constexpr T kUntouched = -12345;

  Call(int num_rows, int num_memories, int width, std::mt19937* random)
      : num_rows(num_rows), num_memories(num_memories), width(width) {
    const int num_gates = (3 + num_memories) * width;
    const auto make = [&](int size) {
      std::uniform_real_distribution<T> draw(-4, 4);
      std::vector<T> values(size + kMargin, kUntouched);
      std::generate_n(values.begin(), size, [&] { return draw(*random); });
      return values;
    };
    gates = make(num_rows * num_gates);
    bias = make(num_gates);
    memories.resize(num_memories);
    for (auto& memory : memories) memory = make(num_rows * width);
    dh = make(num_rows * width);
    dc = make(num_rows * width);
    for (auto* own : {&h, &c}) own->assign(dh.size(), kUntouched);
    for (auto* all : {&activations, &dgates}) {
      all->assign(gates.size(), kUntouched);
    }
    dmemories.assign(num_memories, h);
    dbias.assign(bias.size(), kUntouched);
    std::fill_n(dbias.begin(), num_gates, T{0});
  }

  void Run(SimdTarget target, bool has_bias = true) {
    const auto memory_pointers = Pointers(memories);
    std::vector<T*> dmemory_pointers;
    for (auto& array : dmemories) dmemory_pointers.push_back(array.data());
    LstmGates<T> args = {};
    args.num_memories = num_memories;
    args.width = width;
    args.gates = gates.data();
    args.bias = has_bias ? bias.data() : nullptr;
    args.memories = memory_pointers.data();
    args.h = h.data();
    args.c = c.data();
    args.activations = activations.data();
    ComputeLstmGates(args, 0, num_rows, target);
    LstmGatesGrad<T> grad = {};
    grad.num_memories = num_memories;
    grad.width = width;
    grad.activations = activations.data();
    grad.memories = memory_pointers.data();
    grad.c = c.data();
    grad.dh = dh.data();
    grad.dc = dc.data();
    grad.dgates = dgates.data();
    grad.dmemories = dmemory_pointers.data();
    grad.dbias = has_bias ? dbias.data() : nullptr;
    ComputeLstmGatesGrad(grad, 0, num_rows, target);
  }

  int num_rows, num_memories, width;
  std::vector<T> gates, bias, dh, dc, h, c, activations, dgates, dbias;
  Arrays<T> memories, dmemories;
};

// The formulas, element by element.
template <typename T>
void ExpectRight(const Call<T>& call, bool has_bias) {
  const int num_gates = 3 + call.num_memories;
  const auto near = [](double actual, double expected) {
    return std::abs(actual - expected) <=
           kTolerance<T> * std::max(1.0, std::abs(expected));
  };
  std::vector<double> dbias(num_gates * call.width);
  for (int row = 0; row < call.num_rows; ++row) {
    for (int column = 0; column < call.width; ++column) {
      const auto at = [&](int gate) {
        return (row * num_gates + gate) * call.width + column;
      };
      const auto x = [&](int gate) {
        const int in_row = gate * call.width + column;
        return call.gates[at(gate)] + (has_bias ? call.bias[in_row] : T{0});
      };
      const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
      const int own = row * call.width + column;
      const double i = sigmoid(x(0)), o = sigmoid(x(1));
      const double u = std::tanh(static_cast<double>(x(num_gates - 1)));
      double c = i * u;
      for (int k = 0; k < call.num_memories; ++k) {
        c += sigmoid(x(2 + k)) * call.memories[k][own];
      }
      const double tanh_c = std::tanh(c);
      ASSERT_TRUE(near(call.c[own], c)) << call.c[own] << " " << c;
      ASSERT_TRUE(near(call.h[own], o * tanh_c));

      const double dh = call.dh[own];
      const double dc = call.dc[own] + dh * o * (1 - tanh_c * tanh_c);
      std::vector<double> dgates = {dc * u * i * (1 - i),
                                    dh * tanh_c * o * (1 - o)};
      for (int k = 0; k < call.num_memories; ++k) {
        const double f = sigmoid(x(2 + k));
        dgates.push_back(dc * call.memories[k][own] * f * (1 - f));
        ASSERT_TRUE(near(call.dmemories[k][own], dc * f));
      }
      dgates.push_back(dc * i * (1 - u * u));
      for (int gate = 0; gate < num_gates; ++gate) {
        ASSERT_TRUE(near(call.dgates[at(gate)], dgates[gate]))
            << call.dgates[at(gate)] << " " << dgates[gate];
        dbias[gate * call.width + column] += dgates[gate];
      }
    }
  }
  for (size_t j = 0; has_bias && j < dbias.size(); ++j) {
    ASSERT_NEAR(call.dbias[j], dbias[j],
                kTolerance<T> * 4 * (1 + call.num_rows));
  }
}

template <typename T>
class LstmGatesTest : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(LstmGatesTest, Types);

TYPED_TEST(LstmGatesTest, FollowsTheFormulas) {
  std::mt19937 random(1);
  for (SimdTarget target : Targets()) {
    for (int num_memories : {0, 1, 2, 5}) {
      for (int width : {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 150}) {
        for (int num_rows : {0, 1, 5}) {
          const bool has_bias = (width + num_rows) % 2 == 0;
          Call<TypeParam> call(num_rows, num_memories, width, &random);
          call.Run(target, has_bias);
          ExpectRight(call, has_bias);
          if (this->HasFatalFailure()) return;
        }
      }
    }
  }
}

TYPED_TEST(LstmGatesTest, WritesNothingBehindTheEnd) {
  using C = Call<TypeParam>;
  std::mt19937 random(2);
  for (SimdTarget target : Targets()) {
    for (int width : {1, 5, 16, 150}) {
      C call(3, 2, width, &random);
      call.Run(target);
      for (const auto* array :
           {&call.h, &call.c, &call.activations, &call.dgates,
            &call.dmemories[0], &call.dmemories[1], &call.dbias}) {
        EXPECT_EQ(std::count(array->begin(), array->end(), C::kUntouched),
                  C::kMargin);
      }
    }
  }
}

TYPED_TEST(LstmGatesTest, OutputsMayLieWhereInputsLie) {
  using T = TypeParam;
  std::mt19937 random(3);
  for (SimdTarget target : Targets()) {
    Call<T> call(4, 2, 37, &random);
    call.Run(target);
    LstmGates<T> args = {};
    args.num_memories = 2;
    args.width = 37;
    auto gates = call.gates;
    auto memories = call.memories;
    auto pointers = Pointers(memories);
    args.gates = args.activations = gates.data();
    args.bias = call.bias.data();
    args.memories = pointers.data();
    args.c = memories[0].data();
    args.h = memories[1].data();
    ComputeLstmGates(args, 0, 4, target);
    EXPECT_EQ(gates, call.activations);
    const size_t size = 4 * 37;
    const auto same = [&](const std::vector<T>& a, const std::vector<T>& b) {
      return std::equal(a.begin(), a.begin() + size, b.begin());
    };
    EXPECT_TRUE(same(memories[0], call.c));
    EXPECT_TRUE(same(memories[1], call.h));

    LstmGatesGrad<T> grad = {};
    auto dc = call.dc;
    memories = call.memories;
    std::vector<T*> dmemories = {dc.data(), memories[1].data()};
    grad.num_memories = 2;
    grad.width = 37;
    grad.activations = grad.dgates = gates.data();
    pointers = Pointers(memories);
    grad.memories = pointers.data();
    grad.c = call.c.data();
    grad.dh = call.dh.data();
    grad.dc = dc.data();
    grad.dmemories = dmemories.data();
    ComputeLstmGatesGrad(grad, 0, 4, target);
    EXPECT_TRUE(same(dc, call.dmemories[0]));
    EXPECT_TRUE(same(memories[1], call.dmemories[1]));
    EXPECT_TRUE(std::equal(gates.begin(), gates.begin() + 5 * size,
                           call.dgates.begin()));
  }
}

TYPED_TEST(LstmGatesTest, RowsDoNotDependOnTheirPlace) {
  using T = TypeParam;
  std::mt19937 random(4);
  for (SimdTarget target : Targets()) {
    Call<T> call(9, 1, 21, &random);
    call.Run(target);
    LstmGates<T> args = {};
    args.num_memories = 1;
    args.width = 21;
    const auto memories = Pointers(call.memories);
    std::vector<T> h(9 * 21), c(9 * 21);
    args.gates = call.gates.data();
    args.bias = call.bias.data();
    args.memories = memories.data();
    args.h = h.data();
    args.c = c.data();
    ComputeLstmGates(args, 4, 6, target);
    for (int j = 0; j < 9 * 21; ++j) {
      const bool is_done = 4 * 21 <= j && j < 6 * 21;
      EXPECT_EQ(h[j], is_done ? call.h[j] : 0);
    }
  }
}

// Over the whole range, with N = 0: the activations are sigmoid and tanh.
TYPED_TEST(LstmGatesTest, SigmoidAndTanhAreAccurateToTheLastBits) {
  using T = TypeParam;
  const double bound = 3 * std::numeric_limits<T>::epsilon();
  for (SimdTarget target : Targets()) {
    for (double size = 1e-30; size < 1e30; size *= 1.0173) {
      for (double x : {size, -size}) {
        const T value = static_cast<T>(x);
        const T gates[] = {value, value, value};
        T h, c, activations[3];
        LstmGates<T> args = {};
        args.width = 1;
        args.gates = gates;
        args.h = &h;
        args.c = &c;
        args.activations = activations;
        ComputeLstmGates(args, 0, 1, target);
        const long double exact = value;
        const double sigmoid = 1 / (1 + std::exp(-exact));
        const double tanh = std::tanh(exact);
        // Below the normal numbers the smallest of them will do.
        ASSERT_NEAR(activations[0], sigmoid,
                    std::max<double>(bound * sigmoid,
                                     2 * std::numeric_limits<T>::min()));
        ASSERT_NEAR(activations[2], tanh, bound * std::abs(tanh)) << x;
      }
    }
  }
}

TYPED_TEST(LstmGatesTest, NanStaysAndInfinityIsALimit) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T infinity = std::numeric_limits<T>::infinity();
  for (SimdTarget target : Targets()) {
    for (int lane = 0; lane < 20; ++lane) {
      std::vector<T> gates(3 * 20, T{0}), h(20), c(20), activations(3 * 20);
      gates[lane] = nan;
      gates[20 + lane] = -infinity;
      gates[40 + lane] = infinity;
      LstmGates<T> args = {};
      args.width = 20;
      args.gates = gates.data();
      args.h = h.data();
      args.c = c.data();
      args.activations = activations.data();
      ComputeLstmGates(args, 0, 1, target);
      for (int j = 0; j < 20; ++j) {
        EXPECT_EQ(std::isnan(c[j]), j == lane);
        EXPECT_EQ(std::isnan(h[j]), j == lane);
      }
      EXPECT_NEAR(activations[20 + lane], 0, 1e-30);
      EXPECT_NEAR(activations[40 + lane], 1, 1e-7);
    }
  }
}

}  // namespace
}  // namespace recursive_tf
