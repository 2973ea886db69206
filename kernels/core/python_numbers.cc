#include "kernels/core/python_numbers.h"

#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

namespace recursive_tf {
namespace {

constexpr char kOverflow[] = "an int beyond 64 bits";
constexpr char kDivisionByZero[] = "division by zero";
constexpr char kNegativeShift[] = "a negative shift count";
constexpr char kNegativePower[] = "an int to a negative power, a float";
constexpr char kInexactDivision[] = "a quotient of ints beyond 53 bits";
constexpr char kRange[] = "a float power out of range, or complex";
constexpr char kDomain[] = "a math function out of its domain, or too large";
constexpr char kNoInt[] = "a float that no 64-bit int is near";

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr int64_t kTwoTo53 = int64_t{1} << 53;

template <typename Function>
struct Named {
  std::string_view name;
  Function function;
};

template <typename Function, size_t N>
Function Find(const Named<Function> (&table)[N], std::string_view name) {
  for (const auto& entry : table) {
    if (entry.name == name) return entry.function;
  }
  return nullptr;
}

// --- Ints

const char* AddInts(int64_t x, int64_t y, int64_t* z) {
  return __builtin_add_overflow(x, y, z) ? kOverflow : nullptr;
}

const char* SubtractInts(int64_t x, int64_t y, int64_t* z) {
  return __builtin_sub_overflow(x, y, z) ? kOverflow : nullptr;
}

const char* MultiplyInts(int64_t x, int64_t y, int64_t* z) {
  return __builtin_mul_overflow(x, y, z) ? kOverflow : nullptr;
}

const char* FloorDivideInts(int64_t x, int64_t y, int64_t* z) {
  if (y == 0) return kDivisionByZero;
  if (y == -1) return SubtractInts(0, x, z);  // The least int has no negative.
  *z = x / y;
  if (x % y != 0 && (x < 0) != (y < 0)) --*z;
  return nullptr;
}

const char* ModInts(int64_t x, int64_t y, int64_t* z) {
  if (y == 0) return kDivisionByZero;
  *z = y == -1 ? 0 : x % y;
  if (*z != 0 && (*z < 0) != (y < 0)) *z += y;
  return nullptr;
}

}  // namespace

const char* MultiplyMod(int64_t x, int64_t y, int64_t z, int64_t* result) {
  if (z == 0) return kDivisionByZero;
  __extension__ using Wide = __int128;
  Wide rest = static_cast<Wide>(x) * y % z;
  if (rest != 0 && (rest < 0) != (z < 0)) rest += z;
  *result = static_cast<int64_t>(rest);
  return nullptr;
}

namespace {

const char* PowInts(int64_t base, int64_t exponent, int64_t* z) {
  if (exponent < 0) return kNegativePower;
  *z = 1;
  while (true) {
    if ((exponent & 1) != 0 && MultiplyInts(*z, base, z)) return kOverflow;
    exponent >>= 1;
    if (exponent == 0) return nullptr;
    if (MultiplyInts(base, base, &base)) return kOverflow;
  }
}

const char* ShiftLeft(int64_t x, int64_t count, int64_t* z) {
  if (count < 0) return kNegativeShift;
  *z = 0;
  if (x == 0) return nullptr;
  if (count > 62) {
    if (count > 63 || x != -1) return kOverflow;
    *z = kMin;
    return nullptr;
  }
  return MultiplyInts(x, int64_t{1} << count, z);
}

const char* ShiftRight(int64_t x, int64_t count, int64_t* z) {
  if (count < 0) return kNegativeShift;
  *z = x >> (count > 63 ? 63 : count);
  return nullptr;
}

const char* AndInts(int64_t x, int64_t y, int64_t* z) {
  *z = x & y;
  return nullptr;
}

const char* OrInts(int64_t x, int64_t y, int64_t* z) {
  *z = x | y;
  return nullptr;
}

const char* XorInts(int64_t x, int64_t y, int64_t* z) {
  *z = x ^ y;
  return nullptr;
}

// Of equals, and of what compares with nothing, the first.
template <typename T>
const char* Min(T x, T y, T* z) {
  *z = y < x ? y : x;
  return nullptr;
}

template <typename T>
const char* Max(T x, T y, T* z) {
  *z = y > x ? y : x;
  return nullptr;
}

const char* NegateInt(int64_t x, int64_t* z) { return SubtractInts(0, x, z); }

const char* AbsInt(int64_t x, int64_t* z) {
  *z = x;
  return x < 0 ? NegateInt(x, z) : nullptr;
}

template <typename T>
const char* Same(T x, T* z) {
  *z = x;
  return nullptr;
}

// Python rounds the exact quotient; so does the processor that of two doubles.
const char* DivideInts(int64_t x, int64_t y, double* z) {
  if (y == 0) return kDivisionByZero;
  if (x > kTwoTo53 || x < -kTwoTo53 || y > kTwoTo53 || y < -kTwoTo53) {
    return kInexactDivision;
  }
  *z = static_cast<double>(x) / static_cast<double>(y);
  return nullptr;
}

// --- Floats

const char* AddFloats(double x, double y, double* z) {
  *z = x + y;
  return nullptr;
}

const char* SubtractFloats(double x, double y, double* z) {
  *z = x - y;
  return nullptr;
}

const char* MultiplyFloats(double x, double y, double* z) {
  *z = x * y;
  return nullptr;
}

const char* DivideFloats(double x, double y, double* z) {
  if (y == 0) return kDivisionByZero;
  *z = x / y;
  return nullptr;
}

// The remainder has the sign of y, also if it is zero.
double FloorRemainder(double x, double y) {
  const double remainder = std::fmod(x, y);
  if (remainder == 0) return std::copysign(0.0, y);
  return (remainder < 0) != (y < 0) ? remainder + y : remainder;
}

const char* ModFloats(double x, double y, double* z) {
  if (y == 0) return kDivisionByZero;
  *z = FloorRemainder(x, y);
  return nullptr;
}

// Not the floor of the quotient, which may have been rounded up: 1 // 0.1 is 9.
const char* FloorDivideFloats(double x, double y, double* z) {
  if (y == 0) return kDivisionByZero;
  const double truncated = std::fmod(x, y);
  double quotient = (x - truncated) / y;
  if (truncated != 0 && (truncated < 0) != (y < 0)) quotient -= 1;
  if (quotient == 0) {
    *z = std::copysign(0.0, x / y);
    return nullptr;
  }
  *z = std::floor(quotient);
  if (quotient - *z > 0.5) *z += 1;
  return nullptr;
}

// The C library's, as Python's is; but not where Python raises, or goes on with
// complex numbers.
const char* PowFloats(double x, double y, double* z) {
  *z = std::pow(x, y);
  if (!std::isfinite(x) || !std::isfinite(y)) return nullptr;
  return std::isfinite(*z) ? nullptr : kRange;
}

const char* NegateFloat(double x, double* z) {
  *z = -x;
  return nullptr;
}

const char* AbsFloat(double x, double* z) {
  *z = std::fabs(x);
  return nullptr;
}

const char* Atan2(double y, double x, double* z) {
  *z = std::atan2(y, x);
  return nullptr;
}

const char* Copysign(double x, double y, double* z) {
  *z = std::copysign(x, y);
  return nullptr;
}

// Correctly rounded, as Python's is but in the rarest cases; the C library's is
// not.
const char* Hypot(double x, double y, double* z) {
  *z = std::hypot(x, y);
  if (!std::isfinite(x) || !std::isfinite(y)) return nullptr;
  if (std::isinf(*z)) return kRange;
  __extension__ using Wide = __float128;
  const Wide wide_x = x, wide_y = y;
  const Wide square = wide_x * wide_x + wide_y * wide_y;
  const long double root = std::sqrt(static_cast<long double>(square));
  if (root == 0) return nullptr;
  const Wide wide = root;
  *z = static_cast<double>(wide + (square - wide * wide) / (2 * wide));
  return nullptr;
}

// round(x, digits), digits from 0 to 323: the decimal that is nearest to x.
const char* RoundTo(double x, double digits, double* z) {
  *z = x;
  if (!std::isfinite(x)) return nullptr;
  std::array<char, 1024> text;  // 309 digits, a sign, a point, 323 digits.
  const auto [end, error] =
      std::to_chars(text.begin(), text.end(), x, std::chars_format::fixed,
                    static_cast<int>(digits));
  if (error != std::errc()) return kRange;
  const auto found = std::from_chars(text.begin(), end, *z);
  return found.ec == std::errc() ? nullptr : kRange;
}

// `function` makes an integer of a float.
template <double (*function)(double)>
const char* FloatToInt(double x, int64_t* z) {
  const double whole = function(x);
  if (!(whole >= -kTwoTo63 && whole < kTwoTo63)) return kNoInt;  // NaN, too.
  *z = static_cast<int64_t>(whole);
  return nullptr;
}

// One of the C library's, as those of Python's `math` are; but not where Python
// raises.
template <double (*function)(double)>
const char* Math(double x, double* z) {
  *z = function(x);
  if (std::isnan(*z) && !std::isnan(x)) return kDomain;
  if (std::isinf(*z) && std::isfinite(x)) return kDomain;
  return nullptr;
}

double Trunc(double x) { return std::trunc(x); }
double Floor(double x) { return std::floor(x); }
double Ceil(double x) { return std::ceil(x); }
double RoundHalfToEven(double x) { return std::nearbyint(x); }

}  // namespace

PythonBinary<int64_t, int64_t> FindIntBinary(std::string_view name) {
  static constexpr Named<PythonBinary<int64_t, int64_t>> kTable[] = {
      {"Add", AddInts},       {"Sub", SubtractInts},
      {"Mult", MultiplyInts}, {"FloorDiv", FloorDivideInts},
      {"Mod", ModInts},       {"Pow", PowInts},
      {"LShift", ShiftLeft},  {"RShift", ShiftRight},
      {"BitAnd", AndInts},    {"BitOr", OrInts},
      {"BitXor", XorInts},    {"Min", Min<int64_t>},
      {"Max", Max<int64_t>},
  };
  return Find(kTable, name);
}

PythonBinary<int64_t, double> FindIntToFloatBinary(std::string_view name) {
  return name == "Div" ? DivideInts : nullptr;
}

PythonBinary<double, double> FindFloatBinary(std::string_view name) {
  static constexpr Named<PythonBinary<double, double>> kTable[] = {
      {"Add", AddFloats},
      {"Sub", SubtractFloats},
      {"Mult", MultiplyFloats},
      {"Div", DivideFloats},
      {"FloorDiv", FloorDivideFloats},
      {"Mod", ModFloats},
      {"Pow", PowFloats},
      {"Min", Min<double>},
      {"Max", Max<double>},
      {"atan2", Atan2},
      {"copysign", Copysign},
      {"hypot", Hypot},
      {"RoundTo", RoundTo},
  };
  return Find(kTable, name);
}

PythonUnary<int64_t, int64_t> FindIntUnary(std::string_view name) {
  static constexpr Named<PythonUnary<int64_t, int64_t>> kTable[] = {
      {"Neg", NegateInt},
      {"Abs", AbsInt},
      {"Cast", Same<int64_t>},
  };
  return Find(kTable, name);
}

PythonUnary<double, double> FindFloatUnary(std::string_view name) {
  static constexpr Named<PythonUnary<double, double>> kTable[] = {
      {"Neg", NegateFloat},   {"Abs", AbsFloat},      {"Cast", Same<double>},
      {"acos", Math<acos>},   {"acosh", Math<acosh>}, {"asin", Math<asin>},
      {"asinh", Math<asinh>}, {"atan", Math<atan>},   {"atanh", Math<atanh>},
      {"cos", Math<cos>},     {"cosh", Math<cosh>},   {"exp", Math<exp>},
      {"expm1", Math<expm1>}, {"log", Math<log>},     {"log10", Math<log10>},
      {"log1p", Math<log1p>}, {"log2", Math<log2>},   {"sin", Math<sin>},
      {"sinh", Math<sinh>},   {"sqrt", Math<sqrt>},   {"tan", Math<tan>},
      {"tanh", Math<tanh>},
  };
  return Find(kTable, name);
}

PythonUnary<double, int64_t> FindFloatToIntUnary(std::string_view name) {
  static constexpr Named<PythonUnary<double, int64_t>> kTable[] = {
      {"Trunc", FloatToInt<Trunc>},
      {"Floor", FloatToInt<Floor>},
      {"Ceil", FloatToInt<Ceil>},
      {"Round", FloatToInt<RoundHalfToEven>},
  };
  return Find(kTable, name);
}

int FindComparison(std::string_view name) {
  static constexpr Named<int> kTable[] = {
      {"Eq", kEqual},   {"NotEq", kLess | kGreater | kUnordered},
      {"Lt", kLess},    {"LtE", kLess | kEqual},
      {"Gt", kGreater}, {"GtE", kGreater | kEqual},
  };
  for (const auto& entry : kTable) {
    if (entry.name == name) return entry.function;
  }
  return 0;
}

PythonOrder CompareInts(int64_t x, int64_t y) {
  return x < y ? kLess : x > y ? kGreater : kEqual;
}

PythonOrder CompareFloats(double x, double y) {
  return x < y ? kLess : x > y ? kGreater : x == y ? kEqual : kUnordered;
}

PythonOrder CompareIntWithFloat(int64_t x, double y) {
  if (std::isnan(y)) return kUnordered;
  if (y >= kTwoTo63) return kLess;
  if (y < -kTwoTo63) return kGreater;
  const double whole = std::trunc(y);
  const PythonOrder order = CompareInts(x, static_cast<int64_t>(whole));
  return order != kEqual ? order : CompareFloats(whole, y);
}

}  // namespace recursive_tf
